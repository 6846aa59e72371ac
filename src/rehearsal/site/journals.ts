import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { appender } from './files.ts';

/** The journals of the machines: what programs of an installed system said since it was installed. */
export interface Journals {
  /** A line as journalctl prints it, ended by `program: message` as it stands on the console. */
  write(machine: string, line: string): void;
  /** A new system has an empty journal. */
  clear(machine: string): void;
  read(machine: string): string;
}

/** @param dir one file a machine in it; a machine's name is a DNS label @param stopped ends all writing */
export function openJournals(dir: string, stopped: AbortSignal): Journals {
  const file = (machine: string) => join(dir, `${machine}.log`);
  return {
    write: (machine, line) => appender(file(machine), stopped)(line),
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
