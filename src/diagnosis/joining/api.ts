import { check } from '../rule.ts';
import type { JoiningEvidence } from './evidence.ts';

/** A node joins through the API. */
export const api = check('join-api', 'fatal', ({ api: { isUp, detail } }: JoiningEvidence) => ({
  state: isUp ? 'ok' : 'failed',
  detail,
}));
