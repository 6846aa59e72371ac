import { buildPartialDesign } from '../src/design/parse.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { type ProseLine, stripBackticks, wrapProse } from '../src/i18n/prose.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { Gap, Label, Row } from '../src/ui/components/label.tsx';
import { countNoticeRows, Notice, type NoticeProps } from '../src/ui/components/notices.tsx';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import type { Binding } from '../src/ui/keys/keymap.ts';
import { type Area, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import { getGlyphs } from '../src/ui/theme.ts';
import { getRangeAround } from '../src/ui/visible-range.ts';
import { listReviewProblems, type ReviewProblem } from '../src/wizard/design/review.ts';
import type { Intent } from '../src/wizard/intents.ts';
import { getScreenAfterReview } from '../src/wizard/live/outdated-steps.ts';
import { getContinueTarget } from '../src/wizard/navigation.ts';
import type { WizardState } from '../src/wizard/state.ts';
import { commonBindings, textScrollBindings } from './shared/bindings.ts';
import { renderDesign } from './shared/design/design-lines.ts';
import { createRecheckNotice } from './shared/design/recheck-notice.ts';
import { undoBindings } from './shared/design/undo-bindings.ts';
import type { Screen } from './shared/screen.ts';
import { continueBindings } from './shared/step/continue-bindings.ts';

const words = () => catalogue().pages.review;
const keys = () => catalogue().screens.keys;

export const reviewScreen: Screen = {
  id: 'review',
  minColumnsWithSidebar: 76,
  breadcrumb: () => catalogue().screens.places.design(words().title),
  bindings(state) {
    const problems = listReviewProblems(state);
    const hasErrors = problems.some(({ severity }) => severity === 'error');
    const jump = { type: 'review/jump' as const };
    const toProblem: Binding<Intent> = {
      keys: hasErrors ? ['enter', SHORTCUTS.open] : [SHORTCUTS.open],
      label: keys().toProblem,
      intent: jump,
    };
    return [
      ...(hasErrors ? [] : [{ keys: ['enter'], label: nextLabel(state), intent: { type: 'screen/next' as const } }]),
      ...(hasErrors || getContinueTarget(state) === getScreenAfterReview(state) ? [] : continueBindings(state)),
      ...(problems.length > 0 ? [toProblem] : []),
      ...undoBindings(state, { isTyping: false }),
      ...scrollBindings(state, problems.length > 0),
      ...commonBindings({ isTyping: false }),
    ];
  },
  help: (state) => [...problemHelp(state), ...words().help],
  draw: (state) => <ReviewView state={state} />,
};

/** Who came from a step is led back there, or to what has to be looked at again. */
function nextLabel(state: WizardState): string {
  const after = getScreenAfterReview(state);
  return after === null ? keys().next : keys().continueTo(catalogue().screens.sidebar[after]);
}

/** With problems, Up and Down select one of them; PgUp and PgDn read the design. */
function scrollBindings(state: WizardState, hasProblems: boolean): Binding<Intent>[] {
  const count = linesOf(state, 80, false).length;
  const scroll = (by: number): Intent => ({ type: 'review/scroll', by, count });
  if (!hasProblems) return textScrollBindings(scroll);
  const move = (by: number): Intent => ({ type: 'review/move', by });
  const ofPage = textScrollBindings(scroll).filter(
    ({ keys: names }) => !names.includes('up') && !names.includes('down'),
  );
  return [
    { keys: ['page-down'], label: keys().readOn, intent: scroll(5) },
    { keys: ['page-up'], label: keys().readBack, intent: scroll(-5), hidden: true },
    { keys: ['down'], label: keys().problem, intent: move(1), hidden: true },
    { keys: ['up'], label: keys().problem, intent: move(-1) },
    ...ofPage,
  ];
}

function linesOf(state: WizardState, columns: number, hasUnicode: boolean): TextLine[] {
  const design = state.design ?? buildPartialDesign(state.document);
  return design === null ? [] : renderDesign(design, columns, hasUnicode);
}

/** The selected problem, in full. */
function problemHelp(state: WizardState): string[] {
  const problems = listReviewProblems(state);
  const selected = problems[Math.min(state.reviewRow, problems.length - 1)];
  if (!selected) return [];
  const { subject, message, fix } = selected;
  return [catalogue().pages.problem([...subject, message].join(': '), fix)];
}

function ReviewView({ state }: { readonly state: WizardState }) {
  const area = useArea();
  const look = useTerminalStyle();
  const problems = listReviewProblems(state);
  const lines = linesOf(state, area.columns, look.hasUnicode);
  const head = problems.length > 0 ? <Problems problems={problems} row={state.reviewRow} /> : null;
  const verdict = verdictOf(state, problems);
  const headRows = problems.length > 0 ? headOf(problems, area, state.reviewRow).height : 0;
  const room = Math.max(0, area.rows - headRows - 1 - countNoticeRows(verdict, area.columns, look));
  return (
    <>
      {head}
      <LogView lines={lines} top={Math.min(state.reviewTop, Math.max(0, lines.length - room))} height={room} />
      <Gap />
      <Notice {...verdict} />
    </>
  );
}

/** What is to be said of the whole design, and what to do next. */
function verdictOf(state: WizardState, problems: readonly ReviewProblem[]): NoticeProps {
  const notice = state.notice ?? (problems.length === 0 ? createRecheckNotice(state, 2) : null);
  if (notice) return { kind: notice.kind, text: notice.text, height: VERDICT_ROWS };
  if (problems.length === 0) {
    const goal = getContinueTarget(state);
    const after = getScreenAfterReview(state);
    const fine = goal === null ? words().noProblems : words().noProblemsContinue(catalogue().screens.sidebar[goal]);
    const text = after === null ? fine : words().noProblemsReturn(catalogue().screens.sidebar[after]);
    return { kind: 'ok', text, height: VERDICT_ROWS };
  }
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const text = `${words().count(errors, problems.length - errors)}. ${errors > 0 ? words().chooseProblem : words().chooseWarning}`;
  return { kind: errors > 0 ? 'error' : 'warning', text, height: VERDICT_ROWS };
}

/** At 60 columns one line would cut it. */
const VERDICT_ROWS = 2;

interface ListLine {
  readonly text: string;
  /** The problem's place among all; null for the name of a page. */
  readonly row: number | null;
  readonly severity?: ReviewProblem['severity'];
}

/** Names of pages with their problems below them. */
function listLines(problems: readonly ReviewProblem[]): ListLine[] {
  return problems.flatMap((problem, row): ListLine[] => {
    const { page, subject, message, severity } = problem;
    const isFirst = problems[row - 1]?.page !== page;
    const line = { text: stripBackticks([...subject, message].join(': ')), row, severity };
    return isFirst ? [{ text: catalogue().pages.review.pages[page], row: null }, line] : [line];
  });
}

/** A third of the page for the list, and below it what is wrong in full. */
function listRoom(rows: number, count: number): number {
  return Math.min(count, Math.max(3, Math.floor(rows / 3)));
}

/** Rows of the verdict, and the gaps around it. */
const AROUND = 5;

/** What is wrong and how to correct it, to its end: the list gives way to it, and where even that is too little, it says where to read on. */
function detailOf(problem: ReviewProblem | undefined, columns: number, rows: number): ProseLine[] {
  if (!problem) return [];
  const { subject, message, fix } = problem;
  const lines = wrapProse(catalogue().pages.problem([...subject, message].join(': '), fix), columns, '  ');
  const room = Math.max(1, rows - AROUND - LEAST_LIST);
  if (lines.length <= room) return lines;
  return [...lines.slice(0, room - 1), { text: `  ${catalogue().ui.restInHelp}`, isCommand: false }];
}

/** The page, the problem and one beside it. */
const LEAST_LIST = 3;

/** How many rows the list and the selected problem get. */
function headOf(problems: readonly ReviewProblem[], { rows, columns }: Area, row: number) {
  const detail = detailOf(problems[Math.min(row, problems.length - 1)], columns, rows);
  const count = listLines(problems).length;
  const list = Math.max(1, Math.min(listRoom(rows, count), rows - AROUND - detail.length));
  return { detail, list, height: list + detail.length + 1 };
}

function Problems({ problems, row }: { readonly problems: readonly ReviewProblem[]; readonly row: number }) {
  const area = useArea();
  const signs = getGlyphs(useTerminalStyle());
  const selected = Math.min(row, problems.length - 1);
  const lines = listLines(problems);
  const at = lines.findIndex((line) => line.row === selected);
  const { detail, list } = headOf(problems, area, row);
  const { first, end } = getRangeAround(lines.length, at, list);
  return (
    <>
      {lines.slice(first, end).map((line) => (
        <Row key={`${line.row ?? line.text}`}>
          <Label tone={toneOf(line, selected)} width={area.columns}>
            {line.row === null
              ? line.text
              : `${line.row === selected ? signs.pointer : ' '} ${line.severity === 'error' ? words().error : words().warning} ${line.text}`}
          </Label>
        </Row>
      ))}
      {detail.map(({ text, isCommand }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label tone={isCommand ? 'accent' : 'text'}>{text}</Label>
        </Row>
      ))}
      <Gap />
    </>
  );
}

function toneOf(line: ListLine, selected: number) {
  if (line.row === null) return 'accent';
  if (line.row === selected) return 'focus';
  return line.severity === 'error' ? 'error' : 'warn';
}
