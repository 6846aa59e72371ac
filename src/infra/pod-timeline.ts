import { getList, getString, isConditionTrue, type KubeObject, listConditions } from '../openshift/object.ts';
import type { InfraContext, PodTransition } from './context.ts';
import type { MoveName } from './moves.ts';

/** Maximum number of transitions reported for one move; a larger rollout continues without reports. */
const MAX_REPORTED = 100;
/** Maximum number of transitions saved for the report: the first ones. */
const MAX_SAVED = 40;

/** Observes the pods that move while one move is applied or undone. */
interface PodTimeline {
  /** The context to run the move with; it observes the pods that the move lists. */
  readonly infra: InfraContext;
  /** Saves the reported transitions for the final report. */
  save(): void;
}

/**
 * Begins the timeline of a move.
 * @param onTransition gets the pods that left or became Ready, in this order
 */
export function createPodTimeline(
  infra: InfraContext,
  move: MoveName,
  action: 'apply' | 'undo',
  onTransition: (transition: PodTransition) => void,
): PodTimeline {
  const transitions: PodTransition[] = [];
  const record = (transition: PodTransition) => {
    transitions.push(transition);
    onTransition(transition);
  };
  return {
    infra: observePods(infra, record),
    save() {
      if (transitions.length > 0) infra.directory?.savePodTransitions(move, action, transitions.slice(0, MAX_SAVED));
    },
  };
}

interface PodPlacement {
  readonly node: string;
  readonly isReady: boolean;
  readonly namespace: string;
}

/**
 * Returns a context that observes the pod lists which a move reads anyway: it sends no additional request. The first
 * list of a namespace, or of all, is the baseline. Pods of DaemonSets, which every node has, are ignored.
 * @param onTransition gets the pods that left or became Ready since the previous list, in this order
 */
function observePods(infra: InfraContext, onTransition: (transition: PodTransition) => void): InfraContext {
  const placements = new Map<string, PodPlacement>();
  const listedScopes = new Set<string>();
  let reportedCount = 0;
  const report = (transition: PodTransition) => {
    reportedCount += 1;
    if (reportedCount <= MAX_REPORTED) onTransition(transition);
  };
  const observe = (scope: string, pods: readonly KubeObject[]) => {
    const at = infra.clock.now();
    const currentPlacements = new Map(pods.flatMap(readPlacement));
    const hasBaseline = listedScopes.has(scope) || listedScopes.has('');
    for (const [pod, { node, namespace }] of placements) {
      if (currentPlacements.has(pod) || (scope !== '' && namespace !== scope)) continue;
      placements.delete(pod);
      report({ did: 'left', pod, node, at });
    }
    for (const [pod, placement] of currentPlacements) {
      if (hasBaseline && placement.isReady && !placements.get(pod)?.isReady)
        report({ did: 'ready', pod, node: placement.node, at });
      placements.set(pod, placement);
    }
    listedScopes.add(scope);
  };
  const connect: InfraContext['connect'] = async () => {
    const cluster = await infra.connect();
    return {
      ...cluster,
      async list(kind, options = {}) {
        const objects = await cluster.list(kind, options);
        // A list with a field selector has the pods of one node only, so a pod that it lacks has not left.
        if (kind === 'Pod' && options.fieldSelector === undefined) observe(options.namespace ?? '', objects);
        return objects;
      },
    };
  };
  return { ...infra, connect };
}

/**
 * Returns the placement of a pod on a node; empty if it is unscheduled, finished, being deleted, or of a DaemonSet or
 * Job.
 */
function readPlacement(object: KubeObject): [string, PodPlacement][] {
  const { metadata, spec, status } = object;
  const { name, namespace = '', deletionTimestamp } = metadata;
  const node = getString(spec, 'nodeName');
  const phase = getString(status, 'phase');
  const isOver = deletionTimestamp !== undefined || phase === 'Failed' || phase === 'Succeeded';
  const owners = getList(metadata, 'ownerReferences').map((owner) => getString(owner, 'kind'));
  if (node === null || isOver || owners.some((kind) => kind === 'DaemonSet' || kind === 'Job')) return [];
  const isReady = isConditionTrue(listConditions(object), 'Ready');
  return [[`${namespace}/${name}`, { node, isReady, namespace }]];
}
