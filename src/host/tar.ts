import { createGunzip } from 'node:zlib';
import { openPlainFile } from '../platform/files.ts';

/** A file of an archive: its path inside (ASCII, at most 100 characters) and its content. */
interface TarFile {
  readonly path: string;
  readonly content: Buffer;
}

const BLOCK_BYTES = 512;

/**
 * Creates an archive in the format ustar (POSIX.1-1988), which every tar reads: plain files, readable by their owner
 * only, in the given order.
 * @param modifiedAt the time of all files, milliseconds since the epoch
 */
export function createTar(files: readonly TarFile[], modifiedAt: number): Buffer {
  const parts = files.flatMap(({ path, content }) => [
    createHeader(path, content.length, modifiedAt),
    padToBlock(content),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_BYTES)]);
}

function createHeader(path: string, size: number, modifiedAt: number): Buffer {
  if (!/^[\x20-\x7e]{1,100}$/.test(path)) throw new TypeError(`not a path for an archive: ${path}`);
  const block = Buffer.alloc(BLOCK_BYTES);
  const toOctal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  block.write(path, 0, 'latin1');
  block.write(toOctal(0o600, 8) + toOctal(0, 8) + toOctal(0, 8), 100, 'latin1');
  block.write(toOctal(size, 12) + toOctal(Math.floor(modifiedAt / 1000), 12), 124, 'latin1');
  // The checksum counts its own field as blanks.
  block.write('        0', 148, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function padToBlock(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((BLOCK_BYTES - (content.length % BLOCK_BYTES)) % BLOCK_BYTES)]);
}

/** Which part of a file is read: its first or its last bytes. */
export interface Excerpt {
  readonly part: 'start' | 'end';
  readonly maxBytes: number;
}

/** Receives the content of a whole file while it is read. */
interface FileSink {
  readonly part: 'all';
  readonly write: (chunk: Buffer) => void;
}

/** A file of an archive or a directory: its path there, and the requested excerpt of its content. */
export interface ArchiveFile {
  readonly path: string;
  readonly content: Buffer;
  /** Whether the whole file was read; `content` is empty if a sink received it. */
  readonly isComplete: boolean;
  /** Modification time in ms, as far as it is known. */
  readonly modifiedAt: number;
}

/** Selects what is read from an archive or a directory, and receives it; one file at a time is in memory. */
export interface FileVisitor {
  /** Selects the part of a file to read; null skips the file. */
  readonly selectPart: (path: string) => Excerpt | null;
  readonly onFile: (file: ArchiveFile) => void;
}

/** Selects and receives files of an archive, where a file of any size can be read. */
interface ArchiveVisitor {
  readonly selectPart: (path: string) => Excerpt | FileSink | null;
  readonly onFile: FileVisitor['onFile'];
}

/** Limits of what is read. */
export interface ReadLimits {
  /** The content of all selected files, in bytes. */
  readonly contentBytes: number;
  /** The whole archive, unpacked, in bytes. */
  readonly unpackedBytes: number;
  readonly entryCount: number;
}

const CHUNK_BYTES = 256 * 1024;
/** Maximum number of entries of an archive in memory. */
const MAX_ENTRIES = 100_000;
/** Limit for names that are longer than a header field (bytes). */
const MAX_NAME_BYTES = 4096;

/** Formats that we do not read, by their first bytes (hexadecimal), and the program that unpacks them. */
const UNSUPPORTED_FORMATS = [
  { magic: 'fd377a585a00', name: 'xz' },
  { magic: '425a68', name: 'bzip2' },
  { magic: '28b52ffd', name: 'zstd' },
  { magic: '504b0304', name: 'zip' },
  { magic: '377abcaf271c', name: '7z' },
] as const;
type UnsupportedFormat = (typeof UNSUPPORTED_FORMATS)[number]['name'];

/** The file is not an archive that we read. `format`: its format, if it is a known one. */
export class NotAnArchiveError extends Error {
  readonly format: UnsupportedFormat | null;

  constructor(format: UnsupportedFormat | null = null) {
    super();
    this.format = format;
  }
}

/**
 * Reads the selected files of an archive (tar, plain or in gzip), one by one. Nothing is written; links, devices
 * and paths that lead out of the archive are skipped.
 * @returns `isCut` if a limit ended it, or the archive is truncated or damaged
 * @throws the system's error for a file that cannot be read; NotAnArchiveError for one that is not an archive
 */
export async function readArchive(
  file: string,
  visitor: ArchiveVisitor,
  limits: ReadLimits,
  signal?: AbortSignal,
): Promise<{ readonly isCut: boolean }> {
  await using handle = await openPlainFile(file);
  const magic = Buffer.alloc(8);
  await handle.read(magic, 0, magic.length, 0);
  const format = UNSUPPORTED_FORMATS.find((format) => magic.toString('hex').startsWith(format.magic));
  if (format !== undefined) throw new NotAnArchiveError(format.name);
  const tar = createTarReader(visitor, limits);
  const source = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: CHUNK_BYTES });
  const stream =
    magic[0] === 0x1f && magic[1] === 0x8b ? source.pipe(createGunzip({ chunkSize: CHUNK_BYTES })) : source;
  source.on('error', (error) => stream.destroy(error));
  try {
    for await (const chunk of stream) {
      signal?.throwIfAborted();
      if (!tar.push(chunk as Buffer)) break;
    }
  } catch (error) {
    if (signal?.aborted || error instanceof NotAnArchiveError) throw error;
    // zlib reports a truncated download: the files before that point are still useful.
    if (!isZlibError(error)) throw error;
  } finally {
    source.destroy();
    stream.destroy();
  }
  return tar.end();
}

/**
 * Finds a file of an unpacked archive in memory.
 * @returns null if the archive does not contain the file, or it has more than `maxBytes`
 * @throws NotAnArchiveError
 */
export function findTarFile(tar: Buffer, path: string, maxBytes: number): Buffer | null {
  let fileContent: Buffer | null = null;
  const reader = createTarReader(
    {
      selectPart: (filePath) => (filePath === path ? { part: 'start', maxBytes } : null),
      onFile: ({ content, isComplete }) => {
        if (isComplete) fileContent = content;
      },
    },
    { contentBytes: maxBytes + 1, unpackedBytes: tar.length, entryCount: MAX_ENTRIES },
  );
  reader.push(tar);
  reader.end();
  return fileContent;
}

/** Errors of zlib for missing or wrong bytes. */
function isZlibError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^Z_/.test(String(error.code));
}

/** The entry of an archive that is being read. Entries of the kinds `name` and `attributes` describe the next file. */
interface ArchiveEntry {
  readonly kind: 'file' | 'name' | 'attributes' | 'other';
  readonly path: string;
  readonly size: number;
  readonly modifiedAt: number;
  remaining: number;
  padding: number;
  /** Null: the content is skipped. */
  readonly excerpt: Excerpt | FileSink | null;
  chunks: Buffer[];
  storedBytes: number;
}

function createTarReader({ selectPart, onFile }: ArchiveVisitor, limits: ReadLimits) {
  let [contentBytes, unpackedBytes, entryCount] = [0, 0, 0];
  let [pendingChunk, entry, longName]: [Buffer, ArchiveEntry | null, string | null] = [Buffer.alloc(0), null, null];
  let [isEnded, isCut, isBroken] = [false, false, false];

  function beginEntry(header: Buffer): void {
    if (header.every((byte) => byte === 0)) {
      isEnded = true;
      return;
    }
    if (!hasValidChecksum(header)) {
      if (entryCount === 0) throw new NotAnArchiveError();
      // Stops at a damaged header: the entries before it are still useful.
      [isEnded, isBroken] = [true, true];
      return;
    }
    entryCount += 1;
    const size = parseNumber(header.subarray(124, 136));
    const modifiedAt = parseNumber(header.subarray(136, 148)) * 1000;
    const type = String.fromCharCode(header[156] ?? 0);
    const kind = type === '0' || type === '\0' ? 'file' : type === 'L' ? 'name' : type === 'x' ? 'attributes' : 'other';
    const path = longName ?? parseEntryPath(header);
    if (kind === 'file' || kind === 'other') longName = null;
    const excerpt = selectExcerpt(kind, path, size);
    const padding = (BLOCK_BYTES - (size % BLOCK_BYTES)) % BLOCK_BYTES;
    entry = { kind, path, size, modifiedAt, remaining: size, padding, excerpt, chunks: [], storedBytes: 0 };
    if (size === 0) finishEntry(entry);
  }

  function selectExcerpt(kind: ArchiveEntry['kind'], path: string, size: number): Excerpt | FileSink | null {
    if (kind === 'name' || kind === 'attributes')
      return size <= MAX_NAME_BYTES ? { part: 'start', maxBytes: MAX_NAME_BYTES } : null;
    return kind === 'file' && isInsideArchive(path) && contentBytes < limits.contentBytes ? selectPart(path) : null;
  }

  function storeChunk(current: ArchiveEntry, chunk: Buffer): void {
    const { excerpt, chunks } = current;
    if (excerpt === null) return;
    if (excerpt.part === 'all') {
      excerpt.write(chunk);
      current.storedBytes += chunk.length;
      return;
    }
    if (excerpt.part === 'start') {
      const space = excerpt.maxBytes - current.storedBytes;
      if (space <= 0) return;
      chunks.push(Buffer.from(chunk.subarray(0, space)));
      current.storedBytes += Math.min(space, chunk.length);
      return;
    }
    chunks.push(Buffer.from(chunk));
    current.storedBytes += chunk.length;
    while (current.storedBytes - (chunks[0]?.length ?? 0) >= excerpt.maxBytes)
      current.storedBytes -= chunks.shift()?.length ?? 0;
  }

  function finishEntry(current: ArchiveEntry): void {
    const { excerpt, kind, path, size, remaining, modifiedAt } = current;
    if (excerpt === null) return;
    const bytes = Buffer.concat(current.chunks);
    current.chunks = [];
    const content = excerpt.part === 'end' ? bytes.subarray(-excerpt.maxBytes) : bytes;
    if (kind === 'name') longName = content.toString('utf8').replace(/\0.*$/s, '');
    if (kind === 'attributes') longName = /^\d+ path=(.*)$/m.exec(content.toString('utf8'))?.[1] ?? longName;
    if (kind !== 'file') return;
    contentBytes += content.length;
    const length = excerpt.part === 'all' ? current.storedBytes : content.length;
    onFile({ path, content, isComplete: remaining === 0 && length === size, modifiedAt });
  }

  /** @returns the number of bytes used; 0 if more are needed */
  function consume(bytes: Buffer): number {
    if (entry !== null && entry.remaining > 0) {
      const chunk = bytes.subarray(0, entry.remaining);
      storeChunk(entry, chunk);
      entry.remaining -= chunk.length;
      if (entry.remaining === 0) finishEntry(entry);
      return chunk.length;
    }
    if (entry !== null && entry.padding > 0) {
      const usedBytes = Math.min(entry.padding, bytes.length);
      entry.padding -= usedBytes;
      return usedBytes;
    }
    entry = null;
    if (bytes.length < BLOCK_BYTES) return 0;
    beginEntry(bytes.subarray(0, BLOCK_BYTES));
    return BLOCK_BYTES;
  }

  return {
    /** @returns false when no more data is needed */
    push(chunk: Buffer): boolean {
      unpackedBytes += chunk.length;
      let bytes = pendingChunk.length === 0 ? chunk : Buffer.concat([pendingChunk, chunk]);
      while (bytes.length > 0 && !isEnded) {
        const usedBytes = consume(bytes);
        if (usedBytes === 0) break;
        bytes = bytes.subarray(usedBytes);
      }
      pendingChunk = isEnded ? Buffer.alloc(0) : Buffer.from(bytes);
      isCut =
        unpackedBytes > limits.unpackedBytes || entryCount > limits.entryCount || contentBytes >= limits.contentBytes;
      return !isEnded && !isCut;
    },
    end(): { readonly isCut: boolean } {
      if (entryCount === 0) throw new NotAnArchiveError();
      // If the archive ends within a file, the beginning of that file is still useful.
      if (entry !== null && entry.remaining > 0) finishEntry(entry);
      return { isCut: isCut || isBroken || !isEnded };
    },
  };
}

/** Checks the header's own checksum: the sum of its bytes, with the checksum field as blanks (POSIX.1-1988, ustar). */
function hasValidChecksum(header: Buffer): boolean {
  const sum = header.reduce((total, byte, index) => total + (index >= 148 && index < 156 ? 0x20 : byte), 0);
  return sum === parseNumber(header.subarray(148, 156));
}

/** Parses octal digits, or GNU's binary form of numbers that are too large for octal digits. */
function parseNumber(field: Buffer): number {
  if (((field[0] ?? 0) & 0x80) !== 0) return field.subarray(1).reduce((value, byte) => value * 256 + byte, 0);
  return Number.parseInt(field.toString('latin1').replace(/[^0-7]/g, '') || '0', 8);
}

function parseEntryPath(header: Buffer): string {
  const readText = (from: number, to: number) => header.subarray(from, to).toString('utf8').replace(/\0.*$/s, '');
  const prefix = readText(257, 262) === 'ustar' ? readText(345, 500) : '';
  return prefix === '' ? readText(0, 100) : `${prefix}/${readText(0, 100)}`;
}

function isInsideArchive(path: string): boolean {
  return !path.startsWith('/') && !path.split('/').includes('..');
}
