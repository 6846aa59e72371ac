import { catalogue } from '../../i18n/catalogue.ts';
import { getGlyphs, type Tone } from '../theme.ts';

const words = () => catalogue().ui;

/** The status of an item. `unknown`: it could not be probed, which is neither good nor bad. */
export type Status = 'ok' | 'warning' | 'failed' | 'pending' | 'running' | 'unknown' | 'skipped';

const TONES: Readonly<Record<Status, Tone>> = {
  ok: 'ok',
  warning: 'warn',
  failed: 'error',
  pending: 'dim',
  running: 'accent',
  unknown: 'warn',
  skipped: 'dim',
};

/**
 * A status as sign and word, for a table cell; sign, word and tone each carry the meaning alone.
 *
 *     ✔ Ready      [OK] Ready
 * @param word the word beside the sign; the general one ("ok", "not yet", ...) by default
 */
export function statusText(status: Status, style: { readonly hasUnicode: boolean }, word?: string): string {
  return `${getGlyphs(style)[status]} ${word ?? words().status[status]}`;
}

/** Returns the tone of a status; `unknown` deserves as much attention as a warning. */
export function getStatusTone(status: Status): Tone {
  return TONES[status];
}
