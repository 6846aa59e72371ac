import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call } from './strace.ts';

/** An operation of a program, from the point of view of a disk. Paths are absolute. */
export type Operation =
  | { readonly type: 'create' | 'mkdir' | 'remove'; readonly path: string; readonly mode: number }
  | { readonly type: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly type: 'write'; readonly path: string; readonly data: Buffer; readonly at: number | 'end' }
  | { readonly type: 'truncate'; readonly path: string; readonly size: number }
  | { readonly type: 'sync'; readonly path: string }
  | { readonly type: 'output'; readonly text: string };

const STRING = /"((?:\\x[0-9a-f]{2})*)"/g;
const DESCRIPTOR = /^(\d+)<((?:\\x[0-9a-f]{2})*)>/;
const decode = (hex: string) => Buffer.from(hex.replaceAll('\\x', ''), 'hex');

/**
 * Parses the operations of a trace, which must come from the option `dataBytes`, so that no data is cut. Returns those
 * below a directory, and the program's standard output. Open files are identified by the path that strace prints next
 * to their descriptor.
 */
export function parseOperations(calls: readonly Call[], below: string): Operation[] {
  const isOurs = (path: string) => path === below || path.startsWith(`${below}/`);
  return calls
    .filter(({ result }) => result !== null && !result.startsWith('-1'))
    .flatMap((call) => parseOperation(call))
    .filter((operation) => {
      if (operation.type === 'output') return true;
      return 'to' in operation ? isOurs(operation.to) : isOurs(operation.path);
    });
}

function parseOperation({ name, args, result }: Call): Operation[] {
  const texts = [...args.matchAll(STRING)].map(([, hex = '']) => decode(hex));
  const [first = '', second = ''] = texts.map(String);
  const [, fd = '', hexPath = ''] = DESCRIPTOR.exec(args) ?? [];
  const path = decode(hexPath).toString();
  const numbers = args.split(', ').map(Number);
  switch (name) {
    case 'openat': {
      const opened = decode(/<((?:\\x[0-9a-f]{2})*)>/.exec(result ?? '')?.[1] ?? '').toString();
      const created: Operation[] = args.includes('O_CREAT')
        ? [{ type: 'create', path: opened, mode: Number.parseInt(/, (0\d+)$/.exec(args)?.[1] ?? '0600', 8) }]
        : [];
      return args.includes('O_TRUNC') ? [...created, { type: 'truncate', path: opened, size: 0 }] : created;
    }
    case 'write':
    case 'writev': {
      const data = Buffer.concat(texts).subarray(0, Number(result));
      return fd === '1' ? [{ type: 'output', text: data.toString() }] : [{ type: 'write', path, data, at: 'end' }];
    }
    case 'pwrite64':
    case 'pwritev':
      return [{ type: 'write', path, data: Buffer.concat(texts).subarray(0, Number(result)), at: numbers.at(-1) ?? 0 }];
    case 'ftruncate':
      return [{ type: 'truncate', path, size: numbers.at(-1) ?? 0 }];
    case 'fsync':
    case 'fdatasync':
      return [{ type: 'sync', path }];
    case 'rename':
      return [{ type: 'rename', from: first, to: second }];
    case 'link':
      return [{ type: 'link', from: first, to: second }];
    case 'unlink':
    case 'rmdir':
      return [{ type: 'remove', path: first, mode: 0 }];
    case 'mkdir':
      return [{ type: 'mkdir', path: first, mode: Number.parseInt(/, (0\d+)$/.exec(args)?.[1] ?? '0700', 8) }];
    case 'close':
    case 'chmod':
    case 'fchmod':
      return [];
    default:
      throw new Error(`the disk does not support ${name}`);
  }
}

/** A file: the content that readers get, and the content that certainly survives a power loss. */
interface Inode {
  readonly mode: number;
  content: Buffer;
  durable: Buffer;
}

type Names = ReadonlyMap<string, Inode | 'directory'>;

/** A tree of files as a loss of power may leave it. */
export type Image = ReadonlyMap<string, Buffer | 'directory'>;

/** The possible states of file data that was not synced. */
const LOSSES = ['durable', 'whole', 'empty', 'zeros', 'torn'] as const;
/** `mixed`: an independent loss for each file. */
export type DataLoss = (typeof LOSSES)[number] | 'mixed';
/** Each loss at least once; the random ones several times. */
export const DATA_LOSSES: readonly DataLoss[] = [...LOSSES, 'torn', 'torn', 'torn', 'mixed', 'mixed', 'mixed'];

/**
 * A journaling file system in two images, volatile and durable. Names change in the order of its journal: a power loss
 * keeps the changes up to any point after the last sync of a directory. Data is durable from the sync of its file.
 * Before that it may be complete, missing, of length zero, zeros, or torn.
 */
export interface Disk {
  readonly apply: (operation: Operation) => void;
  /** Number of name changes that a power loss may undo. */
  readonly pending: () => number;
  /** @param changeCount number of pending name changes that reached the disk */
  readonly simulateLoss: (changeCount: number, loss: DataLoss, random: () => number) => Image;
}

export function createDisk(start: Image): Disk {
  let committed: Names = new Map(
    [...start].map(([path, data]) => [
      path,
      data === 'directory' ? data : { mode: 0o600, content: data, durable: data },
    ]),
  );
  let names = committed;
  let journal: Names[] = [];
  const change = (edit: (next: Map<string, Inode | 'directory'>) => void) => {
    const next = new Map(names);
    edit(next);
    names = next;
    journal.push(next);
  };
  const getFile = (path: string): Inode => {
    const found = names.get(path);
    if (found === undefined || found === 'directory') throw new Error(`no file ${path} on the disk`);
    return found;
  };
  return {
    pending: () => journal.length,
    apply(operation) {
      switch (operation.type) {
        case 'output':
          return;
        case 'create': {
          const { path, mode } = operation;
          const empty = Buffer.alloc(0);
          if (!names.has(path)) change((next) => next.set(path, { mode, content: empty, durable: empty }));
          return;
        }
        case 'mkdir':
          change((next) => next.set(operation.path, 'directory'));
          return;
        case 'remove':
          change((next) => next.delete(operation.path));
          return;
        case 'link':
          change((next) => next.set(operation.to, getFile(operation.from)));
          return;
        case 'rename': {
          const { from, to } = operation;
          change((next) => {
            next.set(to, getFile(from));
            next.delete(from);
          });
          return;
        }
        case 'write': {
          const file = getFile(operation.path);
          const offset = typeof operation.at === 'number' ? operation.at : file.content.length;
          const { data } = operation;
          const next = Buffer.alloc(Math.max(file.content.length, offset + data.length));
          file.content.copy(next);
          data.copy(next, offset);
          file.content = next;
          return;
        }
        case 'truncate': {
          const file = getFile(operation.path);
          const next = Buffer.alloc(operation.size);
          file.content.copy(next);
          file.content = next;
          return;
        }
        case 'sync': {
          const found = names.get(operation.path);
          if (found !== undefined && found !== 'directory') {
            found.durable = found.content;
            return;
          }
          committed = names;
          journal = [];
          return;
        }
      }
    },
    simulateLoss(changeCount, loss, random) {
      const tree = changeCount === 0 ? committed : (journal[changeCount - 1] ?? names);
      return new Map(
        [...tree].map(([path, entry]) => [path, entry === 'directory' ? entry : dataAfterLoss(entry, loss, random)]),
      );
    },
  };
}

function dataAfterLoss(
  { content, durable }: Pick<Inode, 'content' | 'durable'>,
  loss: DataLoss,
  random: () => number,
): Buffer {
  if (content === durable) return durable;
  // An append to a synced file never damages the synced part.
  const isAppended = content.length >= durable.length && content.subarray(0, durable.length).equals(durable);
  const synced = isAppended ? durable : Buffer.alloc(0);
  const unsynced = content.subarray(synced.length);
  switch (loss) {
    case 'durable':
      return durable;
    case 'whole':
      return content;
    case 'empty':
      return synced;
    case 'zeros':
      return Buffer.concat([synced, Buffer.alloc(unsynced.length)]);
    case 'mixed':
      return dataAfterLoss({ content, durable }, LOSSES[Math.floor(random() * LOSSES.length)] ?? 'whole', random);
    case 'torn':
      return Buffer.concat([synced, unsynced.subarray(0, Math.floor(random() * unsynced.length))]);
  }
}

/** Writes an image below `to`: the prefix `from` of its paths is replaced by `to`. */
export function writeImage(image: Image, from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const [path, data] of [...image].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const target = join(to, path.slice(from.length));
    mkdirSync(data === 'directory' ? target : dirname(target), { recursive: true, mode: 0o700 });
    if (data !== 'directory') writeFileSync(target, data, { mode: 0o600 });
  }
}

/** File contents by number. Consecutive images share most of their files. */
const contents = new Map<string, number>();
const numbers = new WeakMap<Buffer, number>();

function getContentNumber(data: Buffer): number {
  const known = numbers.get(data);
  if (known !== undefined) return known;
  const text = data.toString('latin1');
  const number = contents.get(text) ?? contents.size;
  contents.set(text, number);
  numbers.set(data, number);
  return number;
}

/** Computes a key that is equal for two images with the same state. */
export function computeImageKey(image: Image): string {
  return [...image]
    .map(([path, data]) => `${path} ${data === 'directory' ? data : getContentNumber(data)}`)
    .sort()
    .join('\n');
}
