import type { MoveState } from '../moves/move.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().steps.infra;

/** How far an infra move is, and why. */
interface MoveEvidence extends Pick<MoveState, 'state' | 'why'> {
  readonly name: string;
}

const failed: Rule<MoveEvidence> = {
  code: 'move-failed',
  severity: 'fatal',
  judge: ({ name, state, why }) =>
    state === 'failed'
      ? [{ subject: name, title: words().failed(name), cause: why, whatToDo: words().blockedFix }]
      : [],
};

const blocked: Rule<MoveEvidence> = {
  code: 'move-blocked',
  severity: 'warning',
  judge: ({ name, state, why }) =>
    state === 'blocked'
      ? [{ subject: name, title: words().blocked(name), cause: why, whatToDo: words().blockedFix }]
      : [],
};

/** What is wrong with an infra move. */
export const MOVE: readonly Rule<MoveEvidence>[] = [failed, blocked];
