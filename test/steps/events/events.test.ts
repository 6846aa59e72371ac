import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findLiveProcess } from '../../../src/platform/process.ts';
import { getOnEventFile, readOnEventCommand, setOnEventCommand } from '../../../src/session/on-event.ts';
import { COMMAND_TIMEOUT, createEventQueue, type EventQueue, type WizardEvent } from '../../../src/steps/events.ts';
import { type ManualClock, manualClock } from '../../support/manual-clock.ts';

let dir: string;
let clock: ManualClock;
let reported: string[];
let events: EventQueue;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-events-'));
  mkdirSync(join(dir, '.upi-wizard'), { mode: 0o700 });
  clock = manualClock();
  reported = [];
  events = createEventQueue({ dir, clock, report: (message) => void reported.push(message) });
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const done: WizardEvent = { event: 'step-done', step: 'boot', text: 'Boot: done.' };
const read = (name: string) => readFileSync(join(dir, name), 'utf8');
const log = () =>
  read('.upi-wizard/events.ndjson')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, string | null>);

test('a command of the user runs in the install directory, with the event in its environment and without our secrets', async () => {
  process.env.UPI_TEST_SECRET = 'hunter22hunter22';
  setOnEventCommand(dir, 'env >out; cat >>out; pwd >>out; echo said; ps -o pgid= -p $$ >group');
  events.raise(done);
  expect(await events.waitUntilIdle()).toBe(true);
  delete process.env.UPI_TEST_SECRET;
  const out = read('out').split('\n');
  expect(out).toEqual(
    expect.arrayContaining([
      'UPI_WIZARD_EVENT=step-done',
      `UPI_WIZARD_DIR=${dir}`,
      'UPI_WIZARD_STEP=boot',
      'UPI_WIZARD_TEXT=Boot: done.',
      dir,
    ]),
  );
  expect(read('out')).not.toContain('hunter22');
  expect(Number(read('group'))).not.toBe(process.pid);
  expect(log()).toMatchObject([
    { raised: 'step-done', key: null, text: 'Boot: done.' },
    { command: 'exited successfully', output: 'said ' },
  ]);
  expect(statSync(join(dir, '.upi-wizard/events.ndjson')).mode & 0o777).toBe(0o600);
  expect(statSync(getOnEventFile(dir)).mode & 0o777).toBe(0o600);
  expect(reported).toEqual([]);
});

test('the input and the output of a command contain no secrets and no control sequences', async () => {
  setOnEventCommand(dir, 'printf "%s" "$UPI_WIZARD_TEXT" >out; printf "password=hunter22hunter22 \\033[2J"');
  events.raise({ ...done, text: 'a\u001b[2Jb\nc \u202e token=abcdefghijklmnop' });
  await events.waitUntilIdle();
  expect(read('out')).toBe('a\ufffdb c \ufffd token=[hidden]');
  expect(log()[1]?.output).toBe('password=[hidden] \ufffd');
  expect(read('.upi-wizard/events.ndjson')).not.toMatch(/[^\x20-\x7e\n\ufffd]/);
});

test('without a command nothing runs and nothing is written; off ends it', async () => {
  events.raise(done);
  setOnEventCommand(dir, 'touch out');
  setOnEventCommand(dir, null);
  events.raise(done);
  await events.waitUntilIdle();
  expect(existsSync(join(dir, 'out'))).toBe(false);
  expect(existsSync(join(dir, '.upi-wizard/events.ndjson'))).toBe(false);
  expect(readOnEventCommand(dir)).toBeNull();
});

test('a link in the place of the command is not followed', () => {
  writeFileSync(join(dir, 'evil'), 'touch out\n');
  symlinkSync(join(dir, 'evil'), getOnEventFile(dir));
  expect(readOnEventCommand(dir)).toBeNull();
});

test.each([
  ['exit 3', 'The command for events failed (event step-done): it exited with code 3.'],
  ['kill -9 $$', 'The command for events failed (event step-done): it was terminated by SIGKILL.'],
])('a failing command is reported once and stops nothing: %s', async (command, message) => {
  setOnEventCommand(dir, `echo x >>out; ${command}`);
  for (let time = 0; time < 4; time += 1) events.raise(done);
  expect(await events.waitUntilIdle()).toBe(false);
  expect(reported).toEqual([message]);
  expect(read('out')).toBe('x\nx\nx\nx\n');
});

test('a command that takes too long is ended with all that it started', async () => {
  setOnEventCommand(dir, 'sleep 600 & echo $! >child; trap "" TERM; wait; sleep 600');
  events.raise(done);
  while (!existsSync(join(dir, 'child')) || read('child') === '') await new Promise((resolve) => setImmediate(resolve));
  const child = Number(read('child'));
  expect(findLiveProcess(child)).not.toBeNull();
  await clock.advance(COMMAND_TIMEOUT);
  await clock.advance(COMMAND_TIMEOUT);
  await events.waitUntilIdle();
  expect(reported).toEqual(['The command for events failed (event step-done): it was killed after 30 seconds.']);
  while (findLiveProcess(child) !== null) await new Promise((resolve) => setImmediate(resolve));
});

test('never more than two run at once, and a flood is cut off', async () => {
  setOnEventCommand(
    dir,
    'mkdir a 2>/dev/null || mkdir b 2>/dev/null || echo third >>out; echo x >>count; rmdir a 2>/dev/null || rmdir b',
  );
  for (let time = 0; time < 200; time += 1) events.raise(done);
  await events.waitUntilIdle();
  expect(existsSync(join(dir, 'out'))).toBe(false);
  expect(read('count').length / 2).toBeLessThanOrEqual(22);
});

test('an event with a key is raised once across all processes', async () => {
  setOnEventCommand(dir, 'echo "$UPI_WIZARD_TEXT" >>out');
  const request = (key: string): WizardEvent => ({ ...done, event: 'certificate-refused', text: key, onceKey: key });
  events.raise(request('uid-1'));
  events.raise(request('uid-1'));
  const other = createEventQueue({ dir, clock, report: () => undefined });
  other.raise(request('uid-1'));
  other.raise(request('uid-2'));
  await Promise.all([events.waitUntilIdle(), other.waitUntilIdle()]);
  expect(read('out').trim().split('\n').sort()).toEqual(['uid-1', 'uid-2']);
});

test('a log that cannot be written stops no command', async () => {
  mkdirSync(join(dir, '.upi-wizard/events.ndjson'));
  setOnEventCommand(dir, 'touch out');
  events.raise(done);
  expect(await events.waitUntilIdle()).toBe(true);
  expect(existsSync(join(dir, 'out'))).toBe(true);
});

test('wall and write are built-in commands; write leaves out the terminal of the wizard', async () => {
  mkdirSync(join(dir, 'bin'));
  const program = (name: string, script: string) => {
    writeFileSync(join(dir, 'bin', name), `#!/bin/sh\n${script}\n`);
    chmodSync(join(dir, 'bin', name), 0o755);
  };
  program('wall', `{ cat; } >>${dir}/out`);
  program('id', 'echo me');
  program('who', 'printf "me pts/1 x\\nyou pts/2 x\\nme pts/3 x\\n"');
  program('ps', 'echo pts/3');
  program('write', `{ echo "$@"; cat; } >>${dir}/out`);
  const { PATH } = process.env;
  process.env.PATH = `${join(dir, 'bin')}:${PATH}`;
  try {
    for (const command of ['wall', 'write']) {
      setOnEventCommand(dir, command);
      events.raise(done);
      await events.waitUntilIdle();
    }
  } finally {
    process.env.PATH = PATH;
  }
  expect(read('out')).toBe('upi-wizard: Boot: done.\nme pts/1\nupi-wizard: Boot: done.\n');
});
