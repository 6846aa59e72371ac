import { redact } from '../platform/redact.ts';
import { catalogue } from './catalogue.ts';

/** An error that is explained to the user, with a remedy. */
export interface UserError {
  /** Stable, for scripts and tests: kebab-case. */
  readonly code: string;
  /** One line: what happened. */
  readonly title: string;
  /** The cause, or the raw line that it comes from (sanitised). */
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
export function toUserError(thrown: unknown): UserError {
  if (thrown instanceof UserErrorException) return thrown.userError;
  const diskError = toDiskError(thrown);
  if (diskError !== null) return diskError;
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'internal', ...catalogue().ui.internal, cause: redact(cause) };
}

/** These codes report the state of the disk, wherever they are thrown, and are not our fault. */
function toDiskError(thrown: unknown): UserError | null {
  if (!(thrown instanceof Error && 'code' in thrown)) return null;
  const { code } = thrown;
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EROFS') return null;
  const { title, cause, remedy } = catalogue().session.disk;
  const path = 'path' in thrown && typeof thrown.path === 'string' ? thrown.path : null;
  return { code: 'disk-unwritable', title, cause: cause(catalogue().session.writeReasons[code], path), remedy };
}
