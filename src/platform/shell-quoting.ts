/** Quotes a word for a POSIX shell if necessary. */
export function quoteShellArg(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Quotes the names from outside in a command that a user will paste (a template tag), so that each is one word,
 * whatever it contains. (The API server accepts nearly any name for a certificate request, and everyone with a
 * bootstrap token can create one.)
 */
export function quoteShellCommand(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return String.raw({ raw: parts }, ...names.map(quoteShellArg));
}
