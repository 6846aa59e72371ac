import type * as z from '../ports/zod.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import type { Problem } from './model.ts';
import { nearest } from './nearest.ts';
import { type Draft, draftOf, isRecord, type Path, pathText, valueAt } from './paths.ts';
import type { ReadingRule } from './reading-rules.ts';
import { type DesignFile, designFileSchema } from './schema.ts';

const words = () => catalogue().design.shape;
type Issue = z.core.$ZodIssue;

/** A problem before its place in the file is known; `at` may point to a key that is not there. */
export interface ShapeProblem extends Omit<Problem, 'path' | 'line' | 'column'> {
  readonly rule: ReadingRule;
  readonly at: Path;
  /** The problem is about the key itself, not about its value. */
  readonly isAboutKey: boolean;
}

export interface Shape {
  readonly problems: readonly ShapeProblem[];
  /**
   * The document with what does not fit replaced by an empty value of the right type, so that the rules can judge the rest;
   * null where nothing could be saved.
   */
  readonly file: DesignFile | null;
  /** Where a value was replaced: rules cannot judge it. */
  readonly repaired: readonly Path[];
}

// Each round repairs what the one before uncovered (an object that was missing, then its keys); the schema is not deeper.
const ROUNDS = 8;

/** Holds a plain value against the schema of the design file. */
export function checkShape(document: unknown): Shape {
  const first = designFileSchema.safeParse(document);
  if (first.success) return { problems: [], file: first.data, repaired: [] };
  const problems = first.error.issues.flatMap((issue) => problemsOf(issue, document));
  const repaired: Path[] = [];
  const draft = draftOf(document);
  let issues: readonly Issue[] = first.error.issues;
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const issue of issues) {
      repair(draft, issue);
      if (issue.code !== 'unrecognized_keys') repaired.push(issue.path);
    }
    const next = designFileSchema.safeParse(draft.current());
    if (next.success) return { problems, file: next.data, repaired };
    issues = next.error.issues;
  }
  return { problems, file: null, repaired };
}

function repair(draft: Draft, issue: Issue): void {
  if (issue.code === 'unrecognized_keys') draft.remove(issue.path, issue.keys);
  else draft.put(issue.path, emptyValue(issue));
}

function emptyValue(issue: Issue): unknown {
  switch (issue.code) {
    case 'invalid_type':
      return { string: '', number: 1, int: 1, boolean: false, array: [], object: {} }[issue.expected as string] ?? '';
    case 'invalid_value':
      return issue.values[0];
    case 'too_small':
    case 'too_big':
      return issue.origin === 'array' ? [''] : 1;
    default:
      return '';
  }
}

function problemsOf(issue: Issue, document: unknown): ShapeProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(issue.path);
    const toRemove = words().removeKey(known.join(', '));
    return issue.keys.map((key) => unknownKey(key, issue.path, known, toRemove));
  }
  const found = valueAt(document, issue.path);
  return [{ severity: 'error', at: issue.path, isAboutKey: false, ...describe(issue, found) }];
}

// What others call the same thing: install-config, Go, the documents.
const OTHER_WORDS: Readonly<Record<string, string>> = {
  master: 'control-plane',
  controlplane: 'control-plane',
  worker: 'compute',
  amd64: 'x86_64',
  arm64: 'aarch64',
  sno: 'single-node',
};

function choiceMeant(found: string, known: readonly string[]): string | null {
  const word = found.toLowerCase();
  const other = Object.hasOwn(OTHER_WORDS, word) ? OTHER_WORDS[word] : undefined;
  return other !== undefined && known.includes(other) ? other : nearest(found, known);
}

type Said = Pick<ShapeProblem, 'rule' | 'message' | 'fix'>;

function describe(issue: Issue, found: unknown): Said {
  const path = pathText(issue.path);
  if ((path === 'apiVersion' || path === 'kind') && found !== undefined) {
    return { rule: 'api-version', message: words().apiVersion(shown(found)), fix: words().fixApiVersion };
  }
  if (found === undefined && issue.path.length === 0) {
    return { rule: 'required', message: catalogue().design.syntax.empty, fix: words().fixApiVersion };
  }
  if (found === undefined) {
    const key = sanitizeLine(String(issue.path.at(-1) ?? ''));
    return { rule: 'required', message: words().required(key), fix: words().fixRequired(expectedOf(issue)) };
  }
  if (path === 'openshift.version' && typeof found === 'number') {
    return { rule: 'version-not-text', message: words().versionNotText(String(found)), fix: words().fixVersion };
  }
  switch (issue.code) {
    case 'invalid_value': {
      const known = issue.values.map(String);
      const choices = known.join(', ');
      const meant = typeof found === 'string' ? choiceMeant(found, known) : null;
      const fix = meant === null ? words().fixChoice(choices) : words().fixChoiceMeant(meant, choices);
      return { rule: 'choice', message: words().choice(shown(found), choices), fix };
    }
    case 'too_small':
    case 'too_big':
      return outOfRange(issue, found);
    default: {
      const needsQuotes = expectedKind(issue) === 'text' && /^(?:number|boolean)$/.test(typeof found);
      const fix = needsQuotes ? words().fixText : words().fixType(commandLine('design', 'example'));
      return { rule: 'type', message: words().type(expectedOf(issue), foundOf(found)), fix };
    }
  }
}

function outOfRange(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>, found: unknown): Said {
  const isTooSmall = issue.code === 'too_small';
  const bound = String(isTooSmall ? issue.minimum : issue.maximum);
  if (issue.origin === 'array') {
    return {
      rule: 'length',
      message: isTooSmall ? words().tooFew : words().tooMany,
      fix: isTooSmall ? words().fixAtLeast(bound) : words().fixAtMost(bound),
    };
  }
  return {
    rule: 'range',
    message: words().range(shown(found)),
    fix: isTooSmall ? words().atLeast(bound) : words().atMost(bound),
  };
}

/** There may be tens of thousands: what they have in common is made once. */
function unknownKey(key: string, path: Path, known: readonly string[], toRemove: string): ShapeProblem {
  const near = nearest(key, known);
  return {
    at: [...path, key],
    isAboutKey: true,
    severity: 'error',
    rule: 'unknown-key',
    message: words().unknownKey(sanitizeLine(key, 80)),
    fix: near === null ? toRemove : words().didYouMean(near),
  };
}

/** The keys that the schema knows at a path. */
function knownKeys(path: Path): string[] {
  let schema: unknown = designFileSchema;
  for (const key of path) schema = step(unwrap(schema), key);
  const shape = (unwrap(schema) as { shape?: object } | undefined)?.shape;
  return shape ? Object.keys(shape) : [];
}

function step(schema: unknown, key: PropertyKey): unknown {
  if (!isRecord(schema)) return undefined;
  const { shape, element } = schema as { shape?: Record<PropertyKey, unknown>; element?: unknown };
  return typeof key === 'number' ? element : shape?.[key];
}

function unwrap(schema: unknown): unknown {
  let inner = schema;
  while (isRecord(inner) && typeof inner.unwrap === 'function' && !('element' in inner)) inner = inner.unwrap();
  return inner;
}

type Expected = 'text' | 'number' | 'whole' | 'flag' | 'list' | 'map' | 'addresses' | 'value';

const EXPECTED: Readonly<Record<string, Expected>> = {
  string: 'text',
  number: 'number',
  int: 'whole',
  boolean: 'flag',
  array: 'list',
  object: 'map',
};

function expectedKind(issue: Issue): Expected {
  if (issue.code === 'invalid_union') return 'addresses';
  return (issue.code === 'invalid_type' && EXPECTED[issue.expected]) || 'value';
}

function expectedOf(issue: Issue): string {
  return issue.code === 'invalid_value' ? issue.values.map(String).join(', ') : words().expected[expectedKind(issue)];
}

function foundOf(value: unknown): string {
  const { found } = words();
  if (value === null) return found.null;
  if (typeof value === 'string') return found.text;
  if (typeof value === 'number') return found.number(String(value));
  if (typeof value === 'boolean') return found.flag(String(value));
  if (Array.isArray(value)) return found.list;
  return typeof value === 'object' ? found.map : found.other;
}

function shown(value: unknown): string {
  return typeof value === 'object' && value !== null ? foundOf(value) : sanitizeLine(String(value), 80);
}
