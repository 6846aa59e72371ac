import type { Finding } from '../checks/check.ts';
import type { Problem } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import type { CertificatesView } from '../steps/certificates/index.ts';
import type { StepId } from '../steps/contract.ts';
import type { OperatorsView } from '../steps/operators.ts';
import { formatProblem } from '../wizard/design/fields.ts';
import { describePath } from '../wizard/design/review.ts';
import { findLikelyCause } from '../wizard/live/likely-cause.ts';
import {
  getOpenPrompt,
  getStepError,
  getStopState,
  isBlockedForNow,
  isInProgress,
  type StepRun,
} from '../wizard/live/step-run.ts';
import { isWelcomeBackPage } from '../wizard/overlays/overlay.ts';
import { getPageRules, isStep, type WizardState } from '../wizard/state.ts';
import { formatFindings, formatInstructions, formatPlannedChanges, removeScreenKeys, toOutputLines } from './output.ts';
import type { ScreenTextModel } from './screen-text-model.ts';

const clusterWords = () => catalogue().plain.cluster;

/** Operator states to report if the operator was healthy before. */
const UNHEALTHY_STATES: ReadonlySet<OperatorsView['operators'][number]['state']> = new Set(['degraded', 'unavailable']);

/**
 * Describes what changed in the cluster between two probes of a step, one sentence each. Nodes become Ready or
 * NotReady; operators become unhealthy or recover.
 * @param previousView the view of the previous probe; null at the first one, which has no changes
 */
export function describeClusterChanges(step: StepId, previousView: unknown, currentView: unknown): string[] {
  if (
    previousView === null ||
    previousView === undefined ||
    currentView === null ||
    currentView === undefined ||
    previousView === currentView
  )
    return [];
  // The type of a run does not include the type of its view: the id of the step determines it.
  if (step === 'certificates')
    return describeNodeChanges(previousView as CertificatesView, currentView as CertificatesView);
  if (step === 'operators') return describeOperatorChanges(previousView as OperatorsView, currentView as OperatorsView);
  return [];
}

function describeNodeChanges(previousView: CertificatesView, currentView: CertificatesView): string[] {
  // While the API does not answer, the state of the nodes is unknown.
  if (previousView.apiDetail !== null || currentView.apiDetail !== null) return [];
  const previousReadiness = new Map(previousView.nodes.map(({ name, isReady }) => [name, isReady]));
  return currentView.nodes.flatMap(({ name, isReady }) => {
    const wasReady = previousReadiness.get(name);
    if (wasReady === undefined || wasReady === isReady) return [];
    return [isReady ? clusterWords().ready(sanitizeLine(name)) : clusterWords().notReady(sanitizeLine(name))];
  });
}

function describeOperatorChanges(previousView: OperatorsView, currentView: OperatorsView): string[] {
  const previousStates = new Map(previousView.operators.map(({ name, state }) => [name, state]));
  const currentNames = new Set(currentView.operators.map(({ name }) => name));
  const states = catalogue().screens.operators.states;
  const changeLines = currentView.operators.flatMap(({ name, state, message }) => {
    const previousState = previousStates.get(name);
    if (previousState === undefined || previousState === state) return [];
    if (UNHEALTHY_STATES.has(state) && !UNHEALTHY_STATES.has(previousState))
      return [clusterWords().unhealthy(sanitizeLine(name), states[state], sanitizeLine(message))];
    return UNHEALTHY_STATES.has(previousState) && state === 'fine' ? [clusterWords().healthy(sanitizeLine(name))] : [];
  });
  const removedOperators =
    currentView.operators.length === 0 ? [] : previousView.operators.filter(({ name }) => !currentNames.has(name));
  return [...changeLines, ...removedOperators.map(({ name }) => clusterWords().removed(sanitizeLine(name)))];
}

const words = () => catalogue().plain;

/** Maximum number of lines that an action reports at once at its beginning; the log has the others. */
const MAX_FIRST_LINES = 5;

/** State that has been reported for the step on the screen, so that nothing is reported twice. */
interface ReportedState {
  readonly state: WizardState | null;
  readonly findings: ReadonlySet<string>;
  readonly summary: string | null;
  /** The run of the step as it was reported; null: it was not. */
  readonly run: StepRun | null;
}

/** The reported state before the first report. */
export const NOTHING_REPORTED: ReportedState = { state: null, findings: new Set(), summary: null, run: null };

/**
 * Describes what the user has not read yet: a new screen with its introduction, and the events on it since the last
 * report.
 */
export function describeChanges(
  reportedState: ReportedState,
  state: WizardState,
  model: ScreenTextModel,
): { lines: string[]; reportedState: ReportedState } {
  const previousState = reportedState.state;
  const { screens } = state;
  const isNewScreen = previousState?.screen !== state.screen;
  const lines: string[] = [];
  if (isNewScreen) {
    lines.push('', words().heading(screens.indexOf(state.screen) + 1, screens.length, model.title(state)));
    lines.push(...model.intro(state));
  }
  // Facts about this machine and its credential files arrive after the page was printed.
  else if (previousState !== null && hasNewFacts(previousState, state)) {
    const printedLines = new Set(model.intro(previousState));
    lines.push(...model.intro(state).filter((line) => !printedLines.has(line)));
  }
  if (state.notice && state.notice !== previousState?.notice)
    lines.push(words().notice(state.notice.kind, removeScreenKeys(state.notice.text)));
  else if (previousState !== null) lines.push(...describeReply(previousState, state));
  const readingText = getReadingText(state);
  if (readingText !== null && (previousState === null || readingText !== getReadingText(previousState)))
    lines.push(words().progressLine(readingText));
  if (state.absenceSummary !== null && state.absenceSummary !== previousState?.absenceSummary)
    lines.push(words().progressLine(state.absenceSummary));
  // The screens show file problems beside the answers; here no other line does.
  if (getPageRules(state.screen).credentialFiles === 'entered')
    lines.push(...describeFileProblems(isNewScreen ? null : previousState, state));
  let { findings, summary, run: reportedRun } = reportedState;
  if (isNewScreen) {
    findings = new Set();
    summary = null;
    reportedRun = null;
  }
  // The page about the absence has a menu of its own, which the state of the step below it would separate from its
  // text.
  if (isStep(state.screen) && !isWelcomeBackPage(state)) {
    const run = state.runs[state.screen];
    const previousRun = reportedRun;
    reportedRun = run;
    const cause = findLikelyCause(state, state.screen, run);
    // A finding that disappeared is reported again when it returns.
    const currentConditionKeys = [...(run.probe?.findings ?? []), ...(cause === null ? [] : [cause])].map(
      getConditionKey,
    );
    findings = new Set(
      [...findings].filter((key) => currentConditionKeys.some((conditionKey) => key.startsWith(`${conditionKey}\n`))),
    );
    if (cause !== null && !findings.has(getFindingKey(cause))) {
      lines.push(...formatFindings([cause]));
      findings = new Set([...findings, getFindingKey(cause)]);
    }
    if (run !== previousRun) {
      const newFindings = (run.probe?.findings ?? []).filter(
        (finding) => !findings.has(getFindingKey(finding)) && !isBlockedForNow(finding, run),
      );
      lines.push(
        ...describeRun(previousRun, run),
        ...describeSummary(previousRun, run, summary, state.now),
        ...(run.phase === 'done' && previousRun?.phase !== 'done' ? model.doneText(state).flatMap(toOutputLines) : []),
        ...describePlan(previousRun, run),
      );
      const clusterChanges = describeClusterChanges(state.screen, previousRun?.probe?.view, run.probe?.view);
      lines.push(...clusterChanges.map((line) => words().progressLine(line)), ...formatFindings(newFindings));
      if (!isProbing(run)) summary = run.probe?.summary ?? summary;
      findings = new Set([...findings, ...newFindings.map(getFindingKey)]);
    }
  }
  return { lines, reportedState: { state, findings, summary, run: reportedRun } };
}

/** Returns the text that a page or a question shows until it is ready; null if none is being prepared. */
function getReadingText({ overlay, screen, runs }: WizardState): string | null {
  const { probing } = catalogue().screens.step;
  if (overlay?.kind === 'page' && (overlay.page === null || overlay.isPending))
    return overlay.subject === 'diagnosis' ? catalogue().diagnose.progress : probing;
  return isStep(screen) && getOpenPrompt(runs[screen])?.confirmation === 'reading' ? probing : null;
}

/** Describes the effect of an input that full screens show in the title line, or by closing a question. */
function describeReply(previousState: WizardState, { screen, welcome: { rehearsal }, runs }: WizardState): string[] {
  if (rehearsal !== null && rehearsal !== previousState.welcome.rehearsal)
    return [rehearsal.isPaused ? words().paused : words().pace(rehearsal.speed)];
  if (!isStep(screen) || previousState.screen !== screen) return [];
  const [previousRun, run] = [previousState.runs[screen], runs[screen]];
  // A new probe may close the question as well.
  const isDeclined = previousRun.phase === 'asking' && !isInProgress(run) && run.phase !== 'asking';
  return isDeclined && run.probe === previousRun.probe ? [words().declinedAction] : [];
}

/** Whether facts about this machine, or problems of credential files that the page lists, have changed. */
function hasNewFacts(previousState: WizardState, { screen, welcome, credentialProblems }: WizardState): boolean {
  const areFilesListed = getPageRules(screen).credentialFiles === 'reviewed';
  return (
    previousState.welcome.overview !== welcome.overview ||
    (areFilesListed && previousState.credentialProblems !== credentialProblems)
  );
}

/** Describes the problems of credential files that the previous state did not have. */
function describeFileProblems(
  previousState: WizardState | null,
  { credentialProblems, document }: WizardState,
): string[] {
  const describe = (problem: Problem) =>
    words().notice(problem.severity, `${describePath(document, problem.path)}: ${formatProblem(problem, document)}`);
  const previousProblems = new Set(
    (previousState?.credentialProblems ?? []).map(({ path, message }) => `${path} ${message}`),
  );
  return credentialProblems.filter(({ path, message }) => !previousProblems.has(`${path} ${message}`)).map(describe);
}

const getConditionKey = ({ code, subject }: Finding) => `${code} ${subject}`;

/** Key of a finding without its durations, times and counts: a finding that counts stays the same. */
export function getFindingKey(finding: Finding): string {
  const text = `${finding.title}\n${finding.cause}`.replace(/(?:\b\d+ (?:h|min|s)\b ?)+/g, '');
  return `${getConditionKey(finding)}\n${text.replace(/\b\d+(?::\d+)*\b/g, '')}`;
}

/** Whether the current probe has no result yet: `run.probe` is then the previous one, or null. */
const isProbing = ({ phase }: StepRun) => phase === 'probing' || phase === 'unknown';

function describeRun(previousRun: StepRun | null, run: StepRun): string[] {
  const lines: string[] = [];
  if (isProbing(run) && previousRun === null) lines.push(words().progressLine(words().probing));
  if (run.isRechecking && previousRun?.isRechecking === false) lines.push(words().progressLine(words().probing));
  if (run.phase === 'applying' && previousRun?.phase !== 'applying') lines.push(words().progressLine(words().working));
  const newLines = findNewLines(previousRun, run);
  // A job that is followed again reports everything from its start at once.
  const skippedCount = previousRun?.lines.length === 0 ? Math.max(0, newLines.length - MAX_FIRST_LINES) : 0;
  if (skippedCount > 0) lines.push(words().earlierLines(skippedCount));
  for (const line of newLines.slice(skippedCount)) lines.push(words().progressLine(line));
  const userError = getStepError(run);
  if (userError && userError.cause !== (previousRun && getStepError(previousRun)?.cause)) {
    lines.push(
      words().finding('error', `${userError.title}: ${userError.cause}`),
      ...toOutputLines(words().remedy(userError.remedy)),
    );
  }
  const stopState = getStopState(run);
  if (stopState !== null && stopState !== (previousRun && getStopState(previousRun)))
    lines.push(words().stops[stopState]);
  return lines;
}

function describeSummary(previousRun: StepRun | null, run: StepRun, lastSummary: string | null, now: number): string[] {
  const { probe, appliedAt } = run;
  if (probe === null || isProbing(run)) return [];
  if (run.phase === 'done') return previousRun?.phase === 'done' ? [] : [words().stepDone(probe.summary)];
  // While moves run, the next one is blocked by them: their own lines report the progress. The end has a line of its
  // own.
  const isReportedElsewhere = run.phase === 'applying' && (probe.state === 'blocked' || probe.state === 'done');
  if (probe.summary === lastSummary || isReportedElsewhere) return [];
  return [
    appliedAt === null
      ? words().progressLine(probe.summary)
      : words().elapsedLine(Math.max(0, now - appliedAt), probe.summary),
  ];
}

/** Finds the lines reported since `previousRun`; its oldest lines may have been dropped meanwhile. */
function findNewLines(previousRun: StepRun | null, { lines }: StepRun): readonly string[] {
  if (previousRun === null || previousRun.lines === lines) return [];
  const lastLine = previousRun.lines.at(-1);
  const lastIndex = lastLine === undefined ? -1 : lines.lastIndexOf(lastLine);
  return lines.slice(lastIndex + 1);
}

function describePlan(previousRun: StepRun | null, { phase, plan }: StepRun): string[] {
  const previousPlan = previousRun?.phase === phase ? previousRun.plan : null;
  if (phase !== 'ready' || plan === null || JSON.stringify(plan) === JSON.stringify(previousPlan)) return [];
  const { instructions, summary = [], parts = [] } = plan;
  // The question about the plan prints all of it; before that, its summary is enough.
  if (summary.length > 0)
    return [
      ...summary
        .filter(({ label }) => label !== '')
        .map(({ label, text }) => words().progressLine(`${label}: ${text}`)),
      ...parts.map(({ label, text, end }) => words().plan(label, `${text}, ${end}`)),
      ...formatInstructions(instructions),
    ];
  return [...formatPlannedChanges(plan), ...formatInstructions(instructions)];
}
