const BLOCK = 512;

/** An archive in the format ustar with these files, by path (ASCII, at most 100 characters). @param modified ms */
export function tarball(files: ReadonlyMap<string, string>, modified: number): Buffer {
  const parts = [...files].flatMap(([path, text]) => {
    const content = Buffer.from(text);
    const end = Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK);
    return [header(path, content.length, modified), content, end];
  });
  return Buffer.concat([...parts, Buffer.alloc(2 * BLOCK)]);
}

/** Name, mode, owner, size and time in octal, then a checksum that counts its own field as blanks (POSIX.1-1988). */
function header(path: string, size: number, modified: number): Buffer {
  const octal = (value: number, width: number) =>
    value
      .toString(8)
      .padStart(width - 1, '0')
      .concat('\0');
  const block = Buffer.alloc(BLOCK);
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
  for (const [at, text] of fields) block.write(text, at, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(octal(sum, 7).concat(' '), 148, 'latin1');
  return block;
}
