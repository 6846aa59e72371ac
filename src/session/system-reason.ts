import { catalogue } from '../text/catalogue.ts';
import { entryOf } from '../text/entry.ts';
import { sanitizeLine } from '../text/sanitize.ts';

const words = () => catalogue().session;

/** Why the system refused to read or write, in our words or, failing that, its own. Never ends with a full stop. */
export function systemReason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return (
    entryOf(words().reasons, code) ??
    sanitizeLine(error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
  );
}
