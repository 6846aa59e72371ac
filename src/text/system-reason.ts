import { catalogue } from './catalogue.ts';
import { entryOf } from './entry.ts';
import { sanitizeLine } from './sanitize.ts';

/** What was tried: a code means another thing for a file to be read than for one to be written, or a program to be started. */
export type Attempt = 'read' | 'write' | 'run';

/**
 * Why the system refused, in our words or, failing that, its own without codes and calls (`EBUSY: resource busy, open '/a'`). Never
 * ends with a full stop.
 */
export function systemReason(error: unknown, attempt: Attempt = 'write'): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const own: Record<Attempt, Readonly<Record<string, string>>> = {
    read: catalogue().imports.reasons,
    write: catalogue().session.reasons,
    run: catalogue().session.startReasons,
  };
  return entryOf(own[attempt], code) ?? entryOf(own.write, code) ?? ownWords(error, code);
}

/** What Node says of it: the code goes, and so does the call that failed with its path, which the sentence around names. */
function ownWords(error: unknown, code: string): string {
  const said = sanitizeLine(error instanceof Error ? error.message : String(error), 200);
  if (code === '') return said.replace(/\.$/, '');
  const text = said.replace(new RegExp(`^${code}: `), '').replace(/, [a-z]+(?: '.*)?$/, '');
  return text.replaceAll(code, '').replace(/\s+/g, ' ').trim().replace(/\.$/, '') || catalogue().session.noReason;
}
