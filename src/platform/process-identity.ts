import { readFileSync } from 'node:fs';

/** Distinguishes a process from a later one with the same pid. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat: start time in clock ticks since boot. */
  readonly start: string;
}

/** Parses a line of /proc/<pid>/stat. Null if it is not one (a partly written copy, for example). */
export function parseStat(line: string): (ProcessIdentity & { readonly state: string; readonly group: number }) | null {
  const pid = Number.parseInt(line, 10);
  // The name (field 2) may contain blanks and brackets: fields are counted after its closing bracket.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  const start = fields[19];
  if (!Number.isInteger(pid) || !line.includes(')') || !state || !group || !start) return null;
  return { pid, start, state, group: Number(group) };
}

/**
 * The live process with this pid. Null if there is none; a process that ended and was not yet collected counts as
 * ended.
 */
export function findLiveProcess(pid: number): ReturnType<typeof parseStat> {
  try {
    const found = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return found && found.state !== 'Z' && found.state !== 'X' ? found : null;
  } catch {
    return null;
  }
}

/** Whether exactly this process is still alive. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return findLiveProcess(pid)?.start === start;
}

/** Returns the identity of this process. */
export function getOwnIdentity(): ProcessIdentity {
  return { pid: process.pid, start: findLiveProcess(process.pid)?.start ?? '' };
}
