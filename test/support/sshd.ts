import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { onTestFinished } from 'vitest';
import type { SshTarget } from '../../src/host/ssh.ts';
import { findFreePort } from './free-port.ts';
import { requireProgram } from './programs.ts';

/** Address of the sshd in tests. */
export const SSHD_HOST = '127.0.41.1';

/** Runs `runSshd` for a test and ends it with the test. */
export async function startSshd(mappedPaths: readonly string[] = [], settings: readonly string[] = []) {
  const sshd = await runSshd(mappedPaths, settings);
  onTestFinished(sshd.end);
  return sshd;
}

/**
 * Starts a real sshd on a loopback address, with new keys.
 * @param mappedPaths paths that commands find under the home of the test; programs in its `bin` come first
 * @param settings more lines of its configuration: the first of a keyword counts
 */
export async function runSshd(mappedPaths: readonly string[] = [], settings: readonly string[] = []) {
  const dir = mkdtempSync(join(tmpdir(), 'upi-wizard-sshd-'));
  const port = await findFreePort();
  const keygen = (name: string) => execa('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(dir, name)]);
  mkdirSync(join(dir, 'home'));
  await Promise.all([keygen('host'), keygen('user'), keygen('stranger')]);
  writeFileSync(join(dir, 'authorized'), readFileSync(join(dir, 'user.pub')));
  const known = `[${SSHD_HOST}]:${port} ${readFileSync(join(dir, 'host.pub'), 'utf8')}`;
  writeFileSync(join(dir, 'known'), known);
  const map = mappedPaths.map((path) => `s#${path}#${join(dir, 'home')}${path}#g`).join(';');
  writeFileSync(
    join(dir, 'command.sh'),
    `cd ${join(dir, 'home')}\nPATH=$PWD/bin:$PATH\neval "$(printf '%s' "$SSH_ORIGINAL_COMMAND" | sed '${map}')"\n`,
  );
  writeFileSync(
    join(dir, 'sshd_config'),
    [
      ...settings,
      `ListenAddress ${SSHD_HOST}:${port}`,
      `HostKey ${join(dir, 'host')}`,
      `AuthorizedKeysFile ${join(dir, 'authorized')}`,
      `PidFile ${join(dir, 'pid')}`,
      // Paths relative to this user's home stay inside the directory of the test.
      `ForceCommand /bin/sh ${join(dir, 'command.sh')}`,
      // The default takes eight times as long and protects long-lived secrets, which a test does not have.
      'KexAlgorithms curve25519-sha256',
      'StrictModes no',
      'UsePAM no',
      'PermitRootLogin yes',
      'PasswordAuthentication no',
      'KbdInteractiveAuthentication no',
      '',
    ].join('\n'),
  );
  // sshd changes its root to this directory before a login.
  if (userInfo().uid === 0) mkdirSync('/run/sshd', { recursive: true, mode: 0o755 });
  const log: string[] = [];
  const sshd = spawn(requireProgram('sshd'), ['-D', '-e', '-f', join(dir, 'sshd_config')], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  sshd.stderr.setEncoding('utf8').on('data', (text: string) => log.push(text));
  const startup = Promise.withResolvers<void>();
  sshd.stderr.on('data', () => log.join('').includes('Server listening') && startup.resolve());
  sshd.once('exit', () => startup.reject(new Error(`sshd ended: ${log.join('')}`)));
  await startup.promise;
  const target = (changes: { readonly key?: string; readonly known?: string } = {}): SshTarget => ({
    host: SSHD_HOST,
    port,
    user: userInfo().username,
    options: [
      ...[
        '-F',
        'none',
        '-o',
        `UserKnownHostsFile=${changes.known ?? join(dir, 'known')}`,
        '-o',
        'GlobalKnownHostsFile=none',
      ],
      ...['-o', 'IdentitiesOnly=yes', '-i', join(dir, changes.key ?? 'user')],
    ],
  });
  const sshdExit = new Promise((resolve) => sshd.once('exit', resolve));
  /** Ends sshd and then removes its files. A running sshd also removes files, which would make `rmSync` fail. */
  const end = async () => {
    sshd.kill();
    await sshdExit;
    rmSync(dir, { recursive: true, force: true });
  };
  return { dir, port, target, stop: () => sshd.kill(), end };
}
