import { buildPartialDesign } from '../src/design/parse.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { type ProseLine, stripBackticks, wrapProse } from '../src/i18n/prose.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { truncate, wrapBeside } from '../src/platform/text.ts';
import type { Binding } from '../src/rows/bindings.ts';
import { MIN_COLUMNS_FOR_TWO } from '../src/rows/list-page.ts';
import { createRow, EMPTY_ROW, getGlyphs, getRangeAround, type PageRow, type Viewport } from '../src/rows/page-rows.ts';
import { markWindow } from '../src/rows/scroll.ts';
import { createNoticeRows, getLastTop, type NoticeContent, type TextLine, toTextLine } from '../src/rows/text.ts';
import {
  listExampleAnswers,
  listNodesWithLeftoverMac,
  listReviewProblems,
  mustConfirmSite,
  type ReviewProblem,
} from '../src/wizard/design/review.ts';
import type { Intent } from '../src/wizard/intents.ts';
import { getScreenAfterReview } from '../src/wizard/live/outdated-steps.ts';
import { getContinueTarget } from '../src/wizard/navigation.ts';
import type { WizardState } from '../src/wizard/state.ts';
import {
  createCommonBindings,
  createQuitBindings,
  createTextScrollBindings,
  getPageRows,
  memoizePerState,
  type Screen,
  skipExcess,
} from './shared/bindings.ts';
import { renderDesign } from './shared/design/design-lines.ts';
import { createRecheckNotice, createUndoBindings } from './shared/design/edit-bindings.ts';
import { createFindBindings, createSearchTypingBindings, getSearchIntent, layOutText } from './shared/log-pane.ts';
import { createContinueBindings } from './shared/step/step-bindings.ts';

const words = () => catalogue().pages.review;
const keys = () => catalogue().screens.keys;

/** Shows the whole design and its problems. */
export const reviewScreen: Screen = {
  id: 'review',
  breadcrumb: () => catalogue().screens.breadcrumbs.design(words().title),
  bindings(state, viewport) {
    const { text } = layOutReview(state, viewport);
    const { searchField, query } = state.reviewSearch;
    if (searchField !== null) return [...createSearchTypingBindings(text, true), ...createQuitBindings()];
    const problems = listReviewProblems(state);
    const hasErrors = problems.some(({ severity }) => severity === 'error');
    const jumpIntent = { type: 'review/jump' as const };
    const problemBinding: Binding<Intent> = {
      keys: hasErrors ? ['enter', SHORTCUTS.open] : [SHORTCUTS.open],
      label: keys().toProblem,
      intent: jumpIntent,
    };
    return [
      ...(hasErrors ? [] : [{ keys: ['enter'], label: getNextLabel(state), intent: { type: 'screen/next' as const } }]),
      ...(hasErrors || getContinueTarget(state) === getScreenAfterReview(state) ? [] : createContinueBindings(state)),
      ...(problems.length > 0 ? [problemBinding] : []),
      {
        ...{ keys: ['ctrl-n'], label: keys().acceptPage, isHidden: true, intent: null },
        disabledReason: hasErrors ? words().lastPageWithErrors : words().lastPage,
      },
      ...createUndoBindings(state, { isTyping: false, staysVisible: true }),
      ...(query === '' ? [] : createFindBindings(text, state.reviewSearch)),
      ...createReviewScrollBindings(state, problems.length > 0, viewport),
      ...(query === '' ? createFindBindings(text, state.reviewSearch) : []),
      // Esc first ends the search.
      ...createCommonBindings({ isTyping: false }).filter(
        ({ keys: names }) => query === '' || !names.includes('escape'),
      ),
    ];
  },
  onText: (state, event) => getSearchIntent(state.reviewSearch, event),
  help: (state) => [...getProblemHelp(state), ...words().help],
  rows: (state, viewport) => layOutReview(state, viewport).rows,
  intro: (_state, getText) => getText(),
};

/**
 * Returns the label of Enter. On a visit from a step, Enter leads to the first outdated step, or else back to that
 * step.
 */
function getNextLabel(state: WizardState): string {
  const screenAfter = getScreenAfterReview(state);
  return screenAfter === null ? keys().next : keys().continueTo(catalogue().screens.sidebar[screenAfter]);
}

/** With problems, Up and Down select one of them; PgUp and PgDn scroll the design. */
function createReviewScrollBindings(state: WizardState, hasProblems: boolean, viewport: Viewport): Binding<Intent>[] {
  const { count, visibleRows, lastTop } = layOutReview(state, viewport);
  const range = { top: state.reviewTop, lastTop };
  const scroll = (by: number): Intent => ({ type: 'review/scroll', by: skipExcess(by, range), count });
  if (!hasProblems) return createTextScrollBindings(scroll, visibleRows);
  const move = (by: number): Intent => ({ type: 'review/move', by });
  const pageRows = getPageRows(visibleRows);
  const pageBindings = createTextScrollBindings(scroll, visibleRows).filter(
    ({ keys: names }) => !names.includes('up') && !names.includes('down'),
  );
  return [
    {
      ...{ keys: ['page-down'], label: keys().readOn, intent: scroll(pageRows) },
      ...(lastTop === 0 ? { isHidden: true } : { staysVisible: true }),
    },
    { keys: ['page-up'], label: keys().readBack, intent: scroll(-pageRows), isHidden: true },
    { keys: ['down'], label: keys().problem, intent: move(1), isHidden: true },
    { keys: ['up'], label: keys().problem, intent: move(-1), isUpAndDown: true },
    ...pageBindings,
  ];
}

function renderDesignLines(state: WizardState, { columns, terminalColumns, hasUnicode }: Viewport): TextLine[] {
  const design = state.design ?? buildPartialDesign(state.document);
  return [
    ...renderExampleAnswers(state, columns),
    ...(design === null ? [] : renderDesign(design, columns, hasUnicode, terminalColumns >= MIN_COLUMNS_FOR_TWO)),
  ];
}

/** Renders the answers about the site that still have the example's values; they come before the design. */
function renderExampleAnswers(state: WizardState, columns: number): TextLine[] {
  const answers = listExampleAnswers(state);
  if (answers.length === 0) return [];
  const lines = answers.flatMap(({ label, text }) => wrapBeside('  ', words().exampleAnswer(label, text), columns));
  return [
    { text: words().exampleTitle, tone: 'warn' },
    ...lines.map((text): TextLine => ({ text, tone: 'muted' })),
    { text: '' },
  ];
}

/** Returns the selected problem in full. */
function getProblemHelp(state: WizardState): string[] {
  const problems = listReviewProblems(state);
  const selectedProblem = problems[Math.min(state.reviewRow, problems.length - 1)];
  if (!selectedProblem) return [];
  const { subject, message, fix } = selectedProblem;
  return [catalogue().pages.problem([...subject, message].join(': '), fix)];
}

/** Lays out the problems, the design below them, and the verdict. */
const layOutReview = memoizePerState((state, viewport) => {
  const problems = listReviewProblems(state);
  const lines = renderDesignLines(state, viewport);
  const head = problems.length > 0 ? problemRows(problems, state.reviewRow, viewport) : [];
  const verdict = createNoticeRows(deriveVerdict(state, problems), viewport);
  const rows = Math.max(0, viewport.rows - head.length - 1 - verdict.length);
  const lastTop = getLastTop(lines.length, rows);
  const position = { ...state.reviewSearch, top: Math.min(state.reviewTop, lastTop) };
  const key = problems.length > 0 ? 'page-down' : 'down';
  const design = layOutText(lines, position, { ...viewport, rows }, { key });
  return {
    rows: [...head, ...design.rows.slice(0, rows), EMPTY_ROW, ...verdict],
    count: lines.length,
    visibleRows: rows,
    lastTop,
    text: design.text,
  };
});

/** Derives the verdict on the whole design, with the next action. */
function deriveVerdict(state: WizardState, problems: readonly ReviewProblem[]): NoticeContent {
  const notice = state.notice ?? (problems.length === 0 ? createRecheckNotice(state) : null);
  if (notice) return { kind: notice.kind, text: notice.text, height: VERDICT_ROWS };
  if (problems.length === 0) {
    if (mustConfirmSite(state)) return { kind: 'warning', text: words().exampleVerdict, height: VERDICT_ROWS };
    const continueTarget = getContinueTarget(state);
    const screenAfter = getScreenAfterReview(state);
    const okText =
      continueTarget === null
        ? words().noProblems
        : words().noProblemsContinue(catalogue().screens.sidebar[continueTarget]);
    const text = screenAfter === null ? okText : words().noProblemsReturn(catalogue().screens.sidebar[screenAfter]);
    return { kind: 'ok', text, height: VERDICT_ROWS };
  }
  const errorCount = problems.filter(({ severity }) => severity === 'error').length;
  // If there are errors, the MAC addresses of the example count as one warning, not separately.
  const exampleMacCount = errorCount > 0 ? 0 : listNodesWithLeftoverMac(state).length;
  const warningCount = problems.length - errorCount - Math.min(exampleMacCount, 1);
  const text = `${words().count(errorCount, warningCount, exampleMacCount)}. ${errorCount > 0 ? words().chooseProblem : words().chooseWarning}`;
  return { kind: errorCount > 0 ? 'error' : 'warning', text, height: VERDICT_ROWS };
}

/** At 60 columns, one row would truncate the verdict. */
const VERDICT_ROWS = 2;

interface ListLine {
  readonly text: string;
  /** The problem's index; null for the name of a page. */
  readonly problemIndex: number | null;
  readonly severity?: ReviewProblem['severity'];
}

/** Lists the names of pages, each followed by its problems. */
function listProblemLines(problems: readonly ReviewProblem[]): ListLine[] {
  return problems.flatMap((problem, row): ListLine[] => {
    const { page, subject, message, severity } = problem;
    const isFirst = problems[row - 1]?.page !== page;
    const line = { text: stripBackticks([...subject, message].join(': ')), problemIndex: row, severity };
    return isFirst ? [{ text: catalogue().pages.review.pages[page], problemIndex: null }, line] : [line];
  });
}

/**
 * Computes the rows of the list: a third of the page, but at least 3. The selected problem follows in full below it.
 */
function computeListRows(rows: number, count: number): number {
  return Math.min(count, Math.max(3, Math.floor(rows / 3)));
}

/** Rows of the verdict, and the gaps around it. */
const VERDICT_AREA_ROWS = 5;

/**
 * Renders the selected problem and its fix in full. The list shrinks for it; if that is not enough, the last line
 * refers to the help page.
 */
function renderProblem(problem: ReviewProblem | undefined, columns: number, rows: number): ProseLine[] {
  if (!problem) return [];
  const { subject, message, fix } = problem;
  const lines = wrapProse(catalogue().pages.problem([...subject, message].join(': '), fix), columns, '  ');
  const maxRows = Math.max(1, rows - VERDICT_AREA_ROWS - MIN_LIST_ROWS);
  if (lines.length <= maxRows) return lines;
  return [...lines.slice(0, maxRows - 1), { text: `  ${catalogue().ui.restInHelp}`, isCommand: false }];
}

/** The page's name, the selected problem and one neighbour. */
const MIN_LIST_ROWS = 3;

/** The list of the problems, the selected one in full below it, and a gap. */
function problemRows(problems: readonly ReviewProblem[], row: number, viewport: Viewport): PageRow[] {
  const { rows, columns } = viewport;
  const { pointer, ellipsis } = getGlyphs(viewport);
  const selectedRow = Math.min(row, problems.length - 1);
  const detail = renderProblem(problems[selectedRow], columns, rows);
  const lines = listProblemLines(problems);
  const selectedIndex = lines.findIndex((line) => line.problemIndex === selectedRow);
  const listHeight = Math.max(
    1,
    Math.min(computeListRows(rows, lines.length), rows - VERDICT_AREA_ROWS - detail.length),
  );
  const { first, end } = getRangeAround(lines.length, selectedIndex, listHeight);
  const shownRows = lines.slice(first, end).map((line): PageRow => {
    if (line.problemIndex === null) return createRow(truncate(line.text, columns, ellipsis), 'accent');
    const isSelected = line.problemIndex === selectedRow;
    const text = `${line.severity === 'error' ? words().error : words().warning} ${line.text}`;
    return {
      segments: [
        { text: isSelected ? `${pointer} ` : '  ', tone: 'focus' },
        { text: truncate(text, columns - 2, ellipsis), tone: line.severity === 'error' ? 'error' : 'warn' },
      ],
      item: { id: String(line.problemIndex), isSelected },
    };
  });
  return [
    ...markWindow(shownRows, { first, end, total: lines.length, isRangeShown: true }),
    ...detail.map(toTextLine).map(({ text, tone }) => createRow(text, tone)),
    EMPTY_ROW,
  ];
}
