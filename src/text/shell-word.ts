/** A word as a shell takes it. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * A command that somebody will paste, with names in it that others chose: each is one word of it, whatever it says. (The API server
 * takes nearly any name for a certificate request, and whoever has a bootstrap token makes one.)
 */
export function shell(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return String.raw({ raw: parts }, ...names.map(shellWord));
}
