import { readlinkSync } from 'node:fs';
import { connect } from 'node:net';
import { userInfo } from 'node:os';
import { systemClock } from '../ports/clock.ts';
import { isCopied } from '../ports/directory-identity.ts';
import { ownPlace, type ProcessPlace } from '../ports/machine-identity.ts';
import { livingProcess } from '../ports/process-identity.ts';
import * as z from '../ports/zod.ts';

const schema = z
  .object({
    format: z.literal(1),
    /** What holds the directory: the wizard, or the name of a command. */
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
    /** The address that the person logged in from; null for a login at the machine itself. */
    from: z.string().nullable(),
    /** Milliseconds since the epoch, of the machine's clock. */
    since: z.number(),
    /** The socket beside the owner file, on which the owner listens as long as it lives. Null where the file system has none. */
    socket: z.object({ dev: z.number(), ino: z.number() }).readonly().nullable(),
    /** Which directory the file was written into: in a copy of it, it says nothing. */
    home: z.string().nullable().default(null),
  })
  .readonly();

/** Who holds the lock of an install directory, or is about to. */
export type Owner = z.infer<typeof schema>;

/** How sure we are of an owner. What cannot be proven dead is never overrun. */
export type Liveness = 'alive' | 'dead' | 'unknown';

/** This process as the owner of a directory. */
export function ownOwner(program: string, version: string, env: NodeJS.ProcessEnv = process.env): Owner {
  return {
    format: 1,
    program,
    version,
    ...ownPlace(),
    user: userName(),
    tty: ownTty(),
    from: env.SSH_CONNECTION?.split(' ')[0] || null,
    since: systemClock.now(),
    socket: null,
    home: null,
  };
}

/** @returns null for a text that is no owner of a format that we know */
export function parseOwner(text: string): Owner | null {
  try {
    const parsed = schema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

/**
 * Whether the owner still lives, and holds the directory in which its file lies.
 * - A file that was copied here with its directory: it holds the other one.
 * - In our pid namespace: the process with this number and start time lives.
 * - On our kernel: its socket refuses connections only when nobody listens any more. That holds in every namespace.
 * - An earlier boot of our machine: dead.
 * - Elsewhere: nobody can tell from here.
 */
export async function livenessOf(
  owner: Owner,
  { owners, socketFile, inode }: { readonly owners: string; readonly socketFile: string; readonly inode: Inode | null },
): Promise<Liveness> {
  const own = ownPlace();
  if (owner.boot === own.boot && owner.host === own.host && isCopied(owner.home, owners)) return 'dead';
  if (own.boot === '' || owner.boot !== own.boot) return isSameMachine(owner, own) ? 'dead' : 'unknown';
  if (own.pidNamespace !== null && owner.pidNamespace === own.pidNamespace)
    return isRunning(owner, own) ? 'alive' : 'dead';
  // Another mount of the same file system may show another socket, which would refuse us while the owner listens.
  const isItsSocket = inode !== null && owner.socket?.dev === inode.dev && owner.socket.ino === inode.ino;
  return isItsSocket ? await listening(socketFile) : 'unknown';
}

/** Identifies a file on this kernel. */
export interface Inode {
  readonly dev: number;
  readonly ino: number;
}

/** Whether this very process is in our pid namespace and runs, so that a signal would reach it and no other. */
export function isRunning(owner: ProcessPlace, own: ProcessPlace = ownPlace()): boolean {
  const isHere = own.boot !== '' && owner.boot === own.boot && owner.pidNamespace === own.pidNamespace;
  return isHere && own.pidNamespace !== null && livingProcess(owner.pid)?.start === owner.start;
}

function isSameMachine(one: ProcessPlace, other: ProcessPlace): boolean {
  return other.boot !== '' && other.machine !== '' && one.host === other.host && one.machine === other.machine;
}

function listening(socketFile: string): Promise<Liveness> {
  return new Promise((resolve) => {
    const socket = connect(socketFile);
    const done = (liveness: Liveness) => {
      socket.destroy();
      resolve(liveness);
    };
    socket.once('connect', () => done('alive'));
    socket.once('error', (error: NodeJS.ErrnoException) => done(error.code === 'ECONNREFUSED' ? 'dead' : 'unknown'));
  });
}

/** Who runs this program, by name. */
export function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run us under a number without a name.
    return String(process.getuid?.() ?? '');
  }
}

function ownTty(): string | null {
  try {
    return /^\/dev\/((?:pts\/|tty)\w+)$/.exec(readlinkSync('/proc/self/fd/0'))?.[1] ?? null;
  } catch {
    return null;
  }
}
