import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { markTerminalInUse } from '../../../src/cli/session/session-holder.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'mark-'));
  mkdirSync(join(dir, '.upi-wizard'));
});
afterEach(() => rmSync(dir, { recursive: true }));

test('the mark of a killed wizard has the time at which it ran last; the end of a wizard removes it', () => {
  const ended = markTerminalInUse(dir, { now: () => 1000 });
  expect(ended).toMatchObject({ wasAbrupt: false, ranLastAt: null });
  ended.end();
  const killed = markTerminalInUse(dir, { now: () => 2000 });
  expect(killed).toMatchObject({ wasAbrupt: false, ranLastAt: null });
  const next = markTerminalInUse(dir, { now: () => 9000 });
  expect(next).toMatchObject({ wasAbrupt: true, ranLastAt: 2000 });
  killed.end();
  next.end();
});

test('a mark of an older version has no time', () => {
  writeFileSync(join(dir, '.upi-wizard/terminal'), '4711\n');
  const mark = markTerminalInUse(dir, { now: () => 1000 });
  expect(mark).toMatchObject({ wasAbrupt: true, ranLastAt: null });
  mark.end();
});
