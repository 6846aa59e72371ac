import type { MoveState } from '../moves/move.ts';
import { commandFor } from '../moves/pending.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { Rule } from './rule.ts';

const words = () => catalogue().steps.infra;

/** How far an infra move is, and why. */
interface MoveEvidence extends Pick<MoveState, 'state' | 'why' | 'pending'> {
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

/**
 * No node takes a pod of it: it may still come, as with routers that replace each other on the ports of a host. Or a pod may not
 * leave its node yet.
 */
const waits: Rule<MoveEvidence> = {
  code: 'move-pod-waits',
  severity: 'warning',
  judge({ name, state, pending }) {
    if ((state !== 'moving' && state !== 'needed') || pending === undefined) return [];
    const command = commandFor(pending);
    const { podWaits, podStays, podFix } = words();
    const title = pending.cause === 'budget' ? podStays : podWaits;
    return [
      {
        state: 'pending',
        subject: name,
        title: title(name, sanitizeLine(pending.name)),
        cause: '',
        whatToDo: podFix[pending.cause],
        ...(command === null ? {} : { command: sanitizeLine(command) }),
      },
    ];
  },
};

/** What is wrong with an infra move. */
export const MOVE: readonly Rule<MoveEvidence>[] = [failed, blocked, waits];
