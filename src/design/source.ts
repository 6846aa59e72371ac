import {
  type Alias,
  type Document,
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
import { catalogue, commandLine } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { Problem } from './model.ts';
import type { Path } from './paths.ts';
import type { ReadingRule } from './reading-rules.ts';

const words = () => catalogue().design.syntax;
const LIMIT = 1_000_000;
// One slip makes the parser stumble many times; the first few places are the useful ones.
const MOST_ERRORS = 5;

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A text as data, and where each of its values stands. */
export interface Source {
  readonly document: unknown;
  /** The text could be read; if not, the problems say why, and `document` is undefined. */
  readonly isReadable: boolean;
  readonly problems: readonly Problem[];
  /** The place of a value (or of its key), 1-based; of the nearest block around it when it is not there. */
  readonly place: (path: Path, isAboutKey?: boolean) => Place;
}

/** Reads YAML (or JSON, which is YAML) without ever throwing. */
export function readSource(text: string): Source {
  if (text.length > LIMIT) return unreadable([problem('syntax', words().tooLarge(LIMIT), 1, 1)]);
  const lines = new LineCounter();
  try {
    const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
    const [document] = documents as readonly Document.Parsed[];
    if (!document || isNothing(document)) return unreadable([problem('syntax', words().empty, 1, 1)]);
    const said = [...document.errors, ...document.warnings];
    const deep = said.find(isTooDeep);
    // What the parser says then is about itself.
    if (deep !== undefined) return unreadable([fromError(deep, lines)]);
    const wrong = said.map((error) => fromError(error, lines));
    if (wrong.length === 0) wrong.push(...duplicateKeys(document, lines));
    wrong.splice(MOST_ERRORS);
    if (documents.length > 1) wrong.push(extraDocuments(documents as readonly Document.Parsed[], lines));
    if (wrong.length > 0) return unreadable(wrong);
    const lost = text.includes('*') ? lostAlias(document) : null;
    if (lost !== null) return unreadable([unknownAlias(lost, lines)]);
    // Aliases are expanded, but only so far: a few lines of them could fill the memory.
    const pairsOf = pairsByKey();
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    return {
      document: value,
      isReadable: true,
      problems: [],
      place: (path, isAboutKey = false) => placeOf(lines, nodeAt(document, path, isAboutKey, pairsOf)),
    };
  } catch (thrown) {
    // A stack that overflows on deep nesting ends here, as do aliases that refer to nothing.
    const message = thrown instanceof RangeError ? words().tooDeep : words().unreadable(detailOf(thrown));
    return unreadable([problem('syntax', message, 1, 1)]);
  }
}

function unreadable(problems: readonly Problem[]): Source {
  return { document: undefined, isReadable: false, problems, place: () => ({ line: 1, column: 1 }) };
}

function isNothing(document: Document.Parsed): boolean {
  return (
    document.errors.length === 0 &&
    (document.contents === null || (isScalar(document.contents) && document.contents.value === null))
  );
}

/** In the parser's words, and V8's. */
const isTooDeep = ({ message }: { readonly message: string }) => /call stack|stack overflow/i.test(message);

function fromError(error: { message: string; pos: [number, number] }, lines: LineCounter): Problem {
  const { line, column } = at(lines, error.pos[0]);
  const message = isTooDeep(error) ? words().tooDeep : words().unreadable(sanitizeLine(error.message));
  return problem('syntax', message, line, column);
}

/** The keys that their map has already. By ourselves, since the library compares each key with all those before it. */
function duplicateKeys(document: Document.Parsed, lines: LineCounter): Problem[] {
  const found: Problem[] = [];
  visit(document, {
    Map(_key, map) {
      const known = new Set<unknown>();
      for (const { key } of map.items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) {
          const { line, column } = placeOf(lines, key);
          const message = words().duplicate(sanitizeLine(String(key.value), 60));
          found.push({ ...problem('duplicate-key', message, line, column), fix: words().fixDuplicate });
        }
        known.add(key.value);
      }
      return found.length < MOST_ERRORS ? undefined : visit.BREAK;
    },
  });
  return found;
}

/** The first alias (*name) without an anchor (&name) before it. */
function lostAlias(document: Document.Parsed): Alias | null {
  const anchors = new Set<string>();
  let lost: Alias | null = null;
  visit(document, {
    Alias(_key, alias) {
      if (anchors.has(alias.source)) return undefined;
      lost = alias;
      return visit.BREAK;
    },
    Node(_key, node) {
      if (!isAlias(node) && node.anchor !== undefined) anchors.add(node.anchor);
    },
  });
  return lost;
}

function unknownAlias(alias: Alias, lines: LineCounter): Problem {
  const { line, column } = placeOf(lines, alias);
  const message = words().alias(sanitizeLine(alias.source, 60));
  return { ...problem('syntax', message, line, column), fix: words().fixAlias };
}

function extraDocuments(documents: readonly Document.Parsed[], lines: LineCounter): Problem {
  const { line, column } = at(lines, documents[1]?.range[0] ?? 0);
  return { ...problem('documents', words().documents(documents.length), line, column), fix: words().fixDocuments };
}

function problem(rule: ReadingRule, message: string, line: number, column: number): Problem {
  return {
    path: '',
    severity: 'error',
    rule,
    message,
    fix: words().fix(commandLine('design', 'example')),
    line,
    column,
  };
}

function detailOf(thrown: unknown): string {
  return sanitizeLine(thrown instanceof Error ? thrown.message : String(thrown), 200);
}

function at(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}

function placeOf(lines: LineCounter, node: Node | null): Place {
  return at(lines, node?.range?.[0] ?? 0);
}

/** The node at a path, or the nearest one around it; for a key, the key's own node. */
function nodeAt(document: Document.Parsed, path: Path, isAboutKey: boolean, pairsOf: PairsOf): Node | null {
  let node: Node | null = document.contents;
  for (const [index, key] of path.entries()) {
    if (isAlias(node)) node = (node.resolve(document) as Node | undefined) ?? node;
    const child: Node | null = isMap(node)
      ? inMap(pairsOf(node), key, isAboutKey && index === path.length - 1)
      : isSeq(node)
        ? ((node.items[Number(key)] as Node | undefined) ?? null)
        : null;
    if (!child) return node;
    node = child;
  }
  return node;
}

type PairsOf = (map: YAMLMap) => ReadonlyMap<string, Pair>;

/** The pairs of a map by their key as text, the first of each; gathered once for each map. */
function pairsByKey(): PairsOf {
  const known = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();
  return (map) => {
    const before = known.get(map);
    if (before !== undefined) return before;
    const pairs = new Map<string, Pair>();
    for (const pair of map.items) {
      const key = isScalar(pair.key) ? String(pair.key.value) : null;
      if (key !== null && !pairs.has(key)) pairs.set(key, pair);
    }
    known.set(map, pairs);
    return pairs;
  };
}

function inMap(pairs: ReadonlyMap<string, Pair>, key: PropertyKey, isAboutKey: boolean): Node | null {
  const pair = pairs.get(String(key));
  if (!pair) return null;
  const hasPlace = (pair.value as Node | null)?.range;
  return ((isAboutKey || !hasPlace ? pair.key : pair.value) as Node | null) ?? null;
}
