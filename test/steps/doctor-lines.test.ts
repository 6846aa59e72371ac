import { expect, test } from 'vitest';
import type { Finding } from '../../src/checks/check.ts';
import { formatFindings } from '../../src/steps/doctor-lines.ts';

const finding = (state: Finding['state'], code: string): Finding => ({
  ...{ code, state, severity: 'fatal', subject: null },
  ...{ title: `${code} title`, cause: `${code} evidence`, remedy: `${code} remedy`, command: `show ${code}` },
});
const findings = [
  finding('failed', 'broken'),
  finding('pending', 'later'),
  finding('unknown', 'hidden'),
  finding('ok', 'fine'),
];

test('what comes later has no remedy and no command yet', () => {
  const lines = formatFindings(findings);
  expect(lines).toContain('  later title: later evidence');
  expect(lines.join('\n')).not.toMatch(/later remedy|show later/);
});

test('a short list leaves out what is ok, and keeps everything else', () => {
  const full = formatFindings(findings);
  expect(full.slice(-2)).toEqual(['OK', '  fine title: fine evidence']);
  expect(formatFindings(findings, { isShort: true })).toEqual(full.slice(0, -3));
});

test('a consequence that is evidence of the failure is listed once', () => {
  const cause = { ...finding('failed', 'offer'), cause: 'wrong name; ns1 dhcpd.conf: line 45 differs' };
  const consequence = (code: string, text: string) => ({
    ...{ ...finding('failed', code), cause: text },
    causedBy: { id: 'offer', subject: null },
  });
  const lines = formatFindings([cause, consequence('file', 'line 45 differs'), consequence('name', 'no such name')]);
  expect(lines.filter((line) => line.includes('line 45 differs'))).toHaveLength(1);
  expect(lines).toContain('      name title: no such name');
});
