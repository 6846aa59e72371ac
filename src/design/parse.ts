import type { Design, Problem } from './model.ts';
import { formatPath, isObjectOrList, type Path, parsePath } from './paths.ts';
import { evaluateDesignRules } from './rules/index.ts';
import { validateAgainstSchema } from './schema-validation.ts';
import { parseYamlText, type TextPosition } from './yaml.ts';

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
