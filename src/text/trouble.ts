import { catalogue } from './catalogue.ts';

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

/** Any thrown value as a Trouble; what is not one already is our own fault and says so. */
export function asTrouble(thrown: unknown): Trouble {
  if (thrown instanceof TroubleError) return thrown.trouble;
  const cause = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: 'internal', ...catalogue().ui.internal, cause };
}
