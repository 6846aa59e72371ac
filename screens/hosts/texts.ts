import type { HostView } from '../../src/steps/hosts/index.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { commandLines, proseLines } from '../../src/text/command-lines.ts';
import { cut, wrapLines } from '../../src/text/width.ts';
import { statusText } from '../../src/ui/components/status-mark.tsx';
import type { TextLine } from '../../src/ui/components/text-views.tsx';
import type { Look } from '../../src/ui/look.tsx';
import type { Tone } from '../../src/ui/theme.ts';
import type { StepRun } from '../../src/wizard/live/step-run.ts';
import { linesAbout } from '../shared/bindings.ts';
import { type HostLine, secondsUntil } from './rows.ts';

const words = () => catalogue().screens.hosts;

/** Cells of a name in a sentence about the selected row, which shows it whole. */
const SHORT_NAME = 24;

/** Lines over commands and answers. */
const TITLES = 4;

/** About as many lines as the commands and answers have; reading on always reaches the last of them. */
export function answerCount(line: HostLine | undefined): number {
  const typed = line === undefined || line.name === null ? [] : line.commands;
  return linesAbout([...typed, ...(line?.checks ?? []).map(({ what, detail }) => `${what}: ${detail}`)]) + TITLES;
}

/** The last run on a host, or the one that goes on there while nobody follows it. */
export function runLines({ run }: HostView, now: number, columns: number): TextLine[] {
  if (run === null || run.said === '') return [];
  const left = run.revertsAt === null ? '' : ` (${words().revertsIn(secondsUntil(run.revertsAt, now))})`;
  const text = run.state === 'ended' ? words().run(run.said) : words().runsAlone(`${run.said}${left}`);
  return wrapLines(text, columns).map(
    (line): TextLine => ({ text: line, tone: run.state === 'ended' ? 'text' : 'warn' }),
  );
}

/** What the hosts say while they are set up, the newest last. */
export function saidLines({ lines }: StepRun, columns: number): TextLine[] {
  const said = lines.slice(-MOST_SAID).flatMap((text) => hanging(text, columns, ''));
  return [{ text: words().says, tone: 'dim' }, ...said];
}

/** The newest are followed: those before scroll away. */
const MOST_SAID = 100;

/** A text in as many lines as it needs, all but the first a little further in. */
function hanging(text: string, columns: number, indent: string, tone: Tone = 'text'): TextLine[] {
  return proseLines(text, columns, indent + HANG).map(({ text: line, isCommand }, index) => ({
    text: index === 0 ? indent + line.slice(indent.length + HANG.length) : line,
    tone: isCommand ? 'accent' : tone,
  }));
}

const HANG = '  ';

/** The commands for a host, whole; none for one that answers as designed. */
export function commandsOf({ name, state, canCopy, commands }: HostView, columns: number): TextLine[] {
  if (commands.length === 0 || state === 'answers') return [];
  const title = canCopy ? words().commands.there(cut(name, SHORT_NAME, '\u2026')) : words().commands.here;
  return [
    ...wrapLines(title, columns).map((text): TextLine => ({ text, tone: 'dim' })),
    ...commands.flatMap((command) =>
      commandLines(command, columns).map((text): TextLine => ({ text, tone: 'accent' })),
    ),
  ];
}

/** The questions to its services and their answers, wrong answers first. */
export function answerLines({ name, checks }: HostLine, look: Look, columns: number): TextLine[] {
  if (checks.length === 0) return [{ text: words().notAsked, tone: 'dim' }];
  const sorted = [...checks].sort((a, b) => Number(a.isOk) - Number(b.isOk));
  return [
    { text: words().asked(cut(name ?? words().others, SHORT_NAME, '\u2026')), tone: 'dim' },
    ...sorted.flatMap(({ what, detail, isOk }) => {
      const text = statusText(isOk ? 'ok' : 'failed', look, words().check(what, detail));
      return hanging(text, columns, '  ', isOk ? 'text' : 'error');
    }),
  ];
}
