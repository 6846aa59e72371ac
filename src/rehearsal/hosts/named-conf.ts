import { isAbsolute, join } from 'node:path';

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

/** What stands outside of every block (ARM, "Configuration file"). */
const CLAUSES = new Set(
  `acl controls dlz dnssec-policy dyndb http include key key-store logging managed-keys masters options parental-agents plugin primaries
   remote-servers server statistics-channels template tls trust-anchors trusted-keys view zone`.split(/\s+/),
);

/** @throws Error with the words of named where braces or semicolons are missing, or a clause is unknown */
function assertStatements(text: string): void {
  const tokens: { readonly word: string; readonly line: number }[] = [];
  for (const [index, line] of text.split('\n').entries())
    for (const [word] of line.matchAll(/"[^"]*"|[{};]|[^\s{};"]+/g)) tokens.push({ word, line: index + 1 });
  let depth = 0;
  let statement: string[] = [];
  for (const [at, { word, line }] of tokens.entries()) {
    const fail = (said: string) => {
      throw new Error(`/etc/named.conf:${line}: ${said}`);
    };
    if (word === '{') {
      if (depth === 0 && !CLAUSES.has(statement[0] ?? '')) fail(`unknown option '${statement[0] ?? '{'}'`);
      depth += 1;
      statement = [];
    } else if (word === '}') {
      depth -= 1;
      if (depth < 0) fail("unexpected token near '}'");
      if (statement.length > 0) fail("missing ';' before '}'");
      if (!/^(?:;|keys|read-only)$/.test(tokens[at + 1]?.word ?? ''))
        fail(`missing ';' before '${tokens[at + 1]?.word ?? 'end of file'}'`);
    } else if (word === ';') {
      if (statement[0] === 'type' && depth > 0 && statement.length > 2) fail(`missing ';' before '${statement[2]}'`);
      if (statement[0] === 'file' && depth === 1 && statement.length > 2) fail(`missing ';' before '${statement[2]}'`);
      statement = [];
    } else statement.push(word);
  }
  if (depth !== 0) throw new Error("/etc/named.conf: unbalanced braces: '}' expected near end of file");
  if (statement.length > 0) throw new Error("/etc/named.conf: missing ';' before end of file");
}
