import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { findClosestWord } from '../platform/closest-word.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type * as z from '../platform/zod.ts';
import { listBlockKeys } from './keys.ts';
import type { Design, Problem } from './model.ts';
import {
  createDocumentDraft,
  type DocumentDraft,
  formatPath,
  getAt,
  isObjectOrList,
  type Path,
  parsePath,
} from './paths.ts';
import { evaluateDesignRules } from './rules/index.ts';
import type { ParseRule } from './rules/rule.ts';
import { designSchema } from './schema.ts';
import { parseYamlText, type TextPosition } from './yaml.ts';

const words = () => catalogue().design.shape;
type Issue = z.core.$ZodIssue;

/** A problem without its position in the file; `path` may be the path of a missing key. */
interface SchemaProblem extends Omit<Problem, 'path' | 'line' | 'column'> {
  readonly rule: ParseRule;
  readonly path: Path;
  /** The problem is about the key itself, not about its value. */
  readonly isAboutKey: boolean;
}

interface SchemaValidation {
  readonly problems: readonly SchemaProblem[];
  /**
   * The design, with invalid values replaced by empty ones of the right type, so that the rules can check the rest.
   * Null when it cannot be repaired.
   */
  readonly design: Design | null;
  /** Paths of the replaced values, which rules cannot check. */
  readonly repairedPaths: readonly Path[];
}

// Each round repairs what the previous one uncovered (a missing object, then its keys). The schema is not deeper than
// this.
const MAX_ROUNDS = 8;

/** Validates plain data against the schema of the design file. */
function validateAgainstSchema(document: unknown): SchemaValidation {
  const firstResult = designSchema.safeParse(document);
  if (firstResult.success) return { problems: [], design: firstResult.data, repairedPaths: [] };
  const problems = firstResult.error.issues.flatMap((issue) => toSchemaProblems(issue, document));
  const repairedPaths: Path[] = [];
  const draft = createDocumentDraft(document);
  let issues: readonly Issue[] = firstResult.error.issues;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    for (const issue of issues) {
      repairValue(draft, issue);
      if (issue.code !== 'unrecognized_keys') repairedPaths.push(issue.path);
    }
    const result = designSchema.safeParse(draft.getDocument());
    if (result.success) return { problems, design: result.data, repairedPaths };
    issues = result.error.issues;
  }
  return { problems, design: null, repairedPaths };
}

function repairValue(draft: DocumentDraft, issue: Issue): void {
  if (issue.code === 'unrecognized_keys') draft.remove(issue.path, issue.keys);
  else draft.set(issue.path, createEmptyValue(issue));
}

function createEmptyValue(issue: Issue): unknown {
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

function toSchemaProblems(issue: Issue, document: unknown): SchemaProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const allowedKeys = listBlockKeys(issue.path);
    const removeFix = words().removeKey(allowedKeys.join(', '));
    return issue.keys.map((key) => createUnknownKeyProblem(key, issue.path, allowedKeys, removeFix));
  }
  const value = getAt(document, issue.path);
  return [{ severity: 'error', path: issue.path, isAboutKey: false, ...describeIssue(issue, value) }];
}

// Synonyms from install-config, Go and the OpenShift documentation.
const SYNONYMS: Readonly<Record<string, string>> = {
  master: 'control-plane',
  controlplane: 'control-plane',
  worker: 'compute',
  amd64: 'x86_64',
  arm64: 'aarch64',
  sno: 'single-node',
  tna: 'arbiter',
  tnf: 'fencing',
};

function suggestChoice(text: string, choices: readonly string[]): string | null {
  const word = text.toLowerCase();
  const synonym = Object.hasOwn(SYNONYMS, word) ? SYNONYMS[word] : undefined;
  return synonym !== undefined && choices.includes(synonym) ? synonym : findClosestWord(text, choices);
}

type SchemaProblemText = Pick<SchemaProblem, 'rule' | 'message' | 'fix'>;

function describeIssue(issue: Issue, value: unknown): SchemaProblemText {
  const path = formatPath(issue.path);
  if ((path === 'apiVersion' || path === 'kind') && value !== undefined) {
    return { rule: 'api-version', message: words().apiVersion(formatValue(value)), fix: words().fixApiVersion };
  }
  if (value === undefined && issue.path.length === 0) {
    return { rule: 'required', message: catalogue().design.syntax.empty, fix: words().fixApiVersion };
  }
  if (value === undefined) {
    const key = sanitizeLine(String(issue.path.at(-1) ?? ''));
    return { rule: 'required', message: words().required(key), fix: words().fixRequired(formatExpectation(issue)) };
  }
  if (path === 'openshift.version' && typeof value === 'number') {
    return { rule: 'version-not-text', message: words().versionNotText(String(value)), fix: words().fixVersion };
  }
  switch (issue.code) {
    case 'invalid_value': {
      const allowedValues = issue.values.map(String);
      const choices = allowedValues.join(', ');
      const suggestion = typeof value === 'string' ? suggestChoice(value, allowedValues) : null;
      const fix = suggestion === null ? words().fixChoice(choices) : words().fixChoiceMeant(suggestion, choices);
      return { rule: 'choice', message: words().choice(formatValue(value), choices), fix };
    }
    case 'too_small':
    case 'too_big':
      return describeRange(issue, value);
    default: {
      const needsQuotes = getExpectedType(issue) === 'text' && /^(?:number|boolean)$/.test(typeof value);
      const isNumberExpected = getExpectedType(issue) === 'number' || getExpectedType(issue) === 'whole';
      const [, number] = (isNumberExpected && typeof value === 'string' && /^(\d+) ?[a-z]+$/i.exec(value)) || [];
      const fix = needsQuotes
        ? words().fixText
        : number !== undefined
          ? words().fixUnit(number)
          : words().fixType(formatCommandLine('design', 'example'));
      return { rule: 'type', message: words().type(formatExpectation(issue), describeActualType(value)), fix };
    }
  }
}

function describeRange(issue: Extract<Issue, { code: 'too_small' | 'too_big' }>, value: unknown): SchemaProblemText {
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
    message: words().range(formatValue(value)),
    fix: isTooSmall ? words().atLeast(bound) : words().atMost(bound),
  };
}

/**
 * Creates the problem of an unknown key.
 * @param removeFix created once, because a file may have tens of thousands of such keys
 */
function createUnknownKeyProblem(
  key: string,
  path: Path,
  allowedKeys: readonly string[],
  removeFix: string,
): SchemaProblem {
  const suggestion = findClosestWord(key, allowedKeys);
  return {
    path: [...path, key],
    isAboutKey: true,
    severity: 'error',
    rule: 'unknown-key',
    message: words().unknownKey(sanitizeLine(key, 80)),
    fix: suggestion === null ? removeFix : words().didYouMean(suggestion),
  };
}

type ExpectedType = 'text' | 'number' | 'whole' | 'flag' | 'list' | 'map' | 'addresses' | 'value';

const EXPECTED_TYPES: Readonly<Record<string, ExpectedType>> = {
  string: 'text',
  number: 'number',
  int: 'whole',
  boolean: 'flag',
  array: 'list',
  object: 'map',
};

function getExpectedType(issue: Issue): ExpectedType {
  if (issue.code === 'invalid_union') return 'addresses';
  return (issue.code === 'invalid_type' && EXPECTED_TYPES[issue.expected]) || 'value';
}

function formatExpectation(issue: Issue): string {
  return issue.code === 'invalid_value'
    ? issue.values.map(String).join(', ')
    : words().expected[getExpectedType(issue)];
}

function describeActualType(value: unknown): string {
  const { found } = words();
  if (value === null) return found.null;
  if (typeof value === 'string') return found.text;
  if (typeof value === 'number') return found.number(String(value));
  if (typeof value === 'boolean') return found.flag(String(value));
  if (Array.isArray(value)) return found.list;
  return typeof value === 'object' ? found.map : found.other;
}

function formatValue(value: unknown): string {
  return typeof value === 'object' && value !== null ? describeActualType(value) : sanitizeLine(String(value), 80);
}

export interface ParsedDesign {
  /** Null when any problem is an error. */
  readonly design: Design | null;
  /** The file as plain data, valid or not; undefined when it cannot be read. */
  readonly document: unknown;
  /** In the order of the file. */
  readonly problems: readonly Problem[];
  /** Position of a dotted path in the text, 1-based; that of the nearest enclosing block when the path is absent. */
  readonly locate: (path: string) => TextPosition;
}

/** Parses and validates a design file (YAML or JSON). Each problem has its line and column. Never throws. */
export function parseDesign(text: string): ParsedDesign {
  const source = parseYamlText(text);
  const locate = (path: string) => source.locate(parsePath(path));
  if (!source.isReadable) return { design: null, document: source.document, problems: source.problems, locate };
  const { design, problems } = applySchemaAndRules(source.document, source.locate);
  const sortedProblems = [...problems].sort((a, b) => a.line - b.line || a.column - b.column);
  return { design, document: source.document, problems: sortedProblems, locate };
}

/**
 * Validates a design held as plain data, as the wizard holds it; lines and columns are 0. Never throws.
 * @param shouldSkipWarnings skips the rules that only warn
 */
export function checkDocument(
  document: unknown,
  shouldSkipWarnings = false,
): Pick<ParsedDesign, 'design' | 'problems'> {
  const { design, problems } = applySchemaAndRules(document, () => ({ line: 0, column: 0 }), shouldSkipWarnings);
  if (problems.length < 2) return { design, problems };
  const rankByPath = rankPaths(document);
  const getRank = ({ path }: Problem) => findRank(path, rankByPath);
  return { design, problems: [...problems].sort((a, b) => getRank(a) - getRank(b)) };
}

/**
 * Builds a design for display from a document that may still have errors. Missing or unreadable values become empty
 * text. Null when the document cannot be repaired.
 */
export function buildPartialDesign(document: unknown): Design | null {
  return validateAgainstSchema(document).design;
}

function applySchemaAndRules(
  document: unknown,
  locate: (path: Path, isAboutKey?: boolean) => TextPosition,
  shouldSkipWarnings = false,
): { design: Design | null; problems: Problem[] } {
  const validation = validateAgainstSchema(document);
  const schemaProblems = validation.problems.map(({ path, isAboutKey, ...rest }) => ({
    ...rest,
    path: formatPath(path),
    ...locate(path, isAboutKey),
  }));
  const { design } = validation;
  if (!design) return { design: null, problems: schemaProblems };
  const ruleProblems = evaluateDesignRules(design, validation.repairedPaths, shouldSkipWarnings).map(
    ({ path, ...rest }) => ({
      ...rest,
      path: formatPath(path),
      ...locate(path),
    }),
  );
  const problems = [...schemaProblems, ...ruleProblems];
  const hasErrors = problems.some(({ severity }) => severity === 'error');
  return { design: hasErrors ? null : removeExternalHosts(design), problems };
}

/** Maps each path of a document to its rank in reading order. */
function rankPaths(document: unknown): ReadonlyMap<string, number> {
  const rankByPath = new Map<string, number>();
  const visit = (value: unknown, path: string) => {
    if (rankByPath.has(path)) return;
    rankByPath.set(path, rankByPath.size);
    if (!isObjectOrList(value)) return;
    for (const [key, child] of Object.entries(value)) visit(child, path === '' ? key : `${path}.${key}`);
  };
  visit(document, '');
  return rankByPath;
}

function findRank(path: string, rankByPath: ReadonlyMap<string, number>): number {
  for (let ancestorPath = path; ; ancestorPath = ancestorPath.slice(0, ancestorPath.lastIndexOf('.'))) {
    const rank = rankByPath.get(ancestorPath);
    if (rank !== undefined) return rank;
    if (!ancestorPath.includes('.')) return 0;
  }
}

/**
 * Removes the hosts that the wizard does not set up: existing name servers and load balancers are only queried. The
 * addresses of the name servers become forwarders. The rules run before this: they need the path of each address.
 */
function removeExternalHosts(design: Design): Design {
  const { dns, loadBalancer } = design.services;
  const resolvers = [...dns.servers.flatMap(({ ip }) => ip), ...dns.forwarders];
  return {
    ...design,
    services: {
      ...design.services,
      dns: dns.kind === 'external' ? { ...dns, servers: [], forwarders: resolvers } : dns,
      loadBalancer: loadBalancer.kind === 'external' ? { ...loadBalancer, servers: [] } : loadBalancer,
    },
  };
}
