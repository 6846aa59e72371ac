import type { Trouble } from '../text/trouble.ts';

/**
 * A judgement on one thing: a check before an action, or a symptom with its likely cause. `title` names it, `cause` is what we
 * saw, `whatToDo` the remedy.
 */
export interface Finding extends Trouble {
  /** `pending`: not yet, and expected to come by itself. `unknown`: not visible from here. */
  readonly state: 'ok' | 'failed' | 'pending' | 'unknown';
  /** `fatal`: what comes next cannot work. `warning`: it may be intended. `note`: good to know. */
  readonly severity: 'fatal' | 'warning' | 'note';
  /** What it is about: a node's name, an operator, a request; null for the whole site. */
  readonly subject: string | null;
}

/** Something that went wrong, as a finding. */
export function findingOf(trouble: Trouble, severity: Finding['severity'] = 'fatal'): Finding {
  return { ...trouble, state: 'failed', severity, subject: null };
}

/** The problems, fatal ones first. `unknown` is no problem. */
export function problems(findings: readonly Finding[]): Finding[] {
  return findings
    .filter(({ state }) => state === 'failed')
    .sort((a, b) => Number(b.severity === 'fatal') - Number(a.severity === 'fatal'));
}
