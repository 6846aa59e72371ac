import { isAbsolute, join } from 'node:path';

/** Top-level statements (BIND 9 ARM, "Configuration file"). */
const CLAUSES = wordSet(
  `acl controls dlz dnssec-policy dyndb http include key key-store logging managed-keys masters options parental-agents plugin primaries
   remote-servers server statistics-channels template tls trust-anchors trusted-keys view zone`,
);
/** Statements that both `options` and a zone take, limited to those in common use. */
const SHARED_STATEMENTS = `allow-notify allow-query allow-query-on allow-transfer allow-update also-notify check-names dialup forward forwarders
   key-directory masterfile-format masterfile-style max-refresh-time max-retry-time max-transfer-time-in max-transfer-time-out
   min-refresh-time min-retry-time notify notify-delay notify-source notify-source-v6 serial-update-method transfer-source
   transfer-source-v6 zone-statistics dnssec-policy inline-signing max-journal-size max-records max-zone-ttl`;
const OPTIONS_STATEMENTS =
  wordSet(`${SHARED_STATEMENTS} allow-new-zones allow-query-cache allow-query-cache-on allow-recursion allow-recursion-on answer-cookie
   automatic-interface-scan avoid-v4-udp-ports avoid-v6-udp-ports bindkeys-file blackhole catalog-zones check-integrity cookie-algorithm
   deny-answer-addresses deny-answer-aliases directory disable-algorithms disable-empty-zone dns64 dnssec-validation dump-file edns-udp-size
   empty-zones-enable fetches-per-server fetches-per-zone flush-zones-on-shutdown hostname interface-interval lame-ttl listen-on listen-on-v6
   managed-keys-directory match-mapped-addresses max-cache-size max-cache-ttl max-ncache-ttl max-udp-size memstatistics-file
   minimal-any minimal-responses pid-file port prefetch qname-minimization querylog query-source query-source-v6 rate-limit recursing-file
   recursion recursive-clients resolver-query-timeout response-policy rrset-order secroots-file send-cookie server-id session-keyfile
   sortlist stale-answer-client-timeout stale-answer-enable stale-cache-enable statistics-file synth-from-dnssec tcp-clients
   tcp-idle-timeout tcp-listen-queue tkey-gssapi-keytab trust-anchor-telemetry version`);
const ZONE_STATEMENTS =
  wordSet(`${SHARED_STATEMENTS} type file masters primaries journal update-policy ixfr-from-differences request-ixfr parental-agents
   server-addresses in-view database auto-dnssec dnssec-secure-to-insecure key-directory`);
const ZONE_TYPES = wordSet(
  'primary master secondary slave mirror hint stub static-stub forward redirect delegation-only',
);
const BOOLEANS = wordSet('yes no true false 1 0');
/** Statements with one value of a fixed set. */
const CHOICES: Readonly<Record<string, ReadonlySet<string>>> = {
  recursion: BOOLEANS,
  'allow-new-zones': BOOLEANS,
  forward: wordSet('first only'),
  notify: wordSet('yes no true false 1 0 explicit master-only primary-only'),
  'dnssec-validation': wordSet('yes no true false 1 0 auto'),
  type: ZONE_TYPES,
};

/** Statements with a list of addresses, networks, ACL names and keys. */
const ADDRESS_LISTS = /^(?:acl|allow-.*|listen-on|listen-on-v6|blackhole)$/;
const BUILT_IN_ACLS = wordSet('any none localhost localnets');
/** Statements that take addresses only, among them the primaries of a secondary zone. */
const ADDRESS_STATEMENTS = /^(?:forwarders|masters|primaries|also-notify)$/;

function wordSet(text: string): ReadonlySet<string> {
  return new Set(text.split(/\s+/));
}

/** A statement of a configuration: its words, and the statements of the block after them. */
interface NamedStatement {
  readonly words: readonly string[];
  readonly block: readonly NamedStatement[] | null;
  readonly line: number;
}

/** Finds the first statement that named does not know or accept, with named's message; null: there is none. */
function findStatementError(
  all: readonly NamedStatement[],
): { readonly line: number; readonly message: string } | null {
  const lists = new Set(
    all.filter(({ words: [kind] }) => kind === 'acl').map(({ words: [, name = ''] }) => unquote(name)),
  );
  for (const { words: own, block, line } of all) {
    const [clause = ''] = own;
    const message = !CLAUSES.has(clause) ? `unknown option '${clause}'` : findClauseError(own, block);
    if (message !== null) return { line, message };
    for (const inner of block ?? []) {
      const problem = findInnerError(clause, inner, lists);
      if (problem !== null) return { line: inner.line, message: problem };
    }
  }
  return null;
}

function findClauseError([clause = '', ...rest]: readonly string[], block: NamedStatement['block']): string | null {
  if (clause === 'include') return /^"/.test(rest[0] ?? '') ? null : 'expected quoted string';
  if (block === null) return "'{' expected";
  if (clause === 'options') return rest.length === 0 ? null : `'{' expected near '${rest[0]}'`;
  if (clause === 'acl') return rest.length === 1 ? null : 'expected string';
  if (clause !== 'zone') return null;
  const [name = '', kind] = rest;
  if (name === '' || rest.length > 2 || (kind !== undefined && !/^(?:in|chaos|ch|hs|hesiod|any)$/i.test(kind)))
    return kind === undefined ? 'expected string' : `unknown class '${kind}'`;
  const findInner = (keyword: string) => block.find(({ words: [word] }) => word === keyword);
  const type = findInner('type')?.words[1] ?? '';
  if (type === '') return `zone ${name}: type not present`;
  if (/^(?:primary|master|hint)$/.test(type) && findInner('file') === undefined)
    return `zone ${name}: missing 'file' entry`;
  const primaries = findInner('primaries') ?? findInner('masters');
  return /^(?:secondary|slave)$/.test(type) && primaries === undefined
    ? `zone ${name}: missing 'primaries' entry`
    : null;
}

/** Checks a statement inside a clause; only those of acl, options and zone are checked. */
function findInnerError(clause: string, inner: NamedStatement, lists: ReadonlySet<string>): string | null {
  if (clause === 'acl') return findListEntryError(inner.words, lists);
  if (clause === 'options') return findOptionError(inner, OPTIONS_STATEMENTS, lists);
  return clause === 'zone' ? findOptionError(inner, ZONE_STATEMENTS, lists) : null;
}

function findOptionError(
  { words: own, block }: NamedStatement,
  known: ReadonlySet<string>,
  lists: ReadonlySet<string>,
): string | null {
  const [option = '', value = '', ...more] = own;
  if (!known.has(option)) return `unknown option '${option}'`;
  const choices = CHOICES[option];
  if (choices !== undefined)
    return choices.has(value.toLowerCase()) && more.length === 0
      ? null
      : `'${option}' unexpected token near '${value}'`;
  if (option === 'directory' || option === 'file')
    return own.length === 2 ? null : `missing ';' before '${more[0] ?? ';'}'`;
  const isList = ADDRESS_LISTS.test(option);
  if (!isList && !ADDRESS_STATEMENTS.test(option)) return null;
  if (block === null) return "'{' expected";
  const head = own.slice(1);
  if (head.length > 0 && !(head.length === 2 && head[0] === 'port' && /^\d{1,5}$/.test(head[1] ?? '')))
    return `'${head[0]}' unexpected`;
  for (const entry of block) {
    const problem = isList ? findListEntryError(entry.words, lists) : findAddressError(entry.words);
    if (problem !== null) return problem;
  }
  return null;
}

function findListEntryError(entry: readonly string[], lists: ReadonlySet<string>): string | null {
  const text = unquote((entry[0] ?? '').replace(/^!/, ''));
  if (entry.length === 2 && text === 'key') return null;
  if (entry.length !== 1) return `missing ';' before '${entry[1] ?? ';'}'`;
  if (isAddress(text, true) || BUILT_IN_ACLS.has(text) || lists.has(text)) return null;
  return /^[\d.]+(?:\/\d+)?$/.test(text) ? `'${text}': expected IP match list element` : `undefined ACL '${text}'`;
}

function findAddressError([address = '', ...more]: readonly string[]): string | null {
  if (!isAddress(address, false) && !/^[a-z][\w-]*$/i.test(address)) return `'${address}': expected IP address`;
  return more.length === 0 || more[0] === 'port' || more[0] === 'key' || more[0] === 'tls'
    ? null
    : `missing ';' before '${more[0]}'`;
}

/** @param isNetwork allows a prefix, beyond which no bit may be set; an IPv4 network may then omit its last parts */
function isAddress(text: string, isNetwork: boolean): boolean {
  const [address = '', prefix] = text.split('/');
  if (address.includes(':'))
    return /^[\da-f:.]+$/i.test(address) && (prefix === undefined || (isNetwork && Number(prefix) <= 128));
  const parts = address.split('.');
  const isShort = isNetwork && prefix !== undefined && parts.length < 4;
  if (!(parts.length === 4 || isShort) || !parts.every((part) => /^\d{1,3}$/.test(part) && Number(part) <= 255))
    return false;
  if (prefix === undefined) return true;
  if (!isNetwork || !/^\d{1,2}$/.test(prefix) || Number(prefix) > 32) return false;
  const bits = [...parts, '0', '0', '0']
    .slice(0, 4)
    .map((part) => Number(part).toString(2).padStart(8, '0'))
    .join('');
  return !bits.slice(Number(prefix)).includes('1');
}

const unquote = (word: string) => word.replaceAll('"', '');

/** A zone statement of named.conf. */
interface DeclaredZone {
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
