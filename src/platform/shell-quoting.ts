/** Quotes a word for a POSIX shell if necessary. */
export function quoteShellArg(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Template tag: quotes the values in a command that a user will paste, so that each is one word, whatever it
 * contains. (The API server accepts nearly any name for a certificate request, and everyone with a bootstrap token
 * can create one.)
 */
export function quoteShellCommand(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return String.raw({ raw: parts }, ...names.map(quoteShellArg));
}
