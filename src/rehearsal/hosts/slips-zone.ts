import { basename } from 'node:path';
import { reverseName } from '../world/network/reverse-name.ts';

/** The origin of a zone file as it stands in it, without the last dot. */
function originOf(text: string, file: string): string {
  return /^\$ORIGIN\s+(\S+?)\.?\s*$/m.exec(text)?.[1] ?? basename(file, '.zone');
}

/** The line of a record, or -1. @param name absolute, without the last dot */
function lineOf(lines: readonly string[], origin: string, name: string, type: string): number {
  const owner = name === origin ? '@' : name.endsWith(`.${origin}`) ? name.slice(0, -origin.length - 1) : null;
  if (owner === null) return -1;
  return lines.findIndex((line) => {
    const [first, ...rest] = line.split(/\s+/);
    return (first === owner || first === `${name}.`) && rest.includes(type);
  });
}

/** The zone without the records of a name. @param name a domain name, or an address for its reverse record (type PTR) */
export function dropRecord(text: string, file: string, name: string, type: 'A' | 'PTR'): string {
  const lines = text.split('\n');
  const origin = originOf(text, file);
  const absolute = type === 'PTR' ? reverseName(name) : name;
  const types = type === 'A' ? ['A', 'AAAA'] : [type];
  const gone = new Set(types.map((each) => lineOf(lines, origin, absolute, each)).filter((index) => index >= 0));
  return lines.filter((_line, index) => !gone.has(index)).join('\n');
}

/** The reverse zone with another name for an address. */
export function nameReverse(text: string, file: string, address: string, name: string): string {
  const lines = text.split('\n');
  const index = lineOf(lines, originOf(text, file), reverseName(address), 'PTR');
  return lines.map((line, at) => (at === index ? line.replace(/\S+\s*$/, name) : line)).join('\n');
}

/** The zone with `*.CLUSTER` in place of `*.apps.CLUSTER`. */
export function widenWildcard(text: string, file: string, clusterDomain: string): string {
  const lines = text.split('\n');
  const origin = originOf(text, file);
  const found = ['A', 'AAAA'].map((type) => lineOf(lines, origin, `*.apps.${clusterDomain}`, type));
  return lines.map((line, at) => (found.includes(at) ? line.replace('*.apps', '*') : line)).join('\n');
}
