import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, renameSync, type Stats } from 'node:fs';
import { computeSha256 } from '../platform/text.ts';

/** Upper limit for any session file (bytes). */
const MAX_FILE_BYTES = 16 * 1024 * 1024;

/** Why a file or directory is rejected. */
export type FileRejection = 'link' | 'not-a-file' | 'not-a-directory' | 'foreign' | 'too-large' | 'not-text';

/** Result of reading a file. `unfit`: the file is rejected. `failed`: the system refused, with its error. */
type SafeReadResult =
  | { readonly kind: 'text'; readonly text: string; readonly modifiedAt: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unfit'; readonly rejection: FileRejection }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Reads a file of ours without trusting the path: follows no link, waits for no pipe, and rejects files of another
 * user, files larger than `MAX_FILE_BYTES` and files that are not UTF-8.
 */
export function readSafely(file: string): SafeReadResult {
  let fd: number;
  try {
    // Non-blocking: opening a named pipe would wait for its writer.
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { kind: 'missing' };
    if (hasCode(error, 'ELOOP')) return { kind: 'unfit', rejection: 'link' };
    // A file that cannot be opened may be a socket, or a file of another user.
    const rejection = getFileRejection(tryStat(file));
    return rejection === null ? { kind: 'failed', error } : { kind: 'unfit', rejection };
  }
  try {
    const stat = fstatSync(fd);
    const rejection = getFileRejection(stat);
    if (rejection !== null) return { kind: 'unfit', rejection };
    const text = decodeUtf8(readFileSync(fd));
    return text === null ? { kind: 'unfit', rejection: 'not-text' } : { kind: 'text', text, modifiedAt: stat.mtimeMs };
  } catch (error) {
    return { kind: 'failed', error };
  } finally {
    closeSync(fd);
  }
}

/**
 * Returns why a directory is rejected: it is a link, another kind of file, or belongs to another user; null if it is
 * fine or missing.
 */
export function getDirectoryRejection(path: string): FileRejection | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isSymbolicLink()) return 'link';
  if (!stat.isDirectory()) return 'not-a-directory';
  return isOwnedByUser(stat) ? null : 'foreign';
}

/**
 * Returns the attributes of a file. Undefined also if the system denies access: a part of the path is a file, or a
 * directory of another user.
 */
function tryStat(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function getFileRejection(stat: Stats | undefined): FileRejection | null {
  if (stat === undefined) return null;
  if (!stat.isFile()) return 'not-a-file';
  if (!isOwnedByUser(stat)) return 'foreign';
  return stat.size > MAX_FILE_BYTES ? 'too-large' : null;
}

const isOwnedByUser = ({ uid }: Stats) => uid === process.geteuid?.();

/** Decodes UTF-8; null for other bytes: replacement characters would read as answers that the user never gave. */
function decodeUtf8(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/** Computes the SHA-256 of a JSON value, independent of the order of its keys. */
export function computeChecksum(value: unknown): string {
  return computeSha256(toCanonicalJson(value));
}

/** Serialises a value canonically: sorted keys, no blanks. */
function toCanonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, entryValue]) => entryValue !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, entryValue]) => `${JSON.stringify(key)}:${toCanonicalJson(entryValue)}`).join(',')}}`;
}

/**
 * Renames a file to the next free name `FILE.bad-N`, so that nothing is lost.
 * @returns the new path
 * @throws the system's error
 */
export function moveAside(file: string): string {
  let number = 1;
  while (lstatSync(`${file}.bad-${number}`, { throwIfNoEntry: false })) number += 1;
  const target = `${file}.bad-${number}`;
  renameSync(file, target);
  return target;
}
