import { conditionsOf, isTrue, type KubeObject } from '../object.ts';

export interface OperatorView {
  readonly name: string;
  readonly available: boolean;
  readonly progressing: boolean;
  readonly degraded: boolean;
  /** Since when it is as it is (the latest of its transitions), in milliseconds since the epoch. */
  readonly since: number | null;
  /** Of the condition that matters most: Degraded, then not Available, then Progressing. */
  readonly message: string;
  readonly reason: string;
}

export function operatorView(object: KubeObject): OperatorView {
  const conditions = conditionsOf(object);
  const [available, progressing, degraded] = [
    isTrue(conditions, 'Available'),
    isTrue(conditions, 'Progressing'),
    isTrue(conditions, 'Degraded'),
  ];
  const matters = degraded ? 'Degraded' : !available ? 'Available' : progressing ? 'Progressing' : 'Available';
  const told = conditions.find(({ type }) => type === matters);
  const since = conditions
    .filter(({ type }) => ['Available', 'Progressing', 'Degraded'].includes(type))
    .flatMap((condition) => condition.since ?? []);
  return {
    name: object.metadata.name,
    available,
    progressing,
    degraded,
    since: since.length > 0 ? Math.max(...since) : null,
    message: told?.message ?? '',
    reason: told?.reason ?? '',
  };
}
