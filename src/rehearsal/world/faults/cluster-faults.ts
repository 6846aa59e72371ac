import { MINUTE } from '../../../platform/clock.ts';
import { getList, getString } from '../../api/objects.ts';
import type { FaultId } from '../../site/faults.ts';
import type { Machine } from '../machines/machine.ts';
import type { World } from '../world.ts';
import {
  addMachineConfig,
  cordonNode,
  installApprover,
  requestVolume,
  scaleRoutersDown,
  startUpdate,
} from './admin-changes.ts';
import { addStaleApiService, addStaleWebhook, addTerminatingNamespace } from './leftover-objects.ts';
import { expireNodeCredentials, type MachineMap, powerOffControlPlaneNode } from './machines.ts';

/** A fault of a running cluster. */
interface ClusterFault {
  readonly fault: FaultId;
  /** `complete`: after the bootstrap; `installed`: after the whole installation. */
  readonly since: 'complete' | 'installed';
  /** Applies the fault. False: its target does not exist yet. */
  readonly apply: (world: World, machines: MachineMap) => boolean;
}

const CLUSTER_FAULTS: readonly ClusterFault[] = [
  { fault: 'request-denied', since: 'complete', apply: installApprover },
  { fault: 'node-cordoned', since: 'complete', apply: cordonNode },
  { fault: 'pool-degraded', since: 'complete', apply: addMachineConfig },
  { fault: 'api-service-unavailable', since: 'complete', apply: addStaleApiService },
  { fault: 'namespace-terminating', since: 'complete', apply: addTerminatingNamespace },
  { fault: 'webhook-unanswered', since: 'installed', apply: addStaleWebhook },
  { fault: 'release-not-loaded', since: 'installed', apply: startUpdate },
  { fault: 'routers-not-running', since: 'installed', apply: scaleRoutersDown },
  { fault: 'volume-not-provisioned', since: 'installed', apply: requestVolume },
  { fault: 'etcd-member-lost', since: 'installed', apply: powerOffControlPlaneNode },
  { fault: 'node-credentials-expired', since: 'installed', apply: expireNodeCredentials },
];

/** Time in which everything is healthy, so that the effects visibly follow the fault. */
const FAULT_DELAY = 0.5 * MINUTE;

/** Applies each fault once, when it is due. */
export function applyClusterFaults(world: World, machines: ReadonlyMap<string, Machine>): void {
  for (const { fault, since, apply } of CLUSTER_FAULTS) {
    const timer = `trouble ${fault}`;
    if (!world.faults.has(fault) || world.saved.timers[timer] !== undefined) continue;
    const startedAt = since === 'complete' ? (world.saved.cluster?.bootstrapCompleteAt ?? null) : getInstallTime(world);
    const now = world.clock.now();
    if (startedAt === null || now < startedAt + FAULT_DELAY || !apply(world, machines)) continue;
    world.saved.timers[timer] = now;
    world.log(`trouble: ${fault}`);
    world.changed();
  }
}

function getInstallTime({ store }: World): number | null {
  const [first] = getList(store.get('clusterversions.config.openshift.io', null, 'version'), 'status', 'history');
  return getString(first, 'state') === 'Completed' ? Date.parse(getString(first, 'completionTime')) : null;
}
