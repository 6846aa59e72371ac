import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { INSIDE, type Machine } from './debian-host.ts';
import { until } from './lab.ts';
import { requireProgram } from './programs.ts';

const PLACE = '/tmp/lab/keys';

/** What a person has who logs in to machines of a lab, and how those let them in: root by one key, with a real sshd. */
export interface Logins {
  /** Writes what the person has in ~/.ssh/config. */
  readonly configure: (...lines: readonly string[]) => void;
  /** Starts sshd on a machine; returns once it can be reached from another. */
  readonly startSshd: (machine: string, shell: Machine['shell'], address: string, from: string) => Promise<() => void>;
}

/**
 * Makes the keys of a lab, its known hosts, and an `ssh` of that person.
 * @param seenAt how the person sees the directory of the lab
 * @param program where their `ssh` is put; it notes its process in `ssh-pids`
 */
export function makeLogins(
  { lab, put }: Pick<Machine, 'lab' | 'put'>,
  addresses: readonly string[],
  { seenAt, program }: { readonly seenAt: string; readonly program: string },
): Logins {
  mkdirSync(join(lab.dir, 'keys'));
  for (const key of ['host', 'user'])
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', join(lab.dir, 'keys', key)]);
  const sshdConfig = [
    ...[`HostKey ${PLACE}/host`, `AuthorizedKeysFile ${PLACE}/user.pub`, 'PidFile none', 'StrictModes no'],
    ...['UsePAM no', 'PermitRootLogin yes', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no'],
    // The default takes eight times as long, for a secret that is to last.
    'KexAlgorithms curve25519-sha256',
    `SetEnv ${INSIDE}`,
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
        ['chroot', join(lab.dir, `${machine}-fs/root`), '/usr/sbin/sshd', '-D', '-e', '-f', `${PLACE}/sshd_config`],
        `sshd-${machine}.log`,
      );
      await until('sshd', async () => {
        const { exitCode } = await lab.run(from, `exec 3<>/dev/tcp/${address}/22`);
        return exitCode === 0 || null;
      });
      return stop;
    },
  };
}
