import type { Finding } from '../diagnosis/finding.ts';

/**
 * One thing that was looked at before something is done. `pending`: not so yet, and expected to come by itself. `unknown`: it
 * cannot be seen from here.
 */
export interface Check {
  readonly id: string;
  /** What it is about: a node's short name; null for the whole site. */
  readonly subject: string | null;
  readonly state: 'ok' | 'failed' | 'pending' | 'unknown';
  /** `fatal`: what comes next cannot work. `warning`: it may be meant so. */
  readonly severity: 'fatal' | 'warning';
  readonly title: string;
  /** What was seen. */
  readonly detail: string;
  /** What to do when it is not ok. */
  readonly remedy: string;
}

/** What is wrong, the fatal first. What is only not known is no finding. */
export function checkFindings(checks: readonly Check[]): Finding[] {
  const failed = checks.filter(({ state }) => state === 'failed');
  return [...failed]
    .sort((a, b) => Number(b.severity === 'fatal') - Number(a.severity === 'fatal'))
    .map(({ id, subject, severity, title, detail, remedy }) => ({
      code: id,
      severity,
      subject,
      title: subject === null ? title : `${subject}: ${title}`,
      cause: detail,
      whatToDo: remedy,
    }));
}
