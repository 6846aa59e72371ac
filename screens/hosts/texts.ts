import { catalogue } from '../../src/i18n/catalogue.ts';
import { wrapCommand, wrapProse } from '../../src/i18n/prose.ts';
import { truncate, wrapLines } from '../../src/platform/text.ts';
import type { HostView } from '../../src/steps/hosts/index.ts';
import { statusText } from '../../src/ui/components/notices.tsx';
import type { TextLine } from '../../src/ui/components/text-views.tsx';
import type { TerminalStyle, Tone } from '../../src/ui/terminal-style.tsx';

import type { StepRun } from '../../src/wizard/live/step-run.ts';
import { estimateLines } from '../shared/bindings.ts';
import { type HostRow, secondsUntil } from './rows.ts';

const words = () => catalogue().screens.hosts;

/** Columns of a host name in a sentence. The selected row shows the full name. */
const MAX_NAME_COLUMNS = 24;

/** Rows of the titles above the commands and above the check results. */
const TITLE_ROWS = 4;

/** Estimates the rows of the commands and check results of a host: enough for scrolling to reach the last one. */
export function estimateDetailRows(line: HostRow | undefined): number {
  const commands = line === undefined || line.name === null ? [] : line.commands;
  return (
    estimateLines([...commands, ...(line?.checks ?? []).map(({ what, detail }) => `${what}: ${detail}`)]) + TITLE_ROWS
  );
}

/**
 * Renders the last run on a host, or the run that still goes on there unattended.
 * @param now ms of the clock
 */
export function renderRun({ run }: HostView, now: number, columns: number): TextLine[] {
  if (run === null || run.statusText === '') return [];
  const revertNote = run.revertsAt === null ? '' : ` (${words().revertsIn(secondsUntil(run.revertsAt, now))})`;
  const text =
    run.state === 'ended' ? words().lastRun(run.statusText) : words().unattendedRun(`${run.statusText}${revertNote}`);
  return wrapLines(text, columns).map(
    (line): TextLine => ({ text: line, tone: run.state === 'ended' ? 'text' : 'warn' }),
  );
}

/** Renders the output of the hosts during their setup, newest line last. */
export function renderOutput({ lines }: StepRun, columns: number): TextLine[] {
  const output = lines.slice(-MAX_OUTPUT_LINES).flatMap((text) => wrapHanging(text, columns, ''));
  return [{ text: words().outputHeading, tone: 'dim' }, ...output];
}

/** Only the newest lines are kept; older ones scroll out of view. */
const MAX_OUTPUT_LINES = 100;

/** Wraps a text with a hanging indent: every line but the first is indented further. */
function wrapHanging(text: string, columns: number, indent: string, tone: Tone = 'text'): TextLine[] {
  return wrapProse(text, columns, indent + HANGING_INDENT).map(({ text: line, isCommand }, index) => ({
    text: index === 0 ? indent + line.slice(indent.length + HANGING_INDENT.length) : line,
    tone: isCommand ? 'accent' : tone,
  }));
}

const HANGING_INDENT = '  ';

/** Renders the commands for a host, untruncated; none if the host answers as designed. */
export function renderCommands({ name, state, canCopy, commands }: HostView, columns: number): TextLine[] {
  if (commands.length === 0 || state === 'answers') return [];
  const title = canCopy ? words().commands.remote(truncate(name, MAX_NAME_COLUMNS, '\u2026')) : words().commands.local;
  return [
    ...wrapLines(title, columns).map((text): TextLine => ({ text, tone: 'dim' })),
    ...commands.flatMap((command) => wrapCommand(command, columns).map((text): TextLine => ({ text, tone: 'accent' }))),
  ];
}

/** Renders the checks of a host's services with their results, failed checks first. */
export function renderChecks({ name, checks }: HostRow, style: TerminalStyle, columns: number): TextLine[] {
  if (checks.length === 0) return [{ text: words().noQueries, tone: 'dim' }];
  const sorted = [...checks].sort((a, b) => Number(a.isOk) - Number(b.isOk));
  return [
    { text: words().answersHeading(truncate(name ?? words().others, MAX_NAME_COLUMNS, '\u2026')), tone: 'dim' },
    ...sorted.flatMap(({ what, detail, isOk }) => {
      const text = statusText(isOk ? 'ok' : 'failed', style, words().check(what, detail));
      return wrapHanging(text, columns, '  ', isOk ? 'text' : 'error');
    }),
  ];
}
