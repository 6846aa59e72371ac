import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from 'node:fs';

/** No file of a session comes near this size (bytes). */
export const LARGEST = 16 * 1024 * 1024;

/** Why a file is not read, before anybody has looked into it. */
export type Unfit = 'link' | 'not-a-file' | 'not-a-directory' | 'foreign' | 'too-large' | 'not-text';

/** What reading a file gave. `failed`: the system refused, with its error. */
export type Read =
  | { readonly kind: 'text'; readonly text: string; readonly modified: number }
  | { readonly kind: 'missing' }
  | { readonly kind: 'unfit'; readonly why: Unfit }
  | { readonly kind: 'failed'; readonly error: unknown };

/**
 * Reads a file of ours without trusting what lies there: follows no link, waits for no pipe, and takes no file of
 * another user, none that is larger than `LARGEST`, and none that is not UTF-8.
 */
export function readSafely(file: string): Read {
  let fd: number;
  try {
    // Not blocking: opening a named pipe would wait for its writer.
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return { kind: 'missing' };
    if (hasCode(error, 'ELOOP')) return { kind: 'unfit', why: 'link' };
    // What nobody can read may be a socket (which cannot be opened), or a file of another user.
    const why = unfitness(statOf(file));
    return why === null ? { kind: 'failed', error } : { kind: 'unfit', why };
  }
  try {
    const stat = fstatSync(fd);
    const why = unfitness(stat);
    if (why !== null) return { kind: 'unfit', why };
    const text = textOf(readFileSync(fd));
    return text === null ? { kind: 'unfit', why: 'not-text' } : { kind: 'text', text, modified: stat.mtimeMs };
  } catch (error) {
    return { kind: 'failed', error };
  } finally {
    closeSync(fd);
  }
}

/** Why a directory of ours is none: a link, another kind of file, or of another user; null where it is one, or missing. */
export function unfitDirectory(path: string): Unfit | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return null;
  if (stat.isSymbolicLink()) return 'link';
  if (!stat.isDirectory()) return 'not-a-directory';
  return isOwn(stat) ? null : 'foreign';
}

/** Undefined also where the system refuses to look: the path leads through a file, or a directory of another user. */
function statOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function unfitness(stat: Stats | undefined): Unfit | null {
  if (stat === undefined) return null;
  if (!stat.isFile()) return 'not-a-file';
  if (!isOwn(stat)) return 'foreign';
  return stat.size > LARGEST ? 'too-large' : null;
}

const isOwn = ({ uid }: Stats) => uid === process.geteuid?.();

/** Null where the bytes are not UTF-8: replaced characters would read as an answer that nobody gave. */
function textOf(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
