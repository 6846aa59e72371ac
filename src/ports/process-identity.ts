import { readFileSync } from 'node:fs';

/** What tells a process from another that got its number later. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat: start time in clock ticks since boot. */
  readonly start: string;
}

/** A line of /proc/<pid>/stat, as far as we use it. Null where it is not one (a partly written copy, for example). */
export function parseStat(line: string): (ProcessIdentity & { readonly state: string; readonly group: number }) | null {
  const pid = Number.parseInt(line, 10);
  // The name (field 2) may hold blanks and brackets: fields are counted after its closing bracket.
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  const [state, , group] = fields;
  const start = fields[19];
  if (!Number.isInteger(pid) || !line.includes(')') || !state || !group || !start) return null;
  return { pid, start, state, group: Number(group) };
}

/** The process with this number as it is now, or null where none lives (one that ended and was not yet collected counts as gone). */
export function livingProcess(pid: number): ReturnType<typeof parseStat> {
  try {
    const found = parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
    return found && found.state !== 'Z' && found.state !== 'X' ? found : null;
  } catch {
    return null;
  }
}

/** Whether this very process still lives. */
export function isAlive({ pid, start }: ProcessIdentity): boolean {
  return livingProcess(pid)?.start === start;
}

/** Who we are. */
export function ownIdentity(): ProcessIdentity {
  return { pid: process.pid, start: livingProcess(process.pid)?.start ?? '' };
}
