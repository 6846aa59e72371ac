import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import type { DiagnosticRuleId } from '../../../src/checks/rules/index.ts';
import type { BundleFiles } from '../../support/bundle-text.ts';
import { exampleSite } from '../../support/example-design.ts';

/**
 * Evidence of a case in one of the forms that people have: files of a bundle, a pasted text, or the answers of a site.
 */
export type FieldEvidence = {
  /** Only a comparison with the design shows the cause: a bundle of an unknown site does not. */
  readonly needsDesign?: boolean;
} & (
  | { readonly form: 'bundle'; readonly files: BundleFiles }
  | { readonly form: 'text'; readonly text: string }
  | { readonly form: 'site'; readonly evidence: Evidence }
);

/** A failure of a public thread. Its evidence is written again, with the words of programs only. */
export interface FieldCase {
  /** Id of the collected cases, or the thread. */
  readonly id: string;
  readonly source: string;
  readonly symptom: string;
  readonly cause: string;
  /** Rules that name the cause; none: everything in the evidence is normal, or the cause is not known. */
  readonly expected: readonly DiagnosticRuleId[];
  readonly evidence: readonly FieldEvidence[];
}

export const bundle = (files: BundleFiles): FieldEvidence => ({ form: 'bundle', files });
export const text = (...lines: readonly string[]): FieldEvidence => ({ form: 'text', text: `${lines.join('\n')}\n` });
export const site = (evidence: Evidence): FieldEvidence => ({ form: 'site', evidence });

export const design = exampleSite();
export const DOMAIN = 'ocp45.example.localdomain';
export const BS = `bs.${DOMAIN}`;
export const API_INT = `api-int.${DOMAIN}`;
export const BALANCER = '172.16.0.111';
export const times = (count: number, ...lines: readonly string[]) => Array.from({ length: count }, () => lines).flat();

const SPINNERS = ['[***   ]', '[  ***]', '[ ***  ]', '[    **]'];

interface Attempts {
  readonly role?: 'master' | 'worker';
  /** Number of the first attempt. */
  readonly first?: number;
  readonly count?: number;
  /** The message of Ignition after "GET ": `error: …` or `result: …`. */
  readonly reply: string;
}

/**
 * Formats attempts of Ignition as a console shows them: seconds since the start, and systemd's line of waiting between.
 */
export function formatConsoleAttempts({ role = 'master', first = 20, count = 12, reply }: Attempts): string[] {
  const url = `https://${API_INT}:22623/config/${role}`;
  return Array.from({ length: count }, (_, index) => {
    const attempt = first + index;
    const seconds = attempt < 12 ? 6 + attempt / 2 : attempt * 5;
    const [start, end] = [seconds + 0.123077, seconds + 0.123391].map((each) => each.toFixed(6).padStart(12));
    const minutes = `${Math.floor(seconds / 60)}min ${Math.floor(seconds % 60)}s`;
    const waiting = `${SPINNERS[index % SPINNERS.length]} A start job is running for Ignition (fetch) (${minutes} / no limit)`;
    return [
      `${seconds > 20 ? waiting : ''}[${start}] ignition[706]: GET ${url}: attempt #${attempt}`,
      `[${end}] ignition[706]: GET ${reply.replaceAll('URL', url)}`,
    ];
  }).flat();
}

/** Formats messages of a unit as people paste them from journalctl. */
export const formatPasted = (host: string, unit: string, ...messages: readonly string[]) =>
  messages.map((message, index) => {
    const time = `11:${String(10 + Math.floor(index / 60) * 7).padStart(2, '0')}:${String(index % 60).padStart(2, '0')}`;
    return `Nov 22 ${time} ${host} ${unit}: ${message}`;
  });
