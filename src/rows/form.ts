import { catalogue } from '../i18n/catalogue.ts';
import { stripBackticks, wrapProse } from '../i18n/prose.ts';
import { displayWidth, padEnd, splitGraphemes, truncate, wrapLines, wrapWithin } from '../platform/text.ts';
import type { TextFieldState } from '../wizard/typing.ts';
import {
  createRow,
  fitRows,
  GAP,
  getGlyphs,
  getRangeAround,
  measureRow,
  type PageRow,
  type Segment,
  type Tone,
  type Viewport,
} from './page-rows.ts';
import { markWindow } from './scroll.ts';

const words = () => catalogue().ui;

interface TextFieldOptions {
  /** Width in cells, always fully used. */
  readonly width: number;
  /** Draws a mark for each character instead of the character. */
  readonly isSecret?: boolean;
  /** Drawn muted while the text is empty. */
  readonly placeholder?: string;
}

/** One line of text that is typed after its label, with the cursor. A long text is scrolled so that it is visible. */
export function textFieldRow(
  label: Segment,
  field: TextFieldState,
  viewport: Viewport,
  options: Partial<TextFieldOptions> = {},
): PageRow {
  const start = displayWidth(label.text);
  const { segments, cursor } = createFocusedField(field, { width: viewport.columns - start, ...options }, viewport);
  return { segments: [label, ...segments], cursor: start + cursor };
}

/** One line of text after its label, without a cursor. */
export function textValueRow(label: Segment, text: string, viewport: Viewport): PageRow {
  const width = viewport.columns - displayWidth(label.text);
  return { segments: [label, { text: truncate(text, width, getGlyphs(viewport).ellipsis) }] };
}

function createFocusedField(
  field: TextFieldState,
  { width, isSecret = false, placeholder = '' }: TextFieldOptions,
  style: { readonly hasUnicode: boolean },
): { readonly segments: Segment[]; readonly cursor: number } {
  const { ellipsis, mask } = getGlyphs(style);
  const { textBefore, cursorText, textAfter } = findVisiblePart(field, width, isSecret ? mask : null, ellipsis);
  const hint = field.text === '' ? truncate(placeholder, width - 1, ellipsis) : '';
  // A default that typing replaces looks as a hint does.
  const tone = field.isDefault ? 'muted' : 'focus';
  const segments: Segment[] = [
    { text: textBefore, tone },
    { text: cursorText, tone: 'focus', isInverse: true },
    { text: textAfter, tone },
    { text: hint, tone: 'muted' },
  ];
  return { segments, cursor: displayWidth(textBefore) };
}

function maskText(text: string, mask: string | null): string {
  return mask === null ? text : mask.repeat(splitGraphemes(text).length);
}

/**
 * Finds the visible part of the text in `width` cells: before, under and after the cursor. `mark` replaces an end that
 * is cut.
 */
function findVisiblePart({ text, cursor }: TextFieldState, width: number, mask: string | null, mark: string) {
  const graphemes = splitGraphemes(maskText(text, mask));
  const cursorText = graphemes[cursor] ?? ' ';
  let availableWidth = width - displayWidth(cursorText);
  let start = cursor;
  while (start > 0 && displayWidth(graphemes[start - 1] ?? '') <= availableWidth) {
    start -= 1;
    availableWidth -= displayWidth(graphemes[start] ?? '');
  }
  const [head = '', ...rest] = graphemes.slice(start, cursor);
  const isCut = start > 0 && head !== '';
  return {
    textBefore: isCut ? padEnd(mark, displayWidth(head), '') + rest.join('') : head + rest.join(''),
    cursorText,
    textAfter: truncate(graphemes.slice(cursor + 1).join(''), availableWidth, mark),
  };
}

/** A field of a form, with its value and the notes about it. */
export interface FormField {
  readonly id: string;
  readonly label: string;
  /** The accepted text; the focused field shows the text of the editor instead. */
  readonly value: string;
  /** A value derived from the answer, at the right; an error replaces it. */
  readonly fact?: string;
  /** The derived value while the field has no focus: the field then keeps its lines. */
  readonly restingFact?: string;
  /** The error in the answer and how to correct it. */
  readonly error?: string;
  /** A doubtful point of the answer; shown if there is no error. */
  readonly warning?: string;
  readonly placeholder?: string;
  readonly isSecret?: boolean;
  /** The answer is still the example's. */
  readonly isExample?: boolean;
  /** Options that are selected with Left and Right instead of typing: drawn `< value >`. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The letters typed to find an option. */
  readonly typeAhead?: string;
}

export interface FormContent {
  readonly fields: readonly FormField[];
  /** Index of the focused field. */
  readonly focus: number;
  /** The text of the focused field while it is edited. */
  readonly editor: TextFieldState;
  /** One or two sentences about the focused field, under the form. */
  readonly why?: string;
  /** The sentences about every field: the longest decides how many lines stay free under the form. */
  readonly whys?: readonly string[];
}

const MAX_LABEL_WIDTH = 22;
/**
 * Maximum number of lines under the fields: the error of the focused field, its derived value, and the reason for the
 * question.
 */
const MAX_NOTE_ROWS = 6;

/**
 * Fields one below the other, the derived value beside each, and the reason for the focused question below.
 *
 *       Machine network      172.16.0.0/24█         254 addresses
 *     ▸ Gateway              172.16.1.254           ! is not in 172.16.0.0/24
 *
 *     Error  172.16.1.254 is not in 172.16.0.0/24: take an address of that network.
 *     Why    Nodes send what is not for their own network to this address.
 */
export function formRows(content: FormContent, viewport: Viewport): readonly PageRow[] {
  const { fields, focus, editor, why = '' } = content;
  const { columns, rows } = viewport;
  const focusedField = fields[focus];
  // The columns do not depend on the typed text: it scrolls in its own, and nothing moves while it is typed.
  const widths = measureColumns(fields, columns);
  const heights = computeFieldHeights(content, widths, viewport);
  const isCut =
    focusedField !== undefined && listNoteLines(focusedField, widths, viewport).length > (heights[focus] ?? 1);
  const messages = listMessages(focusedField, why, isCut);
  const notes = createNotes(messages, viewport);
  const { first, end } = getRangeAround(fields.length, focus, rows - (notes.length > 0 ? notes.length + 1 : 0));
  const hiddenRowsText = end - first < fields.length ? words().moreRows(first + 1, end, fields.length) : '';
  return fitRows(
    [
      ...markWindow(
        fields.slice(first, end).flatMap((field, index) => {
          const height = heights[first + index] ?? 1;
          return createFieldRows(field, first + index === focus ? editor : null, { ...widths, height }, viewport);
        }),
        { first, end, total: fields.length, isCounted: notes.length > 0 },
      ),
      ...(notes.length > 0 ? [hiddenRowsText === '' ? GAP : createRow(`  ${hiddenRowsText}`, 'muted')] : []),
      ...notes.map(({ head, text, tone }) => ({
        segments: [
          { text: padEnd(head, measureNoteIndent(messages), ''), tone },
          { text, tone: tone === 'accent' ? 'text' : tone },
        ],
      })),
    ],
    rows,
  );
}

/** Returns the number of rows of a form that shows everything about all fields. */
export function measureFormHeight({ fields }: FormContent, viewport: Viewport): number {
  const widths = measureColumns(fields, viewport.columns);
  return fields.reduce((rows, field) => rows + measureField(field, widths, viewport), 1 + MAX_NOTE_ROWS);
}

/** The note beside an answer is wrapped in a column of this width; in a narrower one it is cut. */
const MIN_WRAPPED_COLUMNS = 30;

/** Lists the lines of the note beside an answer. */
const listNoteLines = (field: FormField, { fact: columns }: FieldWidths, style: Style): readonly string[] =>
  wrapLines(getNote(field), columns - displayWidth(getNoteMark(field, style)));

type Style = Pick<Viewport, 'hasUnicode'>;

/** Returns the sign before the note of a field with a problem. */
const getNoteMark = ({ error, warning }: FormField, style: Style) =>
  error || warning ? `${getGlyphs(style).warning} ` : '';

const getNote = ({ error, warning, fact = '' }: FormField) => stripBackticks(error || warning || fact);

/** Returns the number of rows of a field whose note is complete: the same with and without the focus. */
function measureField(field: FormField, widths: FieldWidths, style: Style): number {
  if (widths.fact < MIN_WRAPPED_COLUMNS) return 1;
  const { error, warning, restingFact = '' } = field;
  const restingLines = error || warning ? [] : wrapLines(restingFact, widths.fact);
  return Math.max(1, listNoteLines(field, widths, style).length, restingLines.length);
}

/** Divides the rows that the fields and the longest notes under them leave free among the notes beside the answers. */
function computeFieldHeights(
  { fields, whys = [] }: FormContent,
  widths: FieldWidths,
  viewport: Viewport,
): readonly number[] {
  const noteRows = fields.map((field, index) =>
    createNotes(listMessages(field, whys[index] ?? '', measureField(field, widths, viewport) > 1), viewport),
  );
  let freeRows = viewport.rows - fields.length - 1 - Math.max(0, ...noteRows.map(({ length }) => length));
  return fields.map((field) => {
    const extraRows = Math.max(0, Math.min(freeRows, measureField(field, widths, viewport) - 1));
    freeRows -= extraRows;
    return 1 + extraRows;
  });
}

/** Lists the messages under the form; the derived value is one of them if it is cut beside its answer. */
function listMessages(field: FormField | undefined, why: string, isCut: boolean): NoteMessages {
  const { error = '', warning = '', fact = '' } = field ?? {};
  return { error, warning: error ? '' : warning, fact: isCut ? fact : '', why };
}

interface FieldWidths {
  readonly label: number;
  readonly value: number;
  readonly fact: number;
}

/**
 * Finds the smallest width in columns, from `minimum` on, in which no answer and no derived value is cut, within the
 * limits of `measureColumns`.
 */
export function measureFormWidth(fields: readonly FormField[], minimum: number): number {
  const measureLongest = (texts: readonly string[]) => Math.max(0, ...texts.map(displayWidth));
  const values = measureLongest(fields.map(({ value, choices }) => (choices ? `< ${value} >` : value))) + 1;
  const facts = measureLongest(fields.map(({ fact = '' }) => fact));
  const isUncut = (columns: number) => {
    const { value, fact } = measureColumns(fields, columns);
    return value >= Math.min(values, MAX_VALUE_WIDTH) && fact >= facts;
  };
  let columns = minimum;
  while (columns < MAX_COLUMNS && !isUncut(columns)) columns += 2;
  return columns;
}

const MAX_VALUE_WIDTH = 48;
/** A form that needs more uses the available columns. */
const MAX_COLUMNS = 300;

/** Columns for a typed answer that stay beside long derived values. */
const MIN_VALUE_WIDTH = 24;
const FACT_STEP = 8;

/**
 * The column of the labels is as wide as the longest label. The answers get 45 to 60 % of the rest, less beside long
 * derived values.
 */
function measureColumns(fields: readonly FormField[], columns: number): FieldWidths {
  const longestLabel = Math.max(0, ...fields.map(({ label }) => displayWidth(label)));
  const label = Math.min(longestLabel, MAX_LABEL_WIDTH, Math.floor((columns * 3) / 8));
  const remainingColumns = columns - 2 - label - 4;
  const hasFacts = fields.some(({ fact, error, warning }) => fact || error || warning);
  // The answer takes precedence over its derived value. Moving through choices changes no width.
  const values = fields.flatMap(({ value: text, choices = [] }) => [text, ...choices.map((each) => each.label)]);
  const longestValue = Math.ceil((Math.max(0, ...values.map(displayWidth)) + 1) / FACT_STEP) * FACT_STEP;
  const desiredWidth = Math.min(longestValue, Math.ceil(remainingColumns * 0.6));
  const longestFact = Math.max(0, ...fields.map((field) => displayWidth(getNote(field))));
  // Rounded up, so that a derived value that grows by a letter moves nothing.
  const spareColumns = remainingColumns - Math.ceil(longestFact / FACT_STEP) * FACT_STEP;
  const usualWidth = Math.min(Math.ceil(remainingColumns * 0.45), Math.max(MIN_VALUE_WIDTH, spareColumns));
  const value = hasFacts ? Math.min(MAX_VALUE_WIDTH, Math.max(usualWidth, desiredWidth)) : remainingColumns;
  return { label, value, fact: remainingColumns - value };
}

function createFieldRows(
  field: FormField,
  editor: TextFieldState | null,
  widths: FieldWidths & { readonly height: number },
  viewport: Viewport,
): PageRow[] {
  const { pointer, ellipsis, mask } = getGlyphs(viewport);
  const isFocused = editor !== null;
  const label: Segment = {
    text: `${isFocused ? pointer : ' '} ${padEnd(field.label, widths.label, ellipsis)}  `,
    tone: isFocused ? 'focus' : 'text',
  };
  const { isSecret = false, placeholder = '' } = field;
  const isTyped = editor !== null && !field.choices;
  const typedField = isTyped
    ? createFocusedField(editor, { width: widths.value, isSecret, placeholder }, viewport)
    : null;
  const text = isSecret ? maskText(field.value, mask) : field.value;
  const answer: readonly Segment[] = field.choices
    ? [createChoiceValue(field, editor?.text ?? field.value, isFocused, widths.value, ellipsis)]
    : (typedField?.segments ?? [
        field.value === ''
          ? { text: truncate(placeholder, widths.value - 1, ellipsis), tone: 'muted' }
          : { text: truncate(text, widths.value, ellipsis), tone: field.isExample ? 'muted' : 'text' },
      ]);
  const gap = { text: ' '.repeat(Math.max(0, widths.value - measureRow({ segments: answer })) + 2) };
  const tone: Tone = field.error ? 'error' : field.warning ? 'warn' : 'muted';
  const head = getNoteMark(field, viewport);
  const lines = wrapWithin(getNote(field), widths.fact - displayWidth(head), widths.height, ellipsis);
  const leftWidth = measureRow({ segments: [label, ...answer, gap] });
  const firstRow = {
    segments: [label, ...answer, gap, { text: `${head}${lines[0] ?? ''}`, tone }],
    item: { id: field.id, isSelected: isFocused },
    ...(typedField === null ? {} : { cursor: displayWidth(label.text) + typedField.cursor }),
  };
  const otherRows = fitRows(
    lines.slice(1).map((line) => createRow(' '.repeat(leftWidth + displayWidth(head)) + line, tone)),
    widths.height - 1,
  );
  return [firstRow, ...otherRows];
}

function createChoiceValue(
  { choices = [], typeAhead }: FormField,
  text: string,
  isFocused: boolean,
  width: number,
  mark: string,
): Segment {
  const index = choices.findIndex(({ value }) => value === text);
  const label = choices[index]?.label ?? text;
  const position = index < 0 ? '' : `  ${index + 1}/${choices.length}`;
  const letters = typeAhead === undefined ? '' : ` ${words().typeAhead(typeAhead)}`;
  // In a narrow column, the answer takes precedence.
  const variants = isFocused
    ? [`< ${label} >${letters}${position}`, `< ${label} >${letters}`, `<${label}>`, label]
    : [label];
  const shownText = variants.find((variant) => displayWidth(variant) <= width) ?? label;
  return { text: padEnd(shownText, width, mark), tone: isFocused ? 'focus' : 'text' };
}

interface FormNote {
  readonly head: string;
  readonly text: string;
  readonly tone: Tone;
}

interface NoteMessages {
  readonly error: string;
  readonly warning: string;
  readonly fact: string;
  readonly why: string;
}

/** Rows that the fields keep: the focused one with its neighbours, and the line under them. */
const MIN_FIELD_ROWS = 4;

/**
 * Creates the notes under the form. A derived value that is cut beside its answer is shown in full. An error and its
 * correction are shown to the end: they take rows from the fields. If even those are too few, a note points to the help
 * page.
 */
function createNotes(messages: NoteMessages, { columns, rows, hasUnicode }: Viewport): FormNote[] {
  const parts = [
    { head: words().notices.error, text: messages.error, tone: 'error' as const, isWrong: true },
    { head: words().notices.warning, text: messages.warning, tone: 'warn' as const, isWrong: true },
    { head: words().result, text: messages.fact, tone: 'accent' as const, isWrong: false },
    { head: words().why, text: messages.why, tone: 'accent' as const, isWrong: false },
  ].filter(({ text }) => text !== '');
  const formatParts = (selected: typeof parts) =>
    selected.flatMap(({ head, text, tone }) =>
      wrapProse(text, columns - measureNoteIndent(messages)).map(({ text: line, isCommand }, index) => ({
        head: index === 0 ? head : '',
        text: line,
        tone: isCommand ? ('accent' as const) : tone,
      })),
    );
  const maxRows = Math.max(0, rows - MIN_FIELD_ROWS);
  const requiredRows = formatParts(parts.filter(({ isWrong }) => isWrong)).length;
  const limit = Math.min(maxRows, Math.max(MAX_NOTE_ROWS, requiredRows));
  const shownNotes = formatParts(parts);
  const lastNote = shownNotes[limit - 1];
  if (shownNotes.length <= limit || lastNote === undefined) return shownNotes.slice(0, limit);
  const { ellipsis } = getGlyphs({ hasUnicode });
  const cutText = truncate(`${lastNote.text} ${ellipsis}`, columns - measureNoteIndent(messages), ellipsis);
  if (requiredRows <= limit) return [...shownNotes.slice(0, limit - 1), { ...lastNote, text: cutText }];
  return [...shownNotes.slice(0, limit - 1), { head: '', text: words().restInHelp, tone: 'accent' }];
}

/** Measures the column of the headings, which only a warning makes wider. */
function measureNoteIndent({ warning }: Pick<NoteMessages, 'warning'>): number {
  const { notices, result, why } = words();
  return Math.max(...[why, result, notices.error, ...(warning ? [notices.warning] : [])].map(displayWidth)) + 2;
}
