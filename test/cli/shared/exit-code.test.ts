import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { runForExitCode } from '../../../src/cli/shared/io.ts';
import { UserErrorException } from '../../../src/i18n/user-error.ts';

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

async function runRejected(error: Error) {
  let stderr = '';
  const io = {
    stdout: () => undefined,
    stderr: (text: string) => {
      stderr += text;
    },
    env: {},
    cwd: home,
  };
  const code = await runForExitCode(io, () => Promise.reject(error));
  return { code, stderr };
}

const createSystemError = (code: string, rest: object = {}) =>
  Object.assign(new Error(`${code}: refused, write`), { code, ...rest });

test.each([
  ['ENOSPC', 'the disk is full'],
  ['EROFS', 'the file system is read-only'],
  ['EDQUOT', 'your disk quota is used up'],
])('%s is reported with its reason wherever it happens, not as a bug of the wizard', async (code, why) => {
  expect(await runRejected(createSystemError(code))).toEqual({
    code: 4,
    stderr: expect.stringMatching(new RegExp(`^Nothing can be written: ${why}\\.\\nFree disk space`)),
  });
  const { stderr } = await runRejected(createSystemError(code, { path: '/a/\u001b[2Jb' }));
  expect(stderr).toContain(`${why}: /a/\ufffdb.`);
});

test('a user error exits with 4, an impossible directory with 2, and any other error with 1', async () => {
  const createUserError = (code: string) =>
    new UserErrorException({ code, title: 'Title', cause: 'why', remedy: 'do' });
  expect(await runRejected(createUserError('session-damaged'))).toEqual({ code: 4, stderr: 'Title: why\ndo\n' });
  expect(await runRejected(createUserError('directory-root'))).toEqual({ code: 2, stderr: 'Title: why do\n' });
  expect(await runRejected(createSystemError('EBADF'))).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('upi-wizard failed'),
  });
});
