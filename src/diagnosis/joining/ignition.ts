import { check } from '../rule.ts';
import type { JoiningEvidence } from './evidence.ts';

/** There is a worker.ign to serve. */
export const ignition = check('join-ignition', 'fatal', ({ hasIgnition }: JoiningEvidence) => ({
  state: hasIgnition ? 'ok' : 'failed',
}));
