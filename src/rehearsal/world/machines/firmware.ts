import { basename } from 'node:path';
import { SECOND } from '../../../platform/clock.ts';
import type { Lease } from '../../hosts/dhcp.ts';
import { isBootProgram } from '../../hosts/tftp.ts';
import type { MachineStage } from '../saved.ts';
import type { MachineContext } from './machine-context.ts';

/** A machine that has loaded shim and GRUB. */
interface GrubMachine {
  readonly mac: string;
  /** Reads a file of the TFTP server's host. Null: no such file. */
  readFile(path: string): string | null;
  /** Fetches a URL from the machine's own address. Null: the answer is not 200. */
  fetch(url: string): Promise<Uint8Array | null>;
  /** Prints one line on the machine's console. */
  print(line: string): void;
}

/**
 * Paths that GRUB tries on the TFTP server. RHEL's looks in its own directory, first by MAC; Debian's looks in /grub.
 */
const CONFIG_PATHS = [
  (mac: string) => `/var/lib/tftpboot/grub.cfg-01-${mac}`,
  () => '/var/lib/tftpboot/grub.cfg',
  () => '/srv/tftp/grub/grub.cfg',
];

/**
 * Runs GRUB as shim starts it, up to the kernel: reads the machine's own file and fetches its first kernel and
 * initramfs over HTTP.
 * @returns the kernel's arguments, or null with the reason on the machine's console
 */
export async function runGrub(machine: GrubMachine): Promise<string[] | null> {
  const { print } = machine;
  const text = readConfiguration(machine);
  if (text === null) {
    print('GRUB: no configuration for this machine; it waits at its prompt');
    return null;
  }
  const matchCommand = (command: string) =>
    new RegExp(`^\\s*(?:if )?${command}(?:efi)? \\(http,([^)]+)\\)(\\S+)(.*)$`, 'm').exec(text);
  const [kernel, initramfs] = [matchCommand('linux'), matchCommand('initrd')];
  if (kernel === null || initramfs === null) {
    print('GRUB: error: you need to load the kernel first');
    return null;
  }
  for (const [, server, path] of [kernel, initramfs]) {
    const url = `http://${server}${path}`;
    if ((await machine.fetch(url)) !== null) continue;
    print(`GRUB: error: file \`${path}' not found (${url})`);
    return null;
  }
  return (kernel[3] ?? '')
    .replace(/; then$/, '')
    .trim()
    .split(/\s+/);
}

function readConfiguration({ mac, readFile }: GrubMachine): string | null {
  for (const getPath of CONFIG_PATHS) {
    const path = getPath(mac.replaceAll(':', '-'));
    const text = readFile(path);
    if (text === null) continue;
    if (!path.endsWith('grub.cfg')) return text;
    // The first file refers to the machine's own: `if [ "$net_default_mac" = "MAC" ]; then configfile $prefix/FILE`.
    const ownFile = new RegExp(`"${mac}" \\]; then\\s+(?:#.*\\s+)?configfile \\$prefix/(\\S+)`).exec(text)?.[1];
    return ownFile === undefined ? null : readFile(path.replace(basename(path), ownFile));
  }
  return null;
}

/** Delay between two boot attempts of firmware that found nothing to start. */
export const BOOT_RETRY = 30 * SECOND;
const UEFI = 7;
const BIOS = 0;
const ARM64_UEFI = 11;

function getClientArchitecture({ world, hardware }: MachineContext): number {
  if (world.design.openshift.architecture === 'aarch64') return ARM64_UEFI;
  return hardware.firmware === 'uefi' ? UEFI : BIOS;
}

/** Boots by PXE: DHCP gives an address and a boot program. iPXE then asks again and gets the URL of its script. */
export async function bootFromNetwork(machine: MachineContext): Promise<MachineStage> {
  const { world, hardware, state, print, sleep } = machine;
  const architecture = getClientArchitecture(machine);
  for (;;) {
    const offer = world.hosts.requestLease({ mac: hardware.mac, architecture, userClass: null });
    const problem = offer === null ? null : findProgramError(machine, offer);
    if (offer === null) print('PXE-E51: No DHCP or proxyDHCP offers were received');
    else if (offer.filename === null) print('PXE-E53: No boot filename received');
    else if (problem !== null) print(problem);
    else if (/shim/.test(offer.filename)) {
      state.lease = offer;
      const { name } = world.design.services.bastion;
      const readFile = (path: string) => world.hosts.readFile(name, path);
      const found = await runGrub({ mac: hardware.mac, readFile, print, fetch: (url) => fetchOnce(machine, url) });
      if (found !== null) {
        state.kernelArguments = found;
        return 'live';
      }
    } else if (/grub|pxelinux/.test(offer.filename)) print(`${offer.filename}: this machine boots with iPXE only`);
    else {
      const ipxeOffer = world.hosts.requestLease({ mac: hardware.mac, architecture, userClass: 'iPXE' });
      if (ipxeOffer?.filename && /^https?:/.test(ipxeOffer.filename)) {
        state.lease = ipxeOffer;
        return 'ipxe';
      }
      print(`iPXE is given ${ipxeOffer?.filename ?? 'no filename'} again and starts itself over and over`);
    }
    await sleep(BOOT_RETRY);
  }
}

/** Returns the console message if firmware cannot fetch or start the program that DHCP names, or null. */
function findProgramError({ world }: MachineContext, { address, filename, nextServer }: Lease): string | null {
  if (filename === null || /^https?:/.test(filename)) return null;
  if (nextServer === null) return 'PXE-E11: ARP timeout (no next-server)';
  const bytes = world.hosts.fetchByTftp(nextServer, filename, address);
  if (bytes === 'silent') return 'PXE-E32: TFTP open timeout';
  if (bytes === null) return 'PXE-T01: File not found';
  return isBootProgram(filename, bytes) ? null : 'PXE-E79: NBP is too short or damaged';
}

/** Fetches once, as a boot program does, and prints an error on the console. */
export async function fetchOnce({ network, print }: MachineContext, url: string): Promise<Uint8Array | null> {
  const found = await network()
    .fetch(url)
    .catch((error: Error) => error);
  if (!(found instanceof Error) && found.status === 200) return found.body;
  const missing = 'No such file or directory (https://ipxe.org/2d0c618e)';
  print(
    `${url}... ${found instanceof Error ? found.message : found.status === 404 ? missing : `HTTP ${found.status}`}`,
  );
  return null;
}
