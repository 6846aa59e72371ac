import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAppender } from './files.ts';

/** Journals of the machines: output of programs since the system was installed. */
export interface Journals {
  /** Writes a line in the format of journalctl; it ends with `program: message` as on the console. */
  write(machine: string, line: string): void;
  /** Clears the journal of a machine: a new system starts with an empty one. */
  clear(machine: string): void;
  read(machine: string): string;
}

/**
 * @param dir directory with one file per machine; a machine's name is a DNS label
 * @param stopped ends all writing
 */
export function openJournals(dir: string, stopped: AbortSignal): Journals {
  const file = (machine: string) => join(dir, `${machine}.log`);
  return {
    write: (machine, line) => createAppender(file(machine), stopped)(line),
    clear: (machine) => rmSync(file(machine), { force: true }),
    read(machine) {
      try {
        return readFileSync(file(machine), 'utf8');
      } catch {
        return '';
      }
    },
  };
}
