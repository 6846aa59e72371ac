import { redact } from '../platform/secrets.ts';
import { getField, getList, getNumber, getString, type KubeObject, listConditions } from './object.ts';

/** A Pod, with the reason why it does not run, if the kubelet or the scheduler reports one. */
export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly node: string | null;
  /** Why a container waits or crashed, or why the pod is not scheduled; empty without a reason. */
  readonly reason: string;
  readonly message: string;
  /** Restarts of all its containers. */
  readonly restartCount: number;
}

/** Whether a pod of the namespace openshift-ingress is a router. */
export const isRouterPod = ({ name }: Pick<PodView, 'name'>) => name.startsWith('router-');

/** The kubelet's reasons for a container that it has not tried to start yet. */
const STARTING_REASONS: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** Parses a Pod. A container that cannot start explains more than a container that waits for its turn. */
export function parsePod(object: KubeObject): PodView {
  const statuses = [...getList(object.status, 'initContainerStatuses'), ...getList(object.status, 'containerStatuses')];
  const listStates = (name: string, path: readonly string[] = ['state']) =>
    statuses.map((status) => getField(status, ...path, name)).filter((state) => state !== undefined && state !== null);
  const waitingStates = listStates('waiting');
  const waitingState =
    waitingStates.find((state) => !STARTING_REASONS.has(getString(state, 'reason') ?? '')) ?? waitingStates[0];
  // Exit code 0 is no failure: an init container succeeded.
  const failedState = statuses
    .map((status) => getField(status, 'state', 'terminated'))
    .find((state) => (getNumber(state, 'exitCode') ?? 0) !== 0);
  const [lastState] = listStates('terminated', ['lastState']);
  const unscheduledCondition = listConditions(object).find(
    ({ type, status }) => type === 'PodScheduled' && status === 'False',
  );
  const exitCode = getNumber(lastState, 'exitCode');
  const lastExitText = exitCode === null ? null : `${getString(lastState, 'reason') ?? 'exit'} (${exitCode})`;
  // The reason of the pod (Evicted, NodeLost) explains more than those of its containers.
  const podReason = getString(object.status, 'phase') === 'Failed' ? getString(object.status, 'reason') : null;
  const containerMessage =
    getString(waitingState, 'message') ?? getString(failedState, 'message') ?? unscheduledCondition?.message;
  const explanation = podReason === null ? containerMessage : null;
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    phase: getString(object.status, 'phase') ?? 'Unknown',
    node: getString(object.spec, 'nodeName'),
    reason:
      podReason ??
      getString(waitingState, 'reason') ??
      getString(failedState, 'reason') ??
      unscheduledCondition?.reason ??
      getString(object.status, 'reason') ??
      '',
    message: redact(
      [
        explanation ?? getString(object.status, 'message') ?? '',
        ...(waitingState && lastExitText ? [lastExitText] : []),
      ]
        .filter(Boolean)
        .join('; '),
    ).slice(0, 2000),
    restartCount: statuses.reduce((sum: number, status) => sum + (getNumber(status, 'restartCount') ?? 0), 0),
  };
}

/** Whether a pod is neither healthy nor completed. In phase Running, a container may still crash again and again. */
export function isUnhealthyPod({ phase, reason }: PodView): boolean {
  return phase === 'Running' ? /BackOff|Err|OOMKilled/.test(reason) : phase !== 'Succeeded';
}
