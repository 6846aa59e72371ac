import type { Design } from '../../design/model.ts';
import type { Finding } from '../check.ts';
import { locateFinding } from './locations.ts';
import { CAUSE_RULES, type LocatedFinding, matchesId } from './rules.ts';

/** A failure that no other one explains, with the results that it explains. */
export interface ProblemTree {
  readonly finding: Finding;
  /** Failed results that the finding explains, in the order of the checks. */
  readonly consequences: readonly Finding[];
  /** Results that are unknown because of the finding. */
  readonly unknownFindings: readonly Finding[];
  /** The highest severity of the finding and its consequences. */
  readonly severity: Finding['severity'];
}

/**
 * Adds to each failed or unknown finding the failure that explains it (`causedBy`), by the table in rules.ts. Returns
 * all findings. The text of a less precise finding of the same fault becomes evidence of the more precise one.
 */
export function explainFindings(design: Design, findings: readonly Finding[]): Finding[] {
  const locatedFindings = findings.map((finding) => ({ finding, location: locateFinding(design, finding) }));
  const failedFindings = locatedFindings.filter(({ finding }) => finding.state === 'failed');
  const causeByFinding = new Map<Finding, Finding>();
  const evidenceByFinding = new Map<Finding, Finding[]>();
  for (const rule of CAUSE_RULES) {
    const causeFailures = failedFindings.filter(({ finding }) => matchesId(rule.cause, finding.code));
    if (causeFailures.length === 0) continue;
    for (const locatedFinding of locatedFindings) {
      if (!isExplainable(locatedFinding, rule.effects) || causeByFinding.has(locatedFinding.finding)) continue;
      const cause = causeFailures.find(
        (causeFailure) =>
          causeFailure.finding.code !== locatedFinding.finding.code &&
          !isCausedBy(causeFailure.finding, locatedFinding.finding, causeByFinding) &&
          rule.when(causeFailure, locatedFinding, causeFailures),
      );
      if (cause === undefined) continue;
      causeByFinding.set(locatedFinding.finding, cause.finding);
      if (rule.role === 'evidence')
        evidenceByFinding.set(cause.finding, [...(evidenceByFinding.get(cause.finding) ?? []), locatedFinding.finding]);
    }
  }
  return findings.map((finding) => {
    const cause = causeByFinding.get(finding);
    // Skips texts that the cause contains already: the findings of each phase are explained alone first, and then again
    // together with those of all phases.
    const evidenceTexts = (evidenceByFinding.get(finding) ?? [])
      .map(({ subject, cause: text }) => `${subject ?? ''}: ${text}`)
      .filter((text) => !finding.cause.includes(text));
    return {
      ...finding,
      ...(evidenceTexts.length === 0
        ? {}
        : { cause: [finding.cause, ...evidenceTexts].filter((text) => text !== '').join('; ') }),
      ...(cause === undefined ? {} : { causedBy: { id: cause.code, subject: cause.subject } }),
    };
  });
}

function isExplainable({ finding: { state, code } }: LocatedFinding, patterns: readonly string[]): boolean {
  return (state === 'failed' || state === 'unknown') && patterns.some((pattern) => matchesId(pattern, code));
}

function isCausedBy(finding: Finding, cause: Finding, causeByFinding: ReadonlyMap<Finding, Finding>): boolean {
  for (let ancestor = causeByFinding.get(finding); ancestor !== undefined; ancestor = causeByFinding.get(ancestor))
    if (ancestor === cause) return true;
  return false;
}

const SEVERITIES = ['fatal', 'warning', 'note'] as const;

/**
 * Lists the problems with their consequences: fatal ones first, then in the order of the cause table, then in the order
 * of the checks. A consequence whose cause is not among the findings is a problem itself.
 */
export function listProblemTrees(findings: readonly Finding[]): ProblemTree[] {
  const failedFindingsByKey = new Map(
    findings
      .filter(({ state }) => state === 'failed')
      .map((failure) => [createFindingKey(failure.code, failure.subject), failure]),
  );
  const findRoot = (finding: Finding): Finding => {
    const cause =
      finding.causedBy && failedFindingsByKey.get(createFindingKey(finding.causedBy.id, finding.causedBy.subject));
    return cause === undefined || cause === finding ? finding : findRoot(cause);
  };
  const findingsByRoot = Map.groupBy(
    findings.filter(({ state }) => state === 'failed' || state === 'unknown'),
    findRoot,
  );
  const problems = [...findingsByRoot].flatMap(([finding, group]): ProblemTree[] => {
    if (finding.state !== 'failed') return [];
    const failedFindings = group.filter(({ state }) => state === 'failed');
    const severity =
      SEVERITIES.find((candidate) => failedFindings.some((failure) => failure.severity === candidate)) ?? 'note';
    return [
      {
        finding,
        severity,
        consequences: failedFindings.filter((failedFinding) => failedFinding !== finding),
        unknownFindings: group.filter(({ state }) => state === 'unknown'),
      },
    ];
  });
  return problems.toSorted(
    (a, b) =>
      SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
      getCauseRank(a.finding.code) - getCauseRank(b.finding.code),
  );
}

const createFindingKey = (id: string, subject: string | null) => JSON.stringify([id, subject]);

function getCauseRank(id: string): number {
  const index = CAUSE_RULES.findIndex(({ cause }) => matchesId(cause, id));
  return index === -1 ? CAUSE_RULES.length : index;
}

/**
 * Orders items by their findings: each problem, then its consequences, then all items that did not fail, in their
 * original order.
 */
export function orderByCause<Item>(items: readonly Item[], getFinding: (item: Item) => Finding): Item[] {
  const itemsByFinding = new Map(items.map((item) => [getFinding(item), item]));
  const failedFindings = listFailuresByCause([...itemsByFinding.keys()]);
  const otherFindings = [...itemsByFinding.keys()].filter(({ state }) => state !== 'failed');
  return [...failedFindings, ...otherFindings].flatMap((finding) => itemsByFinding.get(finding) ?? []);
}

/** Lists the failed findings, fatal ones first, each followed by its consequences. Unknown findings are left out. */
export function listFailuresByCause(findings: readonly Finding[]): Finding[] {
  return listProblemTrees(findings).flatMap(({ finding, consequences }) => [finding, ...consequences]);
}
