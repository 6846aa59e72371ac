import { basename } from 'node:path';

/** A machine that has loaded shim and GRUB. */
export interface GrubMachine {
  readonly mac: string;
  /** A file of the TFTP server's host; null: no such file. */
  readFile(path: string): string | null;
  /** Fetches a URL from the machine's own address; null where the answer is not 200. */
  fetch(url: string): Promise<Uint8Array | null>;
  /** One line on the machine's console. */
  print(line: string): void;
}

/** Where the GRUB of a system looks on the TFTP server, and for what: RHEL's beside itself and by MAC, Debian's in /grub. */
const FIRST_FILES = [
  (mac: string) => `/var/lib/tftpboot/grub.cfg-01-${mac}`,
  () => '/var/lib/tftpboot/grub.cfg',
  () => '/srv/tftp/grub/grub.cfg',
];

/**
 * Runs GRUB as shim starts it, as far as it leads to a kernel: the machine's own file, and in it the first kernel and initramfs
 * that are loaded over HTTP.
 * @returns the kernel's arguments, or null with the reason on the machine's console
 */
export async function runGrub(machine: GrubMachine): Promise<string[] | null> {
  const { print } = machine;
  const text = configuration(machine);
  if (text === null) {
    print('GRUB: no configuration for this machine; it waits at its prompt');
    return null;
  }
  const load = (command: string) =>
    new RegExp(`^\\s*(?:if )?${command}(?:efi)? \\(http,([^)]+)\\)(\\S+)(.*)$`, 'm').exec(text);
  const [kernel, initramfs] = [load('linux'), load('initrd')];
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

function configuration({ mac, readFile }: GrubMachine): string | null {
  for (const fileOf of FIRST_FILES) {
    const path = fileOf(mac.replaceAll(':', '-'));
    const text = readFile(path);
    if (text === null) continue;
    if (!path.endsWith('grub.cfg')) return text;
    // The first file leads to the machine's own: `if [ "$net_default_mac" = "MAC" ]; then configfile $prefix/FILE`.
    const own = new RegExp(`"${mac}" \\]; then\\s+(?:#.*\\s+)?configfile \\$prefix/(\\S+)`).exec(text)?.[1];
    return own === undefined ? null : readFile(path.replace(basename(path), own));
  }
  return null;
}
