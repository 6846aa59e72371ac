/** A statement of a configuration with braces: `allow 172.16.0.21;`, `location = /x { … }` (nginx, named). */
export interface Statement {
  readonly words: readonly string[];
  /** Null: it has no block. */
  readonly block: readonly Statement[] | null;
}

/** Tokens by precedence: comments (nginx `#`, named also `//`, block comments), quoted strings, punctuation, words. */
const TOKEN = /#[^\n]*|(?<=^|\s)\/\/[^\n]*|\/\*[\s\S]*?\*\/|"((?:[^"\\]|\\.)*)"|([{};])|([^\s{};"]+)/g;

/** Parses the statements of a configuration. Incomplete statements are left out. */
export function parseStatements(text: string): Statement[] {
  const root: Statement[] = [];
  const openBlocks: { readonly words: string[]; readonly outerStatements: Statement[] }[] = [];
  let currentStatements = root;
  let words: string[] = [];
  for (const [, quotedText, punctuation, word] of text.matchAll(TOKEN)) {
    if (quotedText !== undefined || word !== undefined) words.push(quotedText ?? word ?? '');
    else if (punctuation === '{') {
      openBlocks.push({ words, outerStatements: currentStatements });
      currentStatements = [];
      words = [];
    } else if (punctuation === ';') {
      if (words.length > 0) currentStatements.push({ words, block: null });
      words = [];
    } else if (punctuation === '}') {
      const closedBlock = openBlocks.pop();
      if (closedBlock === undefined) return root;
      closedBlock.outerStatements.push({ words: closedBlock.words, block: currentStatements });
      currentStatements = closedBlock.outerStatements;
      words = [];
    }
  }
  return root;
}

/** Lists the statements with this first word, at any depth. */
export function listStatements(statements: readonly Statement[], firstWord: string): Statement[] {
  return statements.flatMap((statement) => [
    ...(statement.words[0] === firstWord ? [statement] : []),
    ...(statement.block === null ? [] : listStatements(statement.block, firstWord)),
  ]);
}
