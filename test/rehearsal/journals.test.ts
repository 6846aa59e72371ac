import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openJournals } from '../../src/rehearsal/site/files.ts';

test('a line that could only be written in part is ended before the next one of that machine', () => {
  const dir = mkdtempSync(join(tmpdir(), 'upi-journals-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const journals = openJournals(dir, new AbortController().signal);
  mkdirSync(join(dir, 'm1.log'));
  journals.write('m1', 'lost');
  rmSync(join(dir, 'm1.log'), { recursive: true });
  journals.write('m1', 'first');
  journals.write('m1', 'second');
  journals.write('m2', 'other');
  expect(journals.read('m1')).toBe('\nfirst\nsecond\n');
  expect(journals.read('m2')).toBe('other\n');
});
