import { createGunzip } from 'node:zlib';
import { openPlainFile } from '../ports/plain-file.ts';

/** A file of an archive: its path there, and the end of its content. */
export interface ArchivedFile {
  readonly path: string;
  readonly content: Buffer;
}

/** How much of an archive is read. */
export interface ArchiveLimits {
  /** Of one file, from its end, in bytes. */
  readonly perFile: number;
  /** Of all files together, in bytes. */
  readonly kept: number;
  /** Of the whole archive, unpacked, in bytes. */
  readonly unpacked: number;
  readonly entries: number;
}

/** What came of reading: `isCut` when a limit ended it, or the archive ends in the middle. */
export interface Archive {
  readonly files: readonly ArchivedFile[];
  readonly isCut: boolean;
}

const BLOCK = 512;
/** Names that need more than a header has room for, and no longer. */
const LONGEST_NAME = 4096;

/**
 * Reads the files of an archive (tar, alone or in gzip) that are wanted, into memory: nothing is written anywhere, links and devices
 * are left out, and so are paths that lead out of the archive.
 * @throws the system's error for a file that cannot be read; NotAnArchive for one that is none
 */
export async function readArchive(
  file: string,
  isWanted: (path: string) => boolean,
  limits: ArchiveLimits,
  signal?: AbortSignal,
): Promise<Archive> {
  const reader = tarReader(isWanted, limits);
  await using handle = await openPlainFile(file);
  const magic = Buffer.alloc(2);
  await handle.read(magic, 0, 2, 0);
  const source = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: 256 * 1024 });
  const stream = magic[0] === 0x1f && magic[1] === 0x8b ? source.pipe(createGunzip()) : source;
  source.on('error', (error) => stream.destroy(error));
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      if (!reader.take(chunk as Buffer)) break;
    }
  } catch (error) {
    if (signal?.aborted || error instanceof NotAnArchive) throw error;
    // A download that was cut: what came before is worth reading.
    if (!isDamaged(error)) throw error;
  } finally {
    source.destroy();
    stream.destroy();
  }
  return reader.end();
}

/** The file is no archive that we read. */
export class NotAnArchive extends Error {}

/** What zlib says of bytes that are missing or wrong. */
function isDamaged(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

interface Entry {
  readonly kind: 'file' | 'name' | 'attributes' | 'other';
  readonly path: string;
  left: number;
  padding: number;
  readonly isKept: boolean;
  chunks: Buffer[];
  length: number;
}

function tarReader(isWanted: (path: string) => boolean, limits: ArchiveLimits) {
  const files: ArchivedFile[] = [];
  let [kept, unpacked, entries] = [0, 0, 0];
  let [waiting, entry, longName]: [Buffer, Entry | null, string | null] = [Buffer.alloc(0), null, null];
  let [isOver, isCut] = [false, false];

  function begin(header: Buffer): void {
    if (header.every((byte) => byte === 0)) {
      isOver = true;
      return;
    }
    if (!isHeader(header)) throw new NotAnArchive();
    entries += 1;
    const size = numberOf(header.subarray(124, 136));
    const type = String.fromCharCode(header[156] ?? 0);
    const kind = type === '0' || type === '\0' ? 'file' : type === 'L' ? 'name' : type === 'x' ? 'attributes' : 'other';
    const path = longName ?? pathOf(header);
    if (kind === 'file' || kind === 'other') longName = null;
    const isSpecial = (kind === 'name' || kind === 'attributes') && size <= LONGEST_NAME;
    const isKept = isSpecial || (kind === 'file' && isInside(path) && isWanted(path) && kept < limits.kept);
    entry = { kind, path, left: size, padding: (BLOCK - (size % BLOCK)) % BLOCK, isKept, chunks: [], length: 0 };
    if (size === 0) finish(entry);
  }

  function keep(current: Entry, part: Buffer): void {
    if (!current.isKept) return;
    current.chunks.push(Buffer.from(part));
    current.length += part.length;
    while (current.length - (current.chunks[0]?.length ?? 0) >= limits.perFile)
      current.length -= current.chunks.shift()?.length ?? 0;
  }

  function finish(current: Entry): void {
    const content = Buffer.concat(current.chunks).subarray(-limits.perFile);
    if (current.isKept && current.kind === 'name') longName = content.toString('utf8').replace(/\0.*$/s, '');
    if (current.isKept && current.kind === 'attributes')
      longName = /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1] ?? longName;
    if (current.isKept && current.kind === 'file') {
      files.push({ path: current.path, content });
      kept += content.length;
    }
    current.chunks = [];
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
      isCut = unpacked > limits.unpacked || entries > limits.entries || kept >= limits.kept;
      return !isOver && !isCut;
    },
    end(): Archive {
      if (entries === 0) throw new NotAnArchive();
      // Without its end the last file is not whole: what came of it is worth reading too.
      if (entry !== null && entry.left > 0) finish(entry);
      return { files, isCut: isCut || !isOver };
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
