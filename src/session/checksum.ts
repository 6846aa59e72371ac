import { createHash } from 'node:crypto';

/** The SHA-256 of a JSON value, whatever the order of its keys. */
export function checksumOf(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('hex');
}

/** One text for one value: keys in order, no blanks. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (value === null || typeof value !== 'object') return JSON.stringify(value) ?? 'null';
  const entries = Object.entries(value).filter(([, each]) => each !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, each]) => `${JSON.stringify(key)}:${canonical(each)}`).join(',')}}`;
}
