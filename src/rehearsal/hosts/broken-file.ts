import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { filesBelow } from './host-files.ts';

/** Files of services, and what somebody's hand makes of them: one sign too many or too few, which the program refuses. */
const SLIPS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^haproxy\.cfg$/, (text) => text.replace(/^(\s*)mode tcp$/m, '$1mod tcp')],
  [/^dhcpd\.conf$/, (text) => text.replace(/(option domain-name "[^"]*");/, '$1')],
  [/^kea-dhcp4\.conf$/, (text) => text.replace(/,$/m, '')],
  [/\.zone$/, (text) => text.replace(/^(.*\sA\s+[\d.]+)$/m, '$1.')],
];

/** The files below the root of a host in which somebody can slip so. */
export function breakableFiles(root: string): string[] {
  return filesBelow(root).filter((file) => slipOf(file) !== undefined && broken(file) !== null);
}

/** Breaks a file in place. */
export function breakFile(file: string): void {
  const text = broken(file);
  if (text !== null) writeFileSync(file, text);
}

function broken(file: string): string | null {
  const text = readFileSync(file, 'utf8');
  const spoilt = slipOf(file)?.(text) ?? text;
  return spoilt === text ? null : spoilt;
}

function slipOf(file: string) {
  return SLIPS.find(([name]) => name.test(basename(file)))?.[1];
}
