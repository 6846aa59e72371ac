import { catalogue } from './catalogue.ts';
import { redact } from './redact.ts';

/** Something that went wrong, told so that a person can act on it. */
export interface Trouble {
  /** Stable, for scripts and tests: kebab-case. */
  readonly code: string;
  /** One line: what happened. */
  readonly title: string;
  /** Why it happened, or the raw line it comes from (sanitised). */
  readonly cause: string;
  /** The next thing to do. */
  readonly whatToDo: string;
}

/** Carries a Trouble through code that throws. */
export class TroubleError extends Error {
  readonly trouble: Trouble;

  constructor(trouble: Trouble, options?: ErrorOptions) {
    super(`${trouble.title}: ${trouble.cause}`, options);
    this.name = 'TroubleError';
    this.trouble = trouble;
  }
}

/** Any thrown value as a Trouble: a disk that takes nothing more is one; what else is none already is our own fault. */
export function asTrouble(thrown: unknown): Trouble {
  if (thrown instanceof TroubleError) return thrown.trouble;
  const ofDisk = diskTrouble(thrown);
  if (ofDisk !== null) return ofDisk;
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'internal', ...catalogue().ui.internal, cause: redact(cause) };
}

/** Wherever it happens, these are answers of the system about its disk, and no fault of ours. */
function diskTrouble(thrown: unknown): Trouble | null {
  if (!(thrown instanceof Error && 'code' in thrown)) return null;
  const { code } = thrown;
  if (code !== 'ENOSPC' && code !== 'EDQUOT' && code !== 'EROFS') return null;
  const { title, cause, whatToDo } = catalogue().session.disk;
  const path = 'path' in thrown && typeof thrown.path === 'string' ? thrown.path : null;
  return { code: 'disk-unwritable', title, cause: cause(catalogue().session.reasons[code], path), whatToDo };
}
