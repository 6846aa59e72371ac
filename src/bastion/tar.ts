/** A file of an archive: its path inside (ASCII, at most 100 characters) and its content. */
export interface TarFile {
  readonly path: string;
  readonly content: Buffer;
}

const BLOCK = 512;

/**
 * Creates an archive in the format ustar (POSIX.1-1988), which every tar reads: plain files, readable by their owner
 * only, in the given order.
 * @param modified the time of all files, milliseconds since the epoch
 */
export function createTar(files: readonly TarFile[], modified: number): Buffer {
  const parts = files.flatMap(({ path, content }) => [
    createHeader(path, content.length, modified),
    padToBlock(content),
  ]);
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

function createHeader(path: string, size: number, modified: number): Buffer {
  if (!/^[\x20-\x7e]{1,100}$/.test(path)) throw new TypeError(`not a path for an archive: ${path}`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, width: number) => `${value.toString(8).padStart(width - 1, '0')}\0`;
  block.write(path, 0, 'latin1');
  block.write(octal(0o600, 8) + octal(0, 8) + octal(0, 8), 100, 'latin1');
  block.write(octal(size, 12) + octal(Math.floor(modified / 1000), 12), 124, 'latin1');
  // The checksum counts its own field as blanks.
  block.write('        0', 148, 'latin1');
  block.write('ustar\x0000', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function padToBlock(content: Buffer): Buffer {
  return Buffer.concat([content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]);
}
