/** A statement of a configuration: its words, the block in braces after them, and the line on which its words end. */
export interface Statement {
  readonly words: readonly string[];
  readonly body: readonly Statement[] | null;
  readonly line: number;
}

interface Dialect {
  /** Matches one word, punctuation mark or comment. */
  readonly tokenPattern: RegExp;
  readonly isComment: (token: string) => boolean;
  /** Whether a semicolon follows the brace that ends a block. */
  readonly hasSemicolonAfterBlock: boolean;
  /** Creates the error for a missing semicolon or brace before `word`; undefined: before the end of file. */
  readonly createError: (line: number, word?: string) => Error;
}

/**
 * Parses statements that end with a semicolon or have a block in braces.
 * @throws Error of the dialect where a semicolon or a brace is missing
 */
export function parseStatements(source: string, dialect: Dialect): Statement[] {
  const { tokenPattern, isComment, hasSemicolonAfterBlock, createError } = dialect;
  const tokens = source.split('\n').flatMap((text, index) => {
    const words = (text.match(tokenPattern) ?? []).filter((word) => !isComment(word));
    return words.map((word) => ({ word, line: index + 1 }));
  });
  let position = 0;
  const parseBlock = (isNested: boolean): Statement[] => {
    const statements: Statement[] = [];
    let words: string[] = [];
    for (;;) {
      const { word, line } = tokens[position] ?? { word: undefined, line: tokens.at(-1)?.line ?? 1 };
      position += 1;
      if (word === undefined || word === '}') {
        if (words.length > 0 || isNested !== (word === '}')) throw createError(line, word);
        return statements;
      }
      if (word !== ';' && word !== '{') {
        words.push(word);
        continue;
      }
      if (word === ';' && words.length === 0 && hasSemicolonAfterBlock) throw createError(line, word);
      const body = word === '{' ? parseBlock(true) : null;
      if (words.length > 0) statements.push({ words, body, line });
      words = [];
      if (body === null || !hasSemicolonAfterBlock) continue;
      const nextToken = tokens[position];
      if (nextToken?.word !== ';') throw createError(nextToken?.line ?? line, nextToken?.word);
      position += 1;
    }
  };
  return parseBlock(false);
}

/** Whether a word is a known word with one letter too few or too many. Other words are accepted. */
export function isMisspelled(word: string, knownWords: readonly string[]): boolean {
  const isOneLonger = (longWord: string, shortWord: string) =>
    longWord.length === shortWord.length + 1 &&
    [...longWord].some((_letter, index) => longWord.slice(0, index) + longWord.slice(index + 1) === shortWord);
  return (
    !knownWords.includes(word) &&
    knownWords.some((knownWord) => isOneLonger(knownWord, word) || isOneLonger(word, knownWord))
  );
}
