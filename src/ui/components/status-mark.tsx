import { catalogue } from '../../text/catalogue.ts';
import { glyphs, type Tone } from '../theme.ts';

const words = () => catalogue().ui;

/** How something stands. `unknown`: it could not be looked at, which is neither good nor bad. */
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
 * A state as sign and word, for a table cell; with its tone, each alone would do.
 *
 *     ✔ Ready      [OK] Ready
 * @param word the word beside the sign; the general one ("ok", "not yet", ...) by default
 */
export function statusText(status: Status, look: { readonly hasUnicode: boolean }, word?: string): string {
  return `${glyphs(look)[status]} ${word ?? words().status[status]}`;
}

/** The tone that goes with a state; what is unknown is as worth a look as a warning. */
export function toneOf(status: Status): Tone {
  return TONES[status];
}
