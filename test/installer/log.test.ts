import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createLogParser, followLog, interpretLog } from '../../src/installer/log.ts';
import { parseLogLine } from '../../src/installer/log-line.ts';
import fc from '../support/property.ts';

const START = Date.parse('2026-11-21T04:04:25Z');
const logged = (seconds: number, level: string, text: string) =>
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
  logged(0, 'info', `Login to the console with user: "kubeadmin", and password: "${SECRETS[0]}"`),
  `level=info msg=Login to the console with user: "kubeadmin", and password: "${SECRETS[0]}"`,
  logged(0, 'debug', `pullSecret: '{"auths":{"quay.io":{"auth":"${SECRETS[1]}"}}}'`),
  logged(0, 'debug', JSON.stringify({ pullSecret: `{"auths":{"quay.io":{"auth":"${SECRETS[1]}"}}}` })),
  logged(0, 'debug', `{"auths":{"quay.io":{"auth":"${SECRETS[1]}"`),
  logged(0, 'debug', `-----BEGIN RSA PRIVATE KEY-----\n${SECRETS[2]}\n-----END RSA PRIVATE KEY-----`),
  `level=debug msg=-----BEGIN PRIVATE KEY-----\n${SECRETS[2]}\n-----END PRIVATE KEY-----\nafter`,
  `level=debug msg=Bearer ${SECRETS[3]} http://user:${SECRETS[2]}@proxy:3128`,
])('no secret leaves the parser: %s', (text) => {
  const parser = createLogParser();
  const out = JSON.stringify([...parser.push(text), ...parser.end()]);
  expect(out).toContain('[hidden]');
  for (const secret of SECRETS) expect(out).not.toContain(secret);
});

test('however the log is cut into pieces, the lines are the same', () => {
  const text = Buffer.from(logged(0, 'info', 'é "x"') + logged(1, 'debug', '日本') + logged(2, 'warning', 'end'));
  const whole = createLogParser();
  const expected = [...whole.push(text), ...whole.end()];
  expect(expected.map((line) => line.text)).toEqual(['é "x"', '日本', 'end']);
  fc.assert(
    fc.property(fc.array(fc.nat(text.length), { maxLength: 12 }), (cuts) => {
      const at = [0, ...cuts.sort((a, b) => a - b), text.length];
      const parser = createLogParser();
      const lines = at.slice(1).flatMap((end, index) => parser.push(text.subarray(at[index], end)));
      expect([...lines, ...parser.end()]).toEqual(expected);
    }),
  );
});

test('a growing file is followed, its half last line kept for later', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'log-'));
  try {
    const file = join(dir, '.openshift_install.log');
    const follower = followLog(file);
    expect(await follower.next()).toEqual([]);
    const second = logged(1, 'info', 'two');
    writeFileSync(file, logged(0, 'info', 'one') + second.slice(0, 30));
    expect((await follower.next()).map(({ text }) => text)).toEqual(['one']);
    appendFileSync(file, second.slice(30));
    expect((await follower.next()).map(({ text }) => text)).toEqual(['two']);
  } finally {
    rmSync(dir, { recursive: true });
  }
});

const read = (text: string) => createLogParser().push(text);
const BOOTSTRAP = [
  logged(0, 'info', 'Waiting up to 20m0s (until 4:24AM UTC) for the Kubernetes API at https://api.x:6443...'),
  logged(60, 'info', 'API v1.32.13 up'),
  logged(61, 'info', 'Waiting up to 45m0s (until 4:50AM UTC) for bootstrapping to complete...'),
  logged(600, 'info', 'It is now safe to remove the bootstrap resources'),
];
const INSTALL = [
  logged(700, 'info', 'Waiting up to 40m0s (until 4:51AM UTC) for the cluster at https://api.x:6443 to initialize...'),
  logged(
    710,
    'debug',
    'Still waiting for the cluster to initialize: Working towards 4.18.0: 640 of 869 done (73% complete)',
  ),
  logged(800, 'debug', 'Cluster is initialized'),
  logged(
    801,
    'info',
    'Waiting up to 30m0s (until 4:42AM UTC) to ensure each cluster operator has finished progressing...',
  ),
  logged(900, 'info', 'Checking to see if there is a route at openshift-console/console...'),
  logged(901, 'info', 'Install complete!'),
  logged(902, 'info', 'Access the OpenShift web-console here: https://console.apps.x'),
];

test('the log tells the phase, since when and until when', () => {
  const at = (count: number) => interpretLog(read([...BOOTSTRAP, ...INSTALL].slice(0, count).join('')));
  expect(interpretLog([]).phase).toBe('none');
  expect(at(1)).toMatchObject({ phase: 'api', since: START, until: START + 20 * 60_000, apiUpAt: null });
  expect(at(3)).toMatchObject({ phase: 'bootstrap', since: START + 61_000, apiUpAt: START + 60_000 });
  expect(at(4)).toMatchObject({ isBootstrapComplete: true, bootstrapCompleteAt: START + 600_000 });
  expect(at(6)).toMatchObject({ phase: 'initialize', progressPercent: 73 });
  expect(at(8)).toMatchObject({ phase: 'stable', progressPercent: 100, until: START + 801_000 + 30 * 60_000 });
  expect(at(9).phase).toBe('console');
  expect(at(11)).toMatchObject({
    phase: 'complete',
    consoleUrl: 'https://console.apps.x',
    bootstrapCompleteAt: START + 600_000,
  });
  const pieces = [...BOOTSTRAP, ...INSTALL].reduce((sum, line) => interpretLog(read(line), sum), interpretLog([]));
  expect(pieces).toEqual(at(11));
});

test('a failure keeps its first reason, and waiting again leaves it behind', () => {
  const failed = interpretLog(
    read(
      BOOTSTRAP.slice(0, 3).join('') +
        logged(9, 'error', 'Bootstrap failed to complete: timed out waiting for the condition') +
        logged(9, 'error', 'Failed to wait for bootstrapping to complete. This error usually happens when …'),
    ),
  );
  expect(failed).toMatchObject({
    phase: 'failed',
    failure: 'Bootstrap failed to complete: timed out waiting for the condition',
  });
  expect(interpretLog(read(BOOTSTRAP[2]!), failed)).toMatchObject({ phase: 'bootstrap', failure: null });
  expect(interpretLog(read(logged(1, 'fatal', 'loading kubeconfig: x'))).phase).toBe('failed');
});
