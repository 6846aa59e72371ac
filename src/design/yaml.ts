import {
  type Alias,
  Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  visit,
  type YAMLMap,
} from 'yaml';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { escapeUnprintable, hasUnprintable, sanitizeLine } from '../platform/sanitize.ts';
import type { Problem } from './model.ts';
import { isObjectOrList, type Path } from './paths.ts';
import type { ParseRule } from './rules/rule.ts';

const words = () => catalogue().design.syntax;
const MAX_LENGTH = 1_000_000;
// One mistake can cause many parser errors; only the first few are useful.
const MAX_ERRORS = 5;

/** A position in a text, 1-based. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** A parsed text, and the position of each of its values. */
interface ParsedYaml {
  readonly document: unknown;
  /** The text could be read; if not, the problems say why, and `document` is undefined. */
  readonly isReadable: boolean;
  readonly problems: readonly Problem[];
  /** Locates a value (or its key), 1-based; the nearest enclosing block when it is absent. */
  readonly locate: (path: Path, isAboutKey?: boolean) => TextPosition;
}

/** Parses a text as YAML (or JSON, which is YAML). Never throws. */
export function parseYamlText(text: string): ParsedYaml {
  if (text.length > MAX_LENGTH)
    return createUnreadableYaml([createProblem('syntax', words().tooLarge(MAX_LENGTH), 1, 1)]);
  const lines = new LineCounter();
  try {
    const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
    const [document] = documents as readonly Document.Parsed[];
    if (!document || isEmptyDocument(document))
      return createUnreadableYaml([createProblem('syntax', words().empty, 1, 1)]);
    const issues = [...document.errors, ...document.warnings];
    const tooDeepError = issues.find(isTooDeep);
    // The parser's other messages then result from the nesting, not from the text.
    if (tooDeepError !== undefined) return createUnreadableYaml([toProblem(tooDeepError, lines)]);
    const problems = issues.map((error) => toProblem(error, lines));
    if (problems.length === 0) problems.push(...checkDuplicateKeys(document, lines));
    problems.splice(MAX_ERRORS);
    if (documents.length > 1) problems.push(toMultipleDocumentsProblem(documents as readonly Document.Parsed[], lines));
    if (problems.length > 0) return createUnreadableYaml(problems);
    const unresolvedAlias = text.includes('*') ? findUnresolvedAlias(document) : null;
    if (unresolvedAlias !== null) return createUnreadableYaml([toAliasProblem(unresolvedAlias, lines)]);
    const getPairs = createPairLookup();
    // Aliases are expanded up to a limit: a few lines of them could exhaust the memory.
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return {
      document: value,
      isReadable: true,
      problems: [],
      locate: (path, isAboutKey = false) => getNodePosition(lines, findNode(document, path, isAboutKey, getPairs)),
    };
  } catch (error) {
    // Stack overflows on deep nesting end here, as do aliases without an anchor.
    const message = error instanceof RangeError ? words().tooDeep : words().unreadable(formatErrorMessage(error));
    return createUnreadableYaml([createProblem('syntax', message, 1, 1)]);
  }
}

function createUnreadableYaml(problems: readonly Problem[]): ParsedYaml {
  return { document: undefined, isReadable: false, problems, locate: () => ({ line: 1, column: 1 }) };
}

function isEmptyDocument(document: Document.Parsed): boolean {
  return (
    document.errors.length === 0 &&
    (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
  );
}

/** Whether an error is about nesting that is too deep: matches the messages of the parser and of V8. */
const isTooDeep = ({ message }: { readonly message: string }) => /call stack|stack overflow/i.test(message);

function toProblem(error: { message: string; pos: [number, number] }, lines: LineCounter): Problem {
  const { line, column } = getPosition(lines, error.pos[0]);
  const message = isTooDeep(error) ? words().tooDeep : words().unreadable(sanitizeLine(error.message));
  return createProblem('syntax', message, line, column);
}

/**
 * Finds keys that occur twice in a map. The library's own check compares each key with all those before it, which is
 * too slow.
 */
function checkDuplicateKeys(document: Document.Parsed, lines: LineCounter): Problem[] {
  const problems: Problem[] = [];
  visit(document, {
    Map(_key, map) {
      const keys = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (keys.has(key.value)) {
          const { line, column } = getNodePosition(lines, key);
          const message = words().duplicate(sanitizeLine(String(key.value), 60));
          problems.push({ ...createProblem('duplicate-key', message, line, column), fix: words().fixDuplicate });
        }
        keys.add(key.value);
      }
      return problems.length < MAX_ERRORS ? undefined : visit.BREAK;
    },
  });
  return problems;
}

/** Finds the first alias (*name) without an anchor (&name) before it. */
function findUnresolvedAlias(document: Document.Parsed): Alias | null {
  const anchors = new Set<string>();
  let unresolvedAlias: Alias | null = null;
  visit(document, {
    Alias(_key, alias) {
      if (anchors.has(alias.source)) return undefined;
      unresolvedAlias = alias;
      return visit.BREAK;
    },
    Node(_key, node) {
      if (!isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  return unresolvedAlias;
}

function toAliasProblem(alias: Alias, lines: LineCounter): Problem {
  const { line, column } = getNodePosition(lines, alias);
  const message = words().alias(sanitizeLine(alias.source, 60));
  return { ...createProblem('syntax', message, line, column), fix: words().fixAlias };
}

function toMultipleDocumentsProblem(documents: readonly Document.Parsed[], lines: LineCounter): Problem {
  const { line, column } = getPosition(lines, documents[1]?.range[0] ?? 0);
  return {
    ...createProblem('documents', words().documents(documents.length), line, column),
    fix: words().fixDocuments,
  };
}

function createProblem(rule: ParseRule, message: string, line: number, column: number): Problem {
  return {
    path: '',
    severity: 'error',
    rule,
    message,
    fix: words().fix(formatCommandLine('design', 'example')),
    line,
    column,
  };
}

function formatErrorMessage(error: unknown): string {
  return sanitizeLine(error instanceof Error ? error.message : String(error), 200);
}

function getPosition(lines: LineCounter, offset: number): TextPosition {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function getNodePosition(lines: LineCounter, node: Node | null): TextPosition {
  return getPosition(lines, node?.range?.[0] ?? 0);
}

/** Finds the node at a path, or the nearest enclosing one; for a key, the key's own node. */
function findNode(document: Document.Parsed, path: Path, isAboutKey: boolean, getPairs: PairLookup): Node | null {
  let node: Node | null = document.contents;
  for (const [index, key] of path.entries()) {
    if (isAlias(node)) node = (node.resolve(document) as Node | undefined) ?? node;
    const child: Node | null = isMap(node)
      ? findInMap(getPairs(node), key, isAboutKey && index === path.length - 1)
      : isSeq(node)
        ? ((node.items[Number(key)] as Node | undefined) ?? null)
        : null;
    if (!child) return node;
    node = child;
  }
  return node;
}

type PairLookup = (map: YAMLMap) => ReadonlyMap<string, Pair>;

/** Creates a cached lookup of a map's pairs by their key as text; the first of equal keys wins. */
function createPairLookup(): PairLookup {
  const pairsByMap = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();
  return (map) => {
    const cachedPairs = pairsByMap.get(map);
    if (cachedPairs !== undefined) return cachedPairs;
    const pairs = new Map<string, Pair>();
    for (const pair of map.items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : null;
      if (key !== null && !pairs.has(key)) pairs.set(key, pair);
    }
    pairsByMap.set(map, pairs);
    return pairs;
  };
}

function findInMap(pairs: ReadonlyMap<string, Pair>, key: PropertyKey, isAboutKey: boolean): Node | null {
  const pair = pairs.get(String(key));
  if (!pair) return null;
  const valueRange = (pair.value as Node | null)?.range;
  return ((isAboutKey || !valueRange ? pair.key : pair.value) as Node | null) ?? null;
}

/**
 * Replaces a password. A URL may not contain these characters, so a design that still holds the placeholder is invalid.
 */
const PASSWORD_PLACEHOLDER = '<password>';

/** Replaces the passwords in proxy URLs before a document is printed; `redactedPaths` lists where. */
export function redactProxyPasswords(document: unknown): {
  readonly document: unknown;
  readonly redactedPaths: readonly string[];
} {
  if (!isObjectOrList(document) || !isObjectOrList(document.proxy)) return { document, redactedPaths: [] };
  const redactedPaths: string[] = [];
  const redactedEntries = Object.entries(document.proxy).map(([key, value]) => {
    const text =
      typeof value === 'string' ? value.replace(/^([a-z]+:\/\/[^/@:]*):.*@/i, `$1:${PASSWORD_PLACEHOLDER}@`) : value;
    if (text !== value) redactedPaths.push(`proxy.${key}`);
    return [key, text] as const;
  });
  return { document: { ...document, proxy: Object.fromEntries(redactedEntries) }, redactedPaths };
}

/** Formats a document as YAML that is safe on a terminal: invisible characters are quoted and escaped. */
export function formatYaml(document: unknown): string {
  const yaml = new Document(document);
  visit(yaml, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === 'string' && hasUnprintable(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  // Line folding would split a character beyond U+FFFF.
  return escapeUnprintable(yaml.toString({ lineWidth: 0 }), (code) => `\\U${code.toString(16).padStart(8, '0')}`);
}
