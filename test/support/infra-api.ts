import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Design } from '../../src/design/model.ts';
import { applyClusterMove } from '../../src/infra/apply-edits.ts';
import { MOVES, type MoveName } from '../../src/infra/moves.ts';
import { createUndoLog, type UndoLog } from '../../src/infra/undo/undo-log.ts';
import { planUndo, RECORDED_ONLY_CONSENT, type UndoConsent, undoMove } from '../../src/infra/undo/undo-move.ts';
import type { Cluster } from '../../src/kube/api.ts';
import { createClusterClient } from '../../src/kube/cluster-client.ts';
import { kindsByKey } from '../../src/rehearsal/api/kinds.ts';
import type { KubeObject, NewObject } from '../../src/rehearsal/api/objects.ts';
import { createApiHandler } from '../../src/rehearsal/api/server.ts';
import { createStore, type Store } from '../../src/rehearsal/api/store.ts';
import { buildDefaultSettings } from '../../src/rehearsal/world/workloads/plan.ts';
import { openNdjsonFile } from '../../src/session/ndjson-file.ts';
import { createInProcessTransport, refuseExec } from './api-in-process.ts';
import { DOMAIN, testDesign } from './csr-forge.ts';
import { createFrozenClock } from './frozen-clock.ts';
import { NO_PLAN_FACTS } from './move-executor.ts';

/** The moves that edit objects of the cluster. */
export const CLUSTER_MOVES = MOVES.flatMap((move) => (move.where === 'cluster' ? [move] : []));
/** The moves of a cluster without a cloud provider (no machine sets, no autoscaler), in order. */
export const MOVES_ON_METAL = CLUSTER_MOVES.map(({ name }) => name).filter(
  (name) => name !== 'machine-sets' && name !== 'autoscaler',
);

/** Resources that moves write to: settings of users and operators, but no workloads. */
export const WRITABLE_RESOURCES = [
  'nodes',
  'configmaps',
  'persistentvolumeclaims',
  ...[...kindsByKey].flatMap(([resource, { isCustom }]) => (isCustom ? [resource] : [])),
];

/**
 * The API of the rehearsal with the objects of an installed cluster that moves write to, and a file of undo records.
 */
export interface InfraApi {
  readonly store: Store;
  readonly cluster: Cluster;
  readonly file: string;
  design: Design;
  /** Opens the undo log again, as a later run of the wizard does. */
  openUndoLog: () => UndoLog;
  add(resource: string, object: NewObject): void;
  change(resource: string, namespace: string | null, name: string, change: (object: KubeObject) => void): void;
  /** Applies a move without checking its prerequisites. */
  apply(name: MoveName): Promise<void>;
  plan(name: MoveName, toDefaults?: boolean): ReturnType<typeof planUndo>;
  undo(name: MoveName, consent?: UndoConsent): ReturnType<typeof undoMove>;
  /** All objects that moves may write, without versions. */
  contents(): unknown;
  close(): Promise<void>;
}

export async function startInfraApi(version = '4.18.9'): Promise<InfraApi> {
  const store = createStore({ now: Date.now });
  const handler = createApiHandler({
    store,
    clock: createFrozenClock(),
    gitVersion: 'v1.31.8',
    isAdministrator: () => true,
    isReady: () => true,
  });
  const cluster = createClusterClient(createInProcessTransport(handler), refuseExec, createFrozenClock());
  const dir = mkdtempSync(join(tmpdir(), 'upi-before-'));
  const file = join(dir, 'infra-before.ndjson');
  const log = () => createUndoLog(openNdjsonFile(file));
  const findMove = (name: MoveName) => {
    const move = CLUSTER_MOVES.find((each) => each.name === name);
    if (!move) throw new Error(`no move ${name} in the cluster`);
    return move;
  };
  const api: InfraApi = {
    store,
    cluster,
    file,
    design: testDesign(),
    openUndoLog: log,
    add: (resource, object) => void store.create(resource, object),
    change: (resource, namespace, name, change) => void store.mutate(resource, namespace, name, change),
    async apply(name) {
      const undoLog = api.openUndoLog();
      await applyClusterMove(cluster, findMove(name), api.design, NO_PLAN_FACTS, {
        onWrite: () => undefined,
        recordUndo: (edit, current) => undoLog.recordObject(cluster, name, edit, current),
      });
    },
    plan: (name, toDefaults = false) =>
      planUndo(cluster, findMove(name), { design: api.design, log: api.openUndoLog(), toDefaults }),
    undo: (name, consent = RECORDED_ONLY_CONSENT) =>
      undoMove(cluster, findMove(name), { design: api.design, log: api.openUndoLog(), consent }, () => undefined),
    contents: () =>
      WRITABLE_RESOURCES.flatMap((resource) => store.list(resource)).map((object) => {
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
  prepareCluster(api, version);
  return api;
}

function prepareCluster({ add }: InfraApi, version: string): void {
  for (const name of ['i1', 'i2', 'i3', 'w1']) {
    add('nodes', {
      metadata: { name: `${name}.${DOMAIN}`, labels: { 'node-role.kubernetes.io/worker': '' } },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  }
  addClusterObjects(add, version);
}

/**
 * Adds the objects that moves write to, as the rehearsal gives them to a fresh cluster, with a registry in an emptyDir.
 */
export function addClusterObjects(add: InfraApi['add'], version: string): void {
  add('clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: { clusterID: 'c1' },
    status: { desired: { version } },
  });
  add('machineconfigpools.machineconfiguration.openshift.io', { metadata: { name: 'worker' }, spec: {} });
  for (const [resource, object] of buildDefaultSettings(DOMAIN)) add(resource, { ...object, ...OVERRIDES[resource] });
  add('storageclasses.storage.k8s.io', {
    metadata: { name: 'fast', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
    provisioner: 'example.com/fast',
  });
  for (const namespace of ['openshift-monitoring', 'openshift-user-workload-monitoring', 'openshift-image-registry'])
    add('namespaces', { metadata: { name: namespace } });
}

const OVERRIDES: Readonly<Record<string, object>> = {
  'configs.imageregistry.operator.openshift.io': {
    spec: { managementState: 'Removed', replicas: 1, storage: { emptyDir: {} } },
  },
  'imagepruners.imageregistry.operator.openshift.io': { spec: {} },
};
