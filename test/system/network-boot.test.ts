import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { bootUrl } from '../../src/artifacts/shared/generator.ts';
import { deriveBootStage, parseRequestStage } from '../../src/checks/boot/checks.ts';
import type { Design } from '../../src/design/model.ts';
import type { BootServerConfig } from '../../src/host/boot-server/boot-config.ts';
import { readRequests } from '../../src/host/boot-server/boot-log.ts';
import { type MachinePlan, parseMachineReport } from '../../src/host/boot-server/machine-report.ts';
import {
  describeNetworkTestOutcomes,
  listMachineRequirements,
  listNetworkTests,
  readNetworkTestOutcomes,
} from '../../src/steps/shared/machines/machine-reports.ts';
import {
  createDebianHost,
  createSingleHostDesign,
  generateInstallFiles,
  testOnDebian,
} from '../support/debian-host.ts';
import { exampleImages } from '../support/example-design.ts';
import { startIpv6Router } from '../support/ipv6-router.ts';
import { type Lab, waitUntil } from '../support/lab.ts';
import { getBuiltProgram } from '../support/rehearsal-run.ts';
import {
  buildBootFiles,
  CONSOLE_MESSAGES,
  type Firmware,
  startMachine,
  type VirtualMachine,
} from '../support/virtual-machine.ts';

const WEB = 'bastion/var/www/upi-wizard';
const STRANGER = '02:de:ad:be:ef:01';

/** Creates one bastion for all services, and nodes that log to the serial console. */
function createSite(): Design {
  const design = createSingleHostDesign();
  const kernelArguments = ['console=ttyS0', 'quiet'];
  const nodes = design.nodes.map((node) => ({ ...node, installDisk: '/dev/vda', kernelArguments }));
  return { ...design, nodes: nodes.map((node) => (node.name === 'w2' ? node : { ...node, firmware: 'bios' })) };
}

/** The plans of the design, for machines as small as those of the test. */
function listSmallMachines(design: Design): MachinePlan[] {
  return listMachineRequirements(design).map((requirements, index) => {
    const node = design.nodes[index];
    const questions = node === undefined ? [] : listNetworkTests(design, node, exampleImages);
    return { ...requirements, memoryMiB: 512, clients: [...(node?.ip ?? [])], questions };
  });
}

function getNode(design: Design, name: string): { readonly mac: string; readonly address: string } {
  const found = design.nodes.find((each) => each.name === name);
  if (!found) throw new Error(name);
  return { mac: found.mac, address: found.ip[0] ?? '' };
}

/** Starts the bastion as the wizard's own script sets it up, with the boot server and images for small machines. */
async function startBastion(design: Design, plans = listSmallMachines(design)) {
  const { lab, shell, put } = await createDebianHost(design);
  const [{ content: dhcpd = '' } = {}] = generateInstallFiles(design).filter(({ kind }) => kind === 'isc-dhcpd');
  // The DHCP server admits a machine that is not in the design.
  const stranger = `host stranger { hardware ethernet ${STRANGER}; fixed-address 172.16.0.99; }\n`;
  put('bastion/etc/dhcp/dhcpd.conf', `${dhcpd}${stranger}`, 0o644);
  const installed = await shell('/tmp/lab/bastion/root/upi-wizard/install.sh');
  expect(installed.exitCode, installed.all).toBe(0);
  const files = await buildBootFiles(lab);
  const path = (name: string) => join(lab.dir, name);
  // A menu that waits for a key takes a CPU core under emulation. The wait is one second here, as no key is pressed.
  for (const [name, wait] of [
    ['boot.ipxe', 'set wait 30000\n'],
    ['installed.ipxe', 'set wait 5000\n'],
    ['boot.ipxe', '--timeout 60000'],
    ['boot.ipxe', '--timeout 60000'],
  ] as const) {
    const script = readFileSync(path(`${WEB}/${name}`), 'utf8');
    expect(script).toContain(wait);
    writeFileSync(
      path(`${WEB}/${name}`),
      script.replace(wait, wait.replace(/\d+/, wait.includes('60000') ? '5000' : '1000')),
    );
  }
  mkdirSync(path('images'));
  copyFileSync(files.kernel, path(`images/${exampleImages.kernel}`));
  copyFileSync(files.initramfs, path(`images/${exampleImages.initramfs}`));
  copyFileSync(files.disk, path(`images/${exampleImages.rootfs}`));
  writeFileSync(path('worker.ign'), '{"ignition":{"version":"3.2.0"}}');
  const workers = design.nodes.filter(({ role }) => role === 'compute');
  const config: BootServerConfig = {
    listen: { host: '0.0.0.0', port: design.services.boot.httpPort },
    webRoot: path(WEB),
    programsDir: path('host-fs/root/var/www/upi-wizard/boot'),
    imagesDir: path('images'),
    ignition: { worker: { file: path('worker.ign'), allow: workers.flatMap(({ ip }) => ip) } },
    logFile: path('boot.log'),
    statusFile: path('boot.json'),
    clockAnchorFile: null,
  };
  const planMachines = (machines: MachinePlan[], ignition = config.ignition) =>
    writeFileSync(path('boot-server.json'), JSON.stringify({ ...config, machines, ignition }));
  planMachines(plans);
  lab.start(
    'host',
    ['env', process.execPath, getBuiltProgram('boot-server'), path('boot-server.json')],
    'boot-server.log',
  );
  await waitUntil('the boot server', async () =>
    readFileSync(path('boot.json'), 'utf8').includes('listening') ? true : null,
  );
  await startIpv6Router(lab);
  const power = (name: string, mac: string, firmware: Firmware, options: readonly string[] = [], bridge = 'lan') =>
    startMachine(lab, { name, mac, firmware, disk: path(`${name}.img`), options, bridge });
  /** Lists the requests of a machine in their order, with the answers. */
  const listRequests = async (address: string) =>
    (await readRequests(path('boot.log'))).requests.filter(({ client }) => client === address);
  return { lab, path, power, listRequests, planMachines, disk: files.disk };
}

/** Waits for the installed disk to start. A machine counts as hung only when its console stops: a busy host is slow. */
async function waitForDiskBoot(name: string, machine: VirtualMachine): Promise<void> {
  for (let hasStarted = false; !hasStarted; ) {
    const before = machine.console().length;
    hasStarted = await waitUntil(`${name} starts its disk`, async () => {
      const output = machine.console();
      return output.includes(CONSOLE_MESSAGES.disk) ? true : output.length === before ? null : false;
    });
  }
}

const testWithMachines = testOnDebian('qemu-system-x86_64', 'cpio', 'grub-mkimage', 'mcopy', 'mkfs.fat', 'python3');

testWithMachines(
  'machines boot from the network, install once although the network comes first in the boot order, and then start their disk',
  async () => {
    const design = createSite();
    const { path, power, listRequests, disk } = await startBastion(design);
    const [bios, uefi, broken] = [getNode(design, 'w1'), getNode(design, 'w2'), getNode(design, 'w3')];
    // The script of one machine names an image that does not exist.
    const script = path(`${WEB}/ipxe/${broken.mac.replaceAll(':', '-')}.ipxe`);
    writeFileSync(script, readFileSync(script, 'utf8').replace('-live-kernel-', '-no-kernel-'));
    copyFileSync(disk, path('w3.img'));
    copyFileSync(disk, path('stranger.img'));

    const machines = {
      bios: await power('w1', bios.mac, 'bios'),
      uefi: await power('w2', uefi.mac, 'uefi'),
      broken: await power('w3', broken.mac, 'bios'),
      stranger: await power('stranger', STRANGER, 'bios'),
    };
    // An idle machine still takes a CPU core under emulation.
    await Promise.all(
      Object.entries(machines).map(async ([name, machine]) => {
        await waitForDiskBoot(name, machine);
        await machine.stop();
      }),
    );

    for (const [machine, { mac, address }] of [
      [machines.bios, bios],
      [machines.uefi, uefi],
    ] as const) {
      expect(machine.console().split(CONSOLE_MESSAGES.installed)).toHaveLength(2);
      const requests = await listRequests(address);
      const ownScript = `/ipxe/${mac.replaceAll(':', '-')}.ipxe`;
      const paths = requests
        .filter(({ path: requestPath }) => !/^\/boot\/|^\/machine\?/.test(requestPath))
        .map((request) => request.path);
      expect(paths.slice(0, 6)).toEqual([
        '/boot.ipxe',
        ownScript,
        `/images/${exampleImages.kernel}`,
        `/images/${exampleImages.initramfs}`,
        `/images/${exampleImages.rootfs}`,
        '/ignition/worker.ign',
      ]);
      expect(paths.slice(0, 6).map(parseRequestStage)).toEqual([
        'script',
        'script',
        'kernel',
        'kernel',
        'rootfs',
        'ignition',
      ]);
      // The machine then boots over the network again, and the menu sends it to its disk.
      expect(new Set(paths.slice(6))).toEqual(new Set(['/boot.ipxe', ownScript]));
      expect(deriveBootStage(requests, true)).toBe('ignition');
      expect(requests.flatMap(({ path: target }) => parseMachineReport(target) ?? [])[0]).toMatchObject({
        mac,
        cpu: 'v2',
        memoryMiB: 512,
        firmware: address === bios.address ? 'bios' : 'uefi',
        address,
        macs: [mac],
      });
    }
    expect(machines.broken.console()).toContain(
      `${broken.mac.replaceAll(':', '-')}: the kernel could not be loaded from the boot server`,
    );
    expect(machines.broken.console()).toContain('Install this machine');
    expect(machines.stranger.console()).toContain('02-de-ad-be-ef-01 is not a machine of this design');
    expect(machines.stranger.console()).not.toContain('Install this machine');
    expect((await listRequests('172.16.0.99')).map((request) => request.path)).toEqual([
      '/boot.ipxe',
      expect.stringMatching(/^\/machine\?mac=02-de-ad-be-ef-01&cpu=v2&/),
      '/ipxe/02-de-ad-be-ef-01.ipxe',
    ]);
    rmSync(path('images'), { recursive: true });
  },
);

const waitForText = (machine: VirtualMachine, text: string) =>
  waitUntil(text, async () => (machine.console().includes(text) ? true : null));

const isEmpty = (disk: string) => readFileSync(disk).every((byte) => byte === 0);

testWithMachines(
  'a machine that cannot work is stopped before anything is written, and goes on when its design changes or for a reason',
  async () => {
    const design = createSite();
    const { path, power, listRequests, planMachines } = await startBastion(design);
    const [old, small] = [getNode(design, 'w1'), getNode(design, 'w3')];
    const [oldDisk, smallDisk] = [path('w1.img'), path('w3.img')];
    const machine = await power('w1', old.mac, 'bios', ['-cpu', 'qemu64', '-rtc', 'base=2020-02-02T02:02:02']);
    await waitForText(machine, 'CPU level x86-64-v1, needs x86-64-v2');
    await waitForText(machine, 'behind the boot server');
    // Its boot menu tries again.
    const listReports = async () => (await listRequests(old.address)).filter(({ path: one }) => /^.machine/.test(one));
    await waitUntil('the second report', async () => ((await listReports()).length > 1 ? true : null));
    expect(isEmpty(oldDisk)).toBe(true);
    expect((await listRequests(old.address)).map(({ path: one }) => one).join()).not.toMatch(/images|ignition|ipxe\//);

    const before = machine.console().length;
    const getNewText = () => machine.console().slice(before);
    await waitUntil('the question for the reason', async () => {
      if (getNewText().includes('Reason:')) return true;
      machine.press('o');
      return null;
    });
    const getReason = () => getNewText().slice(getNewText().lastIndexOf('Reason:'));
    // A letter is sometimes lost on a busy machine: then the line is cleared (Ctrl-U) and typed again.
    const reason = 'it is a test';
    let [typed, polls] = [0, 0];
    await waitUntil('the reason', async () => {
      if (getReason().includes(reason)) return true;
      if (typed < reason.length) {
        machine.press(reason[typed] ?? '');
        typed += 1;
      } else if (polls < 50) polls += 1;
      else {
        machine.press('\u0015');
        [typed, polls] = [0, 0];
      }
      return null;
    });
    machine.press('\r');
    await waitForText(machine, CONSOLE_MESSAGES.installed);
    const reasons = (await listReports()).flatMap((request) => parseMachineReport(request.path)?.override ?? []);
    expect(reasons).toEqual([expect.stringContaining('it is a test')]);
    await machine.stop();

    planMachines(listSmallMachines(design).map((plan) => ({ ...plan, firmware: 'uefi', memoryMiB: 8192 })));
    const other = await power('w3', small.mac, 'bios', ['-cpu', 'Haswell']);
    await waitForText(other, 'Memory 0.5 GiB, needs 8 GiB');
    await waitForText(other, 'It boots with BIOS, but UEFI is planned');
    expect(other.console()).not.toContain('CPU level');
    expect(isEmpty(smallDisk)).toBe(true);
    planMachines(listSmallMachines(design));
    await waitForText(other, CONSOLE_MESSAGES.installed);
    await other.stop();
    rmSync(path('images'), { recursive: true });
  },
);

/** Adds a network with its own DHCP server behind a router: that of a machine in a wrong VLAN. */
async function addOtherNetwork(lab: Lab, script: string): Promise<void> {
  await lab.addMachine('router', ['172.16.0.250/24']);
  const added = await lab.run(
    null,
    `ip link add vlan9 type bridge; ip link set vlan9 up
     ip link add port9 type veth peer name lan9 netns router; ip link set port9 master vlan9 up`,
  );
  expect(added.all).toBe('');
  const config = `subnet 10.9.0.0 netmask 255.255.255.0 { range 10.9.0.50 10.9.0.50; option routers 10.9.0.1;
    option domain-name-servers 10.9.0.1; filename "${script}"; }`;
  writeFileSync(join(lab.dir, 'vlan9.conf'), config);
  writeFileSync(join(lab.dir, 'vlan9.leases'), '');
  await lab.run('router', 'ip addr add 10.9.0.1/24 dev lan9; ip link set lan9 up; sysctl -qw net.ipv4.ip_forward=1');
  await lab.run('host', 'ip route add 10.9.0.0/24 via 172.16.0.250');
  const files = ['-cf', join(lab.dir, 'vlan9.conf'), '-lf', join(lab.dir, 'vlan9.leases')];
  lab.start('router', ['dhcpd', '-f', ...files, '-pf', join(lab.dir, 'vlan9.pid'), 'lan9'], 'vlan9.log');
}

testWithMachines(
  'a machine in the wrong VLAN is stopped before anything is written, and one that is not served yet asks from its port',
  async () => {
    const design = createSite();
    const { lab, path, power, listRequests, planMachines } = await startBastion(design);
    const [misplaced, waiting] = [getNode(design, 'w1'), getNode(design, 'w3')];
    await addOtherNetwork(lab, `${bootUrl(design)}/boot.ipxe`);
    const plans = listSmallMachines(design).map((plan) => ({
      ...plan,
      // There is no internet here.
      questions: plan.questions.filter(({ id }) => id !== 'registry'),
    }));
    planMachines(plans, { worker: { file: path('worker.ign'), allow: [] } });

    const machine = await power('w1', misplaced.mac, 'bios', [], 'vlan9');
    await waitForText(machine, `Its address is 10.9.0.50, but ${misplaced.address} is planned`);
    await waitUntil('the questions', async () => {
      if ((await listRequests('10.9.0.50')).some(({ path: one }) => one.startsWith('/questions?'))) return true;
      machine.press('s');
      return null;
    });
    const readResults = async (name: string) => {
      const node = design.nodes.find((each) => each.name === name);
      const { requests } = await readRequests(path('boot.log'));
      return node === undefined ? [] : readNetworkTestOutcomes(node, requests, 0);
    };
    const waitForResults = (name: string) =>
      waitUntil(`the last answer of ${name}`, async () => {
        const results = await readResults(name);
        return results.some(({ id }) => id === 'gateway') ? results : null;
      });
    const results = await waitForResults('w1');
    expect(Object.fromEntries(results.map(({ id, outcome }) => [id, outcome]))).toMatchObject({
      kernel: 'ok',
      rootfs: 'ok',
      // The address that it got may not have an ignition file, and its name server does not answer.
      ignition: 'forbidden',
      'api-int': 'silent',
      api: 'silent',
    });
    expect(isEmpty(path('w1.img'))).toBe(true);
    expect((await listRequests('10.9.0.50')).map(({ path: one }) => one)).not.toContain('/ignition/worker.ign');
    await machine.stop();

    const other = await power('w3', waiting.mac, 'bios');
    const answers = await waitForResults('w3');
    expect(describeNetworkTestOutcomes(answers)).toEqual({
      line: expect.stringMatching(
        /^Reached from the machine: kernel [\d.]+ s, initramfs [\d.]+ s, system image [\d.]+ s, ignition file [\d.]+ s, api-int port 22623/,
      ),
      failures: [],
    });
    await waitForText(other, 'has tested its network and written nothing');
    expect(isEmpty(path('w3.img'))).toBe(true);
    expect(deriveBootStage(await listRequests(waiting.address), true)).toBe('script');
    // Once its ignition file is served, it goes on by itself.
    planMachines(plans);
    await waitForText(other, CONSOLE_MESSAGES.installed);
    await other.stop();
    rmSync(path('images'), { recursive: true });
  },
);
