import { isAbsolute, join } from 'node:path';
import { findStatementError, type NamedStatement } from './named-syntax.ts';

/** A zone statement of named.conf. */
export interface DeclaredZone {
  readonly name: string;
  readonly type: 'primary' | 'secondary';
  /** Path on the host; null for a secondary zone without a copy. */
  readonly file: string | null;
  readonly primaries: readonly string[];
}

/** Parses the primary and secondary zones of one configuration file; other zone types are left out. */
export function parseNamedConf(text: string): { readonly directory: string | null; readonly zones: DeclaredZone[] } {
  const stripped = text.replace(/"[^"]*"|\/\*[\s\S]*?\*\/|\/\/.*$|#.*$/gm, (part) =>
    part.startsWith('"') ? part : ' ',
  );
  assertStatements(stripped);
  const directory = /\bdirectory\s+"([^"]+)"/.exec(stripped)?.[1] ?? null;
  const zones: DeclaredZone[] = [];
  for (const match of stripped.matchAll(/\bzone\s+"?([^\s"{]+)"?\s*(?:IN|in)?\s*\{/g)) {
    const body = readBlock(stripped, (match.index ?? 0) + match[0].length);
    const zone = parseZoneStatement(match[1] ?? '', body, directory);
    if (zone) zones.push(zone);
  }
  return { directory, zones };
}

function parseZoneStatement(name: string, body: string, directory: string | null): DeclaredZone | null {
  const type = /\btype\s+(\w+)/.exec(body)?.[1];
  if (type !== 'master' && type !== 'primary' && type !== 'slave' && type !== 'secondary') return null;
  const file = /\bfile\s+"([^"]+)"/.exec(body)?.[1] ?? null;
  const list = /\b(?:masters|primaries)\b[^{]*\{([^}]*)\}/.exec(body)?.[1] ?? '';
  return {
    name: name.replace(/\.$/, ''),
    type: type === 'master' || type === 'primary' ? 'primary' : 'secondary',
    file: file !== null && !isAbsolute(file) ? join(directory ?? '/var/named', file) : file,
    primaries: list
      .split(';')
      .map((entry) => entry.trim().split(/\s/)[0] ?? '')
      .filter((entry) => entry !== ''),
  };
}

/** Returns the text from `start`, just after an opening brace, to its closing brace. */
function readBlock(text: string, start: number): string {
  let depth = 1;
  for (let index = start; index < text.length; index += 1) {
    if (text[index] === '{') depth += 1;
    if (text[index] === '}') depth -= 1;
    if (depth === 0) return text.slice(start, index);
  }
  return text.slice(start);
}

interface Token {
  readonly word: string;
  readonly line: number;
}

/**
 * Checks the statements as named does.
 * @throws Error with named's message for missing braces or semicolons, and for unknown statements
 */
function assertStatements(text: string): void {
  const tokens: Token[] = [];
  for (const [index, line] of text.split('\n').entries())
    for (const [word] of line.matchAll(/"[^"]*"|[{};]|[^\s{};"]+|"/g)) tokens.push({ word, line: index + 1 });
  const unclosed = tokens.find(({ word }) => word === '"');
  if (unclosed !== undefined) throw new Error(`/etc/named.conf:${unclosed.line}: unbalanced quotes`);
  const { statements, next } = parseStatements(tokens, 0, 0);
  if (next < tokens.length) throw new Error(`/etc/named.conf:${tokens[next]?.line ?? 1}: unexpected token near '}'`);
  const problem = findStatementError(statements);
  if (problem !== null) throw new Error(`/etc/named.conf:${problem.line}: ${problem.message}`);
}

/** Parses the statements from a token to the end of their block. */
function parseStatements(
  tokens: readonly Token[],
  from: number,
  depth: number,
): { readonly statements: readonly NamedStatement[]; readonly next: number } {
  const statements: NamedStatement[] = [];
  let words: string[] = [];
  let block: readonly NamedStatement[] | null = null;
  let index = from;
  for (; index < tokens.length; index += 1) {
    const { word, line } = tokens[index] ?? { word: '', line: 0 };
    if (word === '}') break;
    if (word === ';') {
      if (words.length === 0) throw new Error(`/etc/named.conf:${line}: unexpected token near ';'`);
      statements.push({ words, block, line });
      [words, block] = [[], null];
    } else if (word === '{') {
      if (words.length === 0 && depth === 0) throw new Error(`/etc/named.conf:${line}: unknown option '{'`);
      const inner = parseStatements(tokens, index + 1, depth + 1);
      if (tokens[inner.next] === undefined)
        throw new Error("/etc/named.conf: unbalanced braces: '}' expected near end of file");
      block = inner.statements;
      index = inner.next;
    } else if (block !== null && !/^(?:keys|read-only)$/.test(word))
      throw new Error(`/etc/named.conf:${line}: missing ';' before '${word}'`);
    else if (block === null) words.push(word);
  }
  const end = tokens[index]?.word ?? 'end of file';
  if (words.length > 0) throw new Error(`/etc/named.conf:${tokens[index]?.line ?? 1}: missing ';' before '${end}'`);
  return { statements, next: index };
}
