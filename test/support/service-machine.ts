import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { exampleDesign } from '../../src/design/example.ts';
import { checkDocument, parseDesign } from '../../src/design/parse.ts';
import { freshState, openSession } from '../../src/session/store.ts';
import { addDebian, debianHost, INSIDE } from './debian-host.ts';
import { exampleDocument } from './example-document.ts';
import type { Lab } from './lab.ts';
import { makeLogins } from './lab-logins.ts';
import { runOnPty } from './pty-run.ts';
import { executable, root } from './rehearsal-run.ts';

const HOSTS = { ns1: '172.16.0.101', lb1: '172.16.0.102' } as const;
type HostName = keyof typeof HOSTS;
/** The machines of the lab by the names of their hosts. */
const MACHINES: Readonly<Record<HostName, string>> = { ns1: 'host', lb1: 'second' };

/** Names and leases on `ns1`, the load balancer there too or on `lb1`; the wizard on another machine, the bastion. */
function documentOf(balancer: HostName, called: string) {
  const host = (name: HostName) => ({ name: name === 'ns1' ? called : name, ip: HOSTS[name], os: 'debian' });
  const document = exampleDocument() as { services: Record<string, Record<string, unknown>> };
  const { dns, loadBalancer } = document.services;
  const services = {
    ...document.services,
    bastion: { name: 'bastion', ip: '172.16.0.100', os: 'debian' },
    dns: { ...dns, servers: [host('ns1')] },
    dhcp: { kind: 'isc-dhcpd', server: called },
    loadBalancer: { ...loadBalancer, servers: [host(balancer)] },
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
  'for unit in named haproxy keepalived isc-dhcp-server tftpd-hpa; do systemctl is-active --quiet $unit && echo $unit runs; systemctl is-enabled --quiet $unit && echo $unit enabled; done; true';

/** Starts what starts with the machine, and last what waits for all of it. */
const UP = `
cd /etc/systemd/system
for unit in multi-user.target.wants/*; do
    unit="$(basename "$unit" .service)"
    if [[ ! -e "$unit.service" ]]; then systemctl start "$unit"; fi
done
for unit in *.service; do if [[ -L "multi-user.target.wants/$unit" ]]; then $(sed -n s/^ExecStart=//p "$unit"); fi; done`;

function designOf(document: unknown) {
  const { design } = checkDocument(document, true);
  if (design === null) throw new Error('the design of the test is wrong');
  return design;
}

/** An install directory that has come to the Hosts screen, with the files of its hosts. */
function siteIn(lab: Lab, document: unknown): string {
  const dir = join(lab.dir, 'site');
  mkdirSync(dir);
  openSession(dir).save({ ...freshState, design: document, place: { screen: 'hosts', field: null } });
  const answers = join(lab.dir, 'site.json');
  writeFileSync(answers, JSON.stringify(document));
  // Without the credentials, which no service host needs.
  spawnSync(process.execPath, [executable, 'generate', answers, '--out', join(dir, 'files')]);
  return dir;
}

/**
 * A Debian machine that is to be bastion and all services in one, as `design example --services bastion` has it, with the wizard on it.
 * @param options.hasBalancer the load balancer is a second such machine, lb1, which is reached over SSH
 */
export async function bastionMachine({ hasBalancer = false }: { readonly hasBalancer?: boolean } = {}) {
  const text = exampleDesign({ services: 'bastion' }).replaceAll('os: rhel9', 'os: debian');
  const document = parseDesign(text).document as { services: Record<string, Record<string, unknown>> };
  const lb1 = { name: 'lb1', ip: HOSTS.lb1, os: 'debian' };
  if (hasBalancer) document.services.loadBalancer = { ...document.services.loadBalancer, servers: [lb1] };
  const { lab, shell, put } = await debianHost(designOf(document));
  siteIn(lab, document);
  const balancer = hasBalancer ? await addDebian(lab, MACHINES.lb1, HOSTS.lb1) : null;
  if (balancer !== null) {
    const logins = makeLogins({ lab, put }, [HOSTS.lb1], { seenAt: '/tmp/lab', program: 'stand-ins/ssh' });
    await logins.startSshd(MACHINES.lb1, balancer, HOSTS.lb1, 'host');
  }
  const machine = join(lab.dir, 'host-fs/root');
  // The checkout may lie where the machine has a directory of its own.
  const linked = await lab.run(
    null,
    `mkdir -p "${machine}${root}"; mount --bind "${root}" "${machine}${root}"; mkdir "$LAB/home"`,
  );
  expect(linked).toEqual({ exitCode: 0, all: '' });
  return {
    lab,
    shell,
    /** Of lb1; null where there is none. */
    balancer,
    snapshot: async () => (await shell(SNAPSHOT)).all,
    units: async () => (await shell(UNITS)).all,
    /** The wizard on a terminal of the machine. */
    wizard() {
      const [program, ...args] = lab.argvOn('host', [
        ...['chroot', machine, 'env', INSIDE, 'HOME=/tmp/lab/home', 'XDG_CONFIG_HOME=/tmp/lab/home'],
        ...[process.execPath, executable, '--dir', '/tmp/lab/site'],
      ]);
      const run = runOnPty(program, args, { cwd: '/' });
      const sees = (pattern: RegExp) => run.until(() => pattern.test(run.screen()), String(pattern));
      return { ...run, sees, type: (keys: string) => run.pty.write(keys) };
    },
  };
}

/**
 * A Debian machine with a real sshd, and an install directory on a second machine, from where commands set it up.
 * @param options.balancer `lb1`: a second such machine is the load balancer
 * @param options.called the name of the first in the design
 */
export async function serviceMachine({
  balancer = 'ns1',
  called = 'ns1',
}: {
  readonly balancer?: HostName;
  readonly called?: string;
} = {}) {
  const document = documentOf(balancer, called);
  const { lab, shell, put } = await debianHost(designOf(document));
  const shells = { ns1: shell, lb1: balancer === 'lb1' ? await addDebian(lab, MACHINES.lb1, HOSTS.lb1) : shell };
  await lab.addMachine('admin', ['172.16.0.100/24']);
  const path = (name: string) => join(lab.dir, name);
  const dir = siteIn(lab, document);

  mkdirSync(path('home'));
  const logins = makeLogins({ lab, put }, Object.values(HOSTS), { seenAt: lab.dir, program: 'bin/ssh' });
  const { configure } = logins;
  const startSshd = (name: HostName) => logins.startSshd(MACHINES[name], shells[name], HOSTS[name], 'admin');
  /** Its processes end at once, what is in memory is gone, and it comes up again with what is enabled, as a power cut and systemd do it. */
  const powerCut = async (name: HostName) => {
    const fs = path(`${MACHINES[name]}-fs/root`);
    const cut = await lab.run(
      null,
      `for process in /proc/[0-9]*; do if [[ "$(readlink "$process/root")" == "${fs}" ]]; then kill -KILL "\${process#/proc/}"; fi; done
       umount -l "${fs}/run"; mount -t tmpfs tmpfs "${fs}/run"`,
    );
    expect(cut).toEqual({ exitCode: 0, all: '' });
    await startSshd(name);
    const started = await shells[name](UP);
    expect(started.exitCode, started.all).toBe(0);
  };
  await startSshd('ns1');
  if (balancer === 'lb1') await startSshd('lb1');

  const command = (...argv: readonly string[]) =>
    `env PATH="$LAB/bin:$PATH" HOME="$LAB/home" XDG_CONFIG_HOME="$LAB/home" ${process.execPath} ${executable} hosts ${argv.join(' ')} --dir "$LAB/site"`;
  const units = async () => (await shell(UNITS)).all;
  return {
    lab,
    shell,
    shells,
    dir,
    configure,
    powerCut,
    /** What a host's script could touch there, and the units that run. */
    async standing(name: HostName) {
      return [(await shells[name](SNAPSHOT)).all, (await shells[name](UNITS)).all] as const;
    },
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
    has: (name: string) => existsSync(path(`host-fs/root/${name}`)),
    async expectShell(script: string) {
      const { exitCode, all } = await shell(script);
      expect(exitCode, all).toBe(0);
      return all;
    },
  };
}
