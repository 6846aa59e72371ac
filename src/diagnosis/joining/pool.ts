import { catalogue } from '../../i18n/catalogue.ts';
import { check } from '../rule.ts';
import type { JoinEvidence } from './evidence.ts';

/** A new node takes its configuration from the MachineConfigPool `worker`. */
export const workerPool = check('join-pool', 'warning', ({ pool: state }: JoinEvidence) => {
  if (state === null) return { state: 'unknown' };
  const { degraded, paused } = catalogue().diagnosis.joining['join-pool'];
  if (state.isDegraded) return { state: 'failed', detail: degraded(state.message) };
  return state.isPaused ? { state: 'failed', detail: paused } : { state: 'ok' };
});
