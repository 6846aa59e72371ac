import { isAbsolute, join } from 'node:path';
import { type Statement, statementProblem } from './named-words.ts';

/** A zone as named.conf declares it. */
export interface DeclaredZone {
  readonly name: string;
  readonly type: 'primary' | 'secondary';
  /** The path on the host; null for a secondary that keeps no copy. */
  readonly file: string | null;
  readonly primaries: readonly string[];
}

/** What the zones of one configuration file are; forward and hint zones are left out. */
export function parseNamedConf(text: string): { readonly directory: string | null; readonly zones: DeclaredZone[] } {
  const bare = text.replace(/"[^"]*"|\/\*[\s\S]*?\*\/|\/\/.*$|#.*$/gm, (part) => (part.startsWith('"') ? part : ' '));
  assertStatements(bare);
  const directory = /\bdirectory\s+"([^"]+)"/.exec(bare)?.[1] ?? null;
  const zones: DeclaredZone[] = [];
  for (const match of bare.matchAll(/\bzone\s+"?([^\s"{]+)"?\s*(?:IN|in)?\s*\{/g)) {
    const body = blockAt(bare, (match.index ?? 0) + match[0].length);
    const zone = zoneOf(match[1] ?? '', body, directory);
    if (zone) zones.push(zone);
  }
  return { directory, zones };
}

function zoneOf(name: string, body: string, directory: string | null): DeclaredZone | null {
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

/** The text from `start` (just behind an opening brace) to its closing brace. */
function blockAt(text: string, start: number): string {
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

/** @throws Error with the words of named where braces or semicolons are missing, or a statement is none that it knows */
function assertStatements(text: string): void {
  const tokens: Token[] = [];
  for (const [index, line] of text.split('\n').entries())
    for (const [word] of line.matchAll(/"[^"]*"|[{};]|[^\s{};"]+|"/g)) tokens.push({ word, line: index + 1 });
  const unclosed = tokens.find(({ word }) => word === '"');
  if (unclosed !== undefined) throw new Error(`/etc/named.conf:${unclosed.line}: unbalanced quotes`);
  const { statements, next } = statementsIn(tokens, 0, 0);
  if (next < tokens.length) throw new Error(`/etc/named.conf:${tokens[next]?.line ?? 1}: unexpected token near '}'`);
  const problem = statementProblem(statements);
  if (problem !== null) throw new Error(`/etc/named.conf:${problem.line}: ${problem.said}`);
}

/** The statements from a token on, to the end of their block. */
function statementsIn(
  tokens: readonly Token[],
  from: number,
  depth: number,
): { readonly statements: readonly Statement[]; readonly next: number } {
  const statements: Statement[] = [];
  let words: string[] = [];
  let block: readonly Statement[] | null = null;
  let at = from;
  for (; at < tokens.length; at += 1) {
    const { word, line } = tokens[at] ?? { word: '', line: 0 };
    if (word === '}') break;
    if (word === ';') {
      if (words.length === 0) throw new Error(`/etc/named.conf:${line}: unexpected token near ';'`);
      statements.push({ words, block, line });
      [words, block] = [[], null];
    } else if (word === '{') {
      if (words.length === 0 && depth === 0) throw new Error(`/etc/named.conf:${line}: unknown option '{'`);
      const inner = statementsIn(tokens, at + 1, depth + 1);
      if (tokens[inner.next] === undefined)
        throw new Error("/etc/named.conf: unbalanced braces: '}' expected near end of file");
      block = inner.statements;
      at = inner.next;
    } else if (block !== null && !/^(?:keys|read-only)$/.test(word))
      throw new Error(`/etc/named.conf:${line}: missing ';' before '${word}'`);
    else if (block === null) words.push(word);
  }
  const end = tokens[at]?.word ?? 'end of file';
  if (words.length > 0) throw new Error(`/etc/named.conf:${tokens[at]?.line ?? 1}: missing ';' before '${end}'`);
  return { statements, next: at };
}
