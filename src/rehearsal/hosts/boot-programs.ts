import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { imageBytes } from '../site/images.ts';
import { filesBelow, textOf } from './host-files.ts';

/** Where no package of the system has them, somebody brought them. */
const BROUGHT = ['undionly.kpxe', 'ipxe.efi', 'ipxe-arm64.efi'];
/** A program that came whole is longer. */
const LEAST_BYTES = 16 * 1024;

/** The directory that a TFTP server hands out, as its file on the host says; null: no file. @throws Error with the words of in.tftpd */
export function tftpDirectory(root: string): string | null {
  const debian = textOf(join(root, 'etc/default/tftpd-hpa'));
  const redHat = textOf(join(root, 'etc/systemd/system/tftp.service.d/upi-wizard.conf'));
  if (debian === null && redHat === null) return null;
  const found =
    debian !== null ? /^TFTP_DIRECTORY="?([^"\n]*)/m.exec(debian) : /^ExecStart=.*\s(\S+)$/m.exec(redHat ?? '');
  const directory = found?.[1] ?? '';
  if (!directory.startsWith('/')) throw new Error(`cannot chdir to '${directory}': No such file or directory`);
  return directory;
}

/**
 * Puts the boot programs of the packages where the `install.sh` of a host puts them.
 * @param slip what somebody really puts there: nothing in place of the text is no file
 */
export function putPrograms(filesDir: string, root: string, slip: (file: string, text: string) => string): void {
  const script = filesBelow(filesDir).find((file) => basename(file) === 'install.sh');
  const copies = [...(textOf(script ?? '') ?? '').matchAll(/^ {4}place \d+ \/\S+ (\/\S+)$/gm)].map(([, to = '']) => to);
  const directory = configured(root);
  if (directory === null) return;
  for (const to of copies.length > 0 ? copies : BROUGHT.map((name) => join(directory, name))) {
    const file = join(root, to);
    if (slip(relative(root, file), basename(file)) === '') rmSync(file, { force: true });
    else {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
      writeFileSync(file, programBytes(basename(file)));
    }
  }
}

function configured(root: string): string | null {
  try {
    return tftpDirectory(root);
  } catch {
    return null;
  }
}

/** Bytes that firmware takes for a program: those for UEFI begin as every PE image does. */
function programBytes(name: string): Buffer {
  const bytes = imageBytes(name);
  if (name.endsWith('.efi')) bytes.write('MZ');
  return bytes;
}

/** Whether firmware starts it. */
export function isProgram(name: string, bytes: Buffer): boolean {
  return bytes.length >= LEAST_BYTES && (!name.endsWith('.efi') || bytes.toString('latin1', 0, 2) === 'MZ');
}

/** A file below the directory that is handed out, and nothing outside it; null: no such file. */
export function tftpFile(root: string, directory: string, path: string): Buffer | null {
  const file = join(root, directory, join('/', path));
  return existsSync(file) && filesBelow(dirname(file)).includes(file) ? readFileSync(file) : null;
}
