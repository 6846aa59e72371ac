import type { Finding } from '../checks/check.ts';
import type { Problem } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatChangedObject } from '../i18n/user-error.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { CertificatesView } from '../steps/certificates/index.ts';
import type { StepId } from '../steps/contract.ts';
import type { OperatorsView } from '../steps/operators.ts';
import { formatProblem } from '../wizard/design/fields.ts';
import { describePath } from '../wizard/design/review.ts';
import { findLikelyCause } from '../wizard/live/likely-cause.ts';
import { getStepError, getStopState, type StepRun } from '../wizard/live/step-run.ts';
import { getPageRules, isStep, type WizardState } from '../wizard/state.ts';
import { formatFinding, formatInstructions, toOutputLines } from './line-io.ts';
import type { ScreenTextModel } from './menu.ts';

const clusterChangesWords = () => catalogue().plain.cluster;

/** Operator states to report if the operator was healthy before. */
const UNHEALTHY_STATES: ReadonlySet<OperatorsView['operators'][number]['state']> = new Set(['degraded', 'unavailable']);

/**
 * Describes what changed in the cluster between two probes of a step, one sentence each. Nodes become Ready or
 * NotReady; operators become unhealthy or recover.
 * @param before the view of the previous probe; null at the first one, which has no changes
 */
export function describeClusterChanges(step: StepId, before: unknown, current: unknown): string[] {
  if (before === null || before === undefined || current === null || current === undefined || before === current)
    return [];
  // The type of a run does not include the type of its view: the id of the step determines it.
  if (step === 'certificates') return describeNodeChanges(before as CertificatesView, current as CertificatesView);
  if (step === 'operators') return describeOperatorChanges(before as OperatorsView, current as OperatorsView);
  return [];
}

function describeNodeChanges(before: CertificatesView, current: CertificatesView): string[] {
  // While the API does not answer, the state of the nodes is unknown.
  if (before.apiDetail !== null || current.apiDetail !== null) return [];
  const readyBefore = new Map(before.nodes.map(({ name, isReady }) => [name, isReady]));
  return current.nodes.flatMap(({ name, isReady }) => {
    const wasReady = readyBefore.get(name);
    if (wasReady === undefined || wasReady === isReady) return [];
    return [
      isReady ? clusterChangesWords().ready(sanitizeLine(name)) : clusterChangesWords().notReady(sanitizeLine(name)),
    ];
  });
}

function describeOperatorChanges(before: OperatorsView, current: OperatorsView): string[] {
  const stateBefore = new Map(before.operators.map(({ name, state }) => [name, state]));
  const currentNames = new Set(current.operators.map(({ name }) => name));
  const states = catalogue().screens.operators.states;
  const changeLines = current.operators.flatMap(({ name, state, message }) => {
    const previousState = stateBefore.get(name);
    if (previousState === undefined || previousState === state) return [];
    if (UNHEALTHY_STATES.has(state) && !UNHEALTHY_STATES.has(previousState))
      return [clusterChangesWords().unhealthy(sanitizeLine(name), states[state], sanitizeLine(message))];
    return UNHEALTHY_STATES.has(previousState) && state === 'fine'
      ? [clusterChangesWords().healthy(sanitizeLine(name))]
      : [];
  });
  const removed = current.operators.length === 0 ? [] : before.operators.filter(({ name }) => !currentNames.has(name));
  return [...changeLines, ...removed.map(({ name }) => clusterChangesWords().removed(sanitizeLine(name)))];
}

const words = () => catalogue().plain;

/** Maximum number of planned changes to print; the others are counted, and shown on demand. */
const MAX_SHOWN_CHANGES = 12;

/** State that has been reported for the step on the screen, so that nothing is reported twice. */
interface ReportedState {
  readonly state: WizardState | null;
  readonly findings: ReadonlySet<string>;
  readonly summary: string | null;
}

export const NOTHING_REPORTED: ReportedState = { state: null, findings: new Set(), summary: null };

/**
 * Describes what the user has not read yet: a new screen with its introduction, and the events on it since the last
 * report.
 */
export function describeChanges(
  reportedState: ReportedState,
  state: WizardState,
  model: ScreenTextModel,
): { lines: string[]; reportedState: ReportedState } {
  const before = reportedState.state;
  const { screens } = state;
  const isNewScreen = before?.screen !== state.screen;
  const lines: string[] = [];
  if (isNewScreen) {
    lines.push('', words().heading(screens.indexOf(state.screen) + 1, screens.length, model.title(state)));
    lines.push(...model.intro(state));
  }
  // The facts about this machine arrive after the page was printed.
  else if (before !== null && before.welcome.overview !== state.welcome.overview) {
    const printedLines = new Set(model.intro(before));
    lines.push(...model.intro(state).filter((line) => !printedLines.has(line)));
  }
  if (state.notice && state.notice !== before?.notice) lines.push(words().notice(state.notice.kind, state.notice.text));
  // The screens show file problems beside the answers; here no other line does.
  if (getPageRules(state.screen).credentialFiles === 'entered')
    lines.push(...describeFileProblems(isNewScreen ? null : before, state));
  let { findings, summary } = reportedState;
  if (isStep(state.screen)) {
    const run = state.runs[state.screen];
    const previousRun = isNewScreen ? null : (before?.runs[state.screen] ?? null);
    if (isNewScreen) {
      findings = new Set();
      summary = null;
    }
    const cause = findLikelyCause(state, state.screen, run);
    if (cause !== null && !findings.has(findingKey(cause))) {
      lines.push(...formatFinding(cause));
      findings = new Set([...findings, findingKey(cause)]);
    }
    if (run !== previousRun) {
      const newFindings = (run.probe?.findings ?? []).filter((finding) => !findings.has(findingKey(finding)));
      lines.push(
        ...describeRun(previousRun, run),
        ...describeSummary(previousRun, run, summary, state.now),
        ...describePlan(previousRun, run),
      );
      const clusterChanges = describeClusterChanges(state.screen, previousRun?.probe?.view, run.probe?.view);
      lines.push(...clusterChanges.map((line) => words().progressLine(line)), ...newFindings.flatMap(formatFinding));
      if (!isProbing(run)) summary = run.probe?.summary ?? summary;
      findings = new Set([...findings, ...newFindings.map(findingKey)]);
    }
  }
  return { lines, reportedState: { state, findings, summary } };
}

/** Describes the problems of the named files that are new. */
function describeFileProblems(before: WizardState | null, { credentialProblems, document }: WizardState): string[] {
  const describe = (problem: Problem) =>
    words().notice(problem.severity, `${describePath(document, problem.path)}: ${formatProblem(problem, document)}`);
  const previousProblems = new Set((before?.credentialProblems ?? []).map(({ path, message }) => `${path} ${message}`));
  return credentialProblems.filter(({ path, message }) => !previousProblems.has(`${path} ${message}`)).map(describe);
}

const findingKey = ({ title, cause }: Finding) => `${title}\n${cause}`;

/** While a step is probed again, its known state is that of the last probe. */
const isProbing = ({ phase }: StepRun) => phase === 'probing' || phase === 'unknown';

function describeRun(before: StepRun | null, run: StepRun): string[] {
  const lines: string[] = [];
  if (isProbing(run) && before === null) lines.push(words().progressLine(words().looking));
  if (run.isRechecking && before?.isRechecking === false) lines.push(words().progressLine(words().looking));
  if (run.phase === 'applying' && before?.phase !== 'applying') lines.push(words().progressLine(words().working));
  for (const line of findNewLines(before, run)) lines.push(words().progressLine(line));
  const userError = getStepError(run);
  if (userError && userError.cause !== (before && getStepError(before)?.cause)) {
    lines.push(
      words().finding('error', `${userError.title}: ${userError.cause}`),
      ...toOutputLines(words().remedy(userError.remedy)),
    );
  }
  const stop = getStopState(run);
  if (stop !== null && stop !== (before && getStopState(before))) lines.push(words().stops[stop]);
  return lines;
}

function describeSummary(before: StepRun | null, run: StepRun, lastSummary: string | null, now: number): string[] {
  const { probe, appliedAt } = run;
  if (probe === null || isProbing(run)) return [];
  if (run.phase === 'done') return before?.phase === 'done' ? [] : [words().stepDone(probe.summary)];
  if (probe.summary === lastSummary) return [];
  return [
    appliedAt === null
      ? words().progressLine(probe.summary)
      : words().elapsedLine(Math.max(0, now - appliedAt), probe.summary),
  ];
}

/** Finds the lines reported since `before`; its oldest lines may have been dropped meanwhile. */
function findNewLines(before: StepRun | null, { lines }: StepRun): readonly string[] {
  if (before === null || before.lines === lines) return [];
  const lastLine = before.lines.at(-1);
  const lastIndex = lastLine === undefined ? -1 : lines.lastIndexOf(lastLine);
  return lines.slice(lastIndex + 1);
}

function describePlan(before: StepRun | null, { phase, plan }: StepRun): string[] {
  const previousPlan = before?.phase === phase ? before.plan : null;
  if (phase !== 'ready' || plan === null || JSON.stringify(plan) === JSON.stringify(previousPlan)) return [];
  const { changes, instructions } = plan;
  return [
    ...changes.slice(0, MAX_SHOWN_CHANGES).map((change) => words().plan(formatChangedObject(change), change.what)),
    ...(changes.length > MAX_SHOWN_CHANGES ? [words().more(changes.length - MAX_SHOWN_CHANGES)] : []),
    ...formatInstructions(instructions),
  ];
}
