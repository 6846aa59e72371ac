import { HOUR, SECOND } from '../ports/clock.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { timeOfDay } from '../text/time-of-day.ts';
import type { Rule, Said } from './rule.ts';

const words = () => catalogue().diagnosis.jobs;

/** The jobs that should run until a person stops them. */
export type KeptJob = 'boot-server' | 'csr-follow';

/** What we saw of such a job. Times in ms of the clock. */
export interface JobEvidence {
  readonly job: KeptJob;
  /** `lost`: it no longer runs, and nothing says how it ended. */
  readonly state: 'running' | 'lost';
  /** A supervisor starts it again when it ends. */
  readonly isSupervised: boolean;
  /** It has ended and will be started again. */
  readonly isPausing: boolean;
  /** The last end after which it was started again, or will be. */
  readonly restarted: {
    readonly at: number;
    readonly code: number;
    readonly signal: string | null;
    /** How often it was started again. */
    readonly count: number;
    /** How often it ended in a row without having run for a minute. */
    readonly inARow: number;
    /** From its end to its next start. */
    readonly pause: number;
    /** The last line that it printed; empty: none. */
    readonly lastLine: string;
  } | null;
  readonly logFile: string;
}

/** An end that is longer ago than this is no news. */
const NEWS_FOR = HOUR;
/** So many ends in a row are no accident: it cannot run. */
const MANY = 3;

/** A job that runs, and what becomes of it after logout. */
export interface LogoutEvidence {
  readonly job: KeptJob;
  readonly user: string;
  /** It runs as a unit of the user's manager. */
  readonly isUnit: boolean;
  /** The user's manager stays after logout. */
  readonly lingers: boolean;
  /** A process of its own is killed then. */
  readonly killsProcesses: boolean;
  readonly pid: number | null;
}

/** A job that ends when its user logs out, though it is to run on. */
export const LOGOUT: readonly Rule<LogoutEvidence>[] = [
  {
    code: 'job-ends-at-logout',
    severity: 'warning',
    judge({ job, user, isUnit, lingers, killsProcesses, pid }) {
      if (isUnit ? lingers : !killsProcesses) return [];
      const { title, causes, enable, restart } = words().logout;
      const cause = isUnit ? causes.unit(user) : lingers ? causes.early(user) : causes.killed(user);
      const whatToDo = [...(lingers ? [] : [enable(user)]), ...(isUnit ? [] : [restart(pid ?? 0)])].join(' ');
      return [{ title: title(words().names[job]), cause, whatToDo: `${whatToDo} ${startAgainOf(job)}` }];
    },
  },
];

/** The jobs that keep ending: who reads this may be able to do something about it. */
export const JOBS: readonly Rule<{ readonly now: number; readonly jobs: readonly JobEvidence[] }>[] = [
  {
    code: 'job-restarted',
    severity: 'warning',
    judge: ({ now, jobs }) => jobs.flatMap((job) => said(job, now) ?? []),
  },
];

/** Keeps ending: what asks for it finds nobody. */
export function isFailing({
  isPausing,
  restarted,
}: Pick<JobEvidence, 'isPausing'> & {
  readonly restarted: { readonly inARow: number } | null;
}): boolean {
  return isPausing && restarted !== null && restarted.inARow >= MANY;
}

function startAgainOf(job: KeptJob): string {
  return words().startAgain[job](commandLine('csr', 'approve', '--background'));
}

function said(evidence: JobEvidence, now: number): Said | null {
  const { job, state, isSupervised, isPausing, restarted, logFile } = evidence;
  const name = words().names[job];
  const startAgain = startAgainOf(job);
  if (state === 'lost') return { title: words().lost.title(name), cause: words().lost.cause, whatToDo: startAgain };
  if (!isSupervised) return { title: words().alone.title(name), cause: words().alone.cause, whatToDo: startAgain };
  if (restarted === null || (!isPausing && now - restarted.at > NEWS_FOR)) return null;
  const { at, code, signal, count, inARow, pause, lastLine } = restarted;
  const how = signal === null ? words().withCode(code) : words().bySignal(signal);
  const title = isFailing(evidence)
    ? words().failing.title(name, how, timeOfDay(at), inARow)
    : words().restarted.title(name, how, timeOfDay(at), count);
  return {
    title,
    cause: lastLine === '' ? words().noLine : words().lastLine(lastLine),
    whatToDo: isPausing ? words().failing.whatToDo(pause / SECOND, logFile) : words().restarted.whatToDo(logFile),
  };
}
