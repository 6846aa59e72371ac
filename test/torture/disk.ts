import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Call } from './strace.ts';

/** What a program did, as a disk sees it. Paths are absolute. */
export type Operation =
  | { readonly type: 'create' | 'mkdir' | 'remove'; readonly path: string; readonly mode: number }
  | { readonly type: 'rename' | 'link'; readonly from: string; readonly to: string }
  | { readonly type: 'write'; readonly path: string; readonly data: Buffer; readonly at: number | 'end' }
  | { readonly type: 'truncate'; readonly path: string; readonly size: number }
  | { readonly type: 'sync'; readonly path: string }
  | { readonly type: 'shown'; readonly text: string };

const STRING = /"((?:\\x[0-9a-f]{2})*)"/g;
const DESCRIPTOR = /^(\d+)<((?:\\x[0-9a-f]{2})*)>/;
const decode = (hex: string) => Buffer.from(hex.replaceAll('\\x', ''), 'hex');

/**
 * The operations of a trace taken with `dataBytes` and nothing cut short: those below a directory, and what the program
 * showed on standard output. Opened files are known by the path that strace writes beside their descriptor.
 */
export function operationsOf(calls: readonly Call[], below: string): Operation[] {
  const isOurs = (path: string) => path === below || path.startsWith(`${below}/`);
  return calls
    .filter(({ result }) => result !== null && !result.startsWith('-1'))
    .flatMap((call) => operationOf(call))
    .filter((operation) => {
      if (operation.type === 'shown') return true;
      return 'to' in operation ? isOurs(operation.to) : isOurs(operation.path);
    });
}

function operationOf({ name, args, result }: Call): Operation[] {
  const texts = [...args.matchAll(STRING)].map(([, hex = '']) => decode(hex));
  const [first = '', second = ''] = texts.map(String);
  const [, fd = '', hexPath = ''] = DESCRIPTOR.exec(args) ?? [];
  const path = decode(hexPath).toString();
  const numbers = args.split(', ').map(Number);
  switch (name) {
    case 'openat': {
      const opened = decode(/<((?:\\x[0-9a-f]{2})*)>/.exec(result ?? '')?.[1] ?? '').toString();
      const made: Operation[] = args.includes('O_CREAT')
        ? [{ type: 'create', path: opened, mode: Number.parseInt(/, (0\d+)$/.exec(args)?.[1] ?? '0600', 8) }]
        : [];
      return args.includes('O_TRUNC') ? [...made, { type: 'truncate', path: opened, size: 0 }] : made;
    }
    case 'write':
    case 'writev': {
      const data = Buffer.concat(texts).subarray(0, Number(result));
      return fd === '1' ? [{ type: 'shown', text: data.toString() }] : [{ type: 'write', path, data, at: 'end' }];
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
      throw new Error(`the disk does not know ${name}`);
  }
}

/** A file: what its readers see, and what a loss of power leaves for certain. */
interface Inode {
  readonly mode: number;
  content: Buffer;
  durable: Buffer;
}

type Names = ReadonlyMap<string, Inode | 'directory'>;

/** A tree of files as a loss of power may leave it. */
export type Image = ReadonlyMap<string, Buffer | 'directory'>;

/** What the data of a file that was not synced has become. */
const FATES = ['durable', 'whole', 'empty', 'zeros', 'torn'] as const;
/** `mixed`: every file its own. */
export type DataFate = (typeof FATES)[number] | 'mixed';
/** Each at least once; what depends on chance several times. */
export const DATA_FATES: readonly DataFate[] = [...FATES, 'torn', 'torn', 'torn', 'mixed', 'mixed', 'mixed'];

/**
 * A journaling file system in two images, volatile and durable. Names change in the order of its journal: a loss of
 * power leaves the changes up to any point after the last sync of a directory. Data lasts from the sync of its file;
 * before that it may be there, missing, of length zero, zeros, or torn.
 */
export interface Disk {
  readonly apply: (operation: Operation) => void;
  /** How many changes of names a loss of power may take back. */
  readonly pending: () => number;
  /** @param kept how many of the pending changes of names reached the disk */
  readonly afterLoss: (kept: number, fate: DataFate, random: () => number) => Image;
}

export function newDisk(start: Image): Disk {
  let committed: Names = new Map(
    [...start].map(([path, data]) => [
      path,
      data === 'directory' ? data : { mode: 0o600, content: data, durable: data },
    ]),
  );
  let names = committed;
  let journal: Names[] = [];
  const change = (make: (next: Map<string, Inode | 'directory'>) => void) => {
    const next = new Map(names);
    make(next);
    names = next;
    journal.push(next);
  };
  const fileAt = (path: string): Inode => {
    const found = names.get(path);
    if (found === undefined || found === 'directory') throw new Error(`no file ${path} on the disk`);
    return found;
  };
  return {
    pending: () => journal.length,
    apply(operation) {
      switch (operation.type) {
        case 'shown':
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
          change((next) => next.set(operation.to, fileAt(operation.from)));
          return;
        case 'rename': {
          const { from, to } = operation;
          change((next) => {
            next.set(to, fileAt(from));
            next.delete(from);
          });
          return;
        }
        case 'write': {
          const file = fileAt(operation.path);
          const at = typeof operation.at === 'number' ? operation.at : file.content.length;
          const { data } = operation;
          const next = Buffer.alloc(Math.max(file.content.length, at + data.length));
          file.content.copy(next);
          data.copy(next, at);
          file.content = next;
          return;
        }
        case 'truncate': {
          const file = fileAt(operation.path);
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
    afterLoss(kept, fate, random) {
      const tree = kept === 0 ? committed : (journal[kept - 1] ?? names);
      return new Map(
        [...tree].map(([path, entry]) => [path, entry === 'directory' ? entry : dataAfterLoss(entry, fate, random)]),
      );
    },
  };
}

function dataAfterLoss(
  { content, durable }: Pick<Inode, 'content' | 'durable'>,
  fate: DataFate,
  random: () => number,
): Buffer {
  if (content === durable) return durable;
  // What was appended to a synced file never takes the synced part with it.
  const isAppended = content.length >= durable.length && content.subarray(0, durable.length).equals(durable);
  const kept = isAppended ? durable : Buffer.alloc(0);
  const fresh = content.subarray(kept.length);
  switch (fate) {
    case 'durable':
      return durable;
    case 'whole':
      return content;
    case 'empty':
      return kept;
    case 'zeros':
      return Buffer.concat([kept, Buffer.alloc(fresh.length)]);
    case 'mixed':
      return dataAfterLoss({ content, durable }, FATES[Math.floor(random() * FATES.length)] ?? 'whole', random);
    case 'torn':
      return Buffer.concat([kept, fresh.subarray(0, Math.floor(random() * fresh.length))]);
  }
}

/** Puts an image where its paths say, with `from` replaced by `to`. */
export function layOut(image: Image, from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const [path, data] of [...image].sort(([one], [other]) => (one < other ? -1 : 1))) {
    const place = join(to, path.slice(from.length));
    mkdirSync(data === 'directory' ? place : dirname(place), { recursive: true, mode: 0o700 });
    if (data !== 'directory') writeFileSync(place, data, { mode: 0o600 });
  }
}

/** What files hold, by number; most of the files of one image are those of the image before it. */
const contents = new Map<string, number>();
const numbers = new WeakMap<Buffer, number>();

function numberOf(data: Buffer): number {
  const known = numbers.get(data);
  if (known !== undefined) return known;
  const text = data.toString('latin1');
  const number = contents.get(text) ?? contents.size;
  contents.set(text, number);
  numbers.set(data, number);
  return number;
}

/** Two images are the same state when this is. */
export function keyOf(image: Image): string {
  return [...image]
    .map(([path, data]) => `${path} ${data === 'directory' ? data : numberOf(data)}`)
    .sort()
    .join('\n');
}
