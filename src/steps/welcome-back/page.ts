import { statSync } from 'node:fs';
import { join } from 'node:path';
import { getJobFiles, readRunEvents } from '../../host/jobs/job-files.ts';
import { findJob } from '../../host/jobs/job-status.ts';
import { readPreviousOutput } from '../../host/output-dir.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { findEntry } from '../../platform/table-lookup.ts';
import { computeSha256 } from '../../platform/text.ts';
import { formatLocalTime } from '../../session/holder-files.ts';
import { type ActivityLine, findPreviousRun, type PreviousRun } from '../../session/previous-run.ts';
import type { Page } from '../contract.ts';
import { JOB_NAMES } from '../shared/jobs.ts';
import { formatJournalLine, getShownTime } from '../shared/journal-events.ts';
import { workspace } from '../shared/workspace.ts';

const words = () => catalogue().welcomeBack;
const jobWords = () => catalogue().welcomeBack.jobs;

/** Minimum absence (ms) for the page: a user who returns sooner knows the state. */
const MIN_ABSENCE_MS = 5 * MINUTE;
/**
 * A shorter minimum (ms) for another user or client address, who does not know the state. A take-over has just shown
 * the state.
 */
const MIN_ABSENCE_ELSEWHERE_MS = MINUTE;
/** Maximum number of lines about actions, and about files. */
const MAX_LINES_PER_TOPIC = 5;

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
  if (now - previousRun.endedAt < (isElsewhere ? MIN_ABSENCE_ELSEWHERE_MS : MIN_ABSENCE_MS)) return null;
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

/** Formats the actions, one line each. Consecutive actions of one kind share a line: a job approves many CSRs. */
function formatActions({ laterActivity, unfinishedActions }: PreviousRun): string[] {
  const activityLines = [...unfinishedActions, ...laterActivity];
  const endLinesById = new Map(activityLines.flatMap((line) => (line.type === 'ended' ? [[line.id, line]] : [])));
  const getActionKind = (line: ActivityLine) =>
    line.type === 'begun' ? [line.step, line.action, endLinesById.get(line.id)?.outcome].join(' ') : null;
  const groups = groupConsecutive(
    activityLines
      .filter(({ type }) => type !== 'ended')
      .toSorted((a, b) => getShownTime(a, endLinesById).localeCompare(getShownTime(b, endLinesById))),
    getActionKind,
  );
  return groups.flatMap(({ lastLine, earlierCount }) =>
    formatJournalLine(lastLine, endLinesById, (at) => formatLocalTime(Date.parse(at))).map(({ at, text }) =>
      words().action(at, text, earlierCount),
    ),
  );
}

/** Consecutive lines of one kind: the last one, and the number of those before it. */
interface LineGroup {
  readonly lastLine: ActivityLine;
  readonly earlierCount: number;
}

/** Groups consecutive lines of one kind. A line without a kind is a group of its own. */
function groupConsecutive(
  lines: readonly ActivityLine[],
  getKind: (line: ActivityLine) => string | null,
): readonly LineGroup[] {
  const groups: LineGroup[] = [];
  for (const line of lines) {
    const kind = getKind(line);
    const previousGroup = groups.at(-1);
    const isSameKind = previousGroup !== undefined && kind !== null && getKind(previousGroup.lastLine) === kind;
    if (isSameKind) groups.splice(-1, 1, { lastLine: line, earlierCount: previousGroup.earlierCount + 1 });
    else groups.push({ lastLine: line, earlierCount: 0 });
  }
  return groups;
}

/**
 * Describes what happened to the jobs of an install directory since a time (ms of the machine's clock), a sentence for
 * each.
 */
async function describeJobChanges(dir: string, since: number, formatTime: (at: number) => string): Promise<string[]> {
  const { jobsDir } = workspace(dir);
  const sentences = JOB_NAMES.map(async (name) => {
    const job = await findJob(jobsDir, name);
    if (job === null) return [];
    const endEvents = listEndEvents(jobsDir, name, since);
    const lastEndEvent = endEvents.at(-1);
    const title = jobWords().names[name];
    switch (job.state) {
      case 'running':
        return [
          lastEndEvent
            ? jobWords().restarted(title, endEvents.length, formatTime(lastEndEvent.at))
            : jobWords().running(title),
        ];
      case 'ended':
        return lastEndEvent ? [jobWords().ended(title, lastEndEvent.code ?? 0, formatTime(lastEndEvent.at))] : [];
      case 'lost':
        return [jobWords().lost(title)];
    }
  });
  return (await Promise.all(sentences)).flat();
}

const listEndEvents = (jobsDir: string, name: string, since: number) =>
  readRunEvents(getJobFiles(jobsDir, name)).filter(({ at, code }) => code !== null && at >= since);

/** Describes in a few words each job that ended by itself after `since` (ms since the epoch). */
export async function summarizeEndedJobs(dir: string, since: number): Promise<string[]> {
  const { jobsDir } = workspace(dir);
  const phrases = JOB_NAMES.map(async (name) => {
    const lastEndEvent = listEndEvents(jobsDir, name, since).at(-1);
    const isEnded = lastEndEvent !== undefined && (await findJob(jobsDir, name))?.state === 'ended';
    return isEnded ? [words().changes.jobEnded(jobWords().names[name], lastEndEvent.code ?? 0)] : [];
  });
  return (await Promise.all(phrases)).flat();
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
      return text === null || computeSha256(text) === sha256 ? [] : [file];
    });
  } catch {
    return [];
  }
}

function limitLines(lines: readonly string[]): string[] {
  const omittedCount = lines.length - MAX_LINES_PER_TOPIC;
  return omittedCount > 0 ? [words().earlier(omittedCount), ...lines.slice(-MAX_LINES_PER_TOPIC)] : [...lines];
}
