import { findEntry } from '../platform/find-entry.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { catalogue } from './catalogue.ts';

/** The operation that failed: a code has another meaning for reading a file, writing one, and starting a program. */
export type SystemOperation = 'read' | 'write' | 'run';

/**
 * Explains why the system refused: our text for the code, else Node's message without codes and calls (`EBUSY: resource
 * busy, open '/a'`). Never ends with a full stop.
 * @param operation the operation that failed
 */
export function describeSystemError(error: unknown, operation: SystemOperation = 'write'): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const reasons: Record<SystemOperation, Readonly<Record<string, string>>> = {
    read: catalogue().imports.reasons,
    write: catalogue().session.writeReasons,
    run: catalogue().session.startReasons,
  };
  return findEntry(reasons[operation], code) ?? findEntry(reasons.write, code) ?? cleanNodeMessage(error, code);
}

/** Node's message without the code and without the call and its path, which the surrounding sentence names. */
function cleanNodeMessage(error: unknown, code: string): string {
  const message = sanitizeLine(error instanceof Error ? error.message : String(error), 200);
  if (code === '') return message.replace(/\.$/, '');
  const text = message.replace(new RegExp(`^${code}: `), '').replace(/, [a-z]+(?: '.*)?$/, '');
  return text.replaceAll(code, '').replace(/\s+/g, ' ').trim().replace(/\.$/, '') || catalogue().session.unknownReason;
}
