import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { HOUR, systemClock } from '../ports/clock.ts';
import { directoryIdentity } from '../ports/directory-identity.ts';
import { type Inode, type Liveness, livenessOf, type Owner, parseOwner } from './owner.ts';
import { listen, socketPath } from './owner-socket.ts';
import { readSafely, unfitDirectory } from './safe-file.ts';

/** Who has announced that it holds, or wants, an install directory. */
export interface FoundOwner {
  readonly id: string;
  /** Null where the file is of a program with another format. */
  readonly owner: Owner | null;
  readonly liveness: Liveness;
  /** It has the lock; otherwise it is about to take it, or to withdraw. */
  readonly isHeld: boolean;
}

/** Our own announcement: a file that names us, and a socket that listens as long as we live. */
export interface Announcement {
  readonly id: string;
  readonly owner: Owner;
  /** Marks that we have the lock. */
  readonly hold: () => void;
  /** False once somebody removed the file, who has then taken the directory over. */
  readonly isThere: () => boolean;
  /** Who connects before this is called waits until it is. */
  readonly onConnection: (serve: (connection: Socket) => void) => void;
  /** Removes what we announced. May be called while the process ends. */
  readonly withdraw: () => void;
}

const NAME = /^owner-([0-9a-f]{16})\.json$/;
const LEFT_OVER = /^owner-[0-9a-f]{16}\.(?:sock|held|json\.new)$/;

/** Where the owners of an install directory announce themselves. */
export function ownersDirectory(dir: string): string {
  return join(dir, '.upi-wizard', 'owners');
}

/** Makes the directory of the owner files, for its owner only. @throws system errors, and ENOTDIR for a link */
export function makeOwnersDirectory(dir: string): string {
  const home = join(dir, '.upi-wizard');
  const owners = ownersDirectory(dir);
  for (const path of [home, owners]) {
    makeDirectory(path);
    const unfit = unfitDirectory(path);
    if (unfit !== null) throw Object.assign(new Error(path), { code: unfit === 'foreign' ? 'EPERM' : 'ENOTDIR' });
    if ((lstatSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
  }
  return owners;
}

/** Not recursively: on a read-only file system that would say that the parent is missing. */
function makeDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/** Announces `owner` under a name that nobody had before. @throws system errors */
export async function announce(owners: string, owner: Owner): Promise<Announcement> {
  const id = randomBytes(8).toString('hex');
  const file = join(owners, `owner-${id}.json`);
  const socketFile = join(owners, `owner-${id}.sock`);
  const listener = await listen(owners, `owner-${id}.sock`);
  const withdraw = () => {
    // The files first: who sees the line end and finds us announced still takes us for a holder that does not answer.
    try {
      removeOwner(owners, id);
    } finally {
      listener?.close();
    }
  };
  const announced = {
    ...owner,
    socket: listener === null ? null : inodeOf(socketFile),
    home: directoryIdentity(owners),
  };
  try {
    writeWhole(file, `${JSON.stringify(announced)}\n`);
  } catch (error) {
    withdraw();
    throw error;
  }
  const inode = inodeOf(file)?.ino;
  return {
    id,
    owner: announced,
    hold: () => closeSync(openSync(join(owners, `owner-${id}.held`), 'w', 0o600)),
    isThere: () => openedInode(file) === inode,
    onConnection: (serve) => listener?.serve(serve),
    withdraw,
  };
}

/** All that have announced themselves, dead or alive. Looks only. */
export async function announcedOwners(owners: string): Promise<FoundOwner[]> {
  const found: FoundOwner[] = [];
  for (const name of readdirSync(owners).sort()) {
    const id = NAME.exec(name)?.[1];
    const owner = id === undefined ? null : await inspect(owners, id);
    if (owner !== null) found.push(owner);
  }
  return found;
}

/**
 * The same without those that are provably dead, whose files it removes: names are never used again, so nobody else's
 * file can go with them.
 */
export async function livingOwners(owners: string, except: string | null = null): Promise<FoundOwner[]> {
  const found = await announcedOwners(owners);
  for (const { id, liveness } of found) if (liveness === 'dead') removeOwner(owners, id);
  return found.filter(({ id, liveness }) => liveness !== 'dead' && id !== except);
}

/** Removes an owner's file, so that it may write no more. */
export function removeOwner(owners: string, id: string): void {
  // The file itself first: without it the others mean nothing.
  for (const kind of ['json', 'held', 'sock']) rmSync(join(owners, `owner-${id}.${kind}`), { force: true });
}

/** Removes what processes left that were killed while they announced themselves or withdrew. */
export function removeLeftOvers(owners: string): void {
  const names = readdirSync(owners);
  for (const name of names.filter((each) => LEFT_OVER.test(each))) {
    const isOwned = names.includes(name.replace(/\..*$/, '.json'));
    const path = join(owners, name);
    const modified = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (!isOwned && modified < systemClock.now() - HOUR) rmSync(path, { force: true });
  }
}

async function inspect(owners: string, id: string): Promise<FoundOwner | null> {
  const text = textOf(join(owners, `owner-${id}.json`));
  if (text === null) return null;
  const owner = parseOwner(text);
  // Files are renamed into place whole: half of one is of nobody who lives.
  if (owner === null) return { id, owner, liveness: isJson(text) ? 'unknown' : 'dead', isHeld: true };
  const socketFile = `owner-${id}.sock`;
  const { path, release } = socketPath(owners, socketFile);
  const liveness = await livenessOf(owner, {
    owners,
    socketFile: path,
    inode: inodeOf(join(owners, socketFile)),
  }).finally(release);
  const isHeld = existsSync(join(owners, `owner-${id}.held`));
  return { id, owner, liveness, isHeld };
}

/** @returns null for what is gone, and for what none of us made: a directory, a pipe, a link, another user's file */
function textOf(path: string): string | null {
  const read = readSafely(path);
  switch (read.kind) {
    case 'text':
      return read.text;
    case 'missing':
    case 'unfit':
      return null;
    case 'failed':
      throw read.error;
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function inodeOf(path: string): Inode | null {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found === undefined ? null : { dev: found.dev, ino: found.ino };
}

/**
 * Which file is there now, undefined where none is. By opening it: what only asks for its attributes may be answered from memory
 * while another machine has removed it (nfs(5), close-to-open cache consistency).
 */
function openedInode(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // No room for another open file, say: then its attributes have to do.
    return isGone(error) ? undefined : inodeOf(path)?.ino;
  }
  try {
    return fstatSync(fd).ino;
  } finally {
    closeSync(fd);
  }
}

const isGone = (error: unknown) =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'ESTALE', 'ELOOP'].includes(String(error.code));

function writeWhole(file: string, text: string): void {
  const fresh = `${file}.new`;
  const fd = openSync(fresh, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(fresh, file);
}
