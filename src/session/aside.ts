import { lstatSync, renameSync } from 'node:fs';

/** Keeps what lies there under another name. @returns the path of what was kept. @throws the error of the system */
export function moveAside(file: string): string {
  let number = 1;
  while (lstatSync(`${file}.bad-${number}`, { throwIfNoEntry: false })) number += 1;
  const kept = `${file}.bad-${number}`;
  renameSync(file, kept);
  return kept;
}
