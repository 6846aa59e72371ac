import type { CloudName } from '../../design/example.ts';
import type { Design } from '../../design/model.ts';
import type { Clock } from '../../platform/clock.ts';

import type { Store } from '../api/store.ts';
import type { ServiceHosts } from '../hosts/service-hosts.ts';
import type { Addresses } from '../site/addresses.ts';
import type { FaultId } from '../site/faults.ts';
import type { Journals } from '../site/journals.ts';
import type { ReleaseFacts } from '../site/versions.ts';
import type { ClusterState, Hardware, SavedWorld } from './saved.ts';

/** The simulated world: everything that its machines, hosts and controllers share. */
export interface World {
  readonly design: Design;
  /** The cloud that provides the machines. Null: they are simulated hardware. */
  readonly cloud: CloudName | null;
  readonly clock: Clock;
  readonly seed: number;
  readonly faults: ReadonlySet<FaultId>;
  readonly addresses: Addresses;
  readonly hosts: ServiceHosts;
  readonly store: Store;
  readonly release: ReleaseFacts;
  readonly hardware: ReadonlyMap<string, Hardware>;
  /** Changed in place. The caller then calls `changed`. */
  readonly saved: SavedWorld;
  /** Aborted when the site stops. */
  readonly signal: AbortSignal;
  readonly log: (line: string) => void;
  readonly journals: Journals;
  /** Requests a save of the world after a change. */
  readonly changed: () => void;
}

/** The parts of `World` that the operators' workloads need. */
export type OperatorContext = Pick<World, 'clock' | 'seed' | 'store' | 'release' | 'changed'> & {
  readonly saved: Pick<SavedWorld, 'timers' | 'monitoringConfig'> & {
    readonly cluster: Pick<ClusterState, 'apiSince' | 'controlPlaneReplicas'> | null;
  };
};

/** The parts of `World` that timers need. */
type TimerContext = Pick<World, 'clock' | 'changed'> & { readonly saved: Pick<SavedWorld, 'timers'> };

/** Returns the start time of a timer, ms. The first call for a name starts it. Timers are saved with the world. */
export function getOrStartTimer(world: TimerContext, name: string): number {
  const known = world.saved.timers[name];
  if (known !== undefined) return known;
  const now = world.clock.now();
  world.saved.timers[name] = now;
  world.changed();
  return now;
}

/** Removes a timer. The next `getOrStartTimer` starts it again. */
export function clearTimer(world: Pick<TimerContext, 'saved'>, name: string): void {
  delete world.saved.timers[name];
}
