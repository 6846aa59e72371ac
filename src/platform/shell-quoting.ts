/** Quotes a word for a POSIX shell if necessary. */
export function quoteShellArg(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * Template tag for a command that a user will paste. Names from outside are quoted, so each is one word with any
 * content. (The API server accepts nearly any name for a certificate request, and everyone with a bootstrap token can
 * create one.)
 */
export function shellCommand(parts: TemplateStringsArray, ...names: readonly string[]): string {
  return String.raw({ raw: parts }, ...names.map(quoteShellArg));
}
