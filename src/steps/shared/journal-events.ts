import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { findEntry } from '../../platform/table-lookup.ts';
import type { JournalLine } from '../../session/journal-line.ts';

const words = () => catalogue().report.events;

/** Maximum number of lines: those of the last events. */
const MAX_LINES = 200;

/**
 * Formats the events of the journal: when users opened and left the wizard, and what was done in between; empty without
 * a journal.
 */
export function formatJournalEvents(lines: readonly JournalLine[]): string[] {
  const endLinesById = new Map(lines.flatMap((line) => (line.type === 'ended' ? [[line.id, line]] : [])));
  const formatTime = (at: string) => at.slice(0, 19).replace('T', ' ');
  const events = lines
    .filter((line, index) => line.type !== 'begun' || !isPartOfSameAction(line, index, lines))
    .toSorted((a, b) => getShownTime(a, endLinesById).localeCompare(getShownTime(b, endLinesById)))
    .flatMap((line) => formatJournalLine(line, endLinesById, formatTime))
    .map(({ at, text }) => words().line(at, text));
  if (events.length === 0) return [];
  const earlierCount = events.length - MAX_LINES;
  return [...(earlierCount > 0 ? [words().earlier(earlierCount)] : []), ...events.slice(-MAX_LINES)];
}

/**
 * Whether a line begins an action inside another one of the same kind. Undoing moves records an action for the step and
 * one for each move. The subject of the step names the moves, separated by commas, and then the consent.
 */
function isPartOfSameAction(
  { step, action, subject }: Line<'begun'>,
  index: number,
  lines: readonly JournalLine[],
): boolean {
  if (subject === null) return false;
  return lines
    .slice(0, index)
    .some(
      (line) =>
        line.type === 'begun' &&
        line.step === step &&
        line.action === action &&
        line.subject !== null &&
        (line.subject === subject || line.subject.split(' ')[0]?.split(',').includes(subject)) &&
        lines.slice(index).some((laterLine) => laterLine.type === 'ended' && laterLine.id === line.id),
    );
}

type Line<Type> = Extract<JournalLine, { readonly type: Type }>;

/** Returns the time under which a line is listed: an action that ended is listed at its end, with its duration. */
export function getShownTime(line: JournalLine, ends: ReadonlyMap<string, Line<'ended'>>): string {
  return line.type === 'begun' ? (ends.get(line.id)?.at ?? line.at) : line.at;
}

/**
 * Formats a line of the journal; empty for those that mean nothing on their own.
 * @param formatTime formats the time of the line
 */
export function formatJournalLine(
  line: JournalLine,
  ends: ReadonlyMap<string, Line<'ended'>>,
  formatTime: (at: string) => string,
): { readonly at: string; readonly text: string }[] {
  const at = formatTime(getShownTime(line, ends));
  switch (line.type) {
    case 'opened': {
      const from = line.from === null ? null : sanitizeLine(line.from, 80);
      return [{ at, text: words().opened(sanitizeLine(line.program, 80), sanitizeLine(line.user, 80), from) }];
    }
    case 'left':
      return [{ at, text: words().closed(sanitizeLine(line.program, 80)) }];
    case 'begun':
      // Writing the report is no part of its content.
      return line.step === 'report' ? [] : [{ at, text: describeAction(line, ends.get(line.id)) }];
    case 'ended':
    case 'snapshot':
    case 'saved':
      return [];
  }
}

function describeAction({ at, step, action, subject }: Line<'begun'>, end: Line<'ended'> | undefined): string {
  const title = findEntry(catalogue().steps.titles, step) ?? sanitizeLine(step, 80);
  const actionTitle = findEntry(words().actions, action) ?? sanitizeLine(action, 80);
  return words().action(
    title,
    actionTitle,
    subject === null ? null : sanitizeLine(subject, 200),
    formatOutcome(at, end),
  );
}

function formatOutcome(startedAt: string, end: Line<'ended'> | undefined): string {
  switch (end?.outcome) {
    case undefined:
      return words().interrupted;
    case 'done':
      return words().done(Math.max(0, Math.round((Date.parse(end.at) - Date.parse(startedAt)) / 1000)));
    case 'failed':
      return words().failed(sanitizeLine(end.code ?? '', 80));
    case 'cancelled':
      return words().cancelled;
  }
}
