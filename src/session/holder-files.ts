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
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { catalogue } from '../i18n/catalogue.ts';
import { formatDate, HOUR, systemClock } from '../platform/clock.ts';
import { getUserName } from '../platform/environment.ts';
import { getDirectoryIdentity, isCopiedDirectory } from '../platform/files.ts';
import { findLiveProcess, getOwnLocation, type ProcessLocation } from '../platform/process.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import * as z from '../platform/zod.ts';
import { openSocketPath, probeSocket, startListener } from './holder-socket.ts';
import { getDirectoryRejection, readSafely } from './safe-file.ts';

const recordSchema = z
  .object({
    format: z.literal(1),
    /** The program that holds the directory: the wizard, or the name of a command. */
    program: z.string(),
    version: z.string(),
    host: z.string(),
    machine: z.string(),
    boot: z.string(),
    pidNamespace: z.string().nullable(),
    pid: z.number().int(),
    start: z.string(),
    user: z.string(),
    /** `pts/3`; null without a terminal. */
    tty: z.string().nullable(),
    /** The address of the user's SSH client; null for a local login. */
    from: z.string().nullable(),
    /** Milliseconds since the epoch, of the machine's clock. */
    since: z.number(),
    /**
     * The socket beside the holder file, on which the holder listens while it runs. Null if the file system has no
     * sockets.
     */
    socket: z.object({ dev: z.number(), ino: z.number() }).readonly().nullable(),
    /**
     * Identity of the directory that the file was written into: in a copy of that directory, the file does not count.
     */
    home: z.string().nullable().default(null),
  })
  .readonly();

/** The content of a holder file: a process that holds the lock of an install directory, or is about to. */
export type HolderRecord = z.infer<typeof recordSchema>;

/** Whether a holder is still running. Only a holder that is provably dead loses the lock automatically. */
type Liveness = 'alive' | 'dead' | 'unknown';

/** Describes this process as the holder of a directory. */
export function createHolderRecord(
  program: string,
  version: string,
  env: NodeJS.ProcessEnv = process.env,
): HolderRecord {
  return {
    format: 1,
    program,
    version,
    ...getOwnLocation(),
    user: getUserName(),
    tty: getOwnTty(),
    from: env.SSH_CONNECTION?.split(' ')[0] || null,
    since: systemClock.now(),
    socket: null,
    home: null,
  };
}

/**
 * Parses a holder file.
 * @returns null for a text of an unknown format
 */
function parseHolderRecord(text: string): HolderRecord | null {
  try {
    const parseResult = recordSchema.safeParse(JSON.parse(text));
    return parseResult.success ? parseResult.data : null;
  } catch {
    return null;
  }
}

/**
 * Checks whether a holder still runs and holds the directory that contains its file.
 * - A file that was copied with its directory: dead here, because its process holds the original directory.
 * - In our pid namespace: alive if a process with this pid and start time runs.
 * - In another pid namespace of our kernel: alive if its socket accepts a connection, dead if the socket refuses it.
 * - An earlier boot of this machine: dead.
 * - Elsewhere: unknown from here.
 */
async function checkLiveness(
  record: HolderRecord,
  {
    holdersDir,
    socketFile,
    inode,
  }: { readonly holdersDir: string; readonly socketFile: string; readonly inode: Inode | null },
): Promise<Liveness> {
  const ownLocation = getOwnLocation();
  if (
    record.boot === ownLocation.boot &&
    record.host === ownLocation.host &&
    isCopiedDirectory(record.home, holdersDir)
  )
    return 'dead';
  if (ownLocation.boot === '' || record.boot !== ownLocation.boot)
    return isSameMachine(record, ownLocation) ? 'dead' : 'unknown';
  if (ownLocation.pidNamespace !== null && record.pidNamespace === ownLocation.pidNamespace)
    return isRunning(record, ownLocation) ? 'alive' : 'dead';
  // Another mount of the same file system may show another socket, which would refuse connections while the holder
  // listens.
  const isHoldersSocket = inode !== null && record.socket?.dev === inode.dev && record.socket.ino === inode.ino;
  return isHoldersSocket ? await probeSocket(socketFile) : 'unknown';
}

/** Identifies a file on this kernel. */
interface Inode {
  readonly dev: number;
  readonly ino: number;
}

/** Whether exactly this process runs in our pid namespace, so that a signal reaches it and no other. */
export function isRunning(record: ProcessLocation, ownLocation: ProcessLocation = getOwnLocation()): boolean {
  const isSameNamespace =
    ownLocation.boot !== '' && record.boot === ownLocation.boot && record.pidNamespace === ownLocation.pidNamespace;
  return isSameNamespace && ownLocation.pidNamespace !== null && findLiveProcess(record.pid)?.start === record.start;
}

function isSameMachine(location: ProcessLocation, other: ProcessLocation): boolean {
  return (
    other.boot !== '' && other.machine !== '' && location.host === other.host && location.machine === other.machine
  );
}

function getOwnTty(): string | null {
  try {
    return /^\/dev\/((?:pts\/|tty)\w+)$/.exec(readlinkSync('/proc/self/fd/0'))?.[1] ?? null;
  } catch {
    return null;
  }
}

const words = () => catalogue().holder;

/**
 * Describes the holder of a directory in one line without a full stop. The names come from another process and are
 * sanitized.
 */
export function describeHolder(record: HolderRecord | null, liveness: Liveness = 'alive'): string {
  if (record === null) return words().newerFormat;
  const { since, program, pid } = record;
  const holder = words().describe(describePeer(record), formatLocalTime(since), sanitizeName(program) ?? '', pid);
  if (liveness === 'alive') return holder;
  const isOtherHost = record.boot !== getOwnLocation().boot;
  return `${holder}; ${isOtherHost ? words().otherHost(sanitizeLine(record.host, 80)) : words().otherNamespace}`;
}

/** Describes the sender of a request, sanitized: "bob from 10.0.0.7 on pts/4". */
export function describePeer({ user, from, tty }: Pick<HolderRecord, 'user' | 'from' | 'tty'>): string {
  return words().peer(sanitizeName(user) ?? '', sanitizeName(from), sanitizeName(tty));
}

const sanitizeName = (text: string | null) => (text === null ? null : sanitizeLine(text, 60));

/** Formats a time (ms since the epoch) in local time: the time of day for today, with the date for any other day. */
export function formatLocalTime(time: number): string {
  const date = formatDate(time);
  return words().since(date === formatDate(systemClock.now()) ? null : date, time);
}

/** A process that claims an install directory, or holds it. */
export interface FoundHolder {
  readonly id: string;
  /** Null if the file has another format (another version). */
  readonly record: HolderRecord | null;
  readonly liveness: Liveness;
  /** The process has the lock; otherwise it is about to take it or to withdraw. */
  readonly hasLock: boolean;
}

/** Our own claim: a file that names this process, and a socket that listens while it runs. */
export interface LockClaim {
  readonly id: string;
  readonly record: HolderRecord;
  /** Marks that this process has the lock. */
  readonly markHeld: () => void;
  /** False once another process removed the file and took the directory over. */
  readonly isValid: () => boolean;
  /** Sets the connection handler. Earlier connections are queued until then. */
  readonly onConnection: (onConnect: (connection: Socket) => void) => void;
  /** Removes the claim. May be called while the process exits. */
  readonly withdraw: () => void;
}

const HOLDER_FILE = /^owner-([0-9a-f]{16})\.json$/;
const STALE_FILE = /^owner-[0-9a-f]{16}\.(?:sock|held|json\.new)$/;

/** Returns the directory of the holder files of an install directory. */
export function getHoldersDirectory(dir: string): string {
  return join(dir, '.upi-wizard', 'owners');
}

/**
 * Creates the directory of the holder files, private to its owner.
 * @throws system errors, and ENOTDIR for a link
 */
export function createHoldersDirectory(dir: string): string {
  const stateDir = join(dir, '.upi-wizard');
  const holdersDir = getHoldersDirectory(dir);
  for (const path of [stateDir, holdersDir]) {
    createDirectory(path);
    const reason = getDirectoryRejection(path);
    if (reason !== null) throw Object.assign(new Error(path), { code: reason === 'foreign' ? 'EPERM' : 'ENOTDIR' });
    if ((lstatSync(path).mode & 0o077) !== 0) chmodSync(path, 0o700);
  }
  return holdersDir;
}

/**
 * Creates a directory, but not its parents: on a read-only file system, Node.js would report that the parent is
 * missing.
 */
function createDirectory(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
}

/**
 * Claims the directory for `holder` under a name that was never used before.
 * @throws system errors
 */
export async function createClaim(holdersDir: string, holder: HolderRecord): Promise<LockClaim> {
  const id = randomBytes(8).toString('hex');
  const file = join(holdersDir, `owner-${id}.json`);
  const socketFile = join(holdersDir, `owner-${id}.sock`);
  const listener = await startListener(holdersDir, `owner-${id}.sock`);
  const withdraw = () => {
    // Files go first: a process that sees the connection end while the claim exists takes us for a holder that does
    // not reply.
    try {
      removeHolder(holdersDir, id);
    } finally {
      listener?.close();
    }
  };
  const record = {
    ...holder,
    socket: listener === null ? null : readInode(socketFile),
    home: getDirectoryIdentity(holdersDir),
  };
  try {
    writeAtomically(file, `${JSON.stringify(record)}\n`);
  } catch (error) {
    withdraw();
    throw error;
  }
  const inode = readInode(file)?.ino;
  return {
    id,
    record,
    markHeld: () => closeSync(openSync(join(holdersDir, `owner-${id}.held`), 'w', 0o600)),
    isValid: () => readFreshInode(file) === inode,
    onConnection: (onConnect) => listener?.onConnection(onConnect),
    withdraw,
  };
}

/** Lists all holders, dead or alive. Changes nothing. */
export async function listHolders(holdersDir: string): Promise<FoundHolder[]> {
  const holders: FoundHolder[] = [];
  for (const name of readdirSync(holdersDir).sort()) {
    const id = HOLDER_FILE.exec(name)?.[1];
    const holder = id === undefined ? null : await inspectHolder(holdersDir, id);
    if (holder !== null) holders.push(holder);
  }
  return holders;
}

/**
 * Lists the holders that are not provably dead, and removes the files of the dead ones. Names are never reused, so no
 * other process's file can be removed.
 */
export async function pruneHolders(holdersDir: string, exceptId: string | null = null): Promise<FoundHolder[]> {
  const holders = await listHolders(holdersDir);
  for (const { id, liveness } of holders) if (liveness === 'dead') removeHolder(holdersDir, id);
  return holders.filter(({ id, liveness }) => liveness !== 'dead' && id !== exceptId);
}

/** Removes a holder's files, so that it stops writing. */
export function removeHolder(holdersDir: string, id: string): void {
  // The holder file first: without it, the other files mean nothing.
  for (const kind of ['json', 'held', 'sock']) rmSync(join(holdersDir, `owner-${id}.${kind}`), { force: true });
}

/** Removes files of processes that were killed while claiming or withdrawing. */
export function removeStaleFiles(holdersDir: string): void {
  const names = readdirSync(holdersDir);
  for (const name of names.filter((fileName) => STALE_FILE.test(fileName))) {
    const hasHolderFile = names.includes(name.replace(/\..*$/, '.json'));
    const path = join(holdersDir, name);
    const modifiedAt = statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY;
    if (!hasHolderFile && modifiedAt < systemClock.now() - HOUR) rmSync(path, { force: true });
  }
}

async function inspectHolder(holdersDir: string, id: string): Promise<FoundHolder | null> {
  const text = readHolderText(join(holdersDir, `owner-${id}.json`));
  if (text === null) return null;
  const record = parseHolderRecord(text);
  // Files are renamed into place whole: a partial one belongs to no live process.
  if (record === null) return { id, record, liveness: isJson(text) ? 'unknown' : 'dead', hasLock: true };
  const socketFile = `owner-${id}.sock`;
  const { path, release } = openSocketPath(holdersDir, socketFile);
  const liveness = await checkLiveness(record, {
    holdersDir,
    socketFile: path,
    inode: readInode(join(holdersDir, socketFile)),
  }).finally(release);
  const hasLock = existsSync(join(holdersDir, `owner-${id}.held`));
  return { id, record, liveness, hasLock };
}

/** @returns null if the file is gone or is none of ours: a directory, a pipe, a link, another user's file */
function readHolderText(path: string): string | null {
  const result = readSafely(path);
  switch (result.kind) {
    case 'text':
      return result.text;
    case 'missing':
    case 'unfit':
      return null;
    case 'failed':
      throw result.error;
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

function readInode(path: string): Inode | null {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat === undefined ? null : { dev: stat.dev, ino: stat.ino };
}

/**
 * Returns the inode of the file at a path; undefined if there is none. Opens the file: attributes alone may be answered
 * from a cache after another machine has removed it (nfs(5), close-to-open cache consistency).
 */
function readFreshInode(path: string): number | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    // Without a free file descriptor, for example, the attributes must suffice.
    return isMissingError(error) ? undefined : readInode(path)?.ino;
  }
  try {
    return fstatSync(fd).ino;
  } finally {
    closeSync(fd);
  }
}

const isMissingError = (error: unknown) =>
  error instanceof Error && 'code' in error && ['ENOENT', 'ENOTDIR', 'ESTALE', 'ELOOP'].includes(String(error.code));

function writeAtomically(file: string, text: string): void {
  const temporaryFile = `${file}.new`;
  const fd = openSync(temporaryFile, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  renameSync(temporaryFile, file);
}
