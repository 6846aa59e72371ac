import type { Trouble } from '../text/trouble.ts';

/**
 * What the evidence says of one thing: a check that was made before something is done, or a symptom with its likely cause.
 * `title` says what is so, `cause` what was seen, `whatToDo` what helps when it is not right.
 */
export interface Finding extends Trouble {
  /** `pending`: not so yet, and expected to come by itself. `unknown`: it cannot be seen from here. */
  readonly state: 'ok' | 'failed' | 'pending' | 'unknown';
  /** `fatal`: what comes next cannot work. `warning`: it may be meant so. `note`: good to know. */
  readonly severity: 'fatal' | 'warning' | 'note';
  /** What it is about: a node's name, an operator, a request; null for the whole site. */
  readonly subject: string | null;
}

/** Something that went wrong, as a finding. */
export function findingOf(trouble: Trouble, severity: Finding['severity'] = 'fatal'): Finding {
  return { ...trouble, state: 'failed', severity, subject: null };
}

/** What is wrong, the fatal first. What is only not known is no problem. */
export function problems(findings: readonly Finding[]): Finding[] {
  return findings
    .filter(({ state }) => state === 'failed')
    .sort((a, b) => Number(b.severity === 'fatal') - Number(a.severity === 'fatal'));
}
