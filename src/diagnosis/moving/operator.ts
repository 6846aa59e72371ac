import { standingOf } from '../../objects/operator.ts';
import { check } from '../rule.ts';
import type { MovingEvidence } from './evidence.ts';

/** An operator that does not work carries nothing out. One that the move may cure is no obstacle. */
export const operator = check<MovingEvidence, 'move-operator'>(
  'move-operator',
  'fatal',
  ({ operator: found, isCure }) => {
    if (isCure) return null;
    if (found === null) return { state: 'unknown' };
    const standing = standingOf(found);
    const isWell = standing === 'fine' || standing === 'progressing';
    return isWell
      ? { state: 'ok', subject: found.name }
      : { state: 'failed', subject: found.name, detail: found.message };
  },
);
