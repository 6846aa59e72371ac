import { buildPartialDesign } from '../src/design/parse.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { type ProseLine, stripBackticks, wrapProse } from '../src/i18n/prose.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { countNoticeRows, Notice, type NoticeProps } from '../src/ui/components/notices.tsx';
import { Gap, Label, Row } from '../src/ui/components/select.tsx';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import type { Binding } from '../src/ui/keys.tsx';
import { getRangeAround } from '../src/ui/table-layout.ts';
import { type Area, getGlyphs, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import { listReviewProblems, type ReviewProblem } from '../src/wizard/design/review.ts';
import type { Intent } from '../src/wizard/intents.ts';
import { getScreenAfterReview } from '../src/wizard/live/outdated-steps.ts';
import { getContinueTarget } from '../src/wizard/navigation.ts';
import type { WizardState } from '../src/wizard/state.ts';
import { commonBindings, type Screen, textScrollBindings } from './shared/bindings.ts';
import { createRecheckNotice, undoBindings } from './shared/design/edit-bindings.ts';
import { renderDesign } from './shared/design/network-diagram.ts';
import { continueBindings } from './shared/step/step-bindings.ts';

const words = () => catalogue().pages.review;
const keys = () => catalogue().screens.keys;

/** Shows the whole design and its problems. */
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
      ...(hasErrors ? [] : [{ keys: ['enter'], label: getNextLabel(state), intent: { type: 'screen/next' as const } }]),
      ...(hasErrors || getContinueTarget(state) === getScreenAfterReview(state) ? [] : continueBindings(state)),
      ...(problems.length > 0 ? [toProblem] : []),
      ...undoBindings(state, { isTyping: false }),
      ...scrollBindings(state, problems.length > 0),
      ...commonBindings({ isTyping: false }),
    ];
  },
  help: (state) => [...getProblemHelp(state), ...words().help],
  draw: (state) => <ReviewView state={state} />,
};

/** Returns the label of Enter: it leads back to the step from which the user came, or to a page to check again. */
function getNextLabel(state: WizardState): string {
  const after = getScreenAfterReview(state);
  return after === null ? keys().next : keys().continueTo(catalogue().screens.sidebar[after]);
}

/** With problems, Up and Down select one of them; PgUp and PgDn scroll the design. */
function scrollBindings(state: WizardState, hasProblems: boolean): Binding<Intent>[] {
  const count = renderDesignLines(state, 80, false).length;
  const scroll = (by: number): Intent => ({ type: 'review/scroll', by, count });
  if (!hasProblems) return textScrollBindings(scroll);
  const move = (by: number): Intent => ({ type: 'review/move', by });
  const pageBindings = textScrollBindings(scroll).filter(
    ({ keys: names }) => !names.includes('up') && !names.includes('down'),
  );
  return [
    { keys: ['page-down'], label: keys().readOn, intent: scroll(5) },
    { keys: ['page-up'], label: keys().readBack, intent: scroll(-5), hidden: true },
    { keys: ['down'], label: keys().problem, intent: move(1), hidden: true },
    { keys: ['up'], label: keys().problem, intent: move(-1) },
    ...pageBindings,
  ];
}

function renderDesignLines(state: WizardState, columns: number, hasUnicode: boolean): TextLine[] {
  const design = state.design ?? buildPartialDesign(state.document);
  return design === null ? [] : renderDesign(design, columns, hasUnicode);
}

/** Returns the selected problem in full. */
function getProblemHelp(state: WizardState): string[] {
  const problems = listReviewProblems(state);
  const selected = problems[Math.min(state.reviewRow, problems.length - 1)];
  if (!selected) return [];
  const { subject, message, fix } = selected;
  return [catalogue().pages.problem([...subject, message].join(': '), fix)];
}

function ReviewView({ state }: { readonly state: WizardState }) {
  const area = useArea();
  const style = useTerminalStyle();
  const problems = listReviewProblems(state);
  const lines = renderDesignLines(state, area.columns, style.hasUnicode);
  const head = problems.length > 0 ? <Problems problems={problems} row={state.reviewRow} /> : null;
  const verdict = deriveVerdict(state, problems);
  const headRows = problems.length > 0 ? layOutProblems(problems, area, state.reviewRow).height : 0;
  const designRows = Math.max(0, area.rows - headRows - 1 - countNoticeRows(verdict, area.columns, style));
  return (
    <>
      {head}
      <LogView
        lines={lines}
        top={Math.min(state.reviewTop, Math.max(0, lines.length - designRows))}
        height={designRows}
      />
      <Gap />
      <Notice {...verdict} />
    </>
  );
}

/** Derives the verdict on the whole design, with the next action. */
function deriveVerdict(state: WizardState, problems: readonly ReviewProblem[]): NoticeProps {
  const notice = state.notice ?? (problems.length === 0 ? createRecheckNotice(state, 2) : null);
  if (notice) return { kind: notice.kind, text: notice.text, height: VERDICT_ROWS };
  if (problems.length === 0) {
    const goal = getContinueTarget(state);
    const after = getScreenAfterReview(state);
    const okText = goal === null ? words().noProblems : words().noProblemsContinue(catalogue().screens.sidebar[goal]);
    const text = after === null ? okText : words().noProblemsReturn(catalogue().screens.sidebar[after]);
    return { kind: 'ok', text, height: VERDICT_ROWS };
  }
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const text = `${words().count(errors, problems.length - errors)}. ${errors > 0 ? words().chooseProblem : words().chooseWarning}`;
  return { kind: errors > 0 ? 'error' : 'warning', text, height: VERDICT_ROWS };
}

/** At 60 columns, one row would truncate it. */
const VERDICT_ROWS = 2;

interface ListLine {
  readonly text: string;
  /** The problem's index; null for the name of a page. */
  readonly row: number | null;
  readonly severity?: ReviewProblem['severity'];
}

/** Lists the names of pages, each followed by its problems. */
function listLines(problems: readonly ReviewProblem[]): ListLine[] {
  return problems.flatMap((problem, row): ListLine[] => {
    const { page, subject, message, severity } = problem;
    const isFirst = problems[row - 1]?.page !== page;
    const line = { text: stripBackticks([...subject, message].join(': ')), row, severity };
    return isFirst ? [{ text: catalogue().pages.review.pages[page], row: null }, line] : [line];
  });
}

/** The list gets a third of the page; the selected problem stands in full below it. */
function computeListRows(rows: number, count: number): number {
  return Math.min(count, Math.max(3, Math.floor(rows / 3)));
}

/** Rows of the verdict, and the gaps around it. */
const OTHER_ROWS = 5;

/**
 * Renders the selected problem and its fix in full. The list shrinks for it; if that is not enough, the last line
 * refers to the help page.
 */
function renderProblem(problem: ReviewProblem | undefined, columns: number, rows: number): ProseLine[] {
  if (!problem) return [];
  const { subject, message, fix } = problem;
  const lines = wrapProse(catalogue().pages.problem([...subject, message].join(': '), fix), columns, '  ');
  const maxRows = Math.max(1, rows - OTHER_ROWS - MIN_LIST_ROWS);
  if (lines.length <= maxRows) return lines;
  return [...lines.slice(0, maxRows - 1), { text: `  ${catalogue().ui.restInHelp}`, isCommand: false }];
}

/** The page's name, the selected problem and one neighbour. */
const MIN_LIST_ROWS = 3;

/** Renders the selected problem, and divides the rows between it and the list. */
function layOutProblems(problems: readonly ReviewProblem[], { rows, columns }: Area, row: number) {
  const detail = renderProblem(problems[Math.min(row, problems.length - 1)], columns, rows);
  const count = listLines(problems).length;
  const list = Math.max(1, Math.min(computeListRows(rows, count), rows - OTHER_ROWS - detail.length));
  return { detail, list, height: list + detail.length + 1 };
}

function Problems({ problems, row }: { readonly problems: readonly ReviewProblem[]; readonly row: number }) {
  const area = useArea();
  const glyphs = getGlyphs(useTerminalStyle());
  const selected = Math.min(row, problems.length - 1);
  const lines = listLines(problems);
  const selectedIndex = lines.findIndex((line) => line.row === selected);
  const { detail, list } = layOutProblems(problems, area, row);
  const { first, end } = getRangeAround(lines.length, selectedIndex, list);
  return (
    <>
      {lines.slice(first, end).map((line) => (
        <Row key={`${line.row ?? line.text}`}>
          <Label tone={getLineTone(line, selected)} width={area.columns}>
            {line.row === null
              ? line.text
              : `${line.row === selected ? glyphs.pointer : ' '} ${line.severity === 'error' ? words().error : words().warning} ${line.text}`}
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

function getLineTone(line: ListLine, selected: number) {
  if (line.row === null) return 'accent';
  if (line.row === selected) return 'focus';
  return line.severity === 'error' ? 'error' : 'warn';
}
