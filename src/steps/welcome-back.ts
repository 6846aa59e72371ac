import { createHash } from 'node:crypto';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isUndecidedAndCurrent, type RequestReview, type RequestVerdict } from '../csr/verdict.ts';
import { getJobFiles, readRunEvents } from '../host/jobs/job-files.ts';
import { findJob } from '../host/jobs/job-status.ts';
import { readPreviousOutput } from '../host/output-dir.ts';
import { catalogue } from '../i18n/catalogue.ts';
import type { ClusterSnapshot } from '../kube/snapshot.ts';
import { isNodeLost } from '../openshift/node.ts';
import { deriveOperatorHealth, OPERATOR_HEALTH_STATES } from '../openshift/operator.ts';
import { MINUTE } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { findEntry } from '../platform/table-lookup.ts';
import { formatLocalTime } from '../session/holder-record.ts';
import { type ActivityLine, findPreviousRun, type PreviousRun } from '../session/previous-run.ts';
import type { Page, StepContext } from './contract.ts';
import { reviewListedRequests } from './shared/certificate-requests.ts';
import { readSnapshot } from './shared/cluster-access.ts';
import { hasReachedStage } from './shared/hosts/current-stage.ts';
import { isStageDone } from './shared/installer/bootstrap-progress.ts';
import { findCsrApprovalJob, JOB_NAMES } from './shared/jobs.ts';
import { formatJournalLine } from './shared/journal-events.ts';
import { readBootRequests } from './shared/machines/boot-requests.ts';
import { getFirstPowerOn, wasReadyBefore } from './shared/machines/node-facts.ts';
import { workspace } from './shared/workspace.ts';

const jobWords = () => catalogue().welcomeBack.jobs;

/**
 * Describes what happened to the jobs of an install directory since a time (ms of the machine's clock), a sentence for
 * each.
 */
async function describeJobChanges(dir: string, since: number, formatTime: (at: number) => string): Promise<string[]> {
  const { jobsDir } = workspace(dir);
  const sentences = JOB_NAMES.map(async (name) => {
    const job = await findJob(jobsDir, name);
    if (job === null) return [];
    const ends = readRunEvents(getJobFiles(jobsDir, name)).filter(({ at, code }) => code !== null && at >= since);
    const lastEnd = ends.at(-1);
    const title = jobWords().names[name];
    switch (job.state) {
      case 'running':
        return [lastEnd ? jobWords().restarted(title, ends.length, formatTime(lastEnd.at)) : jobWords().running(title)];
      case 'ended':
        return lastEnd ? [jobWords().ended(title, lastEnd.code ?? 0, formatTime(lastEnd.at))] : [];
      case 'lost':
        return [jobWords().lost(title)];
    }
  });
  return (await Promise.all(sentences)).flat();
}

const words = () => catalogue().welcomeBack;

/** Minimum absence (ms) for the page: a user who returns sooner knows the state. */
const MIN_ABSENCE = 5 * MINUTE;
/**
 * A shorter minimum (ms) for another user or client address, who does not know the state. A take-over has just shown
 * the state.
 */
const MIN_ABSENCE_ELSEWHERE = MINUTE;
/** Maximum number of lines about actions, and about files. */
const MAX_LINES = 5;

/** The current user, and the screen at which the wizard continues. */
export interface ReturnContext {
  readonly user: string;
  /** The client address of an SSH login; null: a local terminal. */
  readonly from: string | null;
  /** ms of the machine's clock. */
  readonly now: number;
  /** The name of the screen. */
  readonly screenName: string;
  /** The step with an unanswered question; null: none. */
  readonly pendingStep: string | null;
}

/**
 * Describes what happened in an install directory since the wizard was left, from the records on this machine: it sends
 * no requests, so it waits for nothing. Call it while the lock is held.
 * @returns null after an absence of a few moments, and for a directory that was not used before
 */
export async function buildWelcomeBackPage(
  dir: string,
  { user, from, now, screenName, pendingStep }: ReturnContext,
): Promise<Page | null> {
  const previousRun = findPreviousRun(dir);
  if (previousRun === null) return null;
  const isElsewhere = previousRun.user !== user || previousRun.from !== from;
  if (now - previousRun.endedAt < (isElsewhere ? MIN_ABSENCE_ELSEWHERE : MIN_ABSENCE)) return null;
  const userText = isElsewhere
    ? words().userFrom(sanitizeLine(previousRun.user, 60), previousRun.from && sanitizeLine(previousRun.from, 60))
    : null;
  const events = [
    ...limitLines(formatActions(previousRun)),
    ...(await describeJobChanges(dir, previousRun.endedAt, formatLocalTime)),
    ...limitLines(findEditedFiles(dir, previousRun.endedAt).map((file) => words().editedFile(sanitizeLine(file, 200)))),
  ];
  return {
    title: words().title(screenName),
    lines: [
      (previousRun.wasInterrupted ? words().interrupted : words().exited)(
        formatLocalTime(previousRun.endedAt),
        userText,
      ),
      ...(pendingStep === null
        ? []
        : [words().question(findEntry(catalogue().steps.titles, pendingStep) ?? sanitizeLine(pendingStep, 60))]),
      '',
      words().since,
      ...(events.length === 0 ? [words().nothing] : events).map((line) => words().line(line)),
    ],
  };
}

/** Formats the actions. Consecutive ones of one kind become one line: a job approves many CSRs. */
function formatActions({ laterActivity, unfinishedActions }: PreviousRun): string[] {
  const lines = [...unfinishedActions, ...laterActivity];
  const ends = new Map(lines.flatMap((line) => (line.type === 'ended' ? [[line.id, line]] : [])));
  const getActionKind = (line: ActivityLine | undefined) =>
    line?.type === 'begun' ? [line.step, line.action, ends.get(line.id)?.outcome].join(' ') : null;
  const visibleLines = lines.filter(({ type }) => type !== 'ended');
  let similarCount = 0;
  return visibleLines.flatMap((line, index) => {
    const kind = getActionKind(line);
    if (kind !== null && kind === getActionKind(visibleLines[index + 1])) {
      similarCount += 1;
      return [];
    }
    const count = similarCount;
    similarCount = 0;
    return formatJournalLine(line, ends, (at) => formatLocalTime(Date.parse(at))).map(({ at, what }) =>
      words().action(at, what, count),
    );
  });
}

/**
 * Finds the generated files that were edited after `since` (ms). A file that cannot be read is reported by the step
 * that needs it.
 */
function findEditedFiles(dir: string, since: number): string[] {
  const { filesDir } = workspace(dir);
  try {
    const output = readPreviousOutput(filesDir);
    return (output?.manifest.files ?? []).flatMap(({ file, sha256 }) => {
      const isNewer = (statSync(join(filesDir, file), { throwIfNoEntry: false })?.mtimeMs ?? 0) > since;
      const text = isNewer ? (output?.readContent(file) ?? null) : null;
      return text === null || createHash('sha256').update(text).digest('hex') === sha256 ? [] : [file];
    });
  } catch {
    return [];
  }
}

function limitLines(lines: readonly string[]): string[] {
  const omittedCount = lines.length - MAX_LINES;
  return omittedCount > 0 ? [words().earlier(omittedCount), ...lines.slice(-MAX_LINES)] : [...lines];
}

/** Reads the cluster for the messages to a user who returns; null if there is none. */
export const readSnapshotOnReturn = (context: StepContext): Promise<ClusterSnapshot | null> =>
  readSnapshot(context, ['nodes', 'requests', 'operators']).catch(() => null);

/** The read of the cluster for a user who returns, which may still be in progress. */
export type PendingSnapshot = ReturnType<typeof readSnapshotOnReturn>;

/** Minimum absence (ms) that is described even if nothing happened. */
const MIN_QUIET_ABSENCE = MINUTE;

/**
 * Describes in one sentence what happened while the wizard was away, however short that was: from the journal, the log
 * of the boot server, and the times that the cluster reports.
 * @param leftAt ms of the context's clock
 * @param snapshot from `readSnapshotOnReturn`
 * @returns null after an absence of a few moments in which nothing happened
 */
export async function describeTimeAway(
  context: StepContext,
  leftAt: number,
  snapshot: PendingSnapshot,
): Promise<string | null> {
  const absence = context.clock.now() - leftAt;
  if (absence <= 0) return null;
  const changes = [
    ...(await describeBoots(context, leftAt)),
    ...describeNewState(context, await snapshot, leftAt, await isApprovalRunning(context)),
    ...describeActions(context),
  ];
  return changes.length === 0 && absence < MIN_QUIET_ABSENCE
    ? null
    : words().absence(catalogue().screens.age(absence), changes);
}

const changeWords = () => words().changes;
const describeCount = (count: number, describe: (count: number) => string) => (count === 0 ? [] : [describe(count)]);
const describeNames = (names: readonly string[], describe: (names: string) => string) => {
  const shownNames = names.slice(0, MAX_NAMES).map((name) => sanitizeLine(name, 60));
  return names.length === 0 ? [] : [describe(shownNames.join(', '))];
};

/** Describes how many machines booted: each fetches its ignition file once, from the boot server. */
async function describeBoots(context: StepContext, since: number): Promise<string[]> {
  if (getFirstPowerOn(context) === null) return [];
  const requests = await readBootRequests(context).catch(() => []);
  const fetches = requests.filter(
    ({ at, path, status }) => at > since && status < 400 && path.startsWith('/ignition/'),
  );
  return describeCount(new Set(fetches.map(({ client }) => client)).size, changeWords().booted);
}

/** Whether the wizard approves expected CSRs, or a job does. */
async function isApprovalRunning({ dir, stepState }: StepContext): Promise<boolean> {
  return stepState.get('following') === true || (await findCsrApprovalJob({ dir }))?.state === 'running';
}

/**
 * Describes the nodes, CSRs and operators whose state changed after `since`, or that the API of a running cluster does
 * not answer. Empty if there is no cluster yet.
 * @param isApproving the wizard or a job approves expected CSRs
 */
function describeNewState(
  context: StepContext,
  snapshot: ClusterSnapshot | null,
  since: number,
  isApproving: boolean,
): string[] {
  if (snapshot === null) return [];
  if (snapshot.api.state === 'away') {
    const wasUp = isStageDone(context, 'complete') || hasReachedStage(context, 'bootstrap-removed');
    return wasUp ? [changeWords().apiAway] : [];
  }
  const isNew = (at: number | null | undefined) => (at ?? 0) > since;
  const nodes = snapshot.nodes ?? [];
  const joinedNodes = nodes.filter(({ createdAt }) => isNew(createdAt));
  // A node that restarted meanwhile, and was Ready before, did not become Ready.
  const readyNodes = nodes.filter(
    ({ name, createdAt, readySince }) =>
      isNew(readySince) && !isNew(createdAt) && !wasReadyBefore(context, name, since),
  );
  const lostNodes = nodes.filter((node) => isNodeLost(node) && isNew(node.notReadySince));
  const operators = snapshot.operators ?? [];
  const availableOperators = operators.filter(({ available, degraded, conditions }) =>
    conditions.some(({ type, since: at }) => type === 'Available' && available && !degraded && isNew(at)),
  );
  const newRequests = listNewRequests(context, snapshot, since);
  const unhealthyOperators = operators.filter(
    (operator) => (!operator.available || operator.degraded) && isNew(operator.since),
  );
  return [
    ...describeCount(joinedNodes.length, changeWords().joined),
    ...describeCount(readyNodes.length, changeWords().ready),
    ...describeNames(
      lostNodes.map(({ name }) => name),
      changeWords().lost,
    ),
    ...describeCount(countVerdict(newRequests, 'expected'), changeWords()[isApproving ? 'expected' : 'toApprove']),
    ...describeCount(countVerdict(newRequests, 'refused'), changeWords().refused),
    ...describeCount(availableOperators.length, changeWords().available),
    ...describeNames(
      unhealthyOperators.map(({ name }) => name),
      changeWords().unhealthy,
    ),
  ];
}

/** Describes the actions of jobs, which continue while the wizard is away, by the journal. */
function describeActions({ dir }: StepContext): string[] {
  const { laterActivity = [], unfinishedActions = [] } = findPreviousRun(dir) ?? {};
  const begunActions = new Map(
    [...unfinishedActions, ...laterActivity].flatMap((line) => (line.type === 'begun' ? [[line.id, line]] : [])),
  );
  const endedActions = laterActivity.flatMap((line) => {
    const action = line.type === 'ended' ? begunActions.get(line.id) : undefined;
    return line.type === 'ended' && action !== undefined ? [{ ...action, outcome: line.outcome }] : [];
  });
  const doneActions = endedActions.filter(({ outcome }) => outcome === 'done');
  const countDone = (step: string, action: string) =>
    new Set(
      doneActions
        .filter((candidate) => candidate.step === step && candidate.action === action)
        .map(({ subject }) => subject),
    ).size;
  return [
    ...describeCount(countDone('certificates', 'approve'), changeWords().approved),
    ...describeCount(countDone('infra', 'apply-one'), changeWords().applied),
    ...describeCount(countDone('infra', 'undo'), changeWords().undone),
    ...describeCount(countDone('hosts', 'set-up'), changeWords().hostsSetUp),
    ...describeCount(countDone('hosts', 'undo'), changeWords().hostsUndone),
    ...describeNames(
      endedActions.flatMap(({ step, action, outcome, subject }) =>
        step === 'infra' && action === 'apply-one' && outcome === 'failed' && subject !== null ? [subject] : [],
      ),
      changeWords().failed,
    ),
  ];
}

/** Maximum number of names in a sentence: of operators, nodes or moves. */
const MAX_NAMES = 4;

function listNewRequests(
  context: StepContext,
  { requests, nodes, at }: ClusterSnapshot,
  since: number,
): RequestReview[] {
  if (requests === null || nodes === null) return [];
  const { reviews } = reviewListedRequests(context, { requests, nodes }, at);
  return reviews.filter((request) => isUndecidedAndCurrent(request) && (request.requestedAt ?? 0) > since);
}

const countVerdict = (reviews: readonly RequestReview[], verdict: RequestVerdict) =>
  reviews.filter((review) => review.verdict === verdict).length;

/**
 * Describes what the cluster itself reports as new, which local records do not contain: new CSRs, and operators that
 * changed. Empty if there is no cluster yet, or none that answers: its step reports that.
 * @param snapshot from `readSnapshotOnReturn`
 * @param since ms of the context's clock
 */
export function describeChangesInCluster(
  context: StepContext,
  snapshot: ClusterSnapshot | null,
  since: number,
): string[] {
  if (snapshot === null || snapshot.api.state === 'away') return [];
  const { operators } = snapshot;
  const newRequests = listNewRequests(context, snapshot, since);
  const changedOperators = (operators ?? [])
    .filter((operator) => (operator.since ?? 0) > since)
    .map((operator) => ({ name: sanitizeLine(operator.name, 60), health: deriveOperatorHealth(operator) }))
    .sort((a, b) => OPERATOR_HEALTH_STATES.indexOf(a.health) - OPERATOR_HEALTH_STATES.indexOf(b.health));
  const descriptions = changedOperators
    .slice(0, MAX_NAMES)
    .map(({ name, health }) => words().operator(name, words().operatorStates[health]));
  return [
    ...(newRequests.length === 0
      ? []
      : [
          words().requests(
            newRequests.length,
            countVerdict(newRequests, 'expected'),
            countVerdict(newRequests, 'refused'),
          ),
        ]),
    ...(changedOperators.length === 0
      ? []
      : [words().operators(descriptions.join(', '), changedOperators.length - descriptions.length)]),
  ];
}
