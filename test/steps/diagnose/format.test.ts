import { expect, test } from 'vitest';
import { describeNext, formatDiagnoses } from '../../../src/steps/diagnose/index.ts';
import { booting, complete } from '../../checks/rules/base-evidence.ts';

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

test('the command that confirms a finding is not repeated where the remedy has it', () => {
  const finding = createDiagnosis('shop/a Pending: no space');
  expect(formatDiagnoses([finding]).slice(-4)).toEqual([
    '   To confirm:',
    '       $ oc get pvc',
    '   More: `upi-wizard help clock-skew`',
    '     https://example.com/',
  ]);
  const repeated = { ...finding, remedy: 'Look at the claims: `oc get pvc`' };
  expect(
    formatDiagnoses([repeated])
      .join('\n')
      .match(/oc get pvc/g),
  ).toHaveLength(1);
  const inBundle = formatDiagnoses([{ ...repeated, bundleCommand: 'grep pvc bundle' }]);
  expect(inBundle.join('\n')).toContain('To see it in the bundle:\n       $ grep pvc bundle\n   More');
});

test('without a finding, the line below says what is waited for at this point of the installation', () => {
  const machines = booting.machines.map((machine) => ({ ...machine, poweredOnAt: null, requests: [] }));
  expect(describeNext({ ...booting, machines, cluster: null })).toMatch(/^No machine has been powered on yet\. /);
  expect(describeNext(booting)).toMatch(/^A long wait may still be normal: /);
  const [first, ...others] = complete.machines.map((machine) => ({ ...machine, hasJoined: true }));
  if (first === undefined) throw new Error('the evidence has no machine');
  const installed = { ...complete, machines: [first, ...others] };
  expect(describeNext(installed)).toBe('The cluster is installed, and all its nodes have joined.');
  const joining = { ...complete, machines: [...others, { ...first, role: 'compute' as const, hasJoined: false }] };
  expect(describeNext(joining)).toMatch(/^A long wait may still be normal: /);
});
