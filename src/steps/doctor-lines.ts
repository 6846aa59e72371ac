import { listProblemTrees, type ProblemTree } from '../checks/causes/explain.ts';
import type { Finding } from '../checks/check.ts';
import { catalogue } from '../i18n/catalogue.ts';

const words = () => catalogue().doctor;

/** Groups of findings, the most urgent first. */
const GROUPS = ['needed', 'warning', 'note', 'pending', 'unknown', 'ok'] as const;
type Group = (typeof GROUPS)[number];

/** Lists the failed checks that prevent an installation. */
export function listBlockingFindings(findings: readonly Finding[]): Finding[] {
  return findings.filter((finding) => getGroup(finding) === 'needed');
}

/** Summarizes in one sentence whether this machine has what an installation needs. */
export function formatVerdict(findings: readonly Finding[]): string {
  const blockingTitles = listBlockingFindings(findings).map(({ title }) => title);
  const count = findings.filter(({ state }) => state === 'ok').length;
  return blockingTitles.length === 0 ? words().ready(count) : words().missing(blockingTitles);
}

/** Options for listing findings. By default, the headings of the check of this machine, and all groups. */
interface FindingListOptions {
  readonly headings?: Readonly<Record<Group, string>>;
  /** Leaves out what is ok: a site has hundreds of such results, and the failures would scroll off the screen. */
  readonly isShort?: boolean;
}

/**
 * Formats all findings by groups. The indentation of a line is also that of its continuation when it is wrapped.
 * Commands are complete. A consequence is listed under the failure that caused it.
 */
export function formatFindings(
  findings: readonly Finding[],
  { headings = words().groups, isShort = false }: FindingListOptions = {},
): readonly string[] {
  const problems = listProblemTrees(findings);
  const treeFindings = new Set(
    problems.flatMap(({ finding, consequences, unknownFindings }) => [finding, ...consequences, ...unknownFindings]),
  );
  return GROUPS.filter((group) => !isShort || group !== 'ok')
    .flatMap((group) => {
      const lines = [
        ...formatProblems(problems.filter(({ severity }) => GROUP_BY_SEVERITY[severity] === group)),
        ...findings
          .filter((finding) => !treeFindings.has(finding) && getGroup(finding) === group)
          .flatMap((finding) => formatFinding(finding)),
      ];
      return lines.length === 0 ? [] : [headings[group], ...lines, ''];
    })
    .slice(0, -1);
}

const GROUP_BY_SEVERITY = { fatal: 'needed', warning: 'warning', note: 'note' } as const;

function getGroup({ state, severity }: Finding): Group {
  return state === 'failed' ? GROUP_BY_SEVERITY[severity] : state;
}

/**
 * Maximum number of findings in a list below a problem, and of problems with the same failure that are printed one by
 * one.
 */
const MAX_LISTED_FINDINGS = 5;
const MAX_SAME_FAILURES = 3;

/**
 * Formats problems. If several subjects have the same failure and remedy, only the first is printed with the remedy.
 */
function formatProblems(problems: readonly ProblemTree[]): string[] {
  const bySameFailure = Map.groupBy(problems, ({ finding: { code, remedy }, consequences, unknownFindings }) =>
    consequences.length + unknownFindings.length > 0 ? '' : `${code} ${remedy}`,
  );
  return problems.flatMap((problem): string[] => {
    const { code, remedy } = problem.finding;
    const sameFailures = bySameFailure.get(`${code} ${remedy}`) ?? [];
    if (!sameFailures.includes(problem) || sameFailures.length <= MAX_SAME_FAILURES) return formatProblem(problem);
    const otherFindings = sameFailures.slice(1).map(({ finding }) => finding);
    return problem === sameFailures[0]
      ? [...formatProblem(problem), ...formatFindingList(words().sameFailure, otherFindings)]
      : [];
  });
}

function formatProblem({ finding, consequences, unknownFindings }: ProblemTree): string[] {
  // The cause of the failure already names consequences that are its evidence: list only the rest.
  const moreConsequences = consequences.filter(({ cause }) => cause === '' || !finding.cause.includes(cause));
  return [
    ...formatFinding(finding),
    ...(moreConsequences.length === 0 ? [] : formatFindingList(words().consequences, moreConsequences)),
    ...(unknownFindings.length === 0 ? [] : [`    ${words().unknownConsequences(unknownFindings.length)}`]),
  ];
}

function formatFindingList(heading: string, findings: readonly Finding[]): string[] {
  const listedFindings = findings.length <= MAX_LISTED_FINDINGS + 1 ? findings : findings.slice(0, MAX_LISTED_FINDINGS);
  return [
    `    ${heading}`,
    ...listedFindings.map(({ title, cause }) => `      ${words().line(title, cause)}`),
    ...(listedFindings.length === findings.length
      ? []
      : [`      ${words().more(findings.length - listedFindings.length)}`]),
  ];
}

function formatFinding({ state, title, cause, remedy, command }: Finding): string[] {
  const line = `  ${words().line(title, cause)}`;
  // A pending result requires nothing yet.
  if (state === 'ok' || state === 'pending') return [line];
  return [
    line,
    // A state that is not known needs no remedy yet: the command shows it.
    ...(remedy === '' || state === 'unknown' ? [] : [`    ${remedy}`]),
    ...(command === undefined ? [] : [`    ${words().command(command)}`]),
  ];
}
