import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { checkDocument, parseDesign } from '../../src/design/parse.ts';
import { openSession } from '../../src/session/session.ts';
import { freshState } from '../../src/session/state.ts';
import { addDebianMachine, createDebianHost, MACHINE_ENV } from './debian-host.ts';
import { exampleDocument } from './example-document.ts';
import type { Lab } from './lab.ts';
import { createLogins } from './lab-logins.ts';
import { runOnPty } from './pty-run.ts';
import { repoRoot, wizardExecutable } from './rehearsal-run.ts';

const HOSTS = { ns1: '172.16.0.101', lb1: '172.16.0.102' } as const;
type HostName = keyof typeof HOSTS;
/** Machines of the lab by the names of their hosts. */
const MACHINES: Readonly<Record<HostName, string>> = { ns1: 'host', lb1: 'second' };

/**
 * Design with DNS and DHCP on `ns1`, the load balancer there too or on `lb1`, and the wizard on another machine, the
 * bastion.
 */
function createDocument(balancer: HostName, serverName: string) {
  const createHost = (name: HostName) => ({ name: name === 'ns1' ? serverName : name, ip: HOSTS[name], os: 'debian' });
  const document = exampleDocument() as { services: Record<string, Record<string, unknown>> };
  const { dns, loadBalancer } = document.services;
  const services = {
    ...document.services,
    bastion: { name: 'bastion', ip: '172.16.0.100', os: 'debian' },
    dns: { ...dns, servers: [createHost('ns1')] },
    dhcp: { kind: 'isc-dhcpd', server: serverName },
    loadBalancer: { ...loadBalancer, servers: [createHost(balancer)] },
  };
  return { ...document, services };
}

/** Everything that a host script could change: kind, mode, owner, time and contents; for directories no time. */
const SNAPSHOT = `
places="/etc /root /srv /var/lib/bind /var/lib/haproxy /var/lib/tftpboot /var/lib/upi-wizard /var/www"
find $places -type d -printf "%p d %m %u:%g\\n" -o -type l -printf "%p l %l\\n" -o -type f -printf "%p f %m %u:%g %T@\\n" 2>/dev/null | sort
find $places -type f -exec md5sum {} + 2>/dev/null | sort -k 2`;

/** Prints the state of the stand-in's units: which run, and which start with the machine. */
const PRINT_UNITS =
  'for unit in named haproxy keepalived isc-dhcp-server tftpd-hpa; do systemctl is-active --quiet $unit && echo $unit runs; systemctl is-enabled --quiet $unit && echo $unit enabled; done; true';

/** Starts the enabled units, and last those that wait for all of them. */
const START_UNITS = `
cd /etc/systemd/system
for unit in multi-user.target.wants/*; do
    unit="$(basename "$unit" .service)"
    if [[ ! -e "$unit.service" ]]; then systemctl start "$unit"; fi
done
for unit in *.service; do if [[ -L "multi-user.target.wants/$unit" ]]; then $(sed -n s/^ExecStart=//p "$unit"); fi; done`;

function toDesign(document: unknown) {
  const { design } = checkDocument(document, true);
  if (design === null) throw new Error('the design of the test is wrong');
  return design;
}

/** Creates an install directory that is at the Hosts screen, with the files of its hosts. */
function createInstallDir(lab: Lab, document: unknown): string {
  const dir = join(lab.dir, 'site');
  mkdirSync(dir);
  openSession(dir).save({ ...freshState, design: document, place: { screen: 'hosts', field: null } });
  const answers = join(lab.dir, 'site.json');
  writeFileSync(answers, JSON.stringify(document));
  // Without the credentials, which no service host needs.
  spawnSync(process.execPath, [wizardExecutable, 'generate', answers, '--out', join(dir, 'files')]);
  return dir;
}

/**
 * Creates a Debian machine that is bastion and all services in one, as in `design example --services bastion`, with the
 * wizard on it.
 * @param hasBalancer the load balancer is a second such machine, lb1, which is reached over SSH
 */
export async function createBastionMachine({ hasBalancer = false }: { readonly hasBalancer?: boolean } = {}) {
  const text = renderExampleDesign({ serviceLayout: 'bastion' }).replaceAll('os: rhel9', 'os: debian');
  const document = parseDesign(text).document as { services: Record<string, Record<string, unknown>> };
  const lb1 = { name: 'lb1', ip: HOSTS.lb1, os: 'debian' };
  if (hasBalancer) document.services.loadBalancer = { ...document.services.loadBalancer, servers: [lb1] };
  const { lab, shell, put } = await createDebianHost(toDesign(document));
  createInstallDir(lab, document);
  const balancer = hasBalancer ? await addDebianMachine(lab, MACHINES.lb1, HOSTS.lb1) : null;
  if (balancer !== null) {
    const logins = createLogins({ lab, put }, [HOSTS.lb1], { seenAt: '/tmp/lab', program: 'stand-ins/ssh' });
    await logins.startSshd(MACHINES.lb1, balancer, HOSTS.lb1, 'host');
  }
  const machineRoot = join(lab.dir, 'host-fs/root');
  // The checkout may be at a path where the machine has its own directory.
  const mountResult = await lab.run(
    null,
    `mkdir -p "${machineRoot}${repoRoot}"; mount --bind "${repoRoot}" "${machineRoot}${repoRoot}"; mkdir "$LAB/home"`,
  );
  expect(mountResult).toEqual({ exitCode: 0, all: '' });
  return {
    lab,
    shell,
    /** Shell of lb1; null without lb1. */
    balancer,
    snapshot: async () => (await shell(SNAPSHOT)).all,
    units: async () => (await shell(PRINT_UNITS)).all,
    /** Starts the wizard on a terminal of the machine. */
    startWizard() {
      const [program, ...args] = lab.buildArgv('host', [
        ...['chroot', machineRoot, 'env', MACHINE_ENV, 'HOME=/tmp/lab/home', 'XDG_CONFIG_HOME=/tmp/lab/home'],
        ...[process.execPath, wizardExecutable, '--dir', '/tmp/lab/site'],
      ]);
      const run = runOnPty(program, args, { cwd: '/' });
      const sees = (pattern: RegExp) => run.waitUntil(() => pattern.test(run.screen()), String(pattern));
      return { ...run, sees, type: (keys: string) => run.pty.write(keys) };
    },
  };
}

/**
 * Creates a Debian machine with a real sshd, and a second machine with an install directory, from which commands set it
 * up.
 * @param balancer `lb1`: a second such machine is the load balancer
 * @param serverName name of the first machine in the design
 */
export async function createServiceMachine({
  balancer = 'ns1',
  serverName = 'ns1',
}: {
  readonly balancer?: HostName;
  readonly serverName?: string;
} = {}) {
  const document = createDocument(balancer, serverName);
  const { lab, shell, put } = await createDebianHost(toDesign(document));
  const shells = { ns1: shell, lb1: balancer === 'lb1' ? await addDebianMachine(lab, MACHINES.lb1, HOSTS.lb1) : shell };
  await lab.addMachine('admin', ['172.16.0.100/24']);
  const path = (name: string) => join(lab.dir, name);
  const dir = createInstallDir(lab, document);

  mkdirSync(path('home'));
  const logins = createLogins({ lab, put }, Object.values(HOSTS), { seenAt: lab.dir, program: 'bin/ssh' });
  const { configure } = logins;
  const startSshd = (name: HostName) => logins.startSshd(MACHINES[name], shells[name], HOSTS[name], 'admin');
  /**
   * Cuts the power of a machine: its processes end at once, its memory is lost, and it starts with what is enabled, as
   * systemd does.
   */
  const powerCut = async (name: HostName) => {
    const fs = path(`${MACHINES[name]}-fs/root`);
    // A process may end between the listing and its signal.
    const cutResult = await lab.run(
      null,
      `for process in /proc/[0-9]*; do if [[ "$(readlink "$process/root")" == "${fs}" ]]; then kill -KILL "\${process#/proc/}" 2>/dev/null || true; fi; done
       umount -l "${fs}/run"; mount -t tmpfs tmpfs "${fs}/run"`,
    );
    expect(cutResult).toEqual({ exitCode: 0, all: '' });
    await startSshd(name);
    const startResult = await shells[name](START_UNITS);
    expect(startResult.exitCode, startResult.all).toBe(0);
  };
  await startSshd('ns1');
  if (balancer === 'lb1') await startSshd('lb1');

  const command = (...argv: readonly string[]) =>
    `env PATH="$LAB/bin:$PATH" HOME="$LAB/home" XDG_CONFIG_HOME="$LAB/home" ${process.execPath} ${wizardExecutable} hosts ${argv.join(' ')} --dir "$LAB/site"`;
  const units = async () => (await shell(PRINT_UNITS)).all;
  return {
    lab,
    shell,
    shells,
    dir,
    configure,
    powerCut,
    /** Everything that a host's script could change there, and the units that run. */
    async captureState(name: HostName) {
      return [(await shells[name](SNAPSHOT)).all, (await shells[name](PRINT_UNITS)).all] as const;
    },
    /** Runs `upi-wizard hosts …` on the second machine. */
    hosts: (...argv: readonly string[]) => lab.run('admin', command(...argv)),
    /** The same, as a command for a shell there. */
    command,
    /** Runs any command of `upi-wizard` there. */
    runWizard: (...argv: readonly string[]) =>
      lab.run(
        'admin',
        `env HOME="$LAB/home" XDG_CONFIG_HOME="$LAB/home" ${process.execPath} ${wizardExecutable} ${argv.join(' ')}`,
      ),
    /** Everything that a host script could change. */
    snapshot: async () => (await shell(SNAPSHOT)).all,
    units,
    hasFile: (name: string) => existsSync(path(`host-fs/root/${name}`)),
    async expectShell(script: string) {
      const { exitCode, all } = await shell(script);
      expect(exitCode, all).toBe(0);
      return all;
    },
  };
}
