import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type DebianMachine, MACHINE_ENV } from './debian-host.ts';
import { waitUntil } from './lab.ts';
import { requireProgram } from './programs.ts';

const KEYS_DIR = '/tmp/lab/keys';

/** SSH logins of a user to machines of a lab: root logs in with one key at a real sshd. */
export interface LabLogins {
  /** Writes the SSH configuration of the user, which starts with these lines. */
  readonly configure: (...lines: readonly string[]) => void;
  /** Starts sshd on a machine, waits until another machine can connect, and returns a function that stops sshd. */
  readonly startSshd: (
    machine: string,
    shell: DebianMachine['shell'],
    address: string,
    from: string,
  ) => Promise<() => void>;
}

/**
 * Creates the keys of a lab, its known hosts, and an `ssh` of the user.
 * @param seenAt path of the lab directory from the user's machine
 * @param program path of the user's `ssh` in the lab; it appends its process ID to `ssh-pids`
 */
export function createLogins(
  { lab, put }: Pick<DebianMachine, 'lab' | 'put'>,
  addresses: readonly string[],
  { seenAt, program }: { readonly seenAt: string; readonly program: string },
): LabLogins {
  mkdirSync(join(lab.dir, 'keys'));
  for (const key of ['host', 'user'])
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(lab.dir, 'keys', key)]);
  const sshdConfig = [
    ...[`HostKey ${KEYS_DIR}/host`, `AuthorizedKeysFile ${KEYS_DIR}/user.pub`, 'PidFile none', 'StrictModes no'],
    ...['UsePAM no', 'PermitRootLogin yes', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no'],
    // The default takes eight times as long and protects long-lived secrets, which a test does not have.
    'KexAlgorithms curve25519-sha256',
    `SetEnv ${MACHINE_ENV}`,
  ];
  put('keys/sshd_config', `${sshdConfig.join('\n')}\n`, 0o644);
  const hostKey = readFileSync(join(lab.dir, 'keys/host.pub'), 'utf8');
  put('keys/known', addresses.map((address) => `${address} ${hostKey}`).join(''), 0o644);
  const path = (name: string) => join(seenAt, name);
  const configure = (...lines: readonly string[]) =>
    put(
      'keys/config',
      [
        ...lines,
        ...['Host *', 'IdentitiesOnly yes', `IdentityFile ${path('keys/user')}`],
        ...[`UserKnownHostsFile ${path('keys/known')}`, 'GlobalKnownHostsFile none', ''],
      ].join('\n'),
      0o600,
    );
  configure();
  put(
    program,
    `#!/bin/sh\necho $$ >>${path('ssh-pids')}\nexec ${requireProgram('ssh')} -F ${path('keys/config')} "$@"\n`,
    0o755,
  );
  return {
    configure,
    async startSshd(machine, shell, address, from) {
      await shell('mkdir -p /run/sshd');
      const stop = lab.start(
        machine,
        ['chroot', join(lab.dir, `${machine}-fs/root`), '/usr/sbin/sshd', '-D', '-e', '-f', `${KEYS_DIR}/sshd_config`],
        `sshd-${machine}.log`,
      );
      await waitUntil('sshd', async () => {
        const { exitCode } = await lab.run(from, `exec 3<>/dev/tcp/${address}/22`);
        return exitCode === 0 || null;
      });
      return stop;
    },
  };
}
