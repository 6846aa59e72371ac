import type { Cluster } from '../../src/cluster/api.ts';
import { clusterOver } from '../../src/cluster/requests.ts';
import type { Design, InfraPlan } from '../../src/design/model.ts';
import { contentOf } from '../../src/moves/before/record.ts';
import type { MoveState } from '../../src/moves/move.ts';
import type { MoveName } from '../../src/moves/table.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { createApiHandler } from '../../src/rehearsal/api/server.ts';
import { createStore, type KubeObject, type NewObject, type Store } from '../../src/rehearsal/api/store.ts';
import { releaseFacts } from '../../src/rehearsal/site/versions.ts';
import { reconcilePools } from '../../src/rehearsal/world/nodes/pools.ts';
import { reconcileWorkloads } from '../../src/rehearsal/world/workloads/controller.ts';
import type { Operated } from '../../src/rehearsal/world/world.ts';
import type { LinesFile } from '../../src/session/lines-file.ts';
import { beforeLog } from '../../src/steps/infra/before-log.ts';
import type { MoveSite } from '../../src/steps/infra/site.ts';
import { type Instead, inProcess } from './api-in-process.ts';
import { DOMAIN, testDesign } from './csr-forge.ts';
import { addOperators, WRITTEN } from './infra-api.ts';
import { moveSide } from './move-side.ts';

// The rehearsal's API, its operators and its scheduler in one process, on a clock that runs while somebody waits: strict
// schemas, pruning, pods that leave and arrive. No socket, so that a test can send thousands of requests.

export const INFRA = ['i1', 'i2', 'i3'].map((name) => `${name}.${DOMAIN}`);
export const LABEL = 'node-role.kubernetes.io/infra';
const MINUTE = 60_000;
const STEP = 20_000;

export interface InfraWorld {
  /** What the operators work on. */
  readonly operated: Operated;
  readonly store: Store;
  readonly cluster: Cluster;
  readonly site: MoveSite;
  design: Design;
  /** Answers in place of the API. */
  instead: Instead;
  /** Writes that were stored: no dry runs. */
  writes: number;
  infra(change: Partial<InfraPlan>): void;
  add(resource: string, object: NewObject): void;
  change(resource: string, namespace: string | null, name: string, change: (object: KubeObject) => void): void;
  /** Time passes, and operators work. */
  tick(times?: number): void;
  look(name: MoveName): Promise<MoveState>;
  apply(name: MoveName): Promise<void>;
  /** Applies the move and waits until it has settled. */
  make(name: MoveName): Promise<MoveState>;
  settle(name: MoveName): Promise<MoveState>;
  undo(name: MoveName, consent?: Parameters<ReturnType<typeof moveSide>['undo']>[1]): Promise<readonly string[]>;
  /** What people and operators decide of all objects, by name; not what runs, and no state. */
  contents(): Readonly<Record<string, unknown>>;
}

/** Clusters after their installation, by version: operators need a dozen looks for what they always bring about. */
const installed = new Map<
  string,
  { readonly store: unknown; readonly saved: Operated['saved']; readonly at: number }
>();

/** A cluster after its installation. @param version `4.18.9` */
export function infraWorld(version: string): InfraWorld {
  let now = Date.parse('2026-11-22T12:00:00Z');
  const clock: Clock = {
    now: () => now,
    async sleep(ms) {
      now += Math.max(ms, STEP);
      look();
    },
    interval: () => () => undefined,
  };
  const store = createStore({ now: () => now });
  const saved = {
    timers: {},
    monitoringConfig: '',
    cluster: { apiSince: now - 60 * MINUTE, controlPlaneReplicas: 3 },
  };
  const operated = { clock, store, saved, seed: 1, release: releaseFacts(version, 'x86_64'), changed: () => undefined };
  const look = () => {
    reconcileWorkloads(operated);
    reconcilePools(operated);
  };
  const handler = createApiHandler({
    store,
    clock,
    gitVersion: operated.release.kubernetes,
    authenticate: () => ({ username: 'system:admin', groups: ['system:masters', 'system:authenticated'] }),
    isReady: () => true,
  });
  const send = inProcess(handler, (exchange) => {
    const other = world.instead(exchange);
    if (other === null && exchange.method !== 'GET' && exchange.query?.dryRun === undefined) world.writes += 1;
    return other;
  });
  const cluster = clusterOver(send, clock);
  const lines: string[] = [];
  const file: LinesFile = {
    path: 'infra-before.ndjson',
    read: () => lines,
    append: (added) => void lines.push(...added.map((line) => JSON.stringify(line))),
  };
  const log = beforeLog(file);
  const { signal } = new AbortController();
  const site = { clock, signal, connect: async () => cluster, context: null, log };
  const side = (name: MoveName) => moveSide(world.site, name);
  const world: InfraWorld = {
    operated,
    store,
    cluster,
    get site() {
      return { ...site, design: world.design };
    },
    design: testDesign(),
    instead: () => null,
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
        now += STEP;
        look();
      }
    },
    look: (name) => side(name).probe(),
    apply: (name) =>
      side(name).apply(
        () => undefined,
        () => undefined,
        async (wait) => {
          while ((await wait()) !== null) world.tick();
        },
      ),
    async make(name) {
      await world.apply(name);
      return await world.settle(name);
    },
    async settle(name) {
      for (let turn = 0; ; turn += 1) {
        const seen = await world.look(name);
        if (seen.state !== 'moving' || turn === 60) return seen;
        world.tick();
      }
    },
    undo: (name, consent = { toDefaults: false, overwrites: () => false }) => side(name).undo(() => undefined, consent),
    contents() {
      const all = WRITTEN.filter((resource) => resource !== 'persistentvolumeclaims').flatMap((resource) =>
        store.list(resource),
      );
      return Object.fromEntries(
        all.map((object) => [
          `${object.kind} ${object.metadata.namespace ?? ''}/${object.metadata.name}`,
          withoutRendered(contentOf(object)),
        ]),
      );
    },
  };
  const known = installed.get(version);
  if (known === undefined) {
    furnish(world, version);
    world.tick(12);
    installed.set(version, { store: store.dump(), saved: { ...saved, timers: { ...saved.timers } }, at: now });
  } else {
    store.load(known.store);
    Object.assign(saved, { ...known.saved, timers: { ...known.saved.timers } });
    now = known.at;
  }
  return world;
}

/** Without what the machine config operator notes on nodes. */
function withoutRendered(content: Record<string, unknown>): Record<string, unknown> {
  const { metadata, ...rest } = content as { metadata?: { labels?: object } };
  return metadata?.labels === undefined ? rest : { ...rest, labels: metadata.labels };
}

function furnish({ add }: InfraWorld, version: string): void {
  for (const name of [...INFRA, `w1.${DOMAIN}`, `w2.${DOMAIN}`])
    add('nodes', {
      metadata: { name, labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/os': 'linux' } },
      spec: {},
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  for (const name of ['openshift-ingress', 'openshift-logging', 'openshift-storage', 'openshift-network-diagnostics'])
    add('namespaces', { metadata: { name } });
  addOperators((resource, object) => add(resource, complete(resource, object)), version);
  add('networks.config.openshift.io', {
    metadata: { name: 'cluster' },
    spec: { networkType: 'OVNKubernetes', clusterNetwork: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
  });
  add('networks.operator.openshift.io', { metadata: { name: 'cluster' }, spec: { managementState: 'Managed' } });
}

/** The pool as the machine config operator makes it: by what its nodes have. */
function complete(resource: string, object: NewObject): NewObject {
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
