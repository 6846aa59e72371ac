import { SECOND } from '../../../platform/clock.ts';
import { isBootProgram } from '../../hosts/boot-programs.ts';
import type { Lease } from '../../hosts/dhcp.ts';
import type { MachineStage } from '../saved.ts';
import { runGrub } from './grub.ts';
import type { MachineContext } from './machine-context.ts';

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
