import { buildRequestOptions, type DhcpClient } from './dhcp.ts';

/**
 * Evaluates a condition of dhcpd.conf for a client's request (dhcp-eval(5)): or, and, not, exists, comparison, option,
 * substring.
 * @param tokens the words and signs of the condition
 * @param codes the numbers of the options that it can name
 */
export function evaluateCondition(
  tokens: readonly string[],
  client: DhcpClient,
  codes: ReadonlyMap<string, number>,
): boolean {
  const options = buildRequestOptions(client);
  let position = 0;
  const peek = () => tokens[position];
  const next = () => tokens[position++] ?? '';
  const evaluateOr = (): boolean => {
    let value = evaluateAnd();
    while (peek() === 'or') {
      next();
      const right = evaluateAnd();
      value = value || right;
    }
    return value;
  };
  const evaluateAnd = (): boolean => {
    let value = evaluateTerm();
    while (peek() === 'and') {
      next();
      const right = evaluateTerm();
      value = value && right;
    }
    return value;
  };
  const evaluateTerm = (): boolean => {
    if (peek() === 'not') {
      next();
      return !evaluateTerm();
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
      const value = evaluateOr();
      next();
      return value;
    }
    const left = readData();
    const operator = next();
    const right = readData();
    const isEqual = left !== null && right !== null && isSameData(left, right);
    return operator === '!=' ? !isEqual : isEqual;
  };
  const readData = (): Buffer | number | null => {
    const token = next();
    if (token === 'option') return options.get(codes.get(next()) ?? -1) ?? null;
    if (token === 'substring') {
      next();
      const value = readData();
      next();
      const offset = Number(next());
      next();
      const length = Number(next());
      next();
      return Buffer.isBuffer(value) ? value.subarray(offset, offset + length) : null;
    }
    if (token.startsWith('"')) return Buffer.from(token.slice(1, -1));
    if (/^(?:0x[0-9a-f]+|\d+)$/i.test(token)) return Number(token);
    return Buffer.from(token.split(':').map((byte) => Number.parseInt(byte, 16)));
  };
  return evaluateOr();
}

function isSameData(left: Buffer | number, right: Buffer | number): boolean {
  const number = (value: Buffer | number) =>
    typeof value === 'number' ? value : value.length > 0 && value.length <= 6 ? value.readUIntBE(0, value.length) : -1;
  if (Buffer.isBuffer(left) && Buffer.isBuffer(right)) return left.equals(right);
  return number(left) === number(right);
}
