import { catalogue } from '../../text/catalogue.ts';
import { check } from '../rule.ts';
import type { JoiningEvidence } from './evidence.ts';

/** A new node takes its configuration from the machine config pool worker. */
export const pool = check('join-pool', 'warning', ({ pool: seen }: JoiningEvidence) => {
  if (seen === null) return { state: 'unknown' };
  const { degraded, paused } = catalogue().diagnosis.joining['join-pool'];
  if (seen.isDegraded) return { state: 'failed', detail: degraded(seen.message) };
  return seen.isPaused ? { state: 'failed', detail: paused } : { state: 'ok' };
});
