import { at, conditionsOf, type KubeObject, listAt, numberAt, textAt } from './object.ts';

/** A Pod, with the reason why it does not run, as far as the kubelet or the scheduler tells it. */
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

/** What the kubelet says of a container before it has tried to start it. */
const BEGINNING: ReadonlySet<string> = new Set(['ContainerCreating', 'PodInitializing']);

/** Reads a Pod. A container that cannot start tells more than one that only waits for its turn. */
export function podView(object: KubeObject): PodView {
  const statuses = [...listAt(object.status, 'initContainerStatuses'), ...listAt(object.status, 'containerStatuses')];
  const statesOf = (name: string, path: readonly string[] = ['state']) =>
    statuses.map((status) => at(status, ...path, name)).filter((state) => state !== undefined && state !== null);
  const waits = statesOf('waiting');
  // One that only waits for its turn says nothing of the one that cannot start.
  const waiting = waits.find((state) => !BEGINNING.has(textAt(state, 'reason') ?? '')) ?? waits[0];
  // Completed is how a container that prepares others ends well.
  const ended = statuses
    .map((status) => at(status, 'state', 'terminated'))
    .find((state) => (numberAt(state, 'exitCode') ?? 0) !== 0);
  const [before] = statesOf('terminated', ['lastState']);
  const unscheduled = conditionsOf(object).find(({ type, status }) => type === 'PodScheduled' && status === 'False');
  const exit = numberAt(before, 'exitCode');
  const fell = exit === null ? null : `${textAt(before, 'reason') ?? 'exit'} (${exit})`;
  // Why all of it ended (Evicted, NodeLost) tells more than how its containers did.
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
