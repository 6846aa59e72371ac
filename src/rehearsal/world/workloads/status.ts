import { isSame } from '../../api/json.ts';
import { at, type KubeObject, textAt, timestamp } from '../../api/objects.ts';
import type { Operated } from '../world.ts';
import { isPodReady } from './pods.ts';
import { fits, type SchedulableNode } from './scheduler.ts';
import { RESOURCES } from './spec.ts';
import type { Workload } from './workload.ts';

/** Writes how far a workload is into its status. @param pods its own */
export function reportWorkload(
  world: Operated,
  workload: Workload,
  nodes: readonly SchedulableNode[],
  pods: readonly KubeObject[],
): void {
  const resource = RESOURCES[workload.kind];
  const owner = world.store.get(resource, workload.namespace, workload.name);
  if (!owner) return;
  const revision = textAt(owner, 'spec', 'template', 'metadata', 'labels', 'revision');
  const updated = pods.filter((pod) => pod.metadata.labels?.revision === revision).length;
  const ready = pods.filter(isPodReady).length;
  const observedGeneration = owner.metadata.generation ?? 1;
  const replicas = Number(at(owner, 'spec', 'replicas') ?? 0);
  const status =
    workload.kind === 'DaemonSet'
      ? {
          observedGeneration,
          currentNumberScheduled: pods.length,
          desiredNumberScheduled: nodes.filter((node) => fits(node, workload.placement)).length,
          numberMisscheduled: pods.filter((pod) => {
            const node = nodes.find(({ name }) => name === textAt(pod, 'spec', 'nodeName'));
            return node !== undefined && !fits(node, workload.placement);
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
          ...(workload.kind === 'Deployment' ? deploymentConditions(world, owner, ready, replicas) : {}),
          ...(workload.kind === 'StatefulSet'
            ? { currentReplicas: updated, currentRevision: revision, updateRevision: revision }
            : {}),
        };
  if (isSame(owner.status, status)) return;
  world.store.mutate(resource, workload.namespace, workload.name, (object) => {
    object.status = status;
  });
}

function deploymentConditions(world: Operated, owner: KubeObject, ready: number, replicas: number) {
  const status = ready >= Math.max(1, replicas - Math.floor(replicas / 4)) ? 'True' : 'False';
  const known = at(owner, 'status', 'conditions');
  const [before] = Array.isArray(known) ? known : [];
  if (textAt(before, 'status') === status)
    return { unavailableReplicas: Math.max(0, replicas - ready), conditions: known };
  const time = timestamp(world.clock.now());
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

/** Whether all replicas run the newest revision and are ready. */
export function isRolledOut(world: Operated, workload: Workload): boolean {
  const owner = world.store.get(RESOURCES[workload.kind], workload.namespace, workload.name);
  if (!owner) return false;
  const number = (name: string) => Number(at(owner, 'status', name) ?? 0);
  if (Number(at(owner, 'status', 'observedGeneration')) !== owner.metadata.generation) return false;
  if (workload.kind === 'DaemonSet') return number('numberReady') >= number('desiredNumberScheduled');
  const replicas = Number(at(owner, 'spec', 'replicas') ?? 0);
  return (
    number('updatedReplicas') === replicas && number('readyReplicas') === replicas && number('replicas') === replicas
  );
}
