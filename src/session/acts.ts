import { randomBytes } from 'node:crypto';
import { redact } from '../text/redact.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { appendToJournal } from './journal-file.ts';
import { unwritable } from './load.ts';

/** What a step is about to do. `subject`: the one part that it is about (a request, a move); null for the whole step. */
export interface Act {
  readonly step: string;
  readonly action: string;
  readonly subject: string | null;
}

/** How an act ended. `code`: of the trouble, where there was one. */
export interface ActEnd {
  readonly outcome: 'done' | 'failed' | 'cancelled';
  readonly code: string | null;
}

/** Where acts are written down, before they begin and after they end. */
export interface ActLog {
  /**
   * Notes acts that begin together; none may begin when that fails.
   * @returns notes how they ended, in the same order
   * @throws TroubleError `session-unwritable`
   */
  readonly begin: (acts: readonly Act[]) => (ends: readonly ActEnd[]) => void;
}

/** The journal of an install directory, for acts. Needs no lock. */
export function journaledActs(dir: string): ActLog {
  return {
    begin(acts) {
      const begun = acts.map(({ step, action, subject }) => ({
        type: 'begun' as const,
        id: randomBytes(4).toString('hex'),
        step,
        action,
        subject: subject === null ? null : sanitizeLine(redact(subject)),
      }));
      try {
        appendToJournal(dir, begun);
      } catch (error) {
        throw unwritable(error);
      }
      return (ends) => {
        try {
          appendToJournal(
            dir,
            begun.flatMap(({ id }, index) => {
              const end = ends[index];
              return end ? [{ type: 'ended', id, ...end }] : [];
            }),
          );
        } catch {
          // It has happened; the world shows it, as after a kill.
        }
      };
    },
  };
}
