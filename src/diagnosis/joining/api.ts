import { check } from '../rule.ts';
import type { JoinEvidence } from './evidence.ts';

/** The API answers: nodes join through it. */
export const apiAvailable = check('join-api', 'fatal', ({ api: { isUp, detail } }: JoinEvidence) => ({
  state: isUp ? 'ok' : 'failed',
  detail,
}));
