import { createGunzip } from 'node:zlib';
import { openPlainFile } from '../ports/plain-file.ts';

/** How much of a file is wanted: so many bytes of its beginning or of its end. */
export interface Share {
  readonly part: 'start' | 'end';
  readonly most: number;
}

/** A file of an archive or a directory: its path there, and the share of its content that was wanted. */
export interface FoundFile {
  readonly path: string;
  readonly content: Buffer;
  /** Nothing is missing of it. */
  readonly isWhole: boolean;
  /** When it was written, ms, as far as it is told. */
  readonly modifiedAt: number;
}

/** Who reads an archive or a directory: what of a path is wanted, and who takes it; one file at a time is in memory. */
export interface Reader {
  /** Null: nothing of it. */
  readonly wanted: (path: string) => Share | null;
  readonly take: (file: FoundFile) => void;
}

/** How much is read. */
export interface ReadLimits {
  /** Of all that is wanted, in bytes. */
  readonly taken: number;
  /** Of the whole archive, unpacked, in bytes. */
  readonly unpacked: number;
  readonly entries: number;
}

const BLOCK = 512;
const PIECE = 256 * 1024;
/** Names that need more than a header has room for, and no longer. */
const LONGEST_NAME = 4096;

/** Packings that we do not read, by their first bytes (hexadecimal), and the program that takes them off. */
const PACKINGS = [
  { magic: 'fd377a585a00', name: 'xz' },
  { magic: '425a68', name: 'bzip2' },
  { magic: '28b52ffd', name: 'zstd' },
  { magic: '504b0304', name: 'zip' },
  { magic: '377abcaf271c', name: '7z' },
] as const;
export type Packing = (typeof PACKINGS)[number]['name'];

/** The file is no archive that we read. `packing`: what it is packed with, where that is known. */
export class NotAnArchive extends Error {
  readonly packing: Packing | null;

  constructor(packing: Packing | null = null) {
    super();
    this.packing = packing;
  }
}

/**
 * Reads the files of an archive (tar, alone or in gzip) that are wanted, one after the other: nothing is written anywhere, links and devices
 * are left out, and so are paths that lead out of the archive.
 * @returns `isCut` when a limit ended it, or the archive ends in the middle or is damaged there
 * @throws the system's error for a file that cannot be read; NotAnArchive for one that is none
 */
export async function readArchive(
  file: string,
  reader: Reader,
  limits: ReadLimits,
  signal?: AbortSignal,
): Promise<{ readonly isCut: boolean }> {
  await using handle = await openPlainFile(file);
  const magic = Buffer.alloc(8);
  await handle.read(magic, 0, magic.length, 0);
  const packing = PACKINGS.find((each) => magic.toString('hex').startsWith(each.magic));
  if (packing !== undefined) throw new NotAnArchive(packing.name);
  const tar = tarReader(reader, limits);
  const source = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: PIECE });
  const stream = magic[0] === 0x1f && magic[1] === 0x8b ? source.pipe(createGunzip({ chunkSize: PIECE })) : source;
  source.on('error', (error) => stream.destroy(error));
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      if (!tar.take(chunk as Buffer)) break;
    }
  } catch (error) {
    if (signal?.aborted || error instanceof NotAnArchive) throw error;
    // A download that was cut: what came before is worth reading.
    if (!isDamaged(error)) throw error;
  } finally {
    source.destroy();
    stream.destroy();
  }
  return tar.end();
}

/** What zlib says of bytes that are missing or wrong. */
function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

interface Entry {
  readonly kind: 'file' | 'name' | 'attributes' | 'other';
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
  left: number;
  padding: number;
  /** Null: what it holds is passed over. */
  readonly share: Share | null;
  chunks: Buffer[];
  length: number;
}

function tarReader({ wanted, take }: Reader, limits: ReadLimits) {
  let [taken, unpacked, entries] = [0, 0, 0];
  let [waiting, entry, longName]: [Buffer, Entry | null, string | null] = [Buffer.alloc(0), null, null];
  let [isOver, isCut, isBroken] = [false, false, false];

  function begin(header: Buffer): void {
    if (header.every((byte) => byte === 0)) {
      isOver = true;
      return;
    }
    if (!isHeader(header)) {
      if (entries === 0) throw new NotAnArchive();
      // What came before is worth reading.
      [isOver, isBroken] = [true, true];
      return;
    }
    entries += 1;
    const size = numberOf(header.subarray(124, 136));
    const modifiedAt = numberOf(header.subarray(136, 148)) * 1000;
    const type = String.fromCharCode(header[156] ?? 0);
    const kind = type === '0' || type === '\0' ? 'file' : type === 'L' ? 'name' : type === 'x' ? 'attributes' : 'other';
    const path = longName ?? pathOf(header);
    if (kind === 'file' || kind === 'other') longName = null;
    const share = shareOf(kind, path, size);
    const padding = (BLOCK - (size % BLOCK)) % BLOCK;
    entry = { kind, path, size, modifiedAt, left: size, padding, share, chunks: [], length: 0 };
    if (size === 0) finish(entry);
  }

  function shareOf(kind: Entry['kind'], path: string, size: number): Share | null {
    if (kind === 'name' || kind === 'attributes')
      return size <= LONGEST_NAME ? { part: 'start', most: LONGEST_NAME } : null;
    return kind === 'file' && isInside(path) && taken < limits.taken ? wanted(path) : null;
  }

  function keep(current: Entry, part: Buffer): void {
    const { share, chunks } = current;
    if (share === null) return;
    if (share.part === 'start') {
      const room = share.most - current.length;
      if (room <= 0) return;
      chunks.push(Buffer.from(part.subarray(0, room)));
      current.length += Math.min(room, part.length);
      return;
    }
    chunks.push(Buffer.from(part));
    current.length += part.length;
    while (current.length - (chunks[0]?.length ?? 0) >= share.most) current.length -= chunks.shift()?.length ?? 0;
  }

  function finish(current: Entry): void {
    const { share, kind, path, size, left, modifiedAt } = current;
    if (share === null) return;
    const joined = Buffer.concat(current.chunks);
    current.chunks = [];
    const content = share.part === 'end' ? joined.subarray(-share.most) : joined;
    if (kind === 'name') longName = content.toString('utf8').replace(/\0.*$/s, '');
    if (kind === 'attributes') longName = /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1] ?? longName;
    if (kind !== 'file') return;
    taken += content.length;
    take({ path, content, isWhole: left === 0 && content.length === size, modifiedAt });
  }

  /** @returns the bytes that were used, 0 when more are needed */
  function step(bytes: Buffer): number {
    if (entry !== null && entry.left > 0) {
      const part = bytes.subarray(0, entry.left);
      keep(entry, part);
      entry.left -= part.length;
      if (entry.left === 0) finish(entry);
      return part.length;
    }
    if (entry !== null && entry.padding > 0) {
      const used = Math.min(entry.padding, bytes.length);
      entry.padding -= used;
      return used;
    }
    entry = null;
    if (bytes.length < BLOCK) return 0;
    begin(bytes.subarray(0, BLOCK));
    return BLOCK;
  }

  return {
    /** @returns false when no more has to come */
    take(chunk: Buffer): boolean {
      unpacked += chunk.length;
      let bytes = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
      while (bytes.length > 0 && !isOver) {
        const used = step(bytes);
        if (used === 0) break;
        bytes = bytes.subarray(used);
      }
      waiting = isOver ? Buffer.alloc(0) : Buffer.from(bytes);
      isCut = unpacked > limits.unpacked || entries > limits.entries || taken >= limits.taken;
      return !isOver && !isCut;
    },
    end(): { readonly isCut: boolean } {
      if (entries === 0) throw new NotAnArchive();
      // Without its end the last file is not whole: what came of it is worth reading too.
      if (entry !== null && entry.left > 0) finish(entry);
      return { isCut: isCut || isBroken || !isOver };
    },
  };
}

/** Its own checksum: the sum of its bytes, with blanks in place of the checksum (POSIX.1-1988, ustar). */
function isHeader(header: Buffer): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  return sum === numberOf(header.subarray(148, 156));
}

/** Octal digits, or as GNU writes what is too large for them. */
function numberOf(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return field.subarray(1).reduce((value, byte) => value * 256 + byte, 0);
  return Number.parseInt(field.toString('latin1').replace(/[^0-7]/g, '') || '0', 8);
}

function pathOf(header: Buffer): string {
  const text = (from: number, to: number) => header.subarray(from, to).toString('utf8').replace(/\0.*$/s, '');
  const prefix = text(257, 262) === 'ustar' ? text(345, 500) : '';
  return prefix === '' ? text(0, 100) : `${prefix}/${text(0, 100)}`;
}

function isInside(path: string): boolean {
  return !path.startsWith('/') && !path.split('/').includes('..');
}
