/** A statement of a configuration with braces: `allow 172.16.0.21;`, `location = /x { … }` (nginx, named). */
export interface Statement {
  readonly words: readonly string[];
  /** Null: it has no block. */
  readonly block: readonly Statement[] | null;
}

/** Tokens in the order of precedence: comments (nginx `#`, named also `//` and block comments), quoted strings, punctuation, words. */
const TOKEN = /#[^\n]*|(?<=^|\s)\/\/[^\n]*|\/\*[\s\S]*?\*\/|"((?:[^"\\]|\\.)*)"|([{};])|([^\s{};"]+)/g;

/** Parses the statements of a configuration; what is cut off is left out. */
export function parseStatements(text: string): Statement[] {
  const root: Statement[] = [];
  const open: { readonly words: string[]; readonly into: Statement[] }[] = [];
  let into = root;
  let words: string[] = [];
  for (const [, quoted, mark, word] of text.matchAll(TOKEN)) {
    if (quoted !== undefined || word !== undefined) words.push(quoted ?? word ?? '');
    else if (mark === '{') {
      open.push({ words, into });
      into = [];
      words = [];
    } else if (mark === ';') {
      if (words.length > 0) into.push({ words, block: null });
      words = [];
    } else if (mark === '}') {
      const outer = open.pop();
      if (outer === undefined) return root;
      outer.into.push({ words: outer.words, block: into });
      into = outer.into;
      words = [];
    }
  }
  return root;
}

/** Finds the blocks of the statements with this first word, at any depth. */
export function findStatements(statements: readonly Statement[], first: string): Statement[] {
  return statements.flatMap((each) => [
    ...(each.words[0] === first ? [each] : []),
    ...(each.block === null ? [] : findStatements(each.block, first)),
  ]);
}
