import { catalogue } from '../i18n/catalogue.ts';
import type { MoveStatus } from '../infra/infra-move.ts';
import { findRemedyCommand } from '../infra/pending-pod.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { Rule } from './check.ts';

const words = () => catalogue().steps.infra;

/** The status of an infra move, with its reason. */
interface InfraMoveEvidence extends Pick<MoveStatus, 'state' | 'why' | 'pending'> {
  readonly name: string;
}

const moveFailed: Rule<InfraMoveEvidence> = {
  code: 'move-failed',
  severity: 'fatal',
  evaluate: ({ name, state, why }) =>
    state === 'failed'
      ? [{ subject: name, title: words().failed(name), cause: why, remedy: words().blockedRemedy }]
      : [],
};

const moveBlocked: Rule<InfraMoveEvidence> = {
  code: 'move-blocked',
  severity: 'warning',
  evaluate: ({ name, state, why }) =>
    state === 'blocked'
      ? [{ subject: name, title: words().blocked(name), cause: why, remedy: words().blockedRemedy }]
      : [],
};

/**
 * A pod of the move is not scheduled yet, or may not leave its node yet. This may resolve on its own, as with routers
 * that replace each other on the ports of a host.
 */
const movePodWaits: Rule<InfraMoveEvidence> = {
  code: 'move-pod-waits',
  severity: 'warning',
  evaluate({ name, state, pending }) {
    if ((state !== 'moving' && state !== 'needed') || pending === undefined) return [];
    const command = findRemedyCommand(pending);
    const { podPending, podBlocked, podRemedies } = words();
    const title = pending.cause === 'budget' ? podBlocked : podPending;
    return [
      {
        state: 'pending',
        subject: name,
        title: title(name, sanitizeLine(pending.name)),
        cause: '',
        remedy: podRemedies[pending.cause],
        ...(command === null ? {} : { command: sanitizeLine(command) }),
      },
    ];
  },
};

/** Rules for the status of an infra move. */
export const MOVE_RULES: readonly Rule<InfraMoveEvidence>[] = [moveFailed, moveBlocked, movePodWaits];
