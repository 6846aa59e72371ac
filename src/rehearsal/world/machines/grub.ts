import { basename } from 'node:path';

/** A machine that has loaded shim and GRUB. */
export interface GrubMachine {
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
