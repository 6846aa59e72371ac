import { readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { listFiles } from './host-files.ts';

/** Typos in the files of services, one character too many or too few, which the program rejects. */
const TYPOS: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/^haproxy\.cfg$/, (text) => text.replace(/^(\s*)mode tcp$/m, '$1mod tcp')],
  [/^dhcpd\.conf$/, (text) => text.replace(/(option domain-name "[^"]*");/, '$1')],
  [/^kea-dhcp4\.conf$/, (text) => text.replace(/,$/m, '')],
  [/\.zone$/, (text) => text.replace(/^(.*\sA\s+[\d.]+)$/m, '$1.')],
];

/** Lists the files below the root of a host that such a typo can break. */
export function listBreakableFiles(root: string): string[] {
  return listFiles(root).filter((file) => findTypo(file) !== undefined && readWithTypo(file) !== null);
}

/** Breaks a file in place. */
export function breakFile(file: string): void {
  const text = readWithTypo(file);
  if (text !== null) writeFileSync(file, text);
}

function readWithTypo(file: string): string | null {
  const text = readFileSync(file, 'utf8');
  const brokenText = findTypo(file)?.(text) ?? text;
  return brokenText === text ? null : brokenText;
}

function findTypo(file: string) {
  return TYPOS.find(([name]) => name.test(basename(file)))?.[1];
}
