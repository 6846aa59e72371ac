import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diagnose } from '../../../src/checks/rules/diagnose.ts';
import type { Diagnosis } from '../../../src/checks/rules/index.ts';
import type { Design } from '../../../src/design/model.ts';
import { diagnoseBundle } from '../../../src/steps/diagnose/index.ts';
import { createRawTar } from '../../support/archive.ts';
import { GATHERED_AT } from '../../support/bundle-text.ts';
import { design, type FieldCase, type FieldEvidence } from './field-case.ts';

/** How well the first findings name the cause, the worst one last. */
export const VERDICTS = ['first', 'among three', 'missed', 'falsely accused'] as const;
export type Verdict = (typeof VERDICTS)[number];

/** Result of one form of the evidence. */
export interface Play {
  readonly form: string;
  readonly verdict: Verdict;
  readonly findings: readonly Pick<Diagnosis, 'rule' | 'likelihood' | 'symptom'>[];
}

/** A bundle is read more than a year later, so that nothing depends on the day of the test. */
const READ_AT = GATHERED_AT + 400 * 24 * 3_600_000;

/** Diagnoses the evidence of a case in each of its forms; bundles and texts with the design of the site and without. */
export async function playCase({ expected, evidence }: FieldCase): Promise<Play[]> {
  const dir = mkdtempSync(join(tmpdir(), 'upi-field-'));
  try {
    const plays: Play[] = [];
    for (const [index, each] of evidence.entries())
      for (const known of each.form === 'site' || each.needsDesign ? [design] : [design, null]) {
        const findings = await diagnoseEvidence(each, known, join(dir, `${index}`));
        const form = `${each.form}${known === null ? ' of an unknown site' : ''}`;
        plays.push({ form, findings, verdict: rateFindings(findings, expected) });
      }
    return plays;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

async function diagnoseEvidence(
  evidence: FieldEvidence,
  known: Design | null,
  path: string,
): Promise<readonly Diagnosis[]> {
  if (evidence.form === 'site') return diagnose(evidence.evidence);
  const file = `${path}.${evidence.form === 'text' ? 'txt' : 'tar'}`;
  writeFileSync(file, evidence.form === 'text' ? evidence.text : createRawTar(listEntries(evidence.files)));
  return (await diagnoseBundle(file, known, READ_AT)).findings;
}

const listEntries = (files: Readonly<Record<string, string | Buffer>>) =>
  Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) }));

/** Rates findings. A wrong cause that is likely, and before the right one, is a false accusation. */
function rateFindings(findings: Play['findings'], expected: FieldCase['expected']): Verdict {
  const isExpected = ({ rule }: Play['findings'][number]) => expected.some((each) => each === rule);
  const index = findings.findIndex(isExpected);
  const before = index === -1 ? findings : findings.slice(0, index);
  if (index === 0 || (expected.length === 0 && findings.length === 0)) return 'first';
  if (before.some(({ likelihood }) => likelihood !== 'possible')) return 'falsely accused';
  if (expected.length === 0) return 'among three';
  return index > 0 && index < 3 ? 'among three' : 'missed';
}

/** The worst verdict of a case: each form of the evidence has to lead to the cause. */
export function getWorstVerdict(plays: readonly Play[]): Verdict {
  return VERDICTS.findLast((verdict) => plays.some((play) => play.verdict === verdict)) ?? 'missed';
}
