import { lstatSync, renameSync } from 'node:fs';

/**
 * Renames a file to the next free name `FILE.bad-N`, so that nothing is lost.
 * @returns the new path
 * @throws the system's error
 */
export function moveAside(file: string): string {
  let number = 1;
  while (lstatSync(`${file}.bad-${number}`, { throwIfNoEntry: false })) number += 1;
  const target = `${file}.bad-${number}`;
  renameSync(file, target);
  return target;
}
