import { readFileSync } from 'node:fs';

/** Reads field 22 of /proc/<pid>/stat (start time in ticks since boot); null: no such process, or a zombie. */
export function readProcessStart(pid: number): string | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The name (field 2) may contain blanks and brackets: fields are counted after its closing bracket.
    const [state = '', ...fields] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return /^[ZX]$/.test(state) ? null : (fields[18] ?? null);
  } catch {
    return null;
  }
}
