import type { CloudName } from '../../design/example.ts';
import type { Design } from '../../design/model.ts';
import type { Clock } from '../../platform/clock.ts';
import { formatTimestamp, getRecord, isDeepEqual, type KubeObject, memoizeByObject } from '../api/objects.ts';
import type { Store } from '../api/store.ts';
import type { ServiceHosts } from '../hosts/service-hosts.ts';
import type { Addresses } from '../site/addresses.ts';
import type { FaultId } from '../site/faults.ts';
import type { Journals } from '../site/files.ts';
import type { ReleaseMetadata } from '../site/release-metadata.ts';
import { generateNameSuffix } from '../site/seeded-random.ts';
import type { ClusterState, Hardware, SavedWorld } from './saved-world.ts';

/** The simulated world: everything that its machines, hosts and controllers share. */
export interface World {
  readonly design: Design;
  /** The cloud that provides the machines. Null: the machines are simulated hardware. */
  readonly cloud: CloudName | null;
  readonly clock: Clock;
  readonly seed: number;
  readonly faults: ReadonlySet<FaultId>;
  readonly addresses: Addresses;
  readonly hosts: ServiceHosts;
  readonly store: Store;
  readonly release: ReleaseMetadata;
  readonly hardware: ReadonlyMap<string, Hardware>;
  /** Changed in place. The caller then calls `requestSave`. */
  readonly saved: SavedWorld;
  /** Aborted when the site stops. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly journals: Journals;
  /** Requests a save of the world after a change. */
  readonly requestSave: () => void;
}

/** The parts of `World` that the operators' workloads need. */
export type OperatorContext = Pick<World, 'clock' | 'seed' | 'store' | 'release' | 'requestSave'> & {
  readonly saved: Pick<SavedWorld, 'timers' | 'monitoringConfig'> & {
    readonly cluster: Pick<ClusterState, 'apiSince' | 'controlPlaneReplicas'> | null;
  };
};

/** The parts of `World` that timers need. */
type TimerContext = Pick<World, 'clock' | 'requestSave'> & { readonly saved: Pick<SavedWorld, 'timers'> };

/** Returns the start time of a timer, ms. The first call for a name starts it. Timers are saved with the world. */
export function getOrStartTimer(world: TimerContext, name: string): number {
  const startTime = world.saved.timers[name];
  if (startTime !== undefined) return startTime;
  const now = world.clock.now();
  world.saved.timers[name] = now;
  world.requestSave();
  return now;
}

/** Removes a timer. The next `getOrStartTimer` starts it again. */
export function clearTimer(world: Pick<TimerContext, 'saved'>, name: string): void {
  delete world.saved.timers[name];
}

/** Replaces the status of an object, if that makes a difference. */
export function setStatus({ store }: Pick<World, 'store'>, resource: string, object: KubeObject, status: object): void {
  if (isDeepEqual(object.status, status)) return;
  store.mutate(resource, object.metadata.namespace, object.metadata.name, (target) => {
    target.status = status;
  });
}

/** Merges `changes` into the status of an object, if that makes a difference. */
export function mergeStatus(world: Pick<World, 'store'>, resource: string, object: KubeObject, changes: object): void {
  setStatus(world, resource, object, { ...getRecord(object, 'status'), ...changes });
}

/** Time for which the API of OpenShift keeps events (event-ttl), ms. */
const EVENT_TTL = 3 * 3600_000;

interface EventInput {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
  readonly component: string;
}

/** Records an event of an object, once per message: an unchanged state is not reported again. */
export function recordEvent(
  { store, clock, seed }: OperatorContext,
  object: KubeObject,
  { component, ...event }: EventInput,
): void {
  const { namespace = '', name, uid } = object.metadata;
  const eventName = `${name}.${generateNameSuffix(seed, 16, uid, event.reason, event.message)}`;
  if (store.get('events', namespace, eventName)) return;
  const now = formatTimestamp(clock.now());
  store.create('events', {
    metadata: { name: eventName, namespace },
    involvedObject: { apiVersion: object.apiVersion, kind: object.kind, namespace, name, uid },
    ...event,
    source: { component },
    firstTimestamp: now,
    lastTimestamp: now,
    count: 1,
  });
}

const getCreationTime = memoizeByObject(({ metadata }) => Date.parse(metadata.creationTimestamp));

/** Deletes events that are older than `EVENT_TTL`. */
export function deleteOldEvents({ store, clock }: OperatorContext): void {
  for (const event of store.list('events')) {
    const { namespace = '', name } = event.metadata;
    if (clock.now() > getCreationTime(event) + EVENT_TTL) store.delete('events', namespace, name);
  }
}

/**
 * Wraps a reconciliation. After a run that wrote nothing and left no work pending, runs are skipped until an object or
 * the cluster state changes. The reconciliation must read only objects, cluster state, clock and its own writes.
 * @param hasPendingWork whether work continues as time passes
 */
export function skipWhileUnchanged(
  reconcile: (world: OperatorContext) => void,
  hasPendingWork: (world: OperatorContext) => boolean,
): (world: OperatorContext) => void {
  type Cluster = OperatorContext['saved']['cluster'];
  const stableStates = new WeakMap<
    OperatorContext['saved'],
    { readonly changeCount: number; readonly cluster: Cluster }
  >();
  return (world) => {
    const { store, saved } = world;
    const { cluster } = saved;
    const changeCount = store.getChangeCount();
    const stableState = stableStates.get(saved);
    if (stableState?.changeCount === changeCount && stableState.cluster === cluster) return;
    reconcile(world);
    if (store.getChangeCount() === changeCount && !hasPendingWork(world))
      stableStates.set(saved, { changeCount, cluster });
  };
}
