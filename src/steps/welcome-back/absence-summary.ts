import { catalogue } from '../../i18n/catalogue.ts';
import { findMove } from '../../infra/moves.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import { isNodeLost, type NodeView } from '../../openshift/node.ts';
import type { OperatorView } from '../../openshift/operator.ts';
import { MINUTE } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { findPreviousRun } from '../../session/previous-run.ts';
import type { StepContext } from '../contract.ts';
import { hasReachedStage } from '../shared/hosts/current-stage.ts';
import { isStageDone } from '../shared/installer/bootstrap-progress.ts';
import { findCsrApprovalJob } from '../shared/jobs.ts';
import { readBootRequests } from '../shared/machines/boot-requests.ts';
import { getFirstPowerOn, wasReadyBefore } from '../shared/machines/node-facts.ts';
import { countVerdict, listNewRequests, MAX_LISTED_NAMES, type PendingSnapshot } from './cluster-changes.ts';
import { summarizeEndedJobs } from './page.ts';

const words = () => catalogue().welcomeBack;
const changeWords = () => words().changes;

/** Minimum absence (ms) that is described even if nothing happened. */
const MIN_QUIET_ABSENCE_MS = MINUTE;

/**
 * Summarizes in one sentence what happened while the wizard was away, however short that was: from the journal, the log
 * of the boot server, and the times that the cluster reports.
 * @param leftAt ms of the context's clock
 * @param snapshot from `readSnapshotOnReturn`
 * @returns null after an absence of a few moments in which nothing happened
 */
export async function summarizeAbsence(
  context: StepContext,
  leftAt: number,
  snapshot: PendingSnapshot,
): Promise<string | null> {
  const absence = context.clock.now() - leftAt;
  if (absence <= 0) return null;
  const changes = [
    ...(await summarizeBoots(context, leftAt)),
    ...summarizeClusterChanges(context, await snapshot, leftAt, await isApprovalRunning(context)),
    ...summarizeActions(context),
    ...(await summarizeEndedJobs(context.dir, findPreviousRun(context.dir)?.endedAt ?? Number.POSITIVE_INFINITY)),
  ];
  return changes.length === 0 && absence < MIN_QUIET_ABSENCE_MS
    ? null
    : words().absence(catalogue().screens.age(absence), changes);
}

/** Summarizes how many machines booted: each fetches its ignition file once, from the boot server. */
async function summarizeBoots(context: StepContext, since: number): Promise<string[]> {
  if (getFirstPowerOn(context) === null) return [];
  const requests = await readBootRequests(context).catch(() => []);
  const fetches = requests.filter(
    ({ at, path, status }) => at > since && status < 400 && path.startsWith('/ignition/'),
  );
  return formatCount(new Set(fetches.map(({ client }) => client)).size, changeWords().booted);
}

/** Whether the wizard approves expected CSRs, or a job does. */
async function isApprovalRunning({ dir, stepState }: StepContext): Promise<boolean> {
  return stepState.get('following') === true || (await findCsrApprovalJob({ dir }))?.state === 'running';
}

/**
 * Summarizes which nodes, CSRs and operators changed after `since`, or that the API of a running cluster does not
 * answer. Empty if there is no cluster yet.
 * @param isApproving the wizard or a job approves expected CSRs
 */
function summarizeClusterChanges(
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
  const newRequests = listNewRequests(context, snapshot, since);
  return [
    ...summarizeNodes(context, snapshot.nodes ?? [], since),
    ...formatCount(countVerdict(newRequests, 'expected'), changeWords()[isApproving ? 'expected' : 'toApprove']),
    ...formatCount(countVerdict(newRequests, 'refused'), changeWords().refused),
    ...summarizeOperators(snapshot.operators ?? [], since),
  ];
}

const isLater = (at: number | null | undefined, since: number) => (at ?? 0) > since;

/** Summarizes the nodes that joined, became Ready or were lost after `since`. */
function summarizeNodes(context: StepContext, nodes: readonly NodeView[], since: number): string[] {
  const joinedNodes = nodes.filter(({ createdAt }) => isLater(createdAt, since));
  // A node that restarted meanwhile, and was Ready before, did not become Ready.
  const readyNodes = nodes.filter(
    ({ name, createdAt, readySince }) =>
      isLater(readySince, since) && !isLater(createdAt, since) && !wasReadyBefore(context, name, since),
  );
  const lostNames = nodes
    .filter((node) => isNodeLost(node) && isLater(node.notReadySince, since))
    .map(({ name }) => name);
  return [
    ...formatCount(joinedNodes.length, changeWords().joined),
    ...formatCount(readyNodes.length, changeWords().ready),
    ...formatNames(lostNames, changeWords().lost),
  ];
}

/** Summarizes the operators that became available or unhealthy after `since`. */
function summarizeOperators(operators: readonly OperatorView[], since: number): string[] {
  const availableOperators = operators.filter(({ available, degraded, conditions }) =>
    conditions.some(({ type, since: at }) => type === 'Available' && available && !degraded && isLater(at, since)),
  );
  const unhealthyNames = operators
    .filter((operator) => (!operator.available || operator.degraded) && isLater(operator.since, since))
    .map(({ name }) => name);
  return [
    ...formatCount(availableOperators.length, changeWords().available),
    ...formatNames(unhealthyNames, changeWords().unhealthy),
  ];
}

/** Summarizes the actions of jobs, which continue while the wizard is away, by the journal. */
function summarizeActions({ dir }: StepContext): string[] {
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
        .filter((doneAction) => doneAction.step === step && doneAction.action === action)
        .map(({ subject }) => subject ?? ''),
    ).size;
  // The last action on a move counts. An undo of several moves has a line of its own beside those of its moves.
  const lastActions = new Map(
    doneActions.flatMap(({ step, action, subject }) =>
      step === 'infra' && subject !== null && findMove(subject) !== null ? [[subject, action] as const] : [],
    ),
  );
  const summarizeMoves = (action: 'apply-one' | 'undo', describe: (names: readonly string[]) => string) => {
    const names = [...lastActions].flatMap(([name, lastAction]) => (lastAction === action ? [name] : []));
    return names.length === 0 ? [] : [describe(names)];
  };
  return [
    ...formatCount(countDone('certificates', 'approve'), changeWords().approved),
    ...summarizeMoves('apply-one', changeWords().applied),
    ...summarizeMoves('undo', changeWords().undone),
    ...formatCount(countDone('hosts', 'set-up'), changeWords().hostsSetUp),
    ...formatCount(countDone('hosts', 'undo'), changeWords().hostsUndone),
    ...formatNames(
      endedActions.flatMap(({ step, action, outcome, subject }) =>
        step === 'infra' && action === 'apply-one' && outcome === 'failed' && subject !== null ? [subject] : [],
      ),
      changeWords().failed,
    ),
  ];
}

/** Formats a count with its words; empty if it is 0. */
const formatCount = (count: number, describe: (count: number) => string) => (count === 0 ? [] : [describe(count)]);

/** Formats the first names with their words; empty if there are none. */
const formatNames = (names: readonly string[], describe: (names: string) => string) => {
  const shownNames = names.slice(0, MAX_LISTED_NAMES).map((name) => sanitizeLine(name, 60));
  return names.length === 0 ? [] : [describe(shownNames.join(', '))];
};
