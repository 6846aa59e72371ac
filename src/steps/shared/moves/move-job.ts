import { randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { isDeepStrictEqual } from 'node:util';
import { getJobFiles, isBeingStarted, readLastLine } from '../../../host/jobs/job-files.ts';
import { readJobStatus } from '../../../host/jobs/job-status.ts';
import { startJob, stopJob } from '../../../host/jobs/jobs.ts';
import { catalogue, formatCommandLine, getLanguageArgs } from '../../../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../../../i18n/user-error.ts';
import type { MoveName } from '../../../infra/moves.ts';
import { systemClock } from '../../../platform/clock.ts';
import { getCompileCacheVariables, PASSED_THROUGH_VARIABLES } from '../../../platform/environment.ts';
import type { ItemProgress, Plan, PlannedChange, ProgressReporter, StepContext } from '../../contract.ts';
import { StopRequest } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import {
  findCurrentMove,
  findTraffic,
  MOVES_JOB,
  type MoveQuestion,
  type MoveRequest,
  type MoveRun,
  mergeJobFacts,
  mergeMoveFacts,
  openMoveRecords,
  readMoveRun,
  replaceMoveRecords,
} from './move-run.ts';

const words = () => catalogue().steps.infra.job;

/** Real time: the job and its followers are programs of this machine, however fast a rehearsal is. */
export const POLL_INTERVAL_MS = 200;
const START_POLL_MS = 20;
/** Time in which a job that is stopped can finish its request to the API. */
const STOP_GRACE_MS = 20_000;

/**
 * Variables that the job inherits: reaching load balancers may need the user's SSH agent. Other variables may be
 * secret.
 */
const INHERITED_VARIABLES = [
  ...PASSED_THROUGH_VARIABLES,
  'LANG',
  'TMPDIR',
  'TZ',
  'SSH_AUTH_SOCK',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_RUNTIME_DIR',
] as const;

/**
 * The job that carries out infra moves. `asking`: it waits for an answer. `died`: it ended without recording a result
 * (it was killed, or the machine went down).
 */
export interface MoveJob {
  /** The install directory. */
  readonly dir: string;
  readonly state: 'running' | 'asking' | 'ended' | 'died';
  readonly run: MoveRun;
  readonly question: MoveQuestion | null;
  /** The move that the job works on, or worked on last; null before the first. */
  readonly move: MoveName | null;
  readonly logFile: string;
  /** How the program of the job ended; null while it runs, and if its end is not recorded. */
  readonly exit: { readonly code: number; readonly signal: string | null } | null;
}

type DirContext = Pick<StepContext, 'dir'>;

const getMoveJobFiles = (dir: string) => getJobFiles(workspace(dir).jobsDir, MOVES_JOB);

/** Finds the job of the last request; null if there was no request, or if its program never started. */
export function findMoveJob(context: DirContext): MoveJob | null {
  const job = readMoveJob(context);
  return job === null || (job.state === 'died' && !job.run.hasBegun) ? null : job;
}

function readMoveJob({ dir }: DirContext): MoveJob | null {
  if (!existsSync(workspace(dir).jobsDir)) return null;
  const files = getMoveJobFiles(dir);
  // The job is read before its records: one that ends in between has recorded its end by then.
  const job = readJobStatus(files);
  const isRunning = job?.state === 'running' || isBeingStarted(files);
  const run = readMoveRun(dir);
  if (run === null) return null;
  const question = isRunning ? run.question : null;
  const state = run.end !== null ? 'ended' : !isRunning ? 'died' : question === null ? 'running' : 'asking';
  const exit = job === null || job.exitCode === null ? null : { code: job.exitCode, signal: job.signal };
  return { dir, state, run, question, move: findCurrentMove(run), logFile: files.log, exit };
}

/** Whether the job works, or waits for an answer. */
export const isMoveJobActive = ({ state }: Pick<MoveJob, 'state'>): boolean =>
  state === 'running' || state === 'asking';

/** Converts the job to the document for scripts (`--json`). Times are RFC 3339. */
export function toMoveJobStatus({ state, run, question, move, logFile, exit }: MoveJob) {
  const { request, end } = run;
  return {
    state,
    action: request.action,
    moves: request.moves,
    move,
    startedAt: new Date(request.at).toISOString(),
    result: end?.end ?? null,
    error: end?.userError ?? null,
    exitCode: exit?.code ?? null,
    question:
      question &&
      ({
        move: question.move,
        changes: question.changes.map(({ object, before, after }) => ({ object, before, after })),
      } as const),
    log: logFile,
  };
}

/** Records that a user knows that the job was killed. Does nothing for any other job. */
export function acknowledgeDeadJob(job: MoveJob | null): void {
  if (job?.state === 'died') acknowledgeEnd(job);
}

function acknowledgeEnd({ dir, run }: MoveJob): void {
  if (!run.isAcknowledged) openMoveRecords(dir).append([{ type: 'acknowledged' }]);
}

/** Describes the job in one sentence. */
export function describeMoveJob(job: MoveJob): string {
  const { state, run, move, logFile } = job;
  const { leftRunning, leftAsking, ended } = words();
  const isUndo = run.request.action === 'undo';
  const name = move ?? run.request.moves[0] ?? '';
  switch (state) {
    case 'running':
      return leftRunning(isUndo, name, logFile);
    case 'asking':
      return leftAsking(job.question?.move ?? name, formatCommandLine('answer', '--dir', job.dir));
    case 'ended': {
      const { end, userError } = run.end ?? {};
      return userError === undefined
        ? ended[end === 'cancelled' || end === 'declined' ? end : 'done'](logFile, isUndo)
        : `${userError.title}: ${userError.cause}`;
    }
    case 'died': {
      const { title, cause } = createDiedError(job);
      return `${title}: ${cause}`;
    }
  }
}

/** A request as the step gives it. */
export type NewMoveRequest = Omit<MoveRequest, 'type' | 'id' | 'at'>;

/**
 * Starts the job with a request, and follows it. A job that already carries out the same action is only followed.
 * @throws UserErrorException `moves-running` if the job carries out another action; and those of `followMoveJob`
 */
export async function runMoveJob(
  context: StepContext,
  request: NewMoveRequest,
  report: ProgressReporter,
): Promise<void> {
  const { dir, programs, clock, stepState } = context;
  const job = findMoveJob(context);
  if (job !== null && isMoveJobActive(job)) {
    const { action, subject } = job.run.request;
    if (action !== request.action || subject !== request.subject) throw new UserErrorException(createRunningError(job));
    return await followMoveJob(context, report);
  }
  mergeJobFacts(context);
  // The supervisor of the previous job may still record the exit of that job.
  while (readJobStatus(getMoveJobFiles(dir))?.state === 'running') await systemClock.sleep(START_POLL_MS);
  const id = randomUUID();
  // Saved first: a program that has lost the lock of the directory starts nothing.
  stepState.set('moves-run', { id, facts: 0 });
  replaceMoveRecords(dir, { type: 'order', id, at: clock.now(), ...request });
  await startJob({
    dir: workspace(dir).jobsDir,
    name: MOVES_JOB,
    argv: [process.execPath, programs.executable, 'infra', 'job', '--carry-out', '--dir', dir, ...getLanguageArgs()],
    env: createJobEnvironment(),
    clock: systemClock,
    version: programs.version,
    exitReport: { executable: programs.executable, installDir: dir },
  });
  await followMoveJob(context, report);
}

function createJobEnvironment(): Record<string, string> {
  const inheritedEntries = INHERITED_VARIABLES.flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { ...Object.fromEntries(inheritedEntries), ...getCompileCacheVariables() };
}

/** Creates the error of an action while the job runs: the action has to wait until the job has ended. */
export function createRunningError({ dir, run: { request }, move }: MoveJob): UserError {
  const { title, cause, remedy } = words().running;
  return {
    code: 'moves-running',
    title,
    cause: cause(request.action === 'undo', move ?? request.moves[0] ?? ''),
    remedy: remedy(
      formatCommandLine('infra', 'job', '--follow', '--dir', dir),
      formatCommandLine('infra', 'job', '--stop', '--dir', dir),
    ),
  };
}

/**
 * Reports what the job does, from the start, until it ends or has a question. Records that the user saw the end, unless
 * `shouldAcknowledge` is false. When the user requests a stop, the job is stopped; when this program ends, the job
 * continues.
 * @throws UserErrorException the failure of the job, `moves-job-died` if it ended without a result; the reason of the
 * signal
 */
export async function followMoveJob(
  context: StepContext,
  report: ProgressReporter,
  { shouldAcknowledge = true }: { readonly shouldAcknowledge?: boolean } = {},
): Promise<void> {
  const { signal, stepState, probeCache } = context;
  let reportedCount = 0;
  let isStopping = false;
  for (;;) {
    const job = readMoveJob(context);
    if (job === null) return;
    const { run, state } = job;
    mergeMoveFacts(run, stepState);
    for (const record of run.records.slice(reportedCount)) {
      if (record.type !== 'report') continue;
      const item = toItemProgress(record.item);
      if (record.line !== '') report(record.line, item);
      else if (item !== undefined) report.updateItem?.(item);
    }
    reportedCount = run.records.length;
    probeCache.traffic = findTraffic(run);
    if (state === 'asking' && !isStopping && !signal.aborted) return;
    if (state === 'ended' || state === 'died') {
      if (shouldAcknowledge) acknowledgeEnd(job);
      if (isStopping) throw signal.reason;
      throwIfFailed(job);
      return;
    }
    if (signal.aborted && !(signal.reason instanceof StopRequest)) throw signal.reason;
    if (signal.aborted && !isStopping) {
      isStopping = true;
      await stopMoveJob(context);
      continue;
    }
    await systemClock.sleep(POLL_INTERVAL_MS, isStopping ? undefined : signal).catch(() => undefined);
  }
}

function toItemProgress(item: ItemProgress | { readonly detail?: string | undefined } | undefined) {
  if (item === undefined || !('subject' in item)) return undefined;
  const { detail, ...rest } = item;
  return detail === undefined ? rest : { ...rest, detail };
}

function throwIfFailed(job: MoveJob): void {
  const { userError } = job.run.end ?? {};
  if (userError !== undefined) throw new UserErrorException(userError);
  if (job.state === 'died') throw new UserErrorException(createDiedError(job));
}

/** Creates the error of a job that ended without a result: how it ended, and what it was doing. */
function createDiedError({ run: { request }, move, logFile, exit }: MoveJob): UserError {
  const { title, causes, during, lastLine, remedy } = words().died;
  const cause =
    exit === null ? causes.lost : exit.signal === null ? causes.code(exit.code) : causes.signal(exit.signal);
  const size = statSync(logFile, { throwIfNoEntry: false })?.size ?? 0;
  const line = readLastLine(logFile, size);
  return {
    code: 'moves-job-died',
    title,
    cause: [cause, during(request.action === 'undo', move), ...(line === '' ? [] : [lastLine(line)])].join(' '),
    remedy: remedy(logFile),
  };
}

/** Stops the job: it finishes the API request in progress. Resolves when it has ended. */
export async function stopMoveJob({ dir }: DirContext): Promise<void> {
  await stopJob(workspace(dir).jobsDir, MOVES_JOB, { clock: systemClock, graceMs: STOP_GRACE_MS });
}

/**
 * Answers the question of the job. A yes counts only for the changes that were shown.
 * @param confirmedChanges the shown changes; null: not compared with those of the question
 * @returns whether the question was still open
 */
export function answerMoveQuestion(
  { dir }: DirContext,
  isYes: boolean,
  confirmedChanges: readonly PlannedChange[] | null = null,
): boolean {
  const question = findMoveJob({ dir })?.question ?? null;
  if (
    question === null ||
    (confirmedChanges !== null && !isDeepStrictEqual(toJsonValue(confirmedChanges), toJsonValue(question.changes)))
  )
    return false;
  openMoveRecords(dir).append([{ type: 'answer', question: question.id, isYes }]);
  return true;
}

/** Converts a value as saving it as JSON does: without fields that are undefined. */
const toJsonValue = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

/** Creates the plan that the user confirms to answer the question. */
export function createQuestionPlan({ move, changes, typedConfirmation }: MoveQuestion): Plan {
  return {
    changes: changes as readonly PlannedChange[],
    isDangerous: true,
    question: words().question(move),
    instructions: [],
    ...(typedConfirmation ? { typedConfirmation } : {}),
  };
}
