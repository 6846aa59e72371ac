import { catalogue } from '../i18n/catalogue.ts';
import { getGlyphs, type Tone } from './page-rows.ts';

const words = () => catalogue().ui;

/** The status of an item. `unknown`: it could not be probed, which is neither good nor bad. */
export type Status = 'ok' | 'warning' | 'failed' | 'pending' | 'running' | 'unknown' | 'skipped';

/** Signs of the states of infra moves, on screens and in tables. */
export const MOVE_STATUS = {
  done: 'ok',
  needed: 'pending',
  moving: 'running',
  blocked: 'warning',
  absent: 'skipped',
  failed: 'failed',
} as const satisfies Readonly<Record<string, Status>>;

/** Signs of the verdicts on certificate requests, on screens and in tables: one that waits for the user stands out. */
export const REQUEST_STATUS = {
  expected: 'running',
  refused: 'failed',
  'not-ours': 'skipped',
  approved: 'ok',
  // The node of a denied or failed request sends a new one.
  denied: 'warning',
  failed: 'warning',
  superseded: 'skipped',
} as const satisfies Readonly<Record<string, Status>>;

const STATUS_TONES: Readonly<Record<Status, Tone>> = {
  ok: 'ok',
  warning: 'warn',
  failed: 'error',
  pending: 'muted',
  running: 'accent',
  unknown: 'warn',
  skipped: 'muted',
};

/**
 * Formats a status as sign and word, for a table cell. Sign, word and tone each carry the meaning
 * alone.
 *
 *     ✔ Ready      [OK] Ready
 * @param word the word beside the sign; the general one ("ok", "not yet", ...) by default
 */
export function formatStatusText(status: Status, style: { readonly hasUnicode: boolean }, word?: string): string {
  return `${getGlyphs(style)[status]} ${word ?? words().status[status]}`;
}

/** Returns the tone of a status; `unknown` deserves as much attention as a warning. */
export function getStatusTone(status: Status): Tone {
  return STATUS_TONES[status];
}
