import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { deriveBootStage, parseRequestStage } from '../../src/checks/boot/checks.ts';
import type { Design } from '../../src/design/model.ts';
import type { BootServerConfig } from '../../src/host/boot-server/boot-config.ts';
import { readRequests } from '../../src/host/boot-server/boot-log.ts';
import {
  createDebianHost,
  createSingleHostDesign,
  generateInstallFiles,
  testOnDebian,
} from '../support/debian-host.ts';
import { exampleImages } from '../support/example-design.ts';
import { startIpv6Router } from '../support/ipv6-router.ts';
import { waitUntil } from '../support/lab.ts';
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
  return { ...design, nodes: design.nodes.map((node) => ({ ...node, installDisk: '/dev/vda', kernelArguments })) };
}

/** Starts the bastion as the wizard's own script sets it up, with the boot server and images for small machines. */
async function startBastion(design: Design) {
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
  ] as const) {
    const script = readFileSync(path(`${WEB}/${name}`), 'utf8');
    expect(script).toContain(wait);
    writeFileSync(path(`${WEB}/${name}`), script.replace(wait, 'set wait 1000\n'));
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
  writeFileSync(path('boot-server.json'), JSON.stringify(config));
  lab.start(
    'host',
    ['env', process.execPath, getBuiltProgram('boot-server'), path('boot-server.json')],
    'boot-server.log',
  );
  await waitUntil('the boot server', async () =>
    readFileSync(path('boot.json'), 'utf8').includes('listening') ? true : null,
  );
  await startIpv6Router(lab);
  const power = (name: string, mac: string, firmware: Firmware, disk = path(`${name}.img`)) =>
    startMachine(lab, { name, mac, firmware, disk });
  /** Lists the requests of a machine in their order, with the answers. */
  const listRequests = async (address: string) =>
    (await readRequests(path('boot.log'))).requests.filter(({ client }) => client === address);
  return { path, power, listRequests, disk: files.disk };
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

testOnDebian(
  'qemu-system-x86_64',
  'cpio',
  'grub-mkimage',
  'mcopy',
  'mkfs.fat',
  'python3',
)(
  'machines boot from the network, install once although the network comes first in the boot order, and then start their disk',
  async () => {
    const design = createSite();
    const { path, power, listRequests, disk } = await startBastion(design);
    const getNode = (name: string) => {
      const found = design.nodes.find((each) => each.name === name);
      if (!found) throw new Error(name);
      return { mac: found.mac, address: found.ip[0] ?? '' };
    };
    const [bios, uefi, broken] = [getNode('w1'), getNode('w2'), getNode('w3')];
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
        .filter(({ path: requestPath }) => !requestPath.startsWith('/boot/'))
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
    }
    expect(machines.broken.console()).toContain(
      `${broken.mac.replaceAll(':', '-')}: the kernel could not be loaded from the boot server`,
    );
    expect(machines.broken.console()).toContain('Install this machine');
    expect(machines.stranger.console()).toContain('02-de-ad-be-ef-01 is not a machine of this design');
    expect(machines.stranger.console()).not.toContain('Install this machine');
    expect((await listRequests('172.16.0.99')).map((request) => request.path)).toEqual([
      '/boot.ipxe',
      '/ipxe/02-de-ad-be-ef-01.ipxe',
    ]);
    rmSync(path('images'), { recursive: true });
  },
);
