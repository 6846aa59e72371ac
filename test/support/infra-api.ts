import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Cluster } from '../../src/cluster/api.ts';
import { applyMove } from '../../src/cluster/infra/run.ts';
import { clusterOver } from '../../src/cluster/requests.ts';
import type { Design } from '../../src/design/model.ts';
import { MOVES, type MoveName } from '../../src/moves/table.ts';
import { registry } from '../../src/rehearsal/api/registry.ts';
import { createApiHandler } from '../../src/rehearsal/api/server.ts';
import { createStore, type KubeObject, type NewObject, type Store } from '../../src/rehearsal/api/store.ts';
import { freshSettings } from '../../src/rehearsal/world/workloads/plan.ts';
import { linesFile } from '../../src/session/lines-file.ts';
import { type BeforeLog, beforeLog } from '../../src/steps/infra/before-log.ts';
import { NO_CONSENT, planUndo, type UndoConsent, undoMove } from '../../src/steps/infra/undo.ts';
import { inProcess } from './api-in-process.ts';
import { DOMAIN, testDesign } from './csr-forge.ts';
import { standingClock } from './standing-clock.ts';

/** The moves of the cluster's objects. */
export const CLUSTER_MOVES = MOVES.flatMap((move) => (move.where === 'cluster' ? [move] : []));
/** Those that a cluster has whose machines no cloud makes, in their order. */
export const MOVES_ON_METAL = CLUSTER_MOVES.map(({ name }) => name).filter(
  (name) => name !== 'machine-sets' && name !== 'autoscaler',
);

/** The kinds that moves write to: what people and operators set, and nothing that runs. */
export const WRITTEN = [
  'nodes',
  'configmaps',
  'persistentvolumeclaims',
  ...[...registry].flatMap(([resource, { isCustom }]) => (isCustom ? [resource] : [])),
];

/** The API of the rehearsal, with what an installed cluster has that moves write to, and a file for what was there before. */
export interface InfraApi {
  readonly store: Store;
  readonly cluster: Cluster;
  readonly file: string;
  design: Design;
  /** A log on the file, as another run opens it. */
  log: () => BeforeLog;
  add(resource: string, object: NewObject): void;
  change(resource: string, namespace: string | null, name: string, change: (object: KubeObject) => void): void;
  /** Makes a move without looking at what must come first. */
  apply(name: MoveName): Promise<void>;
  plan(name: MoveName, toDefaults?: boolean): ReturnType<typeof planUndo>;
  undo(name: MoveName, consent?: UndoConsent): ReturnType<typeof undoMove>;
  /** All that moves may write, without versions. */
  contents(): unknown;
  close(): Promise<void>;
}

export async function startInfraApi(version = '4.18.9'): Promise<InfraApi> {
  const store = createStore({ now: Date.now });
  const handler = createApiHandler({
    store,
    clock: standingClock(),
    gitVersion: 'v1.31.8',
    authenticate: () => ({ username: 'system:admin', groups: ['system:masters', 'system:authenticated'] }),
    isReady: () => true,
  });
  const cluster = clusterOver(inProcess(handler), standingClock());
  const dir = mkdtempSync(join(tmpdir(), 'upi-before-'));
  const file = join(dir, 'infra-before.ndjson');
  const log = () => beforeLog(linesFile(file));
  const moveOf = (name: MoveName) => {
    const move = CLUSTER_MOVES.find((each) => each.name === name);
    if (!move) throw new Error(`no move ${name} in the cluster`);
    return move;
  };
  const api: InfraApi = {
    store,
    cluster,
    file,
    design: testDesign(),
    log,
    add: (resource, object) => void store.create(resource, object),
    change: (resource, namespace, name, change) => void store.mutate(resource, namespace, name, change),
    async apply(name) {
      const written = api.log();
      await applyMove(cluster, moveOf(name), api.design, async () => [], {
        tell: () => undefined,
        note: (edit, current) => written.note(cluster, name, edit, current),
      });
    },
    plan: (name, toDefaults = false) =>
      planUndo(cluster, moveOf(name), { design: api.design, log: api.log(), toDefaults }),
    undo: (name, consent = NO_CONSENT) =>
      undoMove(cluster, moveOf(name), { design: api.design, log: api.log(), consent }, () => undefined),
    contents: () =>
      WRITTEN.flatMap((resource) => store.list(resource)).map((object) => {
        const {
          resourceVersion: _version,
          managedFields: _fields,
          generation: _generation,
          ...metadata
        } = object.metadata;
        return { ...object, metadata };
      }),
    close: async () => rmSync(dir, { recursive: true }),
  };
  furnish(api, version);
  return api;
}

function furnish({ add }: InfraApi, version: string): void {
  for (const name of ['i1', 'i2', 'i3', 'w1']) {
    add('nodes', {
      metadata: { name: `${name}.${DOMAIN}`, labels: { 'node-role.kubernetes.io/worker': '' } },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
  addOperators(add, version);
}

/** What the moves write to, before the first of them: what the rehearsal gives a fresh cluster, with a registry in an emptyDir. */
export function addOperators(add: InfraApi['add'], version: string): void {
  add('clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: { clusterID: 'c1' },
    status: { desired: { version } },
  });
  add('machineconfigpools.machineconfiguration.openshift.io', { metadata: { name: 'worker' }, spec: {} });
  for (const [resource, object] of freshSettings(DOMAIN)) add(resource, { ...object, ...OWN[resource] });
  add('storageclasses.storage.k8s.io', {
    metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'example.com/fast',
  });
  for (const namespace of ['openshift-monitoring', 'openshift-user-workload-monitoring', 'openshift-image-registry'])
    add('namespaces', { metadata: { name: namespace } });
}

const OWN: Readonly<Record<string, object>> = {
  'configs.imageregistry.operator.openshift.io': {
    spec: { managementState: 'Removed', replicas: 1, storage: { emptyDir: {} } },
  },
  'imagepruners.imageregistry.operator.openshift.io': { spec: {} },
};
