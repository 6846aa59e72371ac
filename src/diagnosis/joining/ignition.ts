import { check } from '../rule.ts';
import type { JoinEvidence } from './evidence.ts';

/** A worker.ign exists to be served. */
export const workerIgnition = check('join-ignition', 'fatal', ({ hasIgnition }: JoinEvidence) => ({
  state: hasIgnition ? 'ok' : 'failed',
}));
