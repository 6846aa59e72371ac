import { basename } from 'node:path';
import { formatReverseName } from '../world/network/reverse-name.ts';

/** Returns the origin of a zone file, without the last dot: its `$ORIGIN`, else its file name. */
function parseOrigin(text: string, file: string): string {
  return /^\$ORIGIN\s+(\S+?)\.?\s*$/m.exec(text)?.[1] ?? basename(file, '.zone');
}

/**
 * Finds the line index of a record; -1 if there is none.
 * @param name absolute, without the last dot
 */
function findRecordLine(lines: readonly string[], origin: string, name: string, type: string): number {
  const owner = name === origin ? '@' : name.endsWith(`.${origin}`) ? name.slice(0, -origin.length - 1) : null;
  if (owner === null) return -1;
  return lines.findIndex((line) => {
    const [first, ...rest] = line.split(/\s+/);
    return (first === owner || first === `${name}.`) && rest.includes(type);
  });
}

/**
 * Removes the records of a name from a zone.
 * @param name a domain name, or an address for its reverse record (type PTR)
 */
export function dropRecord(text: string, file: string, name: string, type: 'A' | 'PTR'): string {
  const lines = text.split('\n');
  const origin = parseOrigin(text, file);
  const absolute = type === 'PTR' ? formatReverseName(name) : name;
  const types = type === 'A' ? ['A', 'AAAA'] : [type];
  const removed = new Set(
    types.map((each) => findRecordLine(lines, origin, absolute, each)).filter((index) => index >= 0),
  );
  return lines.filter((_line, index) => !removed.has(index)).join('\n');
}

/** Replaces the name of an address in a reverse zone. */
export function replaceReverseName(text: string, file: string, address: string, name: string): string {
  const lines = text.split('\n');
  const index = findRecordLine(lines, parseOrigin(text, file), formatReverseName(address), 'PTR');
  return lines.map((line, position) => (position === index ? line.replace(/\S+\s*$/, name) : line)).join('\n');
}

/** Replaces `*.apps.CLUSTER` with `*.CLUSTER` in a zone. */
export function widenWildcard(text: string, file: string, clusterDomain: string): string {
  const lines = text.split('\n');
  const origin = parseOrigin(text, file);
  const found = ['A', 'AAAA'].map((type) => findRecordLine(lines, origin, `*.apps.${clusterDomain}`, type));
  return lines.map((line, position) => (found.includes(position) ? line.replace('*.apps', '*') : line)).join('\n');
}
