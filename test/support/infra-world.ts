import type { Design, InfraSettings } from '../../src/design/model.ts';
import type { InfraContext } from '../../src/infra/context.ts';
import type { MoveStatus } from '../../src/infra/infra-move.ts';
import type { MoveName } from '../../src/infra/moves.ts';
import { createUndoLog, extractContent } from '../../src/infra/undo/undo-log.ts';
import type { Cluster } from '../../src/kube/api.ts';
import { createClusterClient } from '../../src/kube/cluster-client.ts';
import type { Clock } from '../../src/platform/clock.ts';
import type { KubeObject, NewObject } from '../../src/rehearsal/api/objects.ts';
import { createApiHandler } from '../../src/rehearsal/api/server.ts';
import { createStore, type Store } from '../../src/rehearsal/api/store.ts';
import { deriveReleaseMetadata } from '../../src/rehearsal/site/release-metadata.ts';
import { createMachineConfiguration, reconcilePools } from '../../src/rehearsal/world/nodes/pools.ts';
import { reconcileWorkloads } from '../../src/rehearsal/world/workloads/controller.ts';
import type { OperatorContext } from '../../src/rehearsal/world/world.ts';
import type { NdjsonFile } from '../../src/session/ndjson-file.ts';
import { createInProcessTransport, type RequestInterceptor, refuseExec } from './api-in-process.ts';
import { DOMAIN, testDesign } from './csr-forge.ts';
import { addClusterObjects, WRITABLE_RESOURCES } from './infra-api.ts';
import { createMoveExecutor } from './move-executor.ts';

// The rehearsal's API, operators and scheduler in one process, with strict schemas, pruning, and pods that leave and
// arrive. The clock runs only during waits. There is no socket, so that a test can send thousands of requests.

export const INFRA = ['i1', 'i2', 'i3'].map((name) => `${name}.${DOMAIN}`);
export const LABEL = 'node-role.kubernetes.io/infra';
const MINUTE = 60_000;
const STEP_MS = 20_000;

export interface InfraWorld {
  /** Context of the simulated operators. */
  readonly operatorContext: OperatorContext;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly site: InfraContext;
  design: Design;
  /** Answers in place of the API. */
  intercept: RequestInterceptor;
  /** Writes that were stored: no dry runs. */
  writes: number;
  infra(change: Partial<InfraSettings>): void;
  add(resource: string, object: NewObject): void;
  change(resource: string, namespace: string | null, name: string, change: (object: KubeObject) => void): void;
  /** Advances the time and runs the operators. */
  tick(times?: number): void;
  probe(name: MoveName): Promise<MoveStatus>;
  apply(name: MoveName): Promise<void>;
  /** Applies the move and waits until it has settled. */
  applyAndSettle(name: MoveName): Promise<MoveStatus>;
  settle(name: MoveName): Promise<MoveStatus>;
  undo(
    name: MoveName,
    consent?: Parameters<ReturnType<typeof createMoveExecutor>['undo']>[0],
  ): Promise<readonly string[]>;
  /** Settings of all objects by name, without workloads and status. */
  contents(): Readonly<Record<string, unknown>>;
}

/** Clusters after their installation, by version: operators need a dozen rounds to reach this state. */
const clusterCache = new Map<
  string,
  { readonly store: unknown; readonly saved: OperatorContext['saved']; readonly at: number }
>();

/** Returns a cluster after its installation. @param version `4.18.9` */
export function infraWorld(version: string): InfraWorld {
  let now = Date.parse('2026-11-22T12:00:00Z');
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += Math.max(ms, STEP_MS);
      runOperators();
    },
    startInterval: () => () => undefined,
  };
  const store = createStore({ now: () => now });
  const saved = {
    timers: {},
    monitoringConfig: '',
    cluster: { apiSince: now - 60 * MINUTE, controlPlaneReplicas: 3 },
  };
  const operatorContext = {
    clock,
    store,
    saved,
    seed: 1,
    release: deriveReleaseMetadata(version, 'x86_64'),
    requestSave: () => undefined,
  };
  const runOperators = () => {
    reconcileWorkloads(operatorContext);
    reconcilePools(operatorContext);
  };
  const handler = createApiHandler({
    store,
    clock,
    gitVersion: operatorContext.release.kubernetesVersion,
    isAdministrator: () => true,
    isReady: () => true,
  });
  const transport = createInProcessTransport(handler, (apiRequest) => {
    const replacement = world.intercept(apiRequest);
    if (replacement === null && apiRequest.method !== 'GET' && apiRequest.query?.dryRun === undefined)
      world.writes += 1;
    return replacement;
  });
  const cluster = createClusterClient(transport, refuseExec, clock);
  const lines: string[] = [];
  const file: NdjsonFile = {
    path: 'infra-before.ndjson',
    read: () => lines,
    append: (added) => void lines.push(...added.map((line) => JSON.stringify(line))),
  };
  const undoLog = createUndoLog(file);
  const { signal } = new AbortController();
  const site = { clock, signal, connect: async () => cluster, directory: null, undoLog };
  const executor = (name: MoveName) => createMoveExecutor(world.site, name);
  const world: InfraWorld = {
    operatorContext,
    store,
    cluster,
    get site() {
      return { ...site, design: world.design };
    },
    design: testDesign(),
    intercept: () => null,
    writes: 0,
    infra(change) {
      world.design = { ...world.design, infra: { ...world.design.infra, ...change } };
    },
    add: (resource, object) => void store.create(resource, object),
    change(resource, namespace, name, change) {
      if (store.mutate(resource, namespace, name, change) === undefined) throw new Error(`no ${resource} ${name}`);
    },
    tick(times = 1) {
      for (let turn = 0; turn < times; turn += 1) {
        now += STEP_MS;
        runOperators();
      }
    },
    probe: (name) => executor(name).probe(),
    apply: (name) =>
      executor(name).apply(undefined, async (wait) => {
        while ((await wait()) !== null) world.tick();
      }),
    async applyAndSettle(name) {
      await world.apply(name);
      return await world.settle(name);
    },
    async settle(name) {
      for (let turn = 0; ; turn += 1) {
        const status = await world.probe(name);
        if (status.state !== 'moving' || turn === 60) return status;
        world.tick();
      }
    },
    undo: (name, consent = { toDefaults: false, shouldOverwrite: () => false }) => executor(name).undo(consent),
    contents() {
      const objects = WRITABLE_RESOURCES.filter((resource) => resource !== 'persistentvolumeclaims').flatMap(
        (resource) => store.list(resource),
      );
      return Object.fromEntries(
        objects.map((object) => [
          `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`,
          withoutRendered(extractContent(object)),
        ]),
      );
    },
  };
  const cached = clusterCache.get(version);
  if (cached === undefined) {
    prepareCluster(world, version);
    world.tick(12);
    clusterCache.set(version, { store: store.dump(), saved: { ...saved, timers: { ...saved.timers } }, at: now });
  } else {
    store.load(cached.store);
    Object.assign(saved, { ...cached.saved, timers: { ...cached.saved.timers } });
    now = cached.at;
  }
  return world;
}

/** Removes the notes of the machine config operator from a node. */
function withoutRendered(content: Record<string, unknown>): Record<string, unknown> {
  const { metadata, ...rest } = content as { metadata?: { labels?: object } };
  return metadata?.labels === undefined ? rest : { ...rest, labels: metadata.labels };
}

function prepareCluster({ add, operatorContext }: InfraWorld, version: string): void {
  for (const name of [...INFRA, `w1.${DOMAIN}`, `w2.${DOMAIN}`])
    add('nodes', {
      metadata: { name, labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/os': 'linux' } },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  for (const name of ['openshift-ingress', 'openshift-logging', 'openshift-storage', 'openshift-network-diagnostics'])
    add('namespaces', { metadata: { name } });
  addClusterObjects((resource, object) => add(resource, completePool(resource, object)), version);
  add('networks.config.openshift.io', {
    metadata: { name: 'cluster' },
    spec: { networkType: 'OVNKubernetes', clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
  });
  createMachineConfiguration(operatorContext);
  add('networks.operator.openshift.io', { metadata: { name: 'cluster' }, spec: { managementState: 'Managed' } });
}

/** Completes a pool as the machine config operator creates it, by the labels of its nodes. */
function completePool(resource: string, object: NewObject): NewObject {
  if (!resource.startsWith('machineconfigpools')) return object;
  const name = object.metadata.name ?? '';
  return {
    ...object,
    spec: {
      machineConfigSelector: { matchLabels: { 'machineconfiguration.openshift.io/role': name } },
      nodeSelector: { matchLabels: { [`node-role.kubernetes.io/${name}`]: '' } },
      paused: false,
    },
  };
}
