import { check } from '../rule.ts';
import type { JoinCandidate } from './evidence.ts';

/** The boot server has the node's script, if it boots with one. */
export const bootScript = check('join-script', 'fatal', ({ name: subject, script: served }: JoinCandidate) =>
  served === null ? null : { state: served.isThere ? 'ok' : 'failed', subject, detail: served.detail },
);

/** The boot server lets its addresses fetch worker.ign. */
export const ignitionAccess = check('join-door', 'fatal', ({ name: subject, mayFetch }: JoinCandidate) => ({
  state: mayFetch ? 'ok' : 'failed',
  subject,
}));
