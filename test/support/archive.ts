import { gzipSync } from 'node:zlib';

/** An entry of a tar archive, hostile or not: it is written exactly as given. */
export interface ArchiveEntry {
  readonly path: string;
  readonly content?: Buffer;
  /** `0` file, `5` directory, `2` symbolic link, `1` hard link, `3` device, `S` sparse. */
  readonly type?: string;
  readonly link?: string;
  /** Size in the header, if it differs from the length of the content. */
  readonly size?: number;
}

const BLOCK = 512;

/** Creates a tar archive as GNU tar does, with names of any length and entries of any type. */
export function createRawTar(entries: readonly ArchiveEntry[]): Buffer {
  return Buffer.concat([...entries.flatMap(createBlocks), Buffer.alloc(2 * BLOCK)]);
}

/** Creates a tar archive of files by path, compressed with gzip. */
export function createTarGz(files: Readonly<Record<string, string | Buffer>>): Buffer {
  const entries = Object.entries(files).map(([path, content]) => ({ path, content: Buffer.from(content) }));
  return gzipSync(createRawTar(entries), { level: 1 });
}

/** Creates the header of an entry; the content follows in whole blocks. */
export function createHeader({
  path,
  content = Buffer.alloc(0),
  type = '0',
  link = '',
  size = content.length,
}: ArchiveEntry): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  block.write(path, 0, 100, 'utf8');
  block.write(octal(0o600, 8) + octal(0, 8) + octal(0, 8), 100, 'latin1');
  if (size >= 8 ** 11) {
    block[124] = 0x80;
    block.writeBigUInt64BE(BigInt(size), 128);
  } else block.write(octal(size, 12), 124, 'latin1');
  block.write(octal(Date.UTC(2026, 10, 22, 12) / 1000, 12), 136, 'latin1');
  block.write(`        ${type}${link}`, 148, 'latin1');
  block.write('ustar  \0', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function createBlocks(entry: ArchiveEntry): Buffer[] {
  const name = Buffer.from(`${entry.path}\0`);
  const long = name.length <= 100 ? [] : createBlocks({ path: '././@LongLink', type: 'L', content: name });
  const { content = Buffer.alloc(0) } = entry;
  return [...long, createHeader(entry), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)];
}
