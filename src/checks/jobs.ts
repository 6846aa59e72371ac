import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { formatTimeOfDay, HOUR, SECOND } from '../platform/clock.ts';
import { createCheckFactory } from './check.ts';

const words = () => catalogue().diagnosis.jobs;

/** Jobs that should run until you stop them, and the one that applies infra moves and then ends. */
export type BackgroundJob = 'boot-server' | 'csr-follow' | 'infra-moves';

/** The state of a background job. Times in ms of the clock. */
export interface JobEvidence {
  readonly job: BackgroundJob;
  /** Its install directory. */
  readonly dir: string;
  /** `lost`: it no longer runs and left no record of its end. */
  readonly state: 'running' | 'lost';
  /** Whether a supervisor restarts it when it ends. */
  readonly isSupervised: boolean;
  /** Whether the program has ended and waits for its restart. */
  readonly isAwaitingRestart: boolean;
  /** The last end that led, or will lead, to a restart. */
  readonly lastRestart: {
    readonly at: number;
    readonly code: number;
    readonly signal: string | null;
    /** Number of restarts. */
    readonly count: number;
    /** Number of consecutive runs shorter than a minute. */
    readonly consecutiveFailures: number;
    /** Delay between its end and its next start, in ms. */
    readonly restartDelay: number;
    /** Last line of its output; empty: none. */
    readonly lastLine: string;
  } | null;
  readonly logFile: string;
  readonly pid: number | null;
  /** The version of upi-wizard that started it; null: one that did not record it. */
  readonly version: string | null;
}

/** A restart longer ago than this is not reported. */
const REPORT_PERIOD = HOUR;
/** This many consecutive failures show that the job cannot run. */
const MIN_FAILURES = 3;

/** A running job, with the facts that decide whether it survives logout. */
export interface LogoutEvidence {
  readonly job: BackgroundJob;
  /** Its install directory. */
  readonly dir: string;
  readonly user: string;
  /** Whether the job is a unit of the user's service manager. */
  readonly isUnit: boolean;
  /** Whether the user's service manager keeps running after logout. */
  readonly hasLinger: boolean;
  /** Whether processes outside of a unit are killed at logout. */
  readonly areProcessesKilled: boolean;
  readonly pid: number | null;
}

/** Checks for background jobs that end at logout. */
export const LOGOUT_CHECKS = [
  createCheckFactory<LogoutEvidence>('jobs')(
    'job-ends-at-logout',
    'warning',
    ({ job, dir, user, isUnit, hasLinger, areProcessesKilled, pid }) => {
      if (isUnit ? hasLinger : !areProcessesKilled) return [];
      const { title, causes, enable, restart } = words().logout;
      const cause = isUnit ? causes.unit(user) : hasLinger ? causes.early(user) : causes.killed(user);
      const remedy = [...(hasLinger ? [] : [enable(user)]), ...(isUnit ? [] : [restart(pid ?? 0)])].join(' ');
      return [
        {
          state: 'failed',
          title: title(words().names[job]),
          evidence: [cause],
          remedy: `${remedy} ${formatRestartHint({ job, dir })}`,
        },
      ];
    },
  ),
];

interface JobsEvidence {
  readonly now: number;
  readonly jobs: readonly JobEvidence[];
  /** The version of this program; null: unknown. */
  readonly version: string | null;
}

const jobCheck = createCheckFactory<JobsEvidence>('jobs');

/** Background jobs that were lost, restarted or keep failing, and those of another version of this program. */
export const JOB_CHECKS = [
  jobCheck('job-restarted', 'warning', ({ now, jobs }) => jobs.flatMap((job) => checkJob(job, now) ?? [])),
  jobCheck('job-other-version', 'note', ({ jobs, version }) =>
    jobs
      .filter((job) => version !== null && job.state === 'running' && job.version !== version)
      .map(({ job, dir, version: jobVersion, pid }) => {
        const { title, cause, remedy } = words().otherVersion;
        return {
          state: 'failed',
          title: title(words().names[job]),
          evidence: [cause(jobVersion, version ?? '')],
          remedy: `${remedy(pid ?? 0)} ${formatRestartHint({ job, dir })}`,
        };
      }),
  ),
];

/** Whether the job keeps failing: its clients cannot reach it while it waits for its restart. */
export function isJobFailing({
  isAwaitingRestart,
  lastRestart,
}: Pick<JobEvidence, 'isAwaitingRestart'> & {
  readonly lastRestart: { readonly consecutiveFailures: number } | null;
}): boolean {
  return isAwaitingRestart && lastRestart !== null && lastRestart.consecutiveFailures >= MIN_FAILURES;
}

function formatRestartHint({ job, dir }: Pick<JobEvidence, 'job' | 'dir'>): string {
  return words().restartHints[job](formatCommandLine('csr', 'approve', '--background', '--dir', dir));
}

function checkJob(evidence: JobEvidence, now: number) {
  const { job, state, isSupervised, isAwaitingRestart, lastRestart, logFile } = evidence;
  const name = words().names[job];
  const restartHint = formatRestartHint(evidence);
  if (state === 'lost')
    return {
      state: 'failed' as const,
      title: words().lost.title(name),
      evidence: [words().lost.cause],
      remedy: restartHint,
    };
  if (!isSupervised)
    return {
      state: 'failed' as const,
      title: words().unsupervised.title(name),
      evidence: [words().unsupervised.cause],
      remedy: restartHint,
    };
  if (lastRestart === null || (!isAwaitingRestart && now - lastRestart.at > REPORT_PERIOD)) return null;
  const { at, code, signal, count, consecutiveFailures, restartDelay, lastLine } = lastRestart;
  const exitText = signal === null ? words().withCode(code) : words().bySignal(signal);
  const title = isJobFailing(evidence)
    ? words().failing.title(name, exitText, formatTimeOfDay(at), consecutiveFailures)
    : words().restarted.title(name, exitText, formatTimeOfDay(at), count);
  return {
    state: 'failed' as const,
    title,
    evidence: [lastLine === '' ? words().noOutput : words().lastLine(lastLine)],
    remedy: isAwaitingRestart
      ? words().failing.remedy(restartDelay / SECOND, logFile)
      : words().restarted.remedy(logFile),
  };
}
