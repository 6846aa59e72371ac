import { matchHivePattern } from '../../../checks/score/hive.ts';
import type { FieldEvidence } from '../field-case.ts';
import { matchAssistedSignature } from './assisted-installer.ts';
import { analyzeLikeInstaller } from './installer-analyze.ts';

/** Texts of the evidence by path. */
export type EvidenceTexts = Readonly<Record<string, string>>;

interface Classifier {
  readonly name: string;
  /** Name of what it recognizes; null: nothing. */
  readonly classify: (texts: EvidenceTexts) => string | null;
}

/** Classifiers of others whose patterns are public. */
export const CLASSIFIERS: readonly Classifier[] = [
  { name: 'Hive', classify: (texts) => matchHivePattern(Object.values(texts).join('\n')) },
  { name: 'openshift-install analyze', classify: analyzeLikeInstaller },
  { name: 'assisted-installer', classify: matchAssistedSignature },
];

/** Returns what each classifier says about the first form of the evidence that it recognizes. */
export function classifyEvidence(evidence: readonly FieldEvidence[]): (string | null)[] {
  const texts = evidence.flatMap((each) => listTexts(each));
  return CLASSIFIERS.map(({ classify }) => texts.map(classify).find((found) => found !== null) ?? null);
}

function listTexts(evidence: FieldEvidence): EvidenceTexts[] {
  if (evidence.form === 'text') return [{ 'pasted.txt': evidence.text }];
  if (evidence.form === 'site') return [{ 'site.txt': evidence.evidence.lines.map((line) => line.text).join('\n') }];
  return [Object.fromEntries(Object.entries(evidence.files).map(([path, content]) => [path, content.toString()]))];
}
