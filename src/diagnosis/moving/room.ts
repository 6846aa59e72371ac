import { fitInto, together } from '../../objects/room.ts';
import { catalogue } from '../../text/catalogue.ts';
import { type Check, check } from '../rule.ts';
import type { MovingEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.moving.room;

/** What moves has to fit on the infra nodes: the scheduler counts requests against what is allocatable. */
export const room = check<MovingEvidence, 'move-room'>('move-room', 'fatal', (evidence) => look(evidence, 0));

/** It has to fit with one of them away, too: while a node restarts, or for good. */
export const spareRoom = check<MovingEvidence, 'move-spare-room'>('move-spare-room', 'warning', (evidence) =>
  look(evidence, 1)?.state === 'failed' && look(evidence, 0)?.state === 'failed' ? null : look(evidence, 1),
);

/** @param away how many nodes are away: the largest, which are missed most */
function look({ infra, moving }: MovingEvidence, away: number): ReturnType<Check<MovingEvidence>['look']> {
  if (infra === null || moving === null) return moving?.length === 0 ? null : { state: 'unknown' };
  if (moving.length === 0) return null;
  const nodes = infra.filter(({ isReady }) => isReady);
  const free = nodes.flatMap((node) => node.free ?? []);
  if (free.length < nodes.length) return { state: 'unknown' };
  const left = [...free].sort((a, b) => b.memory - a.memory).slice(away);
  const detail = words().numbers(
    moving.length,
    together(moving),
    nodes.map(({ name }, index) => ({ name: name.split('.')[0] ?? name, free: free[index] ?? { cpu: 0, memory: 0 } })),
  );
  return { state: fitInto(moving, left) ? 'ok' : 'failed', detail };
}
