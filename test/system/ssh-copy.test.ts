import { chmodSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { copyOverSsh, type SshTarget } from '../../src/host/ssh.ts';
import { UserErrorException } from '../../src/i18n/user-error.ts';
import { eventually } from '../support/eventually.ts';
import { testWith } from '../support/programs.ts';
import { startSshd } from '../support/sshd.ts';

const test = testWith('sshd', 'ssh', 'ssh-keygen', 'tar');

function createFilesToCopy(dir: string): string {
  const from = join(dir, 'files');
  mkdirSync(join(from, 'etc', 'haproxy'), { recursive: true });
  writeFileSync(join(from, 'etc', 'haproxy', 'haproxy.cfg'), 'global\n');
  writeFileSync(join(from, 'install.sh'), '#!/bin/sh\n');
  chmodSync(join(from, 'install.sh'), 0o755);
  return from;
}

const copy = (dir: string, target: SshTarget, remoteDir: string) =>
  copyOverSsh({ dir, target, remoteDir, signal: new AbortController().signal });

async function getUserError(attempt: Promise<void>) {
  const error = await attempt.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof UserErrorException)) throw new Error(`no trouble: ${String(error)}`);
  return error.userError;
}

test('files get to the host with their modes; a second copy replaces the first, old files do not stay', async () => {
  const { dir, target } = await startSshd();
  const from = createFilesToCopy(dir);
  const remote = join(dir, 'there', 'ns1');
  await copy(from, target(), remote);
  expect(readFileSync(join(remote, 'etc/haproxy/haproxy.cfg'), 'utf8')).toBe('global\n');
  expect(statSync(join(remote, 'install.sh')).mode & 0o777).toBe(0o755);
  writeFileSync(join(remote, 'left-behind'), '');
  writeFileSync(join(from, 'etc', 'haproxy', 'haproxy.cfg'), 'defaults\n');
  await copy(from, target(), remote);
  expect(readFileSync(join(remote, 'etc/haproxy/haproxy.cfg'), 'utf8')).toBe('defaults\n');
  expect(existsSync(join(remote, 'left-behind'))).toBe(false);
});

test('an unknown host key is an error with a remedy, and nothing is sent', async () => {
  const { dir, target } = await startSshd();
  const remote = join(dir, 'there', 'ns1');
  const userError = await getUserError(copy(createFilesToCopy(dir), target({ known: '/dev/null' }), remote));
  expect(userError.code).toBe('ssh-host-key-unknown');
  expect(userError.remedy).toContain('compare the fingerprint');
  expect(existsSync(remote)).toBe(false);
});

test('a changed host key is distinguished from an unknown one', async () => {
  const { dir, target } = await startSshd();
  const known = readFileSync(join(dir, 'known'), 'utf8');
  const other = readFileSync(join(dir, 'stranger.pub'), 'utf8').split(' ')[1] ?? '';
  writeFileSync(join(dir, 'changed'), known.replace(/AAAA\S+/, other));
  const userError = await getUserError(
    copy(createFilesToCopy(dir), target({ known: join(dir, 'changed') }), join(dir, 'there')),
  );
  expect(userError.code).toBe('ssh-host-key-changed');
});

test('a key that the host refuses leads to an error, not to a password prompt', async () => {
  const { dir, target } = await startSshd();
  const userError = await getUserError(copy(createFilesToCopy(dir), target({ key: 'stranger' }), join(dir, 'there')));
  expect(userError).toMatchObject({ code: 'ssh-login', cause: expect.stringContaining('Permission denied') });
});

test('a host without sshd, and one that cannot store the files, are distinguished', async () => {
  const { dir, target, stop } = await startSshd();
  const from = createFilesToCopy(dir);
  writeFileSync(join(dir, 'a-file'), '');
  const blocked = await getUserError(copy(from, target(), join(dir, 'a-file', 'ns1')));
  expect(blocked).toMatchObject({ code: 'ssh-other', cause: expect.stringContaining('Not a directory') });
  stop();
  await eventually(async () => {
    const userError = await getUserError(copy(from, target(), join(dir, 'there')));
    expect(userError.code).toBe('ssh-refused');
  });
});
