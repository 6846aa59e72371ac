import { check } from '../rule.ts';
import type { JoiningNode } from './evidence.ts';

/** The boot server has its script, where it boots with one. */
export const script = check('join-script', 'fatal', ({ name: subject, script: served }: JoiningNode) =>
  served === null ? null : { state: served.isThere ? 'ok' : 'failed', subject, detail: served.detail },
);

/** Its addresses may fetch worker.ign from the boot server. */
export const door = check('join-door', 'fatal', ({ name: subject, mayFetch }: JoiningNode) => ({
  state: mayFetch ? 'ok' : 'failed',
  subject,
}));
