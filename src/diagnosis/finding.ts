import type { UserError } from '../i18n/user-error.ts';

/**
 * The result of a check before an action, or a symptom with its likely cause. `title` names it, `cause` is the
 * observation, `remedy` the next thing to do.
 */
export interface Finding extends UserError {
  /** `pending`: not yet, and expected to resolve on its own. `unknown`: not observable from here. */
  readonly state: 'ok' | 'failed' | 'pending' | 'unknown';
  /** `fatal`: the next step cannot work. `warning`: it may be intended. `note`: for information. */
  readonly severity: 'fatal' | 'warning' | 'note';
  /** The object of the finding: a node's name, an operator, a request; null for the whole site. */
  readonly subject: string | null;
  /** The conclusion from the finding, or the consequence while it persists. */
  readonly meaning?: string;
  /** A complete command that shows the same or repairs it. */
  readonly command?: string;
}

/**
 * The phases of checks, in this order: before the installation begins, of the service hosts and of each service, of the
 * boot files, and before power-on.
 */
export const CHECK_PHASES = [
  'start',
  'hosts',
  'dns',
  'dhcp',
  'load-balancer',
  'boot-files',
  'ignition',
  'before-boot',
] as const;
export type CheckPhase = (typeof CHECK_PHASES)[number];

/** Builds the JSON document of findings, in their order. Fields that do not apply are null. */
export function buildCheckDocument(findings: readonly Finding[], phase: CheckPhase) {
  return {
    checks: findings.map(({ code, title, state, severity, subject, cause, remedy, meaning, command }) => ({
      id: code,
      title,
      phase,
      subject,
      result: state,
      severity,
      evidence: cause === '' ? null : cause,
      meaning: meaning ?? null,
      remedy: state === 'ok' || remedy === '' ? null : remedy,
      command: command ?? null,
    })),
  };
}

/** Converts a user error to a finding of the whole site. */
export function findingFromError(userError: UserError, severity: Finding['severity'] = 'fatal'): Finding {
  return { ...userError, state: 'failed', severity, subject: null };
}

/** Lists the failed findings, fatal ones first. `unknown` does not count as failed. */
export function listProblems(findings: readonly Finding[]): Finding[] {
  return findings
    .filter(({ state }) => state === 'failed')
    .sort((a, b) => Number(b.severity === 'fatal') - Number(a.severity === 'fatal'));
}
