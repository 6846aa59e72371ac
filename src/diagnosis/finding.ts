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
  /** What it proves, or what follows while it is not so. */
  readonly meaning?: string;
  /** A command, whole, that shows the same or puts it right. */
  readonly command?: string;
}

/**
 * When a check is made, in this order: before the installation begins, of the service hosts and of each service, of what machines
 * boot with, and before they are powered on.
 */
export const PHASES = [
  'start',
  'hosts',
  'dns',
  'dhcp',
  'load-balancer',
  'boot-files',
  'ignition',
  'before-boot',
] as const;
export type Phase = (typeof PHASES)[number];

/** Findings as scripts read them, in their order. What does not apply is null. */
export function checkDocument(findings: readonly Finding[], phase: Phase) {
  return {
    checks: findings.map(({ code, title, state, severity, subject, cause, whatToDo, meaning, command }) => ({
      id: code,
      title,
      phase,
      subject,
      result: state,
      severity,
      evidence: cause === '' ? null : cause,
      meaning: meaning ?? null,
      remedy: state === 'ok' || whatToDo === '' ? null : whatToDo,
      command: command ?? null,
    })),
  };
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
