import { MINUTE } from '../../../platform/clock.ts';
import {
  assignFields,
  type ConditionReason,
  findCondition,
  formatTimestamp,
  getList,
  getString,
} from '../../api/objects.ts';
import type { ClusterState } from '../saved-world.ts';
import type { World } from '../world.ts';
import { listNodesOfRoles } from './cluster-objects.ts';

// Two nodes with fencing: jobs of the etcd operator hand etcd over to Pacemaker and give it the BMC credentials
// (openshift/cluster-etcd-operator pkg/tnf).

/** Duration of the job that hands etcd over to Pacemaker: the operator is not available during this job. */
const SETUP_TIME = 2 * MINUTE;
const FENCING_TIME = 1 * MINUTE;

/** Whether the control plane has two nodes and no arbiter: the topology DualReplica. */
function isDualReplica({
  controlPlaneReplicas,
  arbiterReplicas = 0,
}: Pick<ClusterState, 'controlPlaneReplicas' | 'arbiterReplicas'>): boolean {
  return controlPlaneReplicas === 2 && arbiterReplicas === 0;
}

/** Phase of the jobs, with the reason and message that the operator reports then. `done`: Pacemaker runs etcd. */
type FencingProgress =
  | (ConditionReason & { readonly phase: 'setup' | 'fencing' | 'failed' })
  | { readonly phase: 'done' };

/** Derives the progress of the jobs since the etcd member of the bootstrap node was removed; null: before that. */
export function deriveFencingProgress({ saved, clock, store }: World): FencingProgress | null {
  const removalCondition = findCondition(
    store.get('etcds.operator.openshift.io', null, 'cluster'),
    'EtcdBootstrapMemberRemoved',
  );
  if (saved.cluster === null || !isDualReplica(saved.cluster) || removalCondition === undefined) return null;
  const elapsedTime = clock.now() - Date.parse(getString(removalCondition, 'lastTransitionTime'));
  if (elapsedTime < SETUP_TIME) return { phase: 'setup', ...describeRunningJob('setup', 'Available', 'Progressing') };
  if (elapsedTime < SETUP_TIME + FENCING_TIME)
    return { phase: 'fencing', ...describeRunningJob('fencing', 'Progressing') };
  const hasAllSecrets = listNodesOfRoles(store, 'master').every(({ metadata }) => {
    const secret = store.get('secrets', 'openshift-etcd', `fencing-credentials-${metadata.name}`);
    return getString(secret, 'data', 'address') !== '';
  });
  return hasAllSecrets
    ? { phase: 'done' }
    : { phase: 'failed', reason: 'tnf-fencing-job_SyncError', message: 'tnf-fencing-jobDegraded: Job failed' };
}

function describeRunningJob(job: string, ...conditions: readonly string[]): ConditionReason {
  const lines = conditions.map((condition) => `tnf-${job}-job${condition}: Job is running`);
  return { reason: `tnf-${job}-job_JobRunning`, message: lines.join('\n') };
}

/** The conditions of the etcd operator after the handover (pkg/tnf/pkg/etcd/etcd.go). */
const HANDOVER_CONDITIONS = [
  {
    type: 'ExternalEtcdReadyForTransition',
    reason: 'PacemakerConfiguredForEtcdTransition',
    message: "pacemaker's resource agent is ready to takeover the etcd container",
  },
  {
    type: 'ExternalEtcdHasCompletedTransition',
    reason: 'PacemakerResourceAgentIsNowRunningEtcd',
    message: "pacemaker's resource agent is now running the etcd container",
  },
];

/** Records the handover in the etcd operator's object, once. */
export function recordHandover(world: World): void {
  const progress = deriveFencingProgress(world);
  if (progress === null || progress.phase === 'setup') return;
  world.store.mutate('etcds.operator.openshift.io', null, 'cluster', (etcd) => {
    const conditions = getList(etcd, 'status', 'conditions');
    if (conditions.length > 1) return;
    const lastTransitionTime = formatTimestamp(world.clock.now());
    const handoverConditions = HANDOVER_CONDITIONS.map((condition) => ({
      ...condition,
      status: 'True',
      lastTransitionTime,
    }));
    assignFields(etcd, 'status', { conditions: [...conditions, ...handoverConditions] });
  });
}
