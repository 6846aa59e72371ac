import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { checkDocument } from '../../src/design/parse.ts';
import { freshState, openSession } from '../../src/session/store.ts';
import { debianHost } from './debian-host.ts';
import { exampleDocument } from './example-document.ts';
import { until } from './lab.ts';
import { requireProgram } from './programs.ts';
import { executable } from './rehearsal-run.ts';

const ADDRESS = '172.16.0.101';

/** Names, leases and load balancer on one machine, `ns1`; the wizard on another, the bastion. */
function documentOf() {
  const host = { name: 'ns1', ip: ADDRESS, os: 'debian' };
  const document = exampleDocument() as { services: Record<string, Record<string, unknown>> };
  const { dns, loadBalancer } = document.services;
  const services = {
    ...document.services,
    bastion: { name: 'bastion', ip: '172.16.0.100', os: 'debian' },
    dns: { ...dns, servers: [host] },
    dhcp: { kind: 'isc-dhcpd', server: 'ns1' },
    loadBalancer: { ...loadBalancer, servers: [host] },
  };
  return { ...document, services };
}

/** Everything that a host script could touch: kind, mode, owner, time and contents; of directories no time. */
const SNAPSHOT = `
places="/etc /root /srv /var/lib/bind /var/lib/haproxy /var/lib/tftpboot /var/lib/upi-wizard /var/www"
find $places -type d -printf "%p d %m %u:%g\\n" -o -type l -printf "%p l %l\\n" -o -type f -printf "%p f %m %u:%g %T@\\n" 2>/dev/null | sort
find $places -type f -exec md5sum {} + 2>/dev/null | sort -k 2`;

/** What the units of the stand-in say of themselves: which run, and which start with the machine. */
const UNITS =
  'for unit in named haproxy keepalived isc-dhcp-server; do systemctl is-active $unit && echo $unit runs; systemctl is-enabled $unit && echo $unit enabled; done; true';

/** A Debian machine with a real sshd, and an install directory on a second machine, from where commands set it up. */
export async function serviceMachine() {
  const document = documentOf();
  const { design } = checkDocument(document, true);
  if (design === null) throw new Error('the design of the test is wrong');
  const { lab, shell } = await debianHost(design);
  await lab.addMachine('admin', ['172.16.0.100/24']);
  const path = (name: string) => join(lab.dir, name);
  const dir = path('site');
  mkdirSync(dir);
  openSession(dir).save({ ...freshState, design: document, place: { screen: 'hosts', field: null } });
  writeFileSync(path('site.json'), JSON.stringify(document));
  // Without the credentials, which no service host needs.
  spawnSync(process.execPath, [executable, 'generate', path('site.json'), '--out', join(dir, 'files')]);

  for (const name of ['bin', 'keys', 'home']) mkdirSync(path(name));
  for (const key of ['host', 'user'])
    spawnSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', path(`keys/${key}`)]);
  const inside = '/tmp/lab/keys';
  writeFileSync(
    path('keys/sshd_config'),
    [
      ...[`HostKey ${inside}/host`, `AuthorizedKeysFile ${inside}/user.pub`, 'PidFile none', 'StrictModes no'],
      ...['UsePAM no', 'PermitRootLogin yes', 'PasswordAuthentication no', 'KbdInteractiveAuthentication no'],
      'SetEnv PATH=/tmp/lab/stand-ins:/usr/sbin:/usr/bin:/sbin:/bin',
      '',
    ].join('\n'),
  );
  writeFileSync(path('keys/known'), `${ADDRESS} ${readFileSync(path('keys/host.pub'), 'utf8')}`);
  const options = `-F none -o IdentitiesOnly=yes -i ${path('keys/user')} -o UserKnownHostsFile=${path('keys/known')} -o GlobalKnownHostsFile=none`;
  writeFileSync(
    path('bin/ssh'),
    `#!/bin/sh\necho $$ >>${path('ssh-pids')}\nexec ${requireProgram('ssh')} ${options} "$@"\n`,
  );
  chmodSync(path('bin/ssh'), 0o755);
  await shell('mkdir -p /run/sshd');
  lab.start(
    'host',
    ['chroot', path('fs/root'), '/usr/sbin/sshd', '-D', '-e', '-f', `${inside}/sshd_config`],
    'sshd.log',
  );
  await until('sshd', async () => {
    const { exitCode } = await lab.run('admin', `exec 3<>/dev/tcp/${ADDRESS}/22`);
    return exitCode === 0 || null;
  });

  const command = (...argv: readonly string[]) =>
    `env PATH="$LAB/bin:$PATH" HOME="$LAB/home" XDG_CONFIG_HOME="$LAB/home" ${process.execPath} ${executable} hosts ${argv.join(' ')} --dir "$LAB/site"`;
  const units = async () => (await shell(UNITS)).all;
  return {
    lab,
    shell,
    dir,
    /** Runs `upi-wizard hosts …` on the second machine. */
    hosts: (...argv: readonly string[]) => lab.run('admin', command(...argv)),
    /** The same, as a command for a shell there. */
    command,
    /** Runs any command of `upi-wizard` there. */
    wizard: (...argv: readonly string[]) =>
      lab.run(
        'admin',
        `env HOME="$LAB/home" XDG_CONFIG_HOME="$LAB/home" ${process.execPath} ${executable} ${argv.join(' ')}`,
      ),
    /** All bytes that a host script could touch, and the units that run. */
    snapshot: async () => (await shell(SNAPSHOT)).all,
    units,
    has: (name: string) => existsSync(path(`fs/root/${name}`)),
    async expectShell(script: string) {
      const { exitCode, all } = await shell(script);
      expect(exitCode, all).toBe(0);
      return all;
    },
  };
}
