import { randomBytes } from 'node:crypto';
import { toUserError } from '../i18n/user-error.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { redact } from '../platform/secrets.ts';
import { appendToJournal } from './journal-file.ts';
import { createUnwritableSessionError } from './session-file.ts';

/**
 * An action that a step is about to start. `subject`: the one part that it concerns (a request, a move); null for the
 * whole step.
 */
interface AuditRecord {
  readonly step: string;
  readonly action: string;
  readonly subject: string | null;
}

/** Result of an action. `code`: that of the user error; null if there was none. */
interface AuditResult {
  readonly outcome: 'done' | 'failed' | 'cancelled';
  readonly code: string | null;
}

/** Records actions before they start and after they end. */
export interface AuditLog {
  /**
   * Records actions that start together; none may start if this fails.
   * @returns a function that records their results, in the same order
   * @throws UserErrorException `session-unwritable`
   */
  readonly begin: (records: readonly AuditRecord[]) => (results: readonly AuditResult[]) => void;
}

/**
 * Opens the audit log in the journal of an install directory. Needs no lock.
 * @param clock the clock of the site
 */
export function openAuditLog(dir: string, clock: Clock = systemClock): AuditLog {
  const getSiteTime = () => (clock === systemClock ? {} : { siteAt: new Date(clock.now()).toISOString() });
  return {
    begin(records) {
      const startLines = records.map(({ step, action, subject }) => ({
        type: 'begun' as const,
        id: randomBytes(4).toString('hex'),
        step,
        action,
        subject: subject === null ? null : sanitizeLine(redact(subject)),
        ...getSiteTime(),
      }));
      try {
        appendToJournal(dir, startLines);
      } catch (error) {
        throw createUnwritableSessionError(error);
      }
      return (results) => {
        try {
          appendToJournal(
            dir,
            startLines.flatMap(({ id }, index) => {
              const result = results[index];
              return result ? [{ type: 'ended', id, ...result, ...getSiteTime() }] : [];
            }),
          );
        } catch {
          // The end of the action is not recorded, as after a kill: the next probe of the cluster
          // shows whether the action was carried out.
        }
      };
    },
  };
}

/** Records nothing: for a cluster without an install directory, which has no journal. */
export const NO_AUDIT_LOG: AuditLog = { begin: () => () => undefined };

/**
 * Runs an action between two lines of the journal.
 * @param getErrorCode returns the error code of a failed result; null: no failure
 * @throws UserErrorException `session-unwritable`, and nothing has begun; else what `run` throws
 */
export async function runWithAuditLog<T>(
  { auditLog, signal }: { readonly auditLog: AuditLog; readonly signal: AbortSignal },
  record: AuditRecord,
  run: () => Promise<T>,
  getErrorCode: (result: T) => string | null = () => null,
): Promise<T> {
  const finish = auditLog.begin([record]);
  try {
    const result = await run();
    finish([toAuditResult(getErrorCode(result))]);
    return result;
  } catch (error) {
    finish([signal.aborted ? { outcome: 'cancelled', code: null } : toAuditResult(toUserError(error).code)]);
    throw error;
  }
}

/** Returns the audit result of an action that ended with this error code; null: without an error. */
export function toAuditResult(code: string | null): AuditResult {
  return code === null ? { outcome: 'done', code } : { outcome: 'failed', code };
}
