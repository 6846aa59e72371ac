import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogFollower, createLogParser, parseLogLine } from '../../src/installer/log.ts';
import fc from '../support/property.ts';

const START = Date.parse('2026-11-21T04:04:25Z');
const formatLogLine = (seconds: number, level: string, text: string) =>
  `time="${new Date(START + seconds * 1000).toISOString().replace('.000', '')}" level=${level} msg=${JSON.stringify(text)}\n`;

test.each([
  [
    'time="2026-11-21T04:04:25Z" level=debug msg="a \\"b\\" \\u00e9\\n\\x41\\\\"',
    { at: START, level: 'debug', text: 'a "b" é\nA\\' },
  ],
  [
    'time="2020-09-23T04:18:08-04:00" level=info msg="x"',
    { at: Date.parse('2020-09-23T08:18:08Z'), level: 'info', text: 'x' },
  ],
  [
    'level=info msg="Consuming Install Config from target directory"',
    { at: null, level: 'info', text: 'Consuming Install Config from target directory' },
  ],
  [
    'level=info msg=Consuming Install Config from target directory',
    { at: null, level: 'info', text: 'Consuming Install Config from target directory' },
  ],
  ['level=debug msg=  Loading SSH Key...', { at: null, level: 'debug', text: '  Loading SSH Key...' }],
  ['level=error msg="a" failed', { at: null, level: 'error', text: '"a" failed' }],
  ['\u001b[33mWARNING\u001b[0m careful', { at: null, level: 'warning', text: 'careful' }],
  [
    'E1121 04:08:11.123456      12 reflector.go:561] failed to list',
    { at: null, level: 'error', text: 'failed to list' },
  ],
  ['anything\u001b]52;c;x\u0007', { at: null, level: 'unknown', text: 'anything\ufffd' }],
])('a line is understood: %s', (line, expected) => {
  expect(parseLogLine(line)).toEqual(expected);
});

const SECRETS = ['abcde-FGHIJ-12345-klmno', 'c2VjcmV0OnB1bGw=', 'MIIEsecretkeybytes', 'sha256~abcdefghijklmnop'];
test.each([
  formatLogLine(0, 'info', `Login to the console with user: "kubeadmin", and password: "${SECRETS[0]}"`),
  `level=info msg=Login to the console with user: "kubeadmin", and password: "${SECRETS[0]}"`,
  formatLogLine(0, 'debug', `pullSecret: '{"auths":{"quay.io":{"auth":"${SECRETS[1]}"}}}'`),
  formatLogLine(0, 'debug', JSON.stringify({ pullSecret: `{"auths":{"quay.io":{"auth":"${SECRETS[1]}"}}}` })),
  formatLogLine(0, 'debug', `{"auths":{"quay.io":{"auth":"${SECRETS[1]}"`),
  formatLogLine(0, 'debug', `-----BEGIN RSA PRIVATE KEY-----\n${SECRETS[2]}\n-----END RSA PRIVATE KEY-----`),
  `level=debug msg=-----BEGIN PRIVATE KEY-----\n${SECRETS[2]}\n-----END PRIVATE KEY-----\nafter`,
  `level=debug msg=Bearer ${SECRETS[3]} http://user:${SECRETS[2]}@proxy:3128`,
])('no secret leaves the parser: %s', (text) => {
  const parser = createLogParser();
  const out = JSON.stringify([...parser.push(text), ...parser.end()]);
  expect(out).toContain('[hidden]');
  for (const secret of SECRETS) expect(out).not.toContain(secret);
});

test('however the log is cut into pieces, the lines are the same', () => {
  const text = Buffer.from(
    formatLogLine(0, 'info', 'é "x"') + formatLogLine(1, 'debug', '日本') + formatLogLine(2, 'warning', 'end'),
  );
  const whole = createLogParser();
  const expected = [...whole.push(text), ...whole.end()];
  expect(expected.map((line) => line.text)).toEqual(['é "x"', '日本', 'end']);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
      const offsets = [0, ...cuts.sort((a, b) => a - b), text.length];
      const parser = createLogParser();
      const lines = offsets.slice(1).flatMap((end, index) => parser.push(text.subarray(offsets[index], end)));
      expect([...lines, ...parser.end()]).toEqual(expected);
    }),
  );
});

test('a growing file is followed, and an incomplete last line is buffered', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'log-'));
  try {
    const file = join(dir, '.openshift_install.log');
    const follower = createLogFollower(file);
    expect(await follower.next()).toEqual([]);
    const second = formatLogLine(1, 'info', 'two');
    writeFileSync(file, formatLogLine(0, 'info', 'one') + second.slice(0, 30));
    expect((await follower.next()).map(({ text }) => text)).toEqual(['one']);
    appendFileSync(file, second.slice(30));
    expect((await follower.next()).map(({ text }) => text)).toEqual(['two']);
  } finally {
    rmSync(dir, { recursive: true });
  }
});
