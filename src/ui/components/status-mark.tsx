import { catalogue } from '../../text/catalogue.ts';
import { useLook } from '../look.tsx';
import { glyphs, type Tone } from '../theme.ts';
import { Label } from './label.tsx';

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

export interface StatusMarkProps {
  readonly status: Status;
  /** The word beside the sign; the general one ("ok", "not yet", ...) by default. */
  readonly word?: string;
}

/**
 * A state as sign, word and colour, so that each alone would do.
 *
 *     ✔ Ready      [OK] Ready
 */
export function StatusMark({ status, word }: StatusMarkProps) {
  return <Label tone={toneOf(status)}>{statusText(status, useLook(), word)}</Label>;
}

/** The same as plain text, for a table cell. */
export function statusText(status: Status, look: { readonly hasUnicode: boolean }, word?: string): string {
  return `${glyphs(look)[status]} ${word ?? words().status[status]}`;
}

/** The tone that goes with a state; what is unknown is as worth a look as a warning. */
export function toneOf(status: Status): Tone {
  return TONES[status];
}
