import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { findEntry } from '../platform/table-lookup.ts';
import { catalogue } from './catalogue.ts';

/** An error that is explained to the user, with a remedy. */
export interface UserError {
  /** Stable, for scripts and tests: kebab-case. */
  readonly code: string;
  /** One line: what happened. */
  readonly title: string;
  /** The cause, or the raw line that it comes from (sanitized). */
  readonly cause: string;
  /** The next action for the user. */
  readonly remedy: string;
}

/** Carries a `UserError` through code that throws. */
export class UserErrorException extends Error {
  readonly userError: UserError;

  constructor(userError: UserError, options?: ErrorOptions) {
    super(`${userError.title}: ${userError.cause}`, options);
    this.name = 'UserErrorException';
    this.userError = userError;
  }
}

/**
 * Converts any thrown value. A full or read-only disk has its own error; other values that are not a
 * `UserErrorException` are reported as `internal`.
 */
export function toUserError(error: unknown): UserError {
  if (error instanceof UserErrorException) return error.userError;
  const diskError = toDiskError(error);
  if (diskError !== null) return diskError;
  const cause = error instanceof Error ? error.message : String(error);
  return { code: 'internal', ...catalogue().ui.internal, cause: redact(cause) };
}

/**
 * Converts an error about a full or read-only disk, which is not a bug in upi-wizard. Returns null for any other error.
 */
function toDiskError(error: unknown): UserError | null {
  if (!(error instanceof Error && 'code' in error)) return null;
  const { code } = error;
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EROFS') return null;
  const { title, cause, remedy } = catalogue().session.disk;
  const path = 'path' in error && typeof error.path === 'string' ? error.path : null;
  return { code: 'disk-unwritable', title, cause: cause(catalogue().session.writeReasons[code], path), remedy };
}

/** Returns the `code` of a system error (of the first, if both address families failed), or else the message. */
export function getErrorCode(error: unknown): string {
  if (error instanceof AggregateError) return getErrorCode(error.errors[0]);
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code;
  return error instanceof Error ? error.message : String(error);
}

/** The operation that failed. The same code means different things when reading, writing or starting a program. */
type SystemOperation = 'read' | 'write' | 'run';

/**
 * Explains why the system refused: the catalogue's text for the code, else Node.js's message without codes and calls
 * (`EBUSY: resource busy, open '/a'`). Never ends with a full stop.
 * @param operation the operation that failed
 */
export function describeSystemError(error: unknown, operation: SystemOperation = 'write'): string {
  const code = error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
  const reasons: Record<SystemOperation, Readonly<Record<string, string>>> = {
    read: catalogue().imports.reasons,
    write: catalogue().session.writeReasons,
    run: catalogue().session.startReasons,
  };
  return findEntry(reasons[operation], code) ?? findEntry(reasons.write, code) ?? cleanNodeMessage(error, code);
}

/** Describes why a file cannot be read and what to do, with one wording for every command. */
export function describeUnreadableFile(file: string, error: unknown): string {
  const { unreadable, fixUnreadable } = catalogue().imports;
  return `${unreadable(sanitizeLine(file, 200), describeSystemError(error, 'read'))}. ${fixUnreadable(getErrorCode(error) !== 'ENOENT')}`;
}

/** Node.js advises to trust the CAs of this host, which is wrong for a cluster. */
const NODE_ADVICE = /; if the root CA is installed locally.*$/;

/** Removes the code, the system call and its path from Node.js's message: the surrounding sentence names the file. */
function cleanNodeMessage(error: unknown, code: string): string {
  // An error of OpenSSL has its reason alone in a property: its message also names the thread and the source file.
  const reason = error instanceof Error && 'library' in error && 'reason' in error ? error.reason : null;
  const text = typeof reason === 'string' ? reason : error instanceof Error ? error.message : String(error);
  const message = sanitizeLine(text.replace(NODE_ADVICE, ''), 200);
  if (code === '') return message.replace(/\.$/, '');
  const sentence = message.replace(new RegExp(`^${code}: `), '').replace(/, [a-z]+(?: '.*)?$/, '');
  return (
    sentence.replaceAll(code, '').replace(/\s+/g, ' ').trim().replace(/\.$/, '') || catalogue().session.unknownReason
  );
}

/**
 * Formats a generated file for display. Its path below the output directory, `lb1/etc/haproxy/haproxy.cfg`, becomes
 * `lb1: /etc/haproxy/haproxy.cfg`: the host, and the path on the host.
 */
export function formatHostFile(file: string): string {
  const end = file.indexOf('/');
  return end < 0 ? file : catalogue().steps.hostFile(file.slice(0, end), file.slice(end));
}

/** Returns the changed object for display. `isFile`: whether the object is a generated file; otherwise, a name. */
export const formatChangedObject = ({
  object,
  isFile = false,
}: {
  readonly object: string;
  readonly isFile?: boolean;
}) => (isFile ? formatHostFile(object) : object);
