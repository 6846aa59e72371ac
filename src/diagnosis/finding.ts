import type { Trouble } from '../text/trouble.ts';

/** Something noticed that a person should know of: symptom, likely cause, next action. */
export interface Finding extends Trouble {
  readonly severity: 'fatal' | 'warning' | 'note';
  /** What it is about: a node's name, an operator, a request. */
  readonly subject: string | null;
}
