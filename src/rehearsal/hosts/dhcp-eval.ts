import { type DhcpClient, requestOptions } from './dhcp.ts';

/**
 * Whether a condition of dhcpd.conf holds for what a client asks with (dhcp-eval(5)): or, and, not, exists, comparison, option,
 * substring.
 * @param words the condition, cut into its words and signs
 * @param codes the numbers of the options that it may name
 */
export function isSo(words: readonly string[], client: DhcpClient, codes: ReadonlyMap<string, number>): boolean {
  const options = requestOptions(client);
  let position = 0;
  const peek = () => words[position];
  const next = () => words[position++] ?? '';
  const either = (): boolean => {
    let value = both();
    while (peek() === 'or') {
      next();
      const right = both();
      value = value || right;
    }
    return value;
  };
  const both = (): boolean => {
    let value = single();
    while (peek() === 'and') {
      next();
      const right = single();
      value = value && right;
    }
    return value;
  };
  const single = (): boolean => {
    if (peek() === 'not') {
      next();
      return !single();
    }
    if (peek() === 'exists') {
      next();
      return options.has(codes.get(next()) ?? -1);
    }
    if (peek() === 'known') {
      next();
      return true;
    }
    if (peek() === '(') {
      next();
      const value = either();
      next();
      return value;
    }
    const left = data();
    const operator = next();
    const right = data();
    const isEqual = left !== null && right !== null && isSameData(left, right);
    return operator === '!=' ? !isEqual : isEqual;
  };
  const data = (): Buffer | number | null => {
    const word = next();
    if (word === 'option') return options.get(codes.get(next()) ?? -1) ?? null;
    if (word === 'substring') {
      next();
      const value = data();
      next();
      const offset = Number(next());
      next();
      const length = Number(next());
      next();
      return Buffer.isBuffer(value) ? value.subarray(offset, offset + length) : null;
    }
    if (word.startsWith('"')) return Buffer.from(word.slice(1, -1));
    if (/^(?:0x[0-9a-f]+|\d+)$/i.test(word)) return Number(word);
    return Buffer.from(word.split(':').map((byte) => Number.parseInt(byte, 16)));
  };
  return either();
}

function isSameData(left: Buffer | number, right: Buffer | number): boolean {
  const number = (value: Buffer | number) =>
    typeof value === 'number' ? value : value.length > 0 && value.length <= 6 ? value.readUIntBE(0, value.length) : -1;
  if (Buffer.isBuffer(left) && Buffer.isBuffer(right)) return left.equals(right);
  return number(left) === number(right);
}
