import type { Finding } from '../../../src/checks/check.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { markCommand } from '../../../src/i18n/prose.ts';
import type { UserError } from '../../../src/i18n/user-error.ts';
import { wrapLines } from '../../../src/platform/text.ts';
import { createNoticeRowsBelow } from '../../../src/rows/confirmation.ts';
import { listRowTexts } from '../../../src/rows/filtered-table.ts';
import {
  BRIEF_DETAIL_ROWS,
  computeFixedPlace,
  countNeededRows,
  drawListPage,
  type ListContent,
} from '../../../src/rows/list-page.ts';
import { createRow, EMPTY_ROW, fitRows, getGlyphs, type PageRow, type Viewport } from '../../../src/rows/page-rows.ts';
import type { TableRow } from '../../../src/rows/table.ts';
import { createParagraphRows } from '../../../src/rows/text.ts';
import type { StepId } from '../../../src/steps/contract.ts';
import { findShownRow, listMatches } from '../../../src/wizard/list-filter.ts';
import { findLikelyCause, isSameFault, needsRepair } from '../../../src/wizard/live/likely-cause.ts';
import { getOpenPrompt, getShownRun, type StepRun } from '../../../src/wizard/live/step-run.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { computeBodyRows, createHelpDetails, describeStep, getBodyViewport, withAside } from '../aside.ts';
import { memoizePerState, type Screen } from '../bindings.ts';
import { getSearchIntent } from '../log-pane.ts';
import { createDetailPageBindings, layOutDetailPage } from './detail-page.ts';
import { createStepBindings, type DrawnBody, getView, type StepKeys } from './step-bindings.ts';
import {
  collectNotes,
  createErrorNotes,
  createFindingNotes,
  createInstructionNotes,
  createLastValidDesignNotes,
  fitNotes,
  stateRows,
  waitRows,
  wrapNotes,
} from './step-lines.ts';
import { getQuestionRange, questionRows } from './step-question.ts';

/** The body of a step, laid out for a width: its height and its rows come from the same layout. */
interface StepBodyLayout {
  /**
   * Rows of the complete body: in a tall window, the rest is free for the long help below it. Absent: the body fills
   * any height.
   */
  readonly height?: number;
  readonly draw: (rows: number) => DrawnBody;
}

/** The middle of a step's screen: a list with the details of the selected row, or a body that the step draws itself. */
type StepBody = { readonly list: ListContent } | CustomBody;

interface CustomBody {
  /** Columns that the body can use; by default, those of an 80-column terminal. */
  readonly neededColumns?: number;
  /** Rows of the list in the body, with its titles. If the list comes first, the notes leave these rows free. */
  readonly listRows?: number;
  /** Lays out the body for the columns of the viewport. */
  readonly layOut: (viewport: Viewport) => StepBodyLayout;
}

/** The parts of a step's screen that differ from step to step. */
export interface StepPage<View> extends StepKeys<View> {
  /** The rows of a list that can be filtered; their table takes the filter of the run. */
  readonly tableRows?: (view: View, run: StepRun, now: number, viewport: Viewport) => readonly TableRow[];
  /** Returns the row to select until the user selects one: the first that needs the user, or the one in progress. */
  readonly firstRow?: (view: View, run: StepRun) => number;
  /** @param rows the rows of `tableRows` */
  readonly body: (view: View, run: StepRun, now: number, viewport: Viewport, rows: readonly TableRow[]) => StepBody;
  /** The body shows the instructions for manual work: they are not repeated under it. */
  readonly hasOwnInstructions?: boolean;
  /**
   * The list is the main content: it gets at least half of the page if it needs that, unless the step failed. In a
   * small window, a list that needs more gives way to the text on what to do.
   */
  readonly isListFirst?: boolean;
  /**
   * The rows that depend only on the size, whatever the step does. `head`: those above the list, so that it begins in
   * the same row. `list`: its own rows, too; the state has one row, and the details share the rows below the list with
   * the notes.
   */
  readonly fixedPart?: 'head' | 'list';
  /** Above a fixed list: the line in the row of the progress bar, while there is no bar. */
  readonly lineAbove?: (view: View, run: StepRun) => string | null;
  /** The intro repeats the sentence of the step: only a high window shows it. */
  readonly isIntroOptional?: boolean;
  /** Minimum rows of the list. Only a command to type may take rows from them. */
  readonly minBodyRows?: number;
  /** The state line while an action runs; missing: the newest message of the action. */
  readonly applyingLine?: (view: View, run: StepRun) => string;
  /** The state line while the step is probed, once it was probed before; missing: that it is checked. */
  readonly probingLine?: (view: View) => string;
  /** Whether the list has a row with this finding and its details: the notes under the list do not repeat it. */
  readonly isRowOfList?: (view: View, finding: Finding, row: number) => boolean;
  /**
   * Whether the detail of the selected row has this failure: the notes do not repeat it, and the state has its title.
   */
  readonly isErrorOfList?: (view: View, userError: UserError, row: number) => boolean;
  /** Maximum lines of findings under the body, if the body itself shows the problems. */
  readonly maxNotes?: number;
  /** Whether the body shows this finding: `maxNotes` applies only if it shows all of them. */
  readonly isShownInBody?: (finding: Finding) => boolean;
  /** The body is prose that wraps: it needs no minimum width. */
  readonly isWrapped?: boolean;
  /** Further paragraphs of the help page (Ctrl-G). */
  readonly help?: () => readonly string[];
  /** The most important lines of the finished step, for plain mode. */
  readonly doneText?: (view: View) => readonly string[];
}

/** Creates the screen of a step: intro, state line, body, notes on problems, and what Enter does. */
export function createStepScreen<View>(page: StepPage<View>): Screen {
  const layOut = memoizePerState((state, viewport) => layOutStep(page, state, viewport));
  return {
    id: page.id,
    breadcrumb: () => catalogue().screens.breadcrumbs.step(getStepTitle(page.id)),
    bindings(state, viewport) {
      const drawnBody = layOut(state, viewport);
      return drawnBody.list !== undefined && drawnBody.text !== undefined
        ? createDetailPageBindings(drawnBody.text, state.runs[page.id].logPosition)
        : createStepBindings(page, state, drawnBody);
    },
    help: (state) => [getIntro(page.id, state), ...listStateHelp(page, state), ...(page.help?.() ?? [])],
    onText(state, event, viewport) {
      const run = state.runs[page.id];
      if (getOpenPrompt(run)?.input) return { type: 'step/type', event };
      if (run.phase === 'asking')
        return { type: 'notice/show', notice: { kind: 'info', text: catalogue().screens.step.yesOrNo } };
      if (run.filter.field !== null)
        return { type: 'filter/type', event, texts: layOut(state, viewport).list?.texts ?? [] };
      return getSearchIntent(run.logPosition, event);
    },
    rows: (state, viewport) => layOut(state, viewport).rows,
    doneText(state) {
      const run = state.runs[page.id];
      const view = getView(page, run);
      return run.phase === 'done' && view !== null ? (page.doneText?.(view) ?? []) : [];
    },
  };
}

/** Lists the failure, the findings, the instructions and the commands of a page in full, for its help page. */
function listStateHelp<View>(page: StepPage<View>, state: WizardState): readonly string[] {
  const run = state.runs[page.id];
  const cause = findLikelyCause(state, page.id, run);
  const findings = (run.probe?.findings ?? []).filter((finding) => cause === null || !isSameFault(cause, finding));
  return [
    ...createAbsenceNotes(state).map(({ text }) => text),
    ...(state.notice === null ? [] : [state.notice.text]),
    ...createLastValidDesignNotes(state).map(({ text }) => text),
    ...createErrorNotes(run).map(({ text }) => text),
    ...(cause === null ? [] : describeFinding(cause)),
    ...findings.flatMap(describeFinding),
    ...(page.hasOwnInstructions ? [] : createInstructionNotes(run).map(({ text }) => text)),
    ...getRowCommands(page, run).map((command) => labelCommand('copyLabel', command)),
  ];
}

/** Describes a finding for the help page, where a label says what its command is for. */
function describeFinding({ command, ...finding }: Finding): readonly string[] {
  const notes = createFindingNotes(finding).map(({ text }) => text);
  return command === undefined ? notes : [...notes, `  ${labelCommand('evidenceLabel', command)}`];
}

const labelCommand = (label: 'copyLabel' | 'evidenceLabel', command: string) =>
  `${catalogue().screens.step[label]}: ${markCommand(command)}`;

/** Returns the list of a page and its selected row; a filter that hides the row selects the next one. */
function selectShownRow(
  { filter }: StepRun,
  selectedRow: number,
  rows: readonly TableRow[],
): NonNullable<DrawnBody['list']> {
  const texts = listRowTexts(rows);
  const row = filter.query === '' ? selectedRow : (findShownRow(selectedRow, listMatches(texts, filter.query)) ?? -1);
  return { texts, ids: rows.map(({ id }) => id), selectedRow, visibleRow: row };
}

/** Returns the row that the user selected, even if it has moved since; until then, the row that the page selects. */
function getSelectedRow<View>(
  { firstRow }: StepPage<View>,
  view: View | null,
  run: StepRun,
  rows: readonly TableRow[],
): number {
  const { row, rowId } = run;
  const movedRow = rowId === null || rows[row]?.id === rowId ? -1 : rows.findIndex(({ id }) => id === rowId);
  if (movedRow >= 0) return movedRow;
  return row >= 0 ? row : view === null ? 0 : (firstRow?.(view, run) ?? 0);
}

function getStepTitle(id: StepId): string {
  return catalogue().steps.titles[id];
}

/** Returns the intro of the step, for the topology of the planned cluster. */
function getIntro(id: StepId, { design, inForce }: WizardState): string {
  const { intros, introsSingle } = catalogue().steps;
  const singleNodeIntros: Partial<typeof intros> = introsSingle;
  return (design ?? inForce?.design)?.topology === 'single-node' ? (singleNodeIntros[id] ?? intros[id]) : intros[id];
}

/** Lays out the whole page: the keys need to know what it shows. */
function layOutStep<View>(page: StepPage<View>, state: WizardState, viewport: Viewport): DrawnBody {
  const run = getShownRun(state.runs[page.id]);
  if (run.phase === 'asking') return layOutQuestion(page, state, run, viewport);
  const content = collectContent(page, state, run, viewport);
  const { head, minListRows } = layOutHead(page, state, run, content.listRows, viewport);
  const isListOnly = minListRows > 0 && viewport.rows < SMALL_WINDOW_ROWS;
  const detailPage =
    run.logPosition.isFullPage && content.list !== null
      ? layOutDetailPage(content.list, head, run.logPosition, viewport)
      : null;
  if (detailPage !== null && content.selection !== undefined) return { ...detailPage, list: content.selection };
  const help = [getStepTitle(page.id), ...describeStep(page.id, { isOver: run.phase === 'done' })];
  if (page.fixedPart === 'list' && content.list !== null && content.selection !== undefined)
    return {
      ...layOutFixedList(page, state, run, { ...content, list: content.list, help }, viewport),
      list: content.selection,
    };
  // A notice does not replace the sentence of the step: both need rows.
  const minNoteRows = state.notice === null || isListOnly ? 2 : 3;
  // A fixed head ends with a row that is mostly empty: it needs no gap.
  const gap = page.fixedPart === 'head' ? [] : [EMPTY_ROW];
  const hasInstruction = content.notes.some(({ mustBeVisible }) => mustBeVisible);
  const noticeRows = state.notice !== null && hasInstruction ? 1 : 0;
  const rowLimits = { headRows: head.length + gap.length - 1, minListRows, minNoteRows, noticeRows, isListOnly };
  const budget = computeRowBudget(page, run, content, rowLimits, viewport);
  const noteRows = createNoteRows(
    page.id,
    state,
    fitNotes(content.notes, budget.maxNoteRows, getGlyphs(viewport).ellipsis),
  );
  const parts: PageParts = {
    head: [...head, ...gap],
    noteRows,
    help,
    ...budget,
    minListRows,
    listRows: content.listRows,
  };
  const drawnBody =
    content.list === null
      ? drawBody(page, state, content, parts, viewport)
      : drawList(state, content.list, parts, viewport);
  return { ...drawnBody, ...(content.selection === undefined ? {} : { list: content.selection }) };
}

/** Creates the rows of notes. While the step is probed again, the next action is in doubt: its rows have no text. */
function createNoteRows(id: StepId, { runs }: WizardState, notes: ReturnType<typeof wrapNotes>): readonly PageRow[] {
  const isInDoubt = runs[id].phase === 'probing';
  return notes.map(({ text, tone, part }) => (isInDoubt && part === 'action' ? EMPTY_ROW : createRow(text, tone)));
}

/** Lays out a page whose list is fixed. The rows above the list, and its own, depend only on the size. */
function layOutFixedList<View>(
  page: StepPage<View>,
  state: WizardState,
  run: StepRun,
  { list, notes, help }: PageContent & { readonly list: ListContent; readonly help: readonly string[] },
  viewport: Viewport,
): DrawnBody {
  const gapRows = viewport.rows < SMALL_WINDOW_ROWS ? 0 : 1;
  // The head ends with a row that is mostly empty: only a high window has a gap below it.
  const gap = viewport.rows < HIGH_WINDOW_ROWS ? [] : [EMPTY_ROW];
  const head = [...createFixedHead(page, state, run, viewport), ...gap];
  const area = { ...viewport, rows: viewport.rows - head.length };
  const fixedPlace = computeFixedPlace(list, area);
  const rowsBelow = area.rows - fixedPlace.rows - 1;
  const absenceNotes = wrapNotes(createAbsenceNotes(state), viewport.columns);
  // Notes that the user has to read may take the rows of the details. Others leave them their title and a line.
  const isUrgent = run.phase === 'failed' || state.notice !== null || notes.some(({ mustBeVisible }) => mustBeVisible);
  const maxNoteRows =
    isUrgent || fixedPlace.detailColumns !== null
      ? rowsBelow
      : Math.max(rowsBelow - gapRows - 2, Math.min(rowsBelow, absenceNotes.length));
  const writtenNotes = [...absenceNotes, ...notes].filter(({ text }) => text !== '');
  const shownNotes = fitNotes(writtenNotes, Math.max(1, maxNoteRows), getGlyphs(viewport).ellipsis);
  const noteRows = createNoteRows(page.id, state, shownNotes);
  const listArea = {
    ...area,
    rows: noteRows.length === 0 ? area.rows : Math.max(fixedPlace.rows + 1, area.rows - gapRows - noteRows.length),
  };
  const details = [...list.details, ...createHelpDetails(state, help, viewport)];
  const drawnList = drawListPage({ ...list, details, fixedPlace }, listArea);
  return { ...drawnList, rows: [...head, ...fitRows(drawnList.rows, area.rows - noteRows.length), ...noteRows] };
}

const getBusyLine = <View>(page: StepPage<View>, view: View | null, run: StepRun) =>
  view === null ? undefined : run.phase === 'probing' ? page.probingLine?.(view) : page.applyingLine?.(view, run);

const createAbsenceNotes = ({ absenceSummary }: WizardState) =>
  absenceSummary === null ? [] : [{ text: absenceSummary, tone: 'accent' as const }];

/** Creates rows whose number depends only on the size: the state, and the progress or a line in its place. */
function createFixedHead<View>(
  page: StepPage<View>,
  state: WizardState,
  run: StepRun,
  viewport: Viewport,
): readonly PageRow[] {
  const view = getView(page, run);
  const busyLine = getBusyLine(page, view, run);
  const lineAbove = view === null ? null : (page.lineAbove?.(view, run) ?? null);
  const intro = viewport.rows < HIGH_WINDOW_ROWS ? [] : createIntroRows(page.id, state, viewport);
  const isStuck = needsRepair(state, page.id);
  const [progressRow] = waitRows(run, { now: state.now, isStuck }, viewport);
  const rowBelow = progressRow ?? (lineAbove === null ? null : createRow(lineAbove, 'muted'));
  const isSmall = viewport.rows < SMALL_WINDOW_ROWS;
  const isFixed = page.fixedPart === 'list';
  const headRows = isFixed || isSmall || viewport.columns >= MIN_COLUMNS_FOR_SHORT_STATE ? 2 : STATE_ROWS;
  const height = (isFixed || isSmall) && rowBelow !== null ? 1 : headRows;
  const createStateRows = (isBrief: boolean) =>
    stateRows(run, state.now, viewport, { title: getStepTitle(page.id), height, busyLine, isBrief, isStuck });
  const wholeState = createStateRows(isFixed || isSmall);
  // A long state goes on in the row of the bar, if it does not fit without the time since the step began.
  const stateLines = rowBelow !== null && wholeState.length > 1 ? createStateRows(true) : wholeState;
  const barRows = rowBelow === null || stateLines.length > 1 ? [] : [rowBelow];
  return [...intro, ...fitRows([...stateLines, ...barRows], headRows)];
}

const createIntroRows = (id: StepId, state: WizardState, viewport: Viewport) =>
  createParagraphRows(getIntro(id, state), viewport, { tone: 'muted' });

/** Lays out the question, which replaces the page, with the notice below it. */
function layOutQuestion<View>(
  page: StepPage<View>,
  state: WizardState,
  run: Extract<StepRun, { readonly phase: 'asking' }>,
  viewport: Viewport,
): DrawnBody {
  const notice = createNoticeRowsBelow(state.notice, viewport);
  const questionViewport = { ...viewport, rows: viewport.rows - notice.length };
  const rows = [...questionRows(page, run, questionViewport), ...notice];
  return { rows, ...getQuestionRange(page, run, questionViewport) };
}

/** The middle of a page and the notes under it, before any row is assigned. */
interface PageContent {
  /** The list with its details; null: the page has another body. */
  readonly list: ListContent | null;
  /** Null: the page has a list, or its view is not known yet. */
  readonly body: CustomBody | null;
  readonly neededColumns: number;
  readonly bodyViewport: Viewport;
  readonly notes: ReturnType<typeof wrapNotes>;
  /** The body shows all findings: the notes only repeat them. */
  readonly hasFindingsInBody: boolean;
  /** The rows that the whole list needs, with its titles. */
  readonly listRows: number;
  /** Absent: the page has no list that can be filtered. */
  readonly selection: DrawnBody['list'];
}

function collectContent<View>(page: StepPage<View>, state: WizardState, run: StepRun, viewport: Viewport): PageContent {
  const view = getView(page, run);
  const rows = view === null ? [] : (page.tableRows?.(view, run, state.now, viewport) ?? []);
  const selectedRow = getSelectedRow(page, view, run, rows);
  const selection = page.tableRows === undefined ? undefined : selectShownRow(run, selectedRow, rows);
  const shownRun = { ...run, row: selection?.visibleRow ?? selectedRow };
  const content = view === null ? null : page.body(view, shownRun, state.now, viewport, rows);
  const getList = (row: number) => {
    const body = view === null ? null : page.body(view, { ...run, row }, state.now, viewport, rows);
    return body !== null && 'list' in body ? body.list : null;
  };
  const list = content !== null && 'list' in content ? countDetails(content.list, run, viewport, getList) : null;
  const body = content !== null && 'layOut' in content ? content : null;
  const lastMarkedRow = rows.findLastIndex(isMarkedRow);
  // Rows without a warning give way to the text on those that have one.
  const isShortened = lastMarkedRow >= 0 && viewport.rows >= SMALL_WINDOW_ROWS && viewport.rows < HIGH_WINDOW_ROWS;
  const shownRows = isShortened ? Math.max(MIN_ROWS_BESIDE_TEXT, lastMarkedRow + 3) : rows.length;
  const listRows = body?.listRows ?? 1 + Math.min(rows.length, shownRows);
  const neededColumns = getNeededColumns(page, body?.neededColumns);
  const bodyViewport = list === null ? getBodyViewport(viewport, neededColumns) : viewport;
  const isRowOfList = (finding: Finding) => view !== null && page.isRowOfList?.(view, finding, shownRun.row) === true;
  const isErrorOfList = (userError: UserError) =>
    view !== null && page.isErrorOfList?.(view, userError, shownRun.row) === true;
  const notes = wrapNotes(
    [
      ...(page.fixedPart === 'head' ? createAbsenceNotes(state) : []),
      ...createLastValidDesignNotes(state),
      ...collectNotes(
        state,
        { ...page, isRowOfList, isErrorOfList, hasMarkedRow: lastMarkedRow >= 0, hasUnicode: viewport.hasUnicode },
        run,
      ),
    ],
    bodyViewport.columns,
  );
  const { isShownInBody } = page;
  const hasFindingsInBody =
    isShownInBody !== undefined &&
    (run.probe?.findings ?? []).every(isShownInBody) &&
    findLikelyCause(state, page.id, run) === null;
  return { list, body, neededColumns, bodyViewport, notes, hasFindingsInBody, listRows, selection };
}

/** Whether a row has a warning or an error. */
const isMarkedRow = ({ tones = {} }: TableRow) =>
  Object.values(tones).some((tone) => tone === 'warn' || tone === 'error');

/** Rows of a list beside the text on its rows with a warning. */
const MIN_ROWS_BESIDE_TEXT = 5;

/** Numbers of lines of the details, for each probe, by phase, size and row: no key changes them. */
const detailLineCounts = new WeakMap<
  object,
  { readonly itemProgress: StepRun['itemProgress']; readonly counts: Map<string, number> }
>();

/** Adds `countLines` to the first detail of a list. A detail that follows the end of its text gets none. */
function countDetails(
  list: ListContent,
  { probe, phase, itemProgress }: StepRun,
  viewport: Viewport,
  getList: (row: number) => ListContent | null,
): ListContent {
  const [detail, ...otherDetails] = list.details;
  if (detail === undefined || detail.countLines !== undefined || detail.top === null || probe === null) return list;
  const cachedCounts = detailLineCounts.get(probe);
  const { counts } = cachedCounts?.itemProgress === itemProgress ? cachedCounts : { counts: new Map<string, number>() };
  detailLineCounts.set(probe, { itemProgress, counts });
  const countLines = (columns: number, row: number) => {
    const key = `${phase} ${viewport.columns}x${viewport.rows} ${columns} ${row}`;
    const knownCount = counts.get(key);
    if (knownCount !== undefined) return knownCount;
    const { title, renderLines } = getList(row)?.details[0] ?? detail;
    const count =
      (title === undefined ? 0 : wrapLines(title, columns).length) + renderLines(columns, UNLIMITED_ROWS).length;
    counts.set(key, count);
    return count;
  };
  return { ...list, details: [{ ...detail, countLines }, ...otherDetails] };
}

const UNLIMITED_ROWS = 1000;

/** Lays out the rows above the body, and computes the minimum rows of a list that comes first; 0 if none does. */
function layOutHead<View>(
  page: StepPage<View>,
  state: WizardState,
  run: StepRun,
  listRows: number,
  viewport: Viewport,
): { readonly head: readonly PageRow[]; readonly minListRows: number } {
  // The state has separate, short lines, because each update writes them again.
  const view = getView(page, run);
  const busyLine = getBusyLine(page, view, run);
  const isSmall = viewport.rows < SMALL_WINDOW_ROWS;
  const isStuck = needsRepair(state, page.id);
  const stateLines = stateRows(run, state.now, viewport, {
    title: getStepTitle(page.id),
    height: STATE_ROWS,
    busyLine,
    isBrief: isSmall,
    isStuck,
  });
  const intro = createIntroRows(page.id, state, viewport);
  const halfRows = Math.ceil(viewport.rows / 2);
  const hasListFirst = page.isListFirst === true && run.phase !== 'failed' && (!isSmall || listRows <= halfRows);
  const minListRows = hasListFirst ? Math.min(listRows, halfRows) : 0;
  if (page.fixedPart === 'head') return { head: createFixedHead(page, state, run, viewport), minListRows };
  const hasFindings = (run.probe?.findings ?? []).length > 0;
  // In a small window, the list has priority over the text around it.
  const isTight =
    isSmall ||
    (viewport.rows < STANDARD_ROWS && stateLines.length > 1) ||
    (viewport.rows < HIGH_WINDOW_ROWS &&
      (page.isIntroOptional === true || (hasListFirst && (hasFindings || listRows > minListRows))));
  // A sentence that does not fit is on the help page.
  const progress = waitRows(run, { now: state.now, isStuck }, viewport);
  const absence =
    state.absenceSummary === null
      ? []
      : createParagraphRows(state.absenceSummary, viewport, { tone: 'accent', height: ABSENCE_ROWS });
  const hasIntro = absence.length === 0 && (!isTight || intro.length <= 1);
  return { head: [...absence, ...(hasIntro ? intro : []), ...stateLines, ...progress], minListRows };
}

interface RowLimits {
  readonly headRows: number;
  readonly minListRows: number;
  readonly minNoteRows: number;
  /** Rows that the notes get in addition for a notice beside an instruction with a command. */
  readonly noticeRows: number;
  /** In a small window, a short list that comes first stays whole: the help page has the command of the notes. */
  readonly isListOnly: boolean;
}

/** Divides the rows below the head between the body (`freeRows`) and the notes under it. */
function computeRowBudget<View>(
  page: StepPage<View>,
  run: StepRun,
  { list, notes, hasFindingsInBody }: PageContent,
  { headRows, minListRows, minNoteRows, noticeRows, isListOnly }: RowLimits,
  viewport: Viewport,
): { readonly maxNoteRows: number; readonly noteAreaRows: number; readonly freeRows: number } {
  const detailRows = (list?.details.length ?? 0) > 0 && !isListOnly ? 1 + BRIEF_DETAIL_ROWS : 0;
  const minBodyRows =
    list === null
      ? Math.max(MIN_BODY_ROWS, minListRows)
      : Math.max(
          page.minBodyRows ?? (isListOnly ? 0 : MIN_BODY_ROWS),
          (list.createRowsAbove?.(viewport).length ?? 0) + minListRows + detailRows,
        );
  // A truncated command is useless: the list gives way to it.
  const commandRows = notes.findLastIndex(({ mustBeVisible }) => mustBeVisible) + 1;
  // A list that comes first gives way to the command only, with its sentence, the first line and the hint on the rest.
  const commandLength = notes.filter(({ mustBeVisible }) => mustBeVisible).length;
  const neededRows = minListRows === 0 ? commandRows : isListOnly ? 0 : Math.min(commandRows, commandLength + 2);
  const desiredNoteRows = Math.max(
    getMaxNotes(page, run, hasFindingsInBody) + noticeRows,
    Math.min(neededRows + 1, viewport.rows - headRows - 2 - MIN_BODY_ROWS_ABOVE_COMMAND),
  );
  const minRowsAbove = commandRows > 0 && minListRows === 0 ? MIN_BODY_ROWS_ABOVE_COMMAND : minBodyRows;
  const minCommandRows = minListRows > 0 && neededRows > 0 ? neededRows + 1 : 0;
  const limitedNoteRows = Math.min(
    desiredNoteRows,
    Math.max(minNoteRows, minCommandRows, viewport.rows - headRows - 2 - minRowsAbove),
  );
  // Notes that would be cut get the rows that the list leaves empty.
  const spareRows =
    list === null || notes.length <= limitedNoteRows
      ? 0
      : viewport.rows - headRows - 2 - limitedNoteRows - countNeededRows(list, viewport);
  const maxNoteRows = limitedNoteRows + Math.max(0, spareRows);
  const noteAreaRows = notes.length === 0 ? 0 : Math.min(maxNoteRows, notes.length) + 1;
  return { maxNoteRows, noteAreaRows, freeRows: Math.max(1, viewport.rows - headRows - 1 - noteAreaRows) };
}

/** The parts of a page around its body. */
interface PageParts {
  /** The rows above the body, with the gap. */
  readonly head: readonly PageRow[];
  readonly noteRows: readonly PageRow[];
  /** The rows of the notes with the gap above them. */
  readonly noteAreaRows: number;
  readonly help: readonly string[];
  readonly minListRows: number;
  /** The rows of the list, with its heading, that its details leave to it. */
  readonly listRows: number;
  /** The rows that the head and the notes leave to the body. */
  readonly freeRows: number;
}

function drawList(
  state: WizardState,
  list: ListContent,
  { head, noteRows, help, minListRows, listRows, freeRows }: PageParts,
  viewport: Viewport,
): DrawnBody {
  const details = [...list.details, ...createHelpDetails(state, help, viewport)];
  // The detail of a list that comes first is short, and a key scrolls it; a high window has rows for both.
  const minRows = minListRows > 0 && viewport.rows < HIGH_WINDOW_ROWS ? listRows : 0;
  const keepsAllRows = minListRows === 1 + list.table.rows.length;
  const drawnList = drawListPage({ ...list, details, minRows, keepsAllRows }, { ...viewport, rows: freeRows });
  const rowsBelow = noteRows.length > 0 ? [EMPTY_ROW, ...noteRows] : [];
  return { ...drawnList, rows: [...head, ...drawnList.rows, ...rowsBelow] };
}

function drawBody<View>(
  page: StepPage<View>,
  state: WizardState,
  { body, neededColumns, bodyViewport }: PageContent,
  { head, noteRows, noteAreaRows, help, freeRows }: PageParts,
  viewport: Viewport,
): DrawnBody {
  const layout = body?.layOut(bodyViewport);
  const freeArea = { columns: viewport.columns, rows: freeRows, isAlone: viewport.columns === bodyViewport.columns };
  // A log that the user opened on the whole page gets no help below it.
  const hasHelpBelow =
    layout === undefined ||
    layout.height !== undefined ||
    (page.watchesSite === true && !state.runs[page.id].logPosition.isFullPage);
  // A step that is not probed yet has no body.
  const height = layout === undefined ? 0 : layout.height;
  const rowsAboveHelp = hasHelpBelow ? computeBodyRows(viewport.terminalColumns, freeArea, height, help) : null;
  const bodyRows = rowsAboveHelp ?? freeRows;
  const drawnBody = layout?.draw(bodyRows) ?? { rows: [] };
  const mainRows = [...fitRows(drawnBody.rows, bodyRows), ...(noteRows.length > 0 ? [EMPTY_ROW] : []), ...noteRows];
  const neededRows = rowsAboveHelp === null ? {} : { neededRows: bodyRows + noteAreaRows };
  const aside = { state, neededColumns, help, ...neededRows };
  const mainViewport = { ...viewport, rows: Math.max(1, viewport.rows - head.length) };
  return { ...drawnBody, rows: [...head, ...withAside(aside, mainViewport, () => mainRows)] };
}

/** Rounds the width of the body up, so that a cell that grows by a letter moves nothing. */
function getNeededColumns<View>({ isWrapped }: StepPage<View>, bodyColumns: number | undefined): number {
  if (bodyColumns === undefined) return DEFAULT_COLUMNS;
  return Math.max(isWrapped ? MIN_TEXT_COLUMNS : DEFAULT_COLUMNS, Math.ceil(bodyColumns / COLUMN_STEP) * COLUMN_STEP);
}

/** Columns that the tables of the steps are designed for: those of an 80-column terminal. */
const DEFAULT_COLUMNS = 78;
const MIN_TEXT_COLUMNS = 60;
const COLUMN_STEP = 6;

function getMaxNotes<View>(
  { maxNotes: limit = MAX_NOTES, isShownInBody }: StepPage<View>,
  { phase }: StepRun,
  hasFindingsInBody: boolean,
): number {
  // After a failure, its cause and remedy come before the list.
  if (phase === 'failed') return MAX_FAILURE_NOTES;
  return isShownInBody === undefined || hasFindingsInBody ? limit : MAX_NOTES;
}

/** Maximum lines under the body; the first finding with its cause and remedy fits at 80 columns. */
const MAX_NOTES = 8;
const MAX_FAILURE_NOTES = 10;
const MIN_BODY_ROWS = 6;
/** Minimum rows of the body above a command to type, which is shown in full. */
const MIN_BODY_ROWS_ABOVE_COMMAND = 3;
const SMALL_WINDOW_ROWS = 14;
/** The rows left in a 24-line terminal, with a line or two to spare. */
const STANDARD_ROWS = 18;
/** From this height on, a long list leaves enough rows for the intro. */
const HIGH_WINDOW_ROWS = 28;
/** Maximum rows of the step's state: at 60 columns, fewer would truncate an address. */
const STATE_ROWS = 3;
/** From this width on, two rows are enough for the state of a page whose list stays in place. */
const MIN_COLUMNS_FOR_SHORT_STATE = 70;
/** Maximum rows about the absence of the user. They replace the intro. */
const ABSENCE_ROWS = 2;

/** Returns the commands that the page defines for the selected row; none by default. */
function getRowCommands<View>(page: StepPage<View>, run: StepRun): readonly string[] {
  const view = getView(page, run);
  return view === null ? [] : (page.commands?.(view, getSelectedRow(page, view, run, []), run) ?? []);
}
