import type { CloudName } from '../../design/example-cloud.ts';
import type { Design } from '../../design/model.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Store } from '../api/store.ts';
import type { ServiceHosts } from '../hosts/service-hosts.ts';
import type { Addresses } from '../site/addresses.ts';
import type { FaultId } from '../site/faults.ts';
import type { Journals } from '../site/journals.ts';
import type { ReleaseFacts } from '../site/versions.ts';
import type { ClusterState, Hardware, SavedWorld } from './saved.ts';

/** What everything in the world works with. */
export interface World {
  readonly design: Design;
  /** The cloud that makes its machines; null where they stand in a rack. */
  readonly cloud: CloudName | null;
  readonly clock: Clock;
  readonly seed: number;
  readonly faults: ReadonlySet<FaultId>;
  readonly addresses: Addresses;
  readonly hosts: ServiceHosts;
  readonly store: Store;
  readonly release: ReleaseFacts;
  readonly hardware: ReadonlyMap<string, Hardware>;
  /** Changed in place; the caller then calls `changed`. */
  readonly saved: SavedWorld;
  /** Aborted when the site stops. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly journals: Journals;
  /** Something worth saving happened. */
  readonly changed: () => void;
}

/** What the operators' workloads need of the world. */
export type Operated = Pick<World, 'clock' | 'seed' | 'store' | 'release' | 'changed'> & {
  readonly saved: Pick<SavedWorld, 'timers' | 'monitoringConfig'> & {
    readonly cluster: Pick<ClusterState, 'apiSince' | 'controlPlaneReplicas'> | null;
  };
};

/** What remembers when something began. */
type Timed = Pick<World, 'clock' | 'changed'> & { readonly saved: Pick<SavedWorld, 'timers'> };

/** The moment at which `name` was first asked for: how the world remembers when something began. */
export function firstSeen(world: Timed, name: string): number {
  const known = world.saved.timers[name];
  if (known !== undefined) return known;
  const now = world.clock.now();
  world.saved.timers[name] = now;
  world.changed();
  return now;
}

export function forget(world: Pick<Timed, 'saved'>, name: string): void {
  delete world.saved.timers[name];
}
