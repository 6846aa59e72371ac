import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { getImageBytes } from '../site/files.ts';
import { listFiles, readText } from './host-files.ts';

/** Fallback: programs that the user supplies if no package of the system has them. */
const FALLBACK_PROGRAMS = ['undionly.kpxe', 'ipxe.efi', 'ipxe-arm64.efi'];
/** A complete program is longer. */
const MIN_PROGRAM_BYTES = 16 * 1024;

/**
 * The directory that a TFTP server serves, from its configuration file on the host; null: no file.
 * @throws Error in the wording of in.tftpd
 */
export function readTftpDirectory(root: string): string | null {
  const debian = readText(join(root, 'etc/default/tftpd-hpa'));
  const redHat = readText(join(root, 'etc/systemd/system/tftp.service.d/upi-wizard.conf'));
  if (debian === null && redHat === null) return null;
  const found =
    debian !== null ? /^TFTP_DIRECTORY="?([^"\n]*)/m.exec(debian) : /^ExecStart=.*\s(\S+)$/m.exec(redHat ?? '');
  const directory = found?.[1] ?? '';
  if (!directory.startsWith('/')) throw new Error(`cannot chdir to '${directory}': No such file or directory`);
  return directory;
}

/**
 * Installs the boot programs of the packages where the `install.sh` of a host copies them.
 * @param applyFault the content that a fault writes instead of the text; empty: no file
 */
export function installBootPrograms(
  filesDir: string,
  root: string,
  applyFault: (file: string, text: string) => string,
): void {
  const script = listFiles(filesDir).find((file) => basename(file) === 'install.sh');
  const targets = [...(readText(script ?? '') ?? '').matchAll(/^ {4}place \d+ \/\S+ (\/\S+)$/gm)].map(
    ([, to = '']) => to,
  );
  const directory = findTftpDirectory(root);
  if (directory === null) return;
  for (const to of targets.length > 0 ? targets : FALLBACK_PROGRAMS.map((name) => join(directory, name))) {
    const file = join(root, to);
    if (applyFault(relative(root, file), basename(file)) === '') rmSync(file, { force: true });
    else {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, createProgramBytes(basename(file)));
    }
  }
}

function findTftpDirectory(root: string): string | null {
  try {
    return readTftpDirectory(root);
  } catch {
    return null;
  }
}

/** Bytes that firmware accepts as a program: those for UEFI begin as every PE image does. */
function createProgramBytes(name: string): Buffer {
  const bytes = getImageBytes(name);
  if (name.endsWith('.efi')) bytes.write('MZ');
  return bytes;
}

/** Whether firmware starts the program. */
export function isBootProgram(name: string, bytes: Buffer): boolean {
  return bytes.length >= MIN_PROGRAM_BYTES && (!name.endsWith('.efi') || bytes.toString('latin1', 0, 2) === 'MZ');
}

/** Reads a file below the TFTP directory, and never outside it; null: no such file. */
export function readTftpFile(root: string, directory: string, path: string): Buffer | null {
  const file = join(root, directory, join('/', path));
  return existsSync(file) && listFiles(dirname(file)).includes(file) ? readFileSync(file) : null;
}
