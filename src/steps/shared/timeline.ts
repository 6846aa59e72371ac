import type { JournalLine } from '../../session/journal-line.ts';
import { catalogue } from '../../text/catalogue.ts';
import { entryOf } from '../../text/entry.ts';
import { sanitizeLine } from '../../text/sanitize.ts';

const words = () => catalogue().report.timeline;

/** So many lines of what happened last. */
const SHOWN = 200;

/** What happened, by the journal: when somebody came and left, and what was done in between; empty without a journal. */
export function timelineOf(lines: readonly JournalLine[]): string[] {
  const ends = new Map(lines.flatMap((line) => (line.type === 'ended' ? [[line.id, line]] : [])));
  const time = (at: string) => at.slice(0, 19).replace('T', ' ');
  const told = lines.flatMap((line) => linesOf(line, ends, time)).map(({ at, what }) => words().line(at, what));
  if (told.length === 0) return [];
  const earlier = told.length - SHOWN;
  return ['', words().heading, '', ...(earlier > 0 ? [words().earlier(earlier)] : []), ...told.slice(-SHOWN)];
}

type Line<Type> = Extract<JournalLine, { readonly type: Type }>;

/** A line of the journal as it is told; nothing for those that say nothing by themselves. @param time how to write its time */
export function linesOf(
  line: JournalLine,
  ends: ReadonlyMap<string, Line<'ended'>>,
  time: (at: string) => string,
): { readonly at: string; readonly what: string }[] {
  const at = time(line.at);
  switch (line.type) {
    case 'opened': {
      const from = line.from === null ? null : sanitizeLine(line.from, 80);
      return [{ at, what: words().opened(sanitizeLine(line.program, 80), sanitizeLine(line.user, 80), from) }];
    }
    case 'left':
      return [{ at, what: words().left(sanitizeLine(line.program, 80)) }];
    case 'begun':
      // Writing the report is no part of what it reports.
      return line.step === 'report' ? [] : [{ at, what: actText(line, ends.get(line.id)) }];
    case 'ended':
    case 'snapshot':
    case 'saved':
      return [];
  }
}

function actText({ at, step, action, subject }: Line<'begun'>, end: Line<'ended'> | undefined): string {
  const title = entryOf(catalogue().steps.titles, step) ?? sanitizeLine(step, 80);
  const what = entryOf(words().actions, action) ?? sanitizeLine(action, 80);
  return words().act(title, what, subject === null ? null : sanitizeLine(subject, 200), outcomeText(at, end));
}

function outcomeText(began: string, end: Line<'ended'> | undefined): string {
  switch (end?.outcome) {
    case undefined:
      return words().interrupted;
    case 'done':
      return words().done(Math.max(0, Math.round((Date.parse(end.at) - Date.parse(began)) / 1000)));
    case 'failed':
      return words().failed(sanitizeLine(end.code ?? '', 80));
    case 'cancelled':
      return words().cancelled;
  }
}
