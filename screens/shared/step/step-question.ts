import { catalogue } from '../../../src/i18n/catalogue.ts';
import { wrapProse } from '../../../src/i18n/prose.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import { fitToWidth, getDisplayWidth, wrapLines } from '../../../src/platform/text.ts';
import { type Confirmation, createConfirmationRows, getConfirmationRange } from '../../../src/rows/confirmation.ts';
import { createTextFieldRow } from '../../../src/rows/form.ts';
import { joinColumns, MIN_COLUMNS_BESIDE } from '../../../src/rows/list-page.ts';
import { createRow, EMPTY_ROW, fitRows, getGlyphs, type PageRow, type Viewport } from '../../../src/rows/page-rows.ts';
import { createSpinnerRow } from '../../../src/rows/progress.ts';
import { createTextRows, getLastTop, type TextLine, toTextLine } from '../../../src/rows/text.ts';
import type { Plan, StepId } from '../../../src/steps/contract.ts';
import { INITIAL_FOLD, type PlanFold, type StepRun } from '../../../src/wizard/live/step-run.ts';
import type { TextFieldState } from '../../../src/wizard/text-input.ts';
import { renderChanges, renderDiffLine, type ShownChange, wrapFileLine } from './changes.ts';
import { type DrawnBody, getView, type StepKeys } from './step-bindings.ts';

const getStepTitle = (id: StepId): string => catalogue().steps.titles[id];
const words = () => catalogue().screens.step;

type AskingRun = Extract<StepRun, { phase: 'asking' }>;

/** A question that is answered by typing a word. */
interface TypedQuestion {
  readonly question: string;
  readonly details: readonly (string | TextLine)[];
  readonly answerField: TextFieldState;
  readonly label: string;
}

/** Returns the rows of the question before a step acts. It replaces the step's body. */
export function questionRows<View>(page: StepKeys<View>, run: AskingRun, viewport: Viewport): PageRow[] {
  const question = createQuestion(page, run, viewport);
  if (question === 'reading') return [createSpinnerRow(words().probing, viewport)];
  if ('answerField' in question) return typedQuestionRows(question, viewport);
  const { changesBeside } = question;
  if (changesBeside === undefined) return createConfirmationRows(question, viewport);
  const { leftViewport, rightViewport } = splitQuestionViewport(viewport);
  const leftRows = fitRows(createConfirmationRows(question, leftViewport), viewport.rows);
  const rightRows = createTextRows({ lines: changesBeside, top: run.top, key: 'right' }, rightViewport);
  return [...joinColumns(leftRows, leftViewport, rightRows)];
}

/**
 * Returns the scroll range of a question's details, and the positions of its folded parts; empty if nothing scrolls.
 */
export function getQuestionRange<View>(
  page: StepKeys<View>,
  run: AskingRun,
  viewport: Viewport,
): Pick<DrawnBody, 'scroll' | 'parts'> {
  const question = createQuestion(page, run, viewport);
  if (question === 'reading' || 'answerField' in question) return {};
  const { changesBeside } = question;
  const scroll =
    changesBeside === undefined
      ? getConfirmationRange(question, viewport)
      : { lineCount: changesBeside.length, lastTop: getLastTop(changesBeside.length, viewport.rows) };
  return question.parts === undefined ? { scroll } : { scroll, parts: question.parts };
}

/**
 * A question that a key answers. `parts`: those of its plan, if they are folded. `changesBeside`: the changes of the
 * selected part, if they stand beside the question.
 */
interface KeyQuestion extends Confirmation {
  readonly parts?: NonNullable<DrawnBody['parts']>;
  readonly changesBeside?: readonly TextLine[];
}

function createQuestion<View>(
  page: StepKeys<View>,
  run: AskingRun,
  viewport: Viewport,
): KeyQuestion | TypedQuestion | 'reading' {
  const { columns } = viewport;
  const { action, subject, input, confirmation } = run.prompt;
  const view = getView(page, run);
  const { top } = run;
  if (action === 'apply-one' && subject !== null && page.getQuestion && view !== null) {
    const { plan, ...partQuestion } = page.getQuestion(view, subject);
    return input === null
      ? { ...partQuestion, details: [...partQuestion.details, ...(plan ? renderPlan(plan, columns) : [])], top }
      : { ...partQuestion, answerField: input.field, label: words().nodePrompt };
  }
  if (confirmation === 'reading') return 'reading';
  if (confirmation) {
    const details = confirmation.lines.flatMap((line) =>
      typeof line === 'string'
        ? wrapListItem(line, columns)
        : 'change' in line
          ? renderChanges([line.change], columns)
          : renderDiffLine(line.diffLine, columns - DIFF_INDENT.length).map((wrappedLine) =>
              indentLine(wrappedLine, DIFF_INDENT),
            ),
    );
    const { summary = [], blockedReason, yesLabel, alternatives } = confirmation;
    const summaryLines = [...renderSummary(summary, columns), { text: '' }];
    return {
      question: confirmation.question,
      details: summary.length > 0 ? [...summaryLines, ...details] : details,
      top,
      ...(blockedReason !== undefined ? { yesLabel: null } : yesLabel === undefined ? {} : { yesLabel }),
      alternativeKeys: alternatives.map(({ key, label }) => `${SHORTCUTS[key]} ${label}`),
    };
  }
  if (action === 'override' && input !== null) {
    const blockingChecks = run.probe?.overridableChecks ?? [];
    const overriddenLines = blockingChecks
      .slice(0, MAX_LISTED_CHECKS)
      .map(({ title, cause }) => words().overridden(title, cause));
    const unlistedCount = blockingChecks.length - overriddenLines.length;
    return {
      question: words().question.override(getStepTitle(page.id)),
      details: [
        words().overrideWhy,
        '',
        ...overriddenLines,
        ...(unlistedCount > 0 ? [words().overriddenMore(unlistedCount)] : []),
      ],
      answerField: input.field,
      label: words().reasonPrompt,
    };
  }
  const planQuestion = action === 'apply' ? run.plan?.question : undefined;
  const question = planQuestion ?? words().question[action](subject ?? getStepTitle(page.id));
  if (input !== null) {
    // The word agrees to the whole plan, so the plan stays above it, after the loss that the word is about.
    const { typedConfirmation, summary = [], parts = [] } = run.plan ?? {};
    const details = [
      typedConfirmation?.reason ?? '',
      ...(summary.length > 0 ? ['', ...renderSummary(summary, columns)] : []),
      ...(parts.length > 0 ? ['', ...renderParts(parts, columns)] : []),
    ];
    return { question, details, answerField: input.field, label: words().wordPrompt(input.words[0] ?? '') };
  }
  const { plan } = run;
  if (action !== 'apply' || plan === null) return { question, details: [], top };
  const wholeQuestion = { question, details: renderPlan(plan, columns), top };
  const isFolded = (plan.parts ?? []).length > 0 && getConfirmationRange(wholeQuestion, viewport).lastTop > 0;
  if (!isFolded) return wholeQuestion;
  const fold = run.prompt.fold ?? INITIAL_FOLD;
  return (
    createQuestionBeside(question, plan, fold, viewport) ?? { question, top, ...renderFoldedPlan(plan, fold, viewport) }
  );
}

/** Creates a question with the changes of the selected part beside it; null where there is no room for both. */
function createQuestionBeside(question: string, plan: Plan, fold: PlanFold, viewport: Viewport): KeyQuestion | null {
  if (viewport.terminalColumns < MIN_COLUMNS_BESIDE) return null;
  const { leftViewport, rightViewport } = splitQuestionViewport(viewport);
  const { summary = [] } = plan;
  const { selectedPart } = fold;
  const renderLeft = (lines: readonly SummaryLine[]) =>
    renderFoldedPlan(
      { ...plan, summary: lines },
      { selectedPart, openParts: [] },
      leftViewport,
      words().partsBesideTitle,
    );
  const fits = ({ details = [] }: Pick<KeyQuestion, 'details'>) =>
    getConfirmationRange({ question, details }, leftViewport).lastTop === 0;
  const whole = renderLeft(summary);
  // Without room for them on the left, the limits of undo follow the changes.
  const { details, parts } = fits(whole) ? whole : renderLeft(summary.filter(hasLabel));
  if (details === undefined || parts === undefined || !fits({ details })) return null;
  const limitLines = details === whole.details ? [] : renderLimits(summary, rightViewport.columns);
  const changes = renderChanges(listPartChanges(plan)[selectedPart] ?? [], rightViewport.columns);
  return {
    question,
    details,
    parts: { ...parts, isBeside: true },
    changesBeside: limitLines.length === 0 ? changes : [...changes, { text: '' }, ...limitLines],
  };
}

/** Divides the area of a question between its text and the changes beside it. */
function splitQuestionViewport(viewport: Viewport) {
  const { columns } = viewport;
  const rightColumns = Math.min(MAX_BESIDE_COLUMNS, Math.max(MIN_BESIDE_COLUMNS, Math.floor(columns * 0.45)));
  return {
    leftViewport: { ...viewport, columns: columns - rightColumns - SEPARATOR_COLUMNS },
    rightViewport: { ...viewport, columns: rightColumns },
  };
}

/** Lists the changes of each part of a plan. */
function listPartChanges({ changes, parts = [] }: Plan): (readonly ShownChange[])[] {
  let firstChange = 0;
  return parts.map(({ changeCount }) => {
    const partChanges = changes.slice(firstChange, firstChange + changeCount);
    firstChange += changeCount;
    return partChanges;
  });
}

type SummaryLine = NonNullable<Plan['summary']>[number];

/** Renders the lines of a summary that `isWanted` selects, with their texts in one column for the whole summary. */
function renderSummary(
  summary: readonly SummaryLine[],
  columns: number,
  isWanted: (line: SummaryLine) => boolean = () => true,
): TextLine[] {
  const labelWidth = Math.max(0, ...summary.map(({ label }) => getDisplayWidth(label))) + 2;
  return summary.filter(isWanted).flatMap(({ label, text }) =>
    wrapLines(text, columns - labelWidth).map((line, index) => ({
      text: `${fitToWidth(index === 0 ? label : '', labelWidth, '')}${line}`,
    })),
  );
}

/** Whether a line is about the whole plan; those without a label follow the list of its parts. */
const hasLabel = ({ label }: SummaryLine) => label !== '';
const hasNoLabel = ({ label }: SummaryLine) => label === '';

/**
 * Renders the summary of a plan and one line for each part. The changes of a part appear below its line once the user
 * opens it.
 */
function renderFoldedPlan(
  plan: Plan,
  { selectedPart, openParts }: PlanFold,
  viewport: Viewport,
  title = words().partsTitle,
): Pick<KeyQuestion, 'details' | 'parts'> {
  const { summary = [], parts = [] } = plan;
  const { columns } = viewport;
  const { pointer } = getGlyphs(viewport);
  const pointerWidth = getDisplayWidth(pointer) + 1;
  const lines: TextLine[] = [
    ...renderSummary(summary, columns, hasLabel),
    ...wrapLines(title, columns).map((text): TextLine => ({ text, tone: 'accent' })),
  ];
  const positions: { line: number; height: number }[] = [];
  const changesByPart = listPartChanges(plan);
  for (const [index, { text }] of renderParts(parts, columns - pointerWidth).entries()) {
    const content = renderChanges(changesByPart[index] ?? [], columns - PART_INDENT.length).map((line) =>
      indentLine(line, PART_INDENT),
    );
    positions.push({ line: lines.length, height: 1 + content.length });
    const isSelected = index === selectedPart;
    const line = `${isSelected ? pointer : ' '.repeat(pointerWidth - 1)} ${text}`;
    lines.push(
      isSelected
        ? { text: line, spans: [{ text: fitToWidth(line, columns, ''), tone: 'focus', isSelected }] }
        : { text: line },
      ...(openParts.includes(index) ? content : []),
    );
  }
  const limitLines = renderLimits(summary, columns);
  return {
    details: [...lines, ...(limitLines.length === 0 ? [] : [{ text: '' }, ...limitLines])],
    parts: { fold: { selectedPart, openParts }, positions },
  };
}

/** Renders what undo does not revert, under a heading: it follows the list of the parts. */
function renderLimits(summary: readonly SummaryLine[], columns: number): TextLine[] {
  const lines = summary
    .filter(hasNoLabel)
    .flatMap(({ text }) => wrapLines(text, columns - INDENT.length).map((line) => ({ text: `${INDENT}${line}` })));
  return lines.length === 0 ? [] : [{ text: words().limitsTitle, tone: 'accent' }, ...lines];
}

/** Renders the summary of a plan, one line for each part, then its changes. */
function renderPlan({ changes, summary = [], parts = [] }: Plan, columns: number): (string | TextLine)[] {
  // The parts come before summary lines without a label, to be on the first page.
  const partLines = parts.length > 0 ? [{ text: '' }, ...renderParts(parts, columns), { text: '' }] : [];
  const summaryLines = [
    ...renderSummary(summary, columns, hasLabel),
    ...partLines,
    // Without a list between them, they continue the line about undo.
    ...(parts.length > 0 ? renderLimits(summary, columns) : renderSummary(summary, columns, hasNoLabel)),
  ];
  // Removed lines begin with a dash, like list items: they are indented under their heading, apart from the question.
  const lines = renderChanges(changes, columns - INDENT.length).map((line) => indentLine(line, INDENT));
  return [
    ...summaryLines,
    ...(summaryLines.length > 0 && lines.length > 0 ? [{ text: '' }] : []),
    ...(lines.length > 0 ? [words().changes, ...lines] : []),
  ];
}

function renderParts(parts: NonNullable<Plan['parts']>, columns: number): TextLine[] {
  const measureWithGap = (texts: readonly string[]) => Math.max(0, ...texts.map(getDisplayWidth)) + 2;
  const labelWidth = measureWithGap(parts.map(({ label }) => label));
  const endWidth = measureWithGap(parts.map(({ end }) => end)) - 2;
  const maxTextWidth = measureWithGap(parts.map(({ text }) => text));
  const textWidth = Math.max(2, Math.min(maxTextWidth, columns - labelWidth - endWidth));
  // A text of which only a few letters fit is left out: the changes of the part name its objects.
  const shownTextWidth = textWidth < Math.min(maxTextWidth, MIN_PART_TEXT_COLUMNS) ? 0 : textWidth;
  return parts.map(({ label, text, end }) => ({
    text: `${fitToWidth(label, labelWidth, '')}${shownTextWidth === 0 ? '' : `${fitToWidth(text, shownTextWidth - 2, '\u2026')}  `}${end}`,
  }));
}

/**
 * Wraps a line, with its continuation lines below the text after the list marker. Continuation lines of a diff line
 * (`+`, `-`) repeat its sign.
 */
function wrapListItem(line: string, columns: number): TextLine[] {
  const [sign] = /^ *[+-] /.exec(line) ?? [];
  if (sign !== undefined && !line.includes('`')) return wrapFileLine(line.slice(sign.length), columns, { sign });
  const [head = ''] = /^ *(?:[~!=+-] )?/.exec(line) ?? [];
  return wrapProse(line.slice(head.length), columns, head).map(toTextLine);
}

const indentLine = (line: TextLine, indent: string): TextLine => ({ ...line, text: `${indent}${line.text}` });

const INDENT = '  ';
const PART_INDENT = '    ';
const DIFF_INDENT = '      ';
/** Columns of the changes beside a question: the minimum that is readable, and the maximum for comfortable reading. */
const MIN_BESIDE_COLUMNS = 44;
const MAX_BESIDE_COLUMNS = 76;
/** A blank, a line and a blank. */
const SEPARATOR_COLUMNS = 3;
/** Minimum columns of the text of a part, with the gap behind it. */
const MIN_PART_TEXT_COLUMNS = 14;
/** Maximum number of failed checks above the reason field. The page itself lists all of them. */
const MAX_LISTED_CHECKS = 4;

function typedQuestionRows({ question, details, answerField, label }: TypedQuestion, viewport: Viewport): PageRow[] {
  const { columns, rows } = viewport;
  const allLines = [question, '', ...details].flatMap((line) =>
    typeof line === 'string' ? wrapListItem(line, columns) : [line],
  );
  const visibleRows = Math.max(1, rows - 2);
  // Lines that do not fit are counted, never dropped silently.
  const moreLine: TextLine = { text: catalogue().ui.moreLines(allLines.length - visibleRows + 1) };
  const lines = allLines.length <= visibleRows ? allLines : [...allLines.slice(0, visibleRows - 1), moreLine];
  const width = Math.max(4, columns - getDisplayWidth(label));
  return [
    ...lines.map(({ text, tone, fileLine }, index) => {
      const row = createRow(text, tone, index === 0);
      return fileLine === undefined ? row : { ...row, fileLine };
    }),
    EMPTY_ROW,
    createTextFieldRow({ text: label, tone: 'accent' }, answerField, viewport, { width }),
  ];
}
