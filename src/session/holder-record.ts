import { readlinkSync } from 'node:fs';
import { catalogue } from '../i18n/catalogue.ts';
import { formatDate, systemClock } from '../platform/clock.ts';
import { isCopiedDirectory } from '../platform/directory-identity.ts';
import { getUserName } from '../platform/environment.ts';
import { findLiveProcess, getOwnLocation, type ProcessLocation } from '../platform/process.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import * as z from '../platform/zod.ts';
import { probeSocket } from './holder-socket.ts';

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
export type Liveness = 'alive' | 'dead' | 'unknown';

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
export function parseHolderRecord(text: string): HolderRecord | null {
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
export async function checkLiveness(
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
export interface Inode {
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
