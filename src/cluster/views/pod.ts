import { at, conditionsOf, type KubeObject, listAt, numberAt, textAt } from '../object.ts';

export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly node: string | null;
  /** Why it waits or fell over: of the container, or why it is not scheduled; empty where it does not say. */
  readonly reason: string;
  readonly message: string;
  /** How often its containers started again, in all. */
  readonly restarts: number;
}

export function podView(object: KubeObject): PodView {
  const statuses = [...listAt(object.status, 'initContainerStatuses'), ...listAt(object.status, 'containerStatuses')];
  const stateOf = (name: string, path: readonly string[] = ['state']) =>
    statuses.map((status) => at(status, ...path, name)).find((state) => state !== undefined && state !== null);
  const waiting = stateOf('waiting');
  // Completed is how a container that prepares others ends well.
  const ended = statuses
    .map((status) => at(status, 'state', 'terminated'))
    .find((state) => (numberAt(state, 'exitCode') ?? 0) !== 0);
  const before = stateOf('terminated', ['lastState']);
  const unscheduled = conditionsOf(object).find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const exit = numberAt(before, 'exitCode');
  const fell = exit === null ? null : `${textAt(before, 'reason') ?? 'exit'} (${exit})`;
  const told = textAt(waiting, 'message') ?? textAt(ended, 'message') ?? unscheduled?.message;
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    phase: textAt(object.status, 'phase') ?? 'Unknown',
    node: textAt(object.spec, 'nodeName'),
    reason:
      textAt(waiting, 'reason') ??
      textAt(ended, 'reason') ??
      unscheduled?.reason ??
      textAt(object.status, 'reason') ??
      '',
    message: [told ?? textAt(object.status, 'message') ?? '', ...(waiting && fell ? [fell] : [])]
      .filter(Boolean)
      .join('; ')
      .slice(0, 2000),
    restarts: statuses.reduce((sum: number, status) => sum + (numberAt(status, 'restartCount') ?? 0), 0),
  };
}

/** A pod in phase Running may still wait for a container that keeps falling over. */
export function isUnwell({ phase, reason }: PodView): boolean {
  return phase === 'Running' ? /BackOff|Err|OOMKilled/.test(reason) : phase !== 'Succeeded';
}
