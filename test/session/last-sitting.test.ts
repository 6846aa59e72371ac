import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalFiles } from '../../src/session/journal-file.ts';
import { lastSitting } from '../../src/session/last-sitting.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'sitting-'));
  mkdirSync(dirname(journalFiles(dir)[0]));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const time = (minute: number) => new Date(Date.UTC(2026, 1, 1, 12, minute)).toISOString();
const opened = (program = 'upi-wizard', user = 'alice') => ({ type: 'opened', program, user, from: '10.0.0.9' });
const left = (program = 'upi-wizard') => ({ type: 'left', program });
const saved = { type: 'saved', serial: 1, checksum: '', patch: [] };
const begun = (id: string) => ({ type: 'begun', id, step: 'infra', action: 'apply', subject: null });
const ended = (id: string) => ({ type: 'ended', id, outcome: 'done', code: null });

/** A line a minute from 12:00 on. */
function journal(lines: readonly object[], file = journalFiles(dir)[0], from = 0): void {
  writeFileSync(file, lines.map((line, index) => `${JSON.stringify({ at: time(from + index), ...line })}\n`).join(''));
}

test('a new directory, and one with a single sitting, have none before it', () => {
  expect(lastSitting(dir)).toBeNull();
  journal([opened(), saved]);
  expect(lastSitting(dir)).toBeNull();
});

test('a sitting ends where it was left, and what commands and jobs did later is since then', () => {
  journal([
    opened(),
    begun('a'),
    saved,
    left(),
    begun('b'),
    ended('b'),
    opened('upi-wizard infra', 'bob'),
    left('upi-wizard infra'),
    opened(),
  ]);
  const last = lastSitting(dir);
  expect(last).toMatchObject({ user: 'alice', from: '10.0.0.9', at: Date.parse(time(3)), wasCut: false });
  expect(last?.since.map(({ type }) => type)).toEqual(['begun', 'ended', 'opened', 'left']);
  expect(last?.unfinished).toMatchObject([{ id: 'a' }]);
});

test('a sitting that was killed ends with the last that it saved', () => {
  journal([opened(), begun('a'), saved, begun('b'), opened('upi-wizard rehearse --plain')]);
  const last = lastSitting(dir);
  expect(last).toMatchObject({ at: Date.parse(time(2)), wasCut: true });
  expect([last?.unfinished.length, last?.since.length]).toEqual([1, 1]);
  journal([opened(), opened()]);
  expect(lastSitting(dir)).toMatchObject({ at: Date.parse(time(0)), wasCut: true, since: [] });
});

test('a sitting is found in the journal from before, also between torn lines', () => {
  const [now, before] = journalFiles(dir);
  journal([opened(), saved, left()], before);
  writeFileSync(
    now,
    `{"at":"20\n${JSON.stringify({ at: 'x', ...saved })}\n${JSON.stringify({ at: time(9), ...opened() })}\n{"at`,
  );
  expect(lastSitting(dir)).toMatchObject({ at: Date.parse(time(2)), wasCut: false, since: [] });
});
