import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { listJournalFiles } from '../../src/session/journal-file.ts';
import { findPreviousRun } from '../../src/session/previous-run.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sitting-'));
  mkdirSync(dirname(listJournalFiles(dir)[0]));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const formatTime = (minute: number) => new Date(Date.UTC(2026, 1, 1, 12, minute)).toISOString();
const createOpened = (program = 'upi-wizard', user = 'alice') => ({ type: 'opened', program, user, from: '10.0.0.9' });
const createLeft = (program = 'upi-wizard') => ({ type: 'left', program });
const savedLine = { type: 'saved', serial: 1, checksum: '', patch: [] };
const createBegun = (id: string) => ({ type: 'begun', id, step: 'infra', action: 'apply', subject: null });
const createEnded = (id: string) => ({ type: 'ended', id, outcome: 'done', code: null });

/** Writes a journal with one line per minute from 12:00 on. */
function writeJournal(lines: readonly object[], file = listJournalFiles(dir)[0], from = 0): void {
  writeFileSync(
    file,
    lines.map((line, index) => `${JSON.stringify({ at: formatTime(from + index), ...line })}\n`).join(''),
  );
}

test('a new directory, and one with a single run, have no previous run', () => {
  expect(findPreviousRun(dir)).toBeNull();
  writeJournal([createOpened(), savedLine]);
  expect(findPreviousRun(dir)).toBeNull();
});

test('a run ends where the user left it; later commands and jobs are its later activity', () => {
  writeJournal([
    createOpened(),
    createBegun('a'),
    savedLine,
    createLeft(),
    createBegun('b'),
    createEnded('b'),
    createOpened('upi-wizard infra', 'bob'),
    createLeft('upi-wizard infra'),
    createOpened(),
  ]);
  const run = findPreviousRun(dir);
  expect(run).toMatchObject({
    user: 'alice',
    from: '10.0.0.9',
    endedAt: Date.parse(formatTime(3)),
    wasInterrupted: false,
  });
  expect(run?.laterActivity.map(({ type }) => type)).toEqual(['begun', 'ended', 'opened', 'left']);
  expect(run?.unfinishedActions).toMatchObject([{ id: 'a' }]);
});

test('an action that a job ended after the run was unfinished when the run ended', () => {
  const lines = [createBegun('a'), createEnded('a'), createBegun('b'), createLeft(), createEnded('b')];
  writeJournal([createOpened(), ...lines, createOpened()]);
  const run = findPreviousRun(dir);
  expect(run?.unfinishedActions).toMatchObject([{ id: 'b' }]);
  expect(run?.laterActivity).toMatchObject([{ type: 'ended', id: 'b' }]);
});

test('a killed run ends with its last save, or with the action that it began after that and could not end', () => {
  writeJournal([
    createOpened(),
    createBegun('a'),
    savedLine,
    createBegun('b'),
    createOpened('upi-wizard rehearse --plain'),
  ]);
  const run = findPreviousRun(dir);
  expect(run).toMatchObject({ endedAt: Date.parse(formatTime(3)), wasInterrupted: true, laterActivity: [] });
  expect(run?.unfinishedActions).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  // A job goes on after the kill: what it finished then is later activity.
  writeJournal([createOpened(), savedLine, createBegun('a'), createEnded('a'), createBegun('b'), createOpened()]);
  const runWithJob = findPreviousRun(dir);
  expect(runWithJob).toMatchObject({ endedAt: Date.parse(formatTime(1)), unfinishedActions: [] });
  expect(runWithJob?.laterActivity.map(({ type }) => type)).toEqual(['begun', 'ended', 'begun']);
  writeJournal([createOpened(), createOpened()]);
  expect(findPreviousRun(dir)).toMatchObject({
    endedAt: Date.parse(formatTime(0)),
    wasInterrupted: true,
    laterActivity: [],
  });
});

test('a run is found in the previous journal file, also between torn lines', () => {
  const [current, previous] = listJournalFiles(dir);
  writeJournal([createOpened(), savedLine, createLeft()], previous);
  writeFileSync(
    current,
    `{"at":"20\n${JSON.stringify({ at: 'x', ...savedLine })}\n${JSON.stringify({ at: formatTime(9), ...createOpened() })}\n{"at`,
  );
  expect(findPreviousRun(dir)).toMatchObject({
    endedAt: Date.parse(formatTime(2)),
    wasInterrupted: false,
    laterActivity: [],
  });
});
