import { redact } from '../text/redact.ts';
import { at, conditionsOf, type KubeObject, listAt, numberAt, textAt } from './object.ts';

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
  readonly restarts: number;
}

/** The kubelet's reasons for a container that it has not tried to start yet. */
const BEGINNING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** Reads a Pod. A container that cannot start explains more than one that waits for its turn. */
export function podView(object: KubeObject): PodView {
  const statuses = [...listAt(object.status, 'initContainerStatuses'), ...listAt(object.status, 'containerStatuses')];
  const statesOf = (name: string, path: readonly string[] = ['state']) =>
    statuses.map((status) => at(status, ...path, name)).filter((state) => state !== undefined && state !== null);
  const waits = statesOf('waiting');
  // A container that waits for its turn does not explain the one that cannot start.
  const waiting = waits.find((state) => !BEGINNING.has(textAt(state, 'reason') ?? '')) ?? waits[0];
  // Completed: an init container succeeded.
  const ended = statuses
    .map((status) => at(status, 'state', 'terminated'))
    .find((state) => (numberAt(state, 'exitCode') ?? 0) !== 0);
  const [before] = statesOf('terminated', ['lastState']);
  const unscheduled = conditionsOf(object).find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const exit = numberAt(before, 'exitCode');
  const fell = exit === null ? null : `${textAt(before, 'reason') ?? 'exit'} (${exit})`;
  // The reason of the pod (Evicted, NodeLost) explains more than those of its containers.
  const over = textAt(object.status, 'phase') === 'Failed' ? textAt(object.status, 'reason') : null;
  const own = textAt(waiting, 'message') ?? textAt(ended, 'message') ?? unscheduled?.message;
  const told = over === null ? own : null;
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    phase: textAt(object.status, 'phase') ?? 'Unknown',
    node: textAt(object.spec, 'nodeName'),
    reason:
      over ??
      textAt(waiting, 'reason') ??
      textAt(ended, 'reason') ??
      unscheduled?.reason ??
      textAt(object.status, 'reason') ??
      '',
    message: redact(
      [told ?? textAt(object.status, 'message') ?? '', ...(waiting && fell ? [fell] : [])].filter(Boolean).join('; '),
    ).slice(0, 2000),
    restarts: statuses.reduce((sum: number, status) => sum + (numberAt(status, 'restartCount') ?? 0), 0),
  };
}

/** A pod in phase Running may still wait for a container that keeps crashing. */
export function isUnwell({ phase, reason }: PodView): boolean {
  return phase === 'Running' ? /BackOff|Err|OOMKilled/.test(reason) : phase !== 'Succeeded';
}
