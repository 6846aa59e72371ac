const BLOCK_SIZE = 512;

/**
 * Creates a ustar archive.
 * @param files contents by path (ASCII, at most 100 characters)
 * @param modified ms
 */
export function createTarball(files: ReadonlyMap<string, string>, modified: number): Buffer {
  const parts = [...files].flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const end = Buffer.alloc((BLOCK_SIZE - (content.length % BLOCK_SIZE)) % BLOCK_SIZE);
    return [createHeader(path, content.length, modified), content, end];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK_SIZE)]);
}

/**
 * Writes name, mode, owner, size and time in octal, then a checksum that counts its own field as blanks (POSIX.1-1988).
 */
function createHeader(path: string, size: number, modified: number): Buffer {
  const octal = (value: number, width: number) =>
    value
      .toString(8)
      .padStart(width - 1, '0')
      .concat('\0');
  const block = Buffer.alloc(BLOCK_SIZE);
  const fields: readonly (readonly [number, string])[] = [
    [0, path],
    [100, octal(0o600, 8)],
    [108, octal(0, 8)],
    [116, octal(0, 8)],
    [124, octal(size, 12)],
    [136, octal(Math.floor(modified / 1000), 12)],
    [148, ' '.repeat(8)],
    [156, '0'],
    [257, 'ustar\x0000'],
  ];
  for (const [offset, text] of fields) block.write(text, offset, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(octal(sum, 7).concat(' '), 148, 'latin1');
  return block;
}
