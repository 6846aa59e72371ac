import { expect, test } from 'vitest';
import { parseJournal, parseServiceRecord } from '../../src/installer/bootstrap-services.ts';
import fc from '../support/property.ts';

const entry = (phase: string, more: Readonly<Record<string, string>> = {}) => ({
  timestamp: '2026-11-21T04:10:00Z',
  phase,
  ...more,
});
// As jq prints it.
const record = (...entries: object[]) => JSON.stringify(entries, null, 2);
const START = entry('service start');
const stage = (name: string, result?: string, errorMessage?: string) =>
  entry(result === undefined ? 'stage start' : 'stage end', {
    stage: name,
    ...(result === undefined ? {} : { result }),
    ...(errorMessage === undefined ? {} : { errorMessage }),
  });
const end = (result: string) => entry('service end', { result });

test.each([
  ['nothing yet', [START], { state: 'running', stage: null, finished: [], starts: 1 }],
  [
    'in a stage',
    [START, stage('a'), stage('a', 'success'), stage('b')],
    { state: 'running', stage: 'b', finished: ['a'] },
  ],
  [
    'failed in a stage',
    [START, stage('a'), stage('a', 'failure', 'one\ntwo\n'), end('failure')],
    { state: 'failed', stage: 'a', lastError: 'two' },
  ],
  [
    'started again after that',
    [START, stage('a'), stage('a', 'failure', 'x'), end('failure'), START],
    { state: 'running', stage: null, starts: 2, lastError: 'x' },
  ],
  ['ended well', [START, stage('a'), stage('a', 'success'), end('success')], { state: 'succeeded', finished: ['a'] }],
] as const)('a record of a service: %s', (_name, entries, expected) => {
  expect(parseServiceRecord(record(...entries))).toMatchObject(expected);
});

test('the end of a long record is enough, and a text that is no record gives null', () => {
  const text = record(START, stage('a'), stage('a', 'success'), stage('b'));
  expect(parseServiceRecord(text.slice(30))).toMatchObject({ stage: 'b', finished: ['a'] });
  for (const none of ['', '[]', '{}', 'cat: No such file', '[1, null]']) {
    const found = parseServiceRecord(none);
    expect(found === null || found.state === 'running').toBe(true);
  }
  fc.assert(fc.property(fc.string(), (input) => void parseServiceRecord(input)));
});

test('an error in a record shows no secret and no escape sequence', () => {
  const found = parseServiceRecord(
    record(START, stage('a', 'failure', 'password: "hunter2hunter2"\u001b]52;c;x\u0007'), end('failure')),
  );
  expect(found?.lastError).toBe('password: "[hidden]"\ufffd');
});

test('the journal as journalctl prints it in JSON', () => {
  const cursor = 's=0a1b;i=1f;b=2c;m=3d;t=4e;x=5f';
  const rows = [
    {
      __CURSOR: cursor,
      __REALTIME_TIMESTAMP: '1790000000000000',
      UNIT: 'bootkube.service',
      MESSAGE: 'Started Bootkube',
      PRIORITY: '6',
    },
    { __CURSOR: `${cursor}';reboot;'`, _SYSTEMD_UNIT: 'release-image.service', MESSAGE: [72, 105, 255], PRIORITY: '3' },
  ];
  const text = `not json\n${rows.map((row) => JSON.stringify(row)).join('\n')}\n{"half`;
  const { lines, cursor: next } = parseJournal(text);
  expect(lines.map(({ source, line }) => [source, line.level, line.at, line.text])).toEqual([
    ['bootkube', 'info', 1_790_000_000_000, 'Started Bootkube'],
    ['release-image', 'error', null, 'Hi\ufffd'],
  ]);
  // A cursor that could break out of shell quotes is rejected.
  expect(next).toBe(cursor);
});
