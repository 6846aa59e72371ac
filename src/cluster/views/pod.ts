import { at, conditionsOf, type KubeObject, listAt, textAt } from '../object.ts';

export interface PodView {
  readonly namespace: string;
  readonly name: string;
  readonly phase: string;
  readonly node: string | null;
  /** Why it waits: of the container, or why it is not scheduled. */
  readonly reason: string;
  readonly message: string;
}

export function podView(object: KubeObject): PodView {
  const statuses = [...listAt(object.status, 'initContainerStatuses'), ...listAt(object.status, 'containerStatuses')];
  const waiting = statuses.map((status) => at(status, 'state', 'waiting')).find((state) => state !== undefined);
  const unscheduled = conditionsOf(object).find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  return {
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name,
    phase: textAt(object.status, 'phase') ?? 'Unknown',
    node: textAt(object.spec, 'nodeName'),
    reason: textAt(waiting, 'reason') ?? unscheduled?.reason ?? textAt(object.status, 'reason') ?? '',
    message: textAt(waiting, 'message') ?? unscheduled?.message ?? textAt(object.status, 'message') ?? '',
  };
}

/** A pod in phase Running may still wait for a container that keeps falling over. */
export function isUnwell(phase: string, reason: string): boolean {
  return phase === 'Running' ? /BackOff|Error/.test(reason) : phase !== 'Succeeded';
}
