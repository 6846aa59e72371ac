import { expect, test } from 'vitest';
import { formatDiagnoses } from '../../../src/steps/diagnose/index.ts';

type Diagnosis = Parameters<typeof formatDiagnoses>[0][number];

const createDiagnosis = (symptom: string, ...otherEvidence: readonly string[]): Diagnosis => ({
  rule: 'clock-skew',
  likelihood: 'certain',
  title: 'A volume is missing',
  subjects: ['shop/a', 'shop/b'],
  symptom,
  cause: 'The provisioner fails.',
  remedy: 'Repair it.',
  evidence: [symptom, ...otherEvidence],
  confirmCommand: 'oc get pvc',
  documentationUrl: 'https://example.com/',
});

test('evidence that another subject repeats is printed once', () => {
  const text = formatDiagnoses([createDiagnosis('shop/a Pending: no space', 'shop/b Pending: no space')]).join('\n');
  expect(text.match(/no space/g)).toHaveLength(1);
  const different = formatDiagnoses([createDiagnosis('shop/a Pending: no space', 'shop/b Pending: no quota')]);
  expect(different.join('\n')).toContain('     shop/b Pending: no quota');
});

test('the remedy comes before long evidence, and after short evidence', () => {
  const findLine = (lines: readonly string[], label: string) =>
    lines.findIndex((line) => line.startsWith(`   ${label}: `));
  const long = formatDiagnoses([createDiagnosis(`shop/a Pending: ${'rpc error '.repeat(40)}`)]);
  expect(findLine(long, 'Do this')).toBeLessThan(findLine(long, 'Evidence'));
  const short = formatDiagnoses([createDiagnosis('shop/a Pending: no space')]);
  expect(findLine(short, 'Evidence')).toBeLessThan(findLine(short, 'Do this'));
});
