/** A word as a POSIX shell reads it: as it is where that is safe, else in single quotes. For commands that people copy. */
export function shellWord(text: string): string {
  return /^[\p{L}\p{N}_@%+=:,./-]+$/u.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
