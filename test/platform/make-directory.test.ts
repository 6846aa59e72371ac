import { lstatSync, mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ensureDirectory } from '../../src/platform/files.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-make-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

test('creates missing directories for the user alone, and leaves existing ones unchanged', () => {
  ensureDirectory(join(dir, 'a/b/c'));
  for (const name of ['a', 'a/b', 'a/b/c']) expect(statSync(join(dir, name)).mode & 0o777).toBe(0o700);
  const before = lstatSync(join(dir, 'a/b')).mtimeMs;
  ensureDirectory(join(dir, 'a/b'));
  expect(lstatSync(join(dir, 'a/b')).mtimeMs).toBe(before);
  symlinkSync(join(dir, 'a'), join(dir, 'link'));
  ensureDirectory(join(dir, 'link/d'));
  expect(statSync(join(dir, 'a/d')).isDirectory()).toBe(true);
});

test('reports what is in the way, and fails where no directory can be created', () => {
  writeFileSync(join(dir, 'file'), '');
  symlinkSync(join(dir, 'nowhere'), join(dir, 'dangling'));
  mkdirSync(join(dir, 'here'));
  for (const path of ['file', 'file/below', 'dangling', 'dangling/below'])
    expect(() => ensureDirectory(join(dir, path)), path).toThrow(/^E(?:EXIST|NOTDIR|NOENT)/);
  for (const path of ['/proc/none', '/proc/none/below']) expect(() => ensureDirectory(path), path).toThrow(/^ENOENT/);
});
