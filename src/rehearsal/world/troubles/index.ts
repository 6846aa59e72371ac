import { MINUTE } from '../../../ports/clock.ts';
import { listAt, textAt } from '../../api/objects.ts';
import type { FaultId } from '../../site/faults.ts';
import type { Machine } from '../machines/machine.ts';
import type { World } from '../world.ts';
import { leaveApiService, leaveNamespace, leaveWebhook } from './left-behind.ts';
import { type Machines, runOutOfCredentials, switchOffControlPlane } from './machines.ts';
import {
  addMachineConfig,
  askForVolume,
  beginUpdate,
  cordonNode,
  installApprover,
  scaleRoutersDown,
} from './mistakes.ts';

/** What happens to a cluster that stands. */
interface Trouble {
  readonly fault: FaultId;
  /** `complete`: the bootstrap is; `installed`: the whole cluster is. */
  readonly since: 'complete' | 'installed';
  /** Does it; false: what it strikes is not there yet. */
  readonly strike: (world: World, machines: Machines) => boolean;
}

const TROUBLES: readonly Trouble[] = [
  { fault: 'request-denied', since: 'complete', strike: installApprover },
  { fault: 'node-cordoned', since: 'complete', strike: cordonNode },
  { fault: 'pool-degraded', since: 'complete', strike: addMachineConfig },
  { fault: 'api-service-unavailable', since: 'complete', strike: leaveApiService },
  { fault: 'namespace-terminating', since: 'complete', strike: leaveNamespace },
  { fault: 'webhook-unanswered', since: 'installed', strike: leaveWebhook },
  { fault: 'release-not-loaded', since: 'installed', strike: beginUpdate },
  { fault: 'routers-not-running', since: 'installed', strike: scaleRoutersDown },
  { fault: 'volume-not-provisioned', since: 'installed', strike: askForVolume },
  { fault: 'etcd-member-lost', since: 'installed', strike: switchOffControlPlane },
  { fault: 'node-credentials-expired', since: 'installed', strike: runOutOfCredentials },
];

/** A moment in which everything is well: what follows is seen to follow. */
const DELAY = 0.5 * MINUTE;

/** Does each of them once, when its time has come. */
export function strikeTroubles(world: World, machines: ReadonlyMap<string, Machine>): void {
  for (const { fault, since, strike } of TROUBLES) {
    const timer = `trouble ${fault}`;
    if (!world.faults.has(fault) || world.saved.timers[timer] !== undefined) continue;
    const began = since === 'complete' ? (world.saved.cluster?.bootstrapCompleteAt ?? null) : installedAt(world);
    const now = world.clock.now();
    if (began === null || now < began + DELAY || !strike(world, machines)) continue;
    world.saved.timers[timer] = now;
    world.log(`trouble: ${fault}`);
    world.changed();
  }
}

function installedAt({ store }: World): number | null {
  const [first] = listAt(store.get('clusterversions.config.openshift.io', null, 'version'), 'status', 'history');
  return textAt(first, 'state') === 'Completed' ? Date.parse(textAt(first, 'completionTime')) : null;
}
