import { isDeepEqual } from '../../api/json.ts';
import { formatTimestamp, getField, getString, type KubeObject } from '../../api/objects.ts';
import type { OperatorContext } from '../world.ts';
import { isPodReady } from './pods.ts';
import { canSchedule, type SchedulableNode } from './scheduler.ts';
import { RESOURCES } from './spec.ts';
import type { Workload } from './workload.ts';

/**
 * Writes the progress of a workload into its status.
 * @param pods the workload's own pods
 */
export function updateWorkloadStatus(
  world: OperatorContext,
  workload: Workload,
  nodes: readonly SchedulableNode[],
  pods: readonly KubeObject[],
): void {
  const resource = RESOURCES[workload.kind];
  const owner = world.store.get(resource, workload.namespace, workload.name);
  if (!owner) return;
  const revision = getString(owner, 'spec', 'template', 'metadata', 'labels', 'revision');
  const updated = pods.filter((pod) => pod.metadata.labels?.revision === revision).length;
  const ready = pods.filter(isPodReady).length;
  const observedGeneration = owner.metadata.generation ?? 1;
  const replicas = Number(getField(owner, 'spec', 'replicas') ?? 0);
  const status =
    workload.kind === 'DaemonSet'
      ? {
          observedGeneration,
          currentNumberScheduled: pods.length,
          desiredNumberScheduled: nodes.filter((node) => canSchedule(node, workload.placement)).length,
          numberMisscheduled: pods.filter((pod) => {
            const node = nodes.find(({ name }) => name === getString(pod, 'spec', 'nodeName'));
            return node !== undefined && !canSchedule(node, workload.placement);
          }).length,
          numberReady: ready,
          numberAvailable: ready,
          updatedNumberScheduled: updated,
        }
      : {
          observedGeneration,
          replicas: pods.length,
          updatedReplicas: updated,
          readyReplicas: ready,
          availableReplicas: ready,
          ...(workload.kind === 'Deployment' ? buildDeploymentStatus(world, owner, ready, replicas) : {}),
          ...(workload.kind === 'StatefulSet'
            ? { currentReplicas: updated, currentRevision: revision, updateRevision: revision }
            : {}),
        };
  if (isDeepEqual(owner.status, status)) return;
  world.store.mutate(resource, workload.namespace, workload.name, (object) => {
    object.status = status;
  });
}

function buildDeploymentStatus(world: OperatorContext, owner: KubeObject, ready: number, replicas: number) {
  const status = ready >= Math.max(1, replicas - Math.floor(replicas / 4)) ? 'True' : 'False';
  const known = getField(owner, 'status', 'conditions');
  const [previous] = Array.isArray(known) ? known : [];
  if (getString(previous, 'status') === status)
    return { unavailableReplicas: Math.max(0, replicas - ready), conditions: known };
  const time = formatTimestamp(world.clock.now());
  const condition = {
    type: 'Available',
    status,
    reason: status === 'True' ? 'MinimumReplicasAvailable' : 'MinimumReplicasUnavailable',
    message:
      status === 'True' ? 'Deployment has minimum availability.' : 'Deployment does not have minimum availability.',
    lastTransitionTime: time,
    lastUpdateTime: time,
  };
  return { unavailableReplicas: Math.max(0, replicas - ready), conditions: [condition] };
}

/** True if all replicas run the newest revision and are ready. */
export function isRolledOut(world: OperatorContext, workload: Workload): boolean {
  const owner = world.store.get(RESOURCES[workload.kind], workload.namespace, workload.name);
  if (!owner) return false;
  const getCount = (name: string) => Number(getField(owner, 'status', name) ?? 0);
  if (Number(getField(owner, 'status', 'observedGeneration')) !== owner.metadata.generation) return false;
  if (workload.kind === 'DaemonSet') return getCount('numberReady') >= getCount('desiredNumberScheduled');
  const replicas = Number(getField(owner, 'spec', 'replicas') ?? 0);
  return (
    getCount('updatedReplicas') === replicas &&
    getCount('readyReplicas') === replicas &&
    getCount('replicas') === replicas
  );
}
