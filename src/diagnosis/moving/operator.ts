import { standingOf } from '../../objects/operator.ts';
import { catalogue } from '../../text/catalogue.ts';
import { check } from '../rule.ts';
import type { MovingEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.moving;

/** An operator that does not work carries nothing out. One that the move may cure is no obstacle. */
export const operator = check<MovingEvidence, 'move-operator'>(
  'move-operator',
  'fatal',
  ({ operator: found, isCure, isOfHub }) => {
    if (isCure) return null;
    if (found === null) return { state: 'unknown' };
    const standing = standingOf(found);
    const isWell = standing === 'fine' || standing === 'progressing';
    if (isWell) return { state: 'ok', subject: found.name };
    const { wrong } = words().checks['move-operator'];
    const ofHub = isOfHub ? { words: { wrong, remedy: words().ofHub } } : {};
    const detail = isOfHub ? words().hubState(found.reason, found.message) : found.message;
    return { state: 'failed', subject: found.name, detail, ...ofHub };
  },
);
