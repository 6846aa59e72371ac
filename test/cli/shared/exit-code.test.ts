import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exitCode } from '../../../src/cli/shared/exit-code.ts';
import { TroubleError } from '../../../src/text/trouble.ts';

let home: string;
let before: string | undefined;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'upi-exit-'));
  before = process.env.HOME;
  process.env.HOME = home;
});
afterEach(() => {
  process.env.HOME = before;
  rmSync(home, { recursive: true, force: true });
});

async function ended(error: Error) {
  let stderr = '';
  const io = {
    stdout: () => undefined,
    stderr: (text: string) => {
      stderr += text;
    },
    env: {},
    cwd: home,
  };
  const code = await exitCode(io, () => Promise.reject(error));
  return { code, stderr };
}

const refused = (code: string, rest: object = {}) =>
  Object.assign(new Error(`${code}: refused, write`), { code, ...rest });

test.each([
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the file system is read-only'],
  ['EDQUOT', 'your disk quota is used up'],
])('%s is told as what it is wherever it happens, and is no fault of ours', async (code, why) => {
  expect(await ended(refused(code))).toEqual({
    code: 4,
    stderr: expect.stringMatching(new RegExp(`^Nothing can be written: ${why}\\.\\nMake room`)),
  });
  const { stderr } = await ended(refused(code, { path: '/a/\u001b[2Jb' }));
  expect(stderr).toContain(`${why}: /a/\ufffdb.`);
});

test('a trouble is an answer, a directory that cannot be one is wrong usage, and the rest is a fault of ours', async () => {
  const trouble = (code: string) => new TroubleError({ code, title: 'Title', cause: 'why', whatToDo: 'do' });
  expect(await ended(trouble('session-damaged'))).toEqual({ code: 4, stderr: 'Title: why\ndo\n' });
  expect(await ended(trouble('directory-root'))).toEqual({ code: 2, stderr: 'Title: why do\n' });
  expect(await ended(refused('EBADF'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('upi-wizard failed'),
  });
});
