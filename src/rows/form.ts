import { catalogue } from '../i18n/catalogue.ts';
import { fitSentences, stripBackticks, wrapProse } from '../i18n/prose.ts';
import { fitToWidth, getDisplayWidth, splitGraphemes, truncate, wrapLines, wrapWithin } from '../platform/text.ts';
import type { TextFieldState } from '../wizard/text-input.ts';
import {
  createRow,
  EMPTY_ROW,
  fitRows,
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

/** Creates the row of a text field: its label, and the text scrolled so that the cursor is visible. */
export function createTextFieldRow(
  label: Segment,
  field: TextFieldState,
  viewport: Viewport,
  options: Partial<TextFieldOptions> = {},
): PageRow {
  const start = getDisplayWidth(label.text);
  const { segments, cursor } = createFocusedField(field, { width: viewport.columns - start, ...options }, viewport);
  return { segments: [label, ...segments], cursor: start + cursor };
}

/** Creates a row with a label and one line of text, without a cursor. */
export function createTextValueRow(label: Segment, text: string, viewport: Viewport): PageRow {
  const width = viewport.columns - getDisplayWidth(label.text);
  return { segments: [label, { text: truncate(text, width, getGlyphs(viewport).ellipsis) }] };
}

function createFocusedField(
  field: TextFieldState,
  { width, isSecret = false, placeholder = '' }: TextFieldOptions,
  style: { readonly hasUnicode: boolean },
): { readonly segments: Segment[]; readonly cursor: number } {
  const { ellipsis, mask } = getGlyphs(style);
  const { textBefore, cursorText, textAfter } = computeVisiblePart(field, width, isSecret ? mask : null, ellipsis);
  const hint = field.text === '' ? truncate(placeholder, width - 1, ellipsis) : '';
  // A default that typing replaces looks like a hint.
  const tone = field.isDefault ? 'muted' : 'focus';
  const segments: Segment[] = [
    { text: textBefore, tone },
    { text: cursorText, tone: 'focus', isInverse: true },
    { text: textAfter, tone },
    { text: hint, tone: 'muted' },
  ];
  return { segments, cursor: getDisplayWidth(textBefore) };
}

function maskText(text: string, mask: string | null): string {
  return mask === null ? text : mask.repeat(splitGraphemes(text).length);
}

/**
 * Computes the visible part of the text in `width` cells: before, under and after the cursor. `mark` replaces an end
 * that is cut.
 */
function computeVisiblePart({ text, cursor }: TextFieldState, width: number, mask: string | null, mark: string) {
  const graphemes = splitGraphemes(maskText(text, mask));
  const cursorText = graphemes[cursor] ?? ' ';
  let availableWidth = width - getDisplayWidth(cursorText);
  let start = cursor;
  while (start > 0 && getDisplayWidth(graphemes[start - 1] ?? '') <= availableWidth) {
    start -= 1;
    availableWidth -= getDisplayWidth(graphemes[start] ?? '');
  }
  // The mark takes the place of the first characters, in their cells.
  let hiddenEnd = start;
  let hiddenWidth = 0;
  while (start > 0 && hiddenEnd < cursor && hiddenWidth < getDisplayWidth(mark)) {
    hiddenWidth += getDisplayWidth(graphemes[hiddenEnd] ?? '');
    hiddenEnd += 1;
  }
  return {
    textBefore: fitToWidth(mark, hiddenWidth, '') + graphemes.slice(hiddenEnd, cursor).join(''),
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
  /** Answer and longest derived value for the layout, so that typing does not move it. Default: the shown ones. */
  readonly layoutTexts?: { readonly value: string; readonly fact: string };
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

/** A form: its fields, the focused one, and the text about it. */
export interface FormContent {
  readonly fields: readonly FormField[];
  /** Index of the focused field. */
  readonly focus: number;
  /** The text of the focused field while it is edited. */
  readonly editor: TextFieldState;
  /** One or two sentences about the focused field, under the form. */
  readonly reason?: string;
  /** The sentences about every field: the longest decides how many lines stay free under the form. */
  readonly reasonTexts?: readonly string[];
  /**
   * The purpose of the column beside the answers, whatever the answers are now: derived values, or only the sign of an
   * error. By default, it depends on what the fields show.
   */
  readonly besideColumn?: 'facts' | 'signs';
}

const MAX_LABEL_WIDTH = 22;
/** Lines under the fields of a form that is high enough: error, derived value, reason for the question. */
const USUAL_NOTE_ROWS = 6;
/** Lines under the fields of a low form, whose fields come first: only a longer error gets more. */
const LOW_NOTE_ROWS = 3;
const LOW_FORM_ROWS = 12;
/** Cells of most errors with their correction: lines for them stay free under the fields. */
const USUAL_ERROR_CELLS = 240;

/**
 * Creates the rows of a form: fields one below the other, the derived value beside each, and below
 * the reason for the focused question. The place of each part depends on the size and on the
 * accepted answers: what is typed, and an error in it, move nothing. Errors are complete in the
 * place below the fields, that of the focused field first.
 *
 *       Machine network      172.16.0.0/24█         254 addresses
 *     ▸ Gateway              172.16.1.254           ! is not in 172.16.0.0/24
 *
 *     Error  172.16.1.254 is not in 172.16.0.0/24: take an address of that network.
 *     Why    Nodes send what is not for their own network to this address.
 *
 * @param layoutRows rows for which the layout is computed. If a notice takes some of them, the
 * notes below the fields get fewer rows
 */
export function createFormRows(
  content: FormContent,
  viewport: Viewport,
  layoutRows: number = viewport.rows,
): readonly PageRow[] {
  const { fields, focus, editor } = content;
  const { columns, rows } = viewport;
  const widths = measureColumns(content, columns);
  const { heights, noteRows } = computeLayout(content, widths, { ...viewport, rows: layoutRows });
  const parts = listNoteParts(content, widths, heights[focus] ?? 1);
  const requiredRows = formatNotes(parts.filter(isRequired), columns).length;
  const maxNoteRows = Math.max(0, rows - MIN_FIELD_ROWS);
  const noteLimit = Math.min(maxNoteRows, Math.max(noteRows - (layoutRows - rows), requiredRows));
  const notes = fitNotes(parts, noteLimit, viewport);
  const hasNoteArea = notes.length > 0 || noteRows > 0;
  const { first, end } = getFieldRange(heights, focus, rows - (hasNoteArea ? noteLimit + 1 : 0));
  const hiddenRowsText = end - first < fields.length ? words().moreRows(first + 1, end, fields.length) : '';
  return fitRows(
    [
      ...markWindow(
        fields.slice(first, end).flatMap((field, index) => {
          const height = heights[first + index] ?? 1;
          return createFieldRows(field, first + index === focus ? editor : null, { ...widths, height }, viewport);
        }),
        { first, end, total: fields.length, isRangeShown: hasNoteArea },
      ),
      ...(hasNoteArea ? [hiddenRowsText === '' ? EMPTY_ROW : createRow(`  ${hiddenRowsText}`, 'muted')] : []),
      ...notes.map(({ head, text, tone }) => ({
        segments: [
          { text: fitToWidth(head, measureNoteIndent(parts), ''), tone },
          { text, tone: tone === 'accent' ? 'text' : tone },
        ],
      })),
    ],
    rows,
  );
}

/** Selects the fields around the focused one that fit into `rows` rows, each with its height. */
function getFieldRange(heights: readonly number[], focus: number, rows: number) {
  const measureRange = (first: number, end: number) => heights.slice(first, end).reduce((sum, each) => sum + each, 0);
  for (let count = heights.length; count > 1; count -= 1) {
    const range = getRangeAround(heights.length, focus, count);
    if (measureRange(range.first, range.end) <= rows) return range;
  }
  return getRangeAround(heights.length, focus, 1);
}

/** Returns the number of rows of a form that shows everything about all fields. */
export function measureFormHeight(content: FormContent, viewport: Viewport): number {
  const widths = measureColumns(content, viewport.columns);
  return content.fields.reduce((rows, field) => rows + measureFieldHeight(field, widths), 1 + USUAL_NOTE_ROWS);
}

/** Minimum columns in which the derived value beside an answer is wrapped; in fewer columns it is cut. */
const MIN_WRAPPED_COLUMNS = 30;

type Style = Pick<Viewport, 'hasUnicode'>;

/** Returns the sign before the note of a field with a problem. */
const getNoteMark = ({ error, warning }: FormField, style: Style) =>
  error || warning ? `${getGlyphs(style).warning} ` : '';

const getNote = ({ error, warning, fact = '' }: FormField) => stripBackticks(error || warning || fact);

const getLaidOutFact = ({ layoutTexts, fact = '' }: FormField) => stripBackticks(layoutTexts?.fact ?? fact);
const getLaidOutValue = ({ layoutTexts, value }: FormField) => layoutTexts?.value ?? value;

/** Counts the rows in which the derived value of a field is complete; 1 in a narrow column, which cuts the value. */
const measureFieldHeight = (field: FormField, widths: FieldWidths): number =>
  widths.fact < MIN_WRAPPED_COLUMNS ? 1 : Math.max(1, wrapLines(getLaidOutFact(field), widths.fact).length);

/**
 * Divides the rows. The notes under the fields get what the fields leave, at least the lines of a usual error and of
 * the longest reason; long derived values may use the lines of an error.
 */
function computeLayout(
  { fields, reason = '', reasonTexts = [reason] }: FormContent,
  widths: FieldWidths,
  { columns, rows }: Viewport,
): { readonly heights: readonly number[]; readonly noteRows: number } {
  const countLines = (text: string) => (text === '' ? 0 : formatNotes([{ kind: 'reason', text }], columns).length);
  const maxNoteRows = rows < LOW_FORM_ROWS ? LOW_NOTE_ROWS : USUAL_NOTE_ROWS;
  const errorRows = Math.ceil(USUAL_ERROR_CELLS / Math.max(1, columns - measureNoteIndent([])));
  const reasonRows = Math.min(maxNoteRows, Math.max(0, ...reasonTexts.map(countLines)));
  const availableRows = Math.max(0, rows - MIN_FIELD_ROWS);
  const minNoteRows = Math.min(
    availableRows,
    reasonRows === 0 ? 0 : Math.max(reasonRows, Math.min(errorRows, maxNoteRows)),
  );
  const unusedRows = Math.max(0, rows - fields.length - 1);
  const freeRows = Math.max(0, unusedRows - Math.min(availableRows, reasonRows));
  const heights = divideRows(
    fields.map((field) => measureFieldHeight(field, widths)),
    fields.length + freeRows,
  );
  const usedRows = heights.reduce((sum, height) => sum + height, -fields.length);
  return { heights, noteRows: usedRows > 0 ? unusedRows - usedRows : Math.max(minNoteRows, unusedRows) };
}

/** Divides rows among fields: one for each, then a second one for each that needs it, from the first on, and so on. */
function divideRows(neededRows: readonly number[], rows: number): readonly number[] {
  const heights = neededRows.map(() => 1);
  let freeRows = rows - heights.length;
  for (let height = 1; freeRows > 0 && height < Math.max(...neededRows); height += 1) {
    const growingFields = neededRows.flatMap((needed, index) => (needed > height ? [index] : [])).slice(0, freeRows);
    for (const index of growingFields) heights[index] = height + 1;
    freeRows -= growingFields.length;
  }
  return heights;
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
export function measureFormWidth(content: FormContent, minimum: number): number {
  const { fields } = content;
  const measureLongest = (texts: readonly string[]) => Math.max(0, ...texts.map(getDisplayWidth));
  const valueWidth =
    measureLongest(fields.map((field) => (field.choices ? `< ${field.value} >` : getLaidOutValue(field)))) + 1;
  const factWidth = measureLongest(fields.map(getLaidOutFact));
  const isUncut = (columns: number) => {
    const { value, fact } = measureColumns(content, columns);
    return value >= Math.min(valueWidth, MAX_VALUE_WIDTH) && fact >= factWidth;
  };
  let columns = minimum;
  while (columns < MAX_COLUMNS && !isUncut(columns)) columns += 2;
  return columns;
}

const MAX_VALUE_WIDTH = 48;
/** A form that needs more uses the available columns. */
const MAX_COLUMNS = 300;

/** Columns for a typed answer that stay beside long derived values. */
const MIN_VALUE_WIDTH = 20;
/** Columns grow in steps, so that a longer text rarely moves a column. */
const VALUE_STEP = 2;
const FACT_STEP = 8;
/** The sign of an error with a blank: its text is under the form. */
const ERROR_SIGN_WIDTH = 2;
/** In a narrower column, a note is left out: it is shown under the form. */
const MIN_NOTE_WIDTH = 7;

/**
 * Measures the columns. The labels get the width of the longest one. The answers get 45 % of the rest, fewer beside
 * long derived values, and up to 60 % if an answer needs it.
 */
function measureColumns({ fields, besideColumn }: FormContent, columns: number): FieldWidths {
  const longestLabel = Math.max(0, ...fields.map(({ label }) => getDisplayWidth(label)));
  const label = Math.min(longestLabel, MAX_LABEL_WIDTH, Math.floor((columns * 3) / 8));
  const remainingColumns = columns - 2 - label - 4;
  // The answer takes precedence over its derived value. Moving through choices changes no width.
  const values = fields.flatMap((field) => [
    getLaidOutValue(field),
    ...(field.choices ?? []).map(({ label: text }) => text),
  ]);
  const longestValue = Math.ceil((Math.max(0, ...values.map(getDisplayWidth)) + 1) / VALUE_STEP) * VALUE_STEP;
  const desiredWidth = Math.min(longestValue, Math.ceil(remainingColumns * 0.6));
  const longestFact = Math.max(0, ...fields.map((field) => getDisplayWidth(getLaidOutFact(field))));
  // Rounded up, so that a derived value that grows by a letter moves nothing.
  const spareColumns = remainingColumns - Math.ceil(longestFact / FACT_STEP) * FACT_STEP;
  const usualWidth = Math.min(Math.ceil(remainingColumns * 0.45), Math.max(MIN_VALUE_WIDTH, spareColumns));
  if (besideColumn === 'facts' || longestFact > 0) {
    const value = Math.min(MAX_VALUE_WIDTH, Math.max(usualWidth, desiredWidth));
    return { label, value, fact: remainingColumns - value };
  }
  const hasSigns = besideColumn === 'signs' || fields.some(({ error, warning }) => error || warning);
  const maxWidth = Math.min(longestValue, remainingColumns - ERROR_SIGN_WIDTH);
  const value = hasSigns ? Math.max(Math.ceil(remainingColumns * 0.6), maxWidth) : remainingColumns;
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
    text: `${isFocused ? pointer : ' '} ${fitToWidth(field.label, widths.label, ellipsis)}  `,
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
          : {
              text: truncate(text, widths.value, ellipsis),
              ...(field.isExample ? { tone: 'muted', isItalic: true } : { tone: 'text' }),
            },
      ]);
  const gap = { text: ' '.repeat(Math.max(0, widths.value - measureRow({ segments: answer })) + 2) };
  const tone: Tone = field.error ? 'error' : field.warning ? 'warn' : 'muted';
  const head = getNoteMark(field, viewport);
  const noteColumns = widths.fact - getDisplayWidth(head);
  const lines = noteColumns < MIN_NOTE_WIDTH ? [] : wrapWithin(getNote(field), noteColumns, widths.height, ellipsis);
  const [line = ''] = lines;
  // The example's value follows in the next row: no colon ends this one.
  const firstLine = field.isExample === true ? line.replace(/:$/, '') : line;
  const leftWidth = measureRow({ segments: [label, ...answer, gap] });
  const firstRow = {
    segments: [label, ...answer, gap, { text: `${head}${firstLine}`, tone }],
    item: { id: field.id, isSelected: isFocused },
    ...(typedField === null ? {} : { cursor: getDisplayWidth(label.text) + typedField.cursor }),
  };
  const otherRows = fitRows(
    lines.slice(1).map((line) => createRow(' '.repeat(leftWidth + getDisplayWidth(head)) + line, tone)),
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
  const shownText = variants.find((variant) => getDisplayWidth(variant) <= width) ?? label;
  return { text: fitToWidth(shownText, width, mark), tone: isFocused ? 'focus' : 'text' };
}

interface FormNote {
  readonly head: string;
  readonly text: string;
  readonly tone: Tone;
}

interface NotePart {
  /** `other`: the error or the warning of a field without the focus. */
  readonly kind: 'error' | 'warning' | 'fact' | 'reason' | 'other';
  readonly text: string;
  readonly isWarning?: boolean;
}

/** Rows that the fields keep: the focused one with its neighbours, and the line under them. */
const MIN_FIELD_ROWS = 4;

/**
 * Lists the notes under the form, the most important first. A derived value is one of them if it is cut beside its
 * answer.
 */
function listNoteParts(
  { fields, focus, reason = '' }: FormContent,
  { fact: factColumns }: FieldWidths,
  height: number,
): readonly NotePart[] {
  const { error = '', warning = '', fact = '' } = fields[focus] ?? {};
  const isCut = !error && !warning && wrapLines(stripBackticks(fact), factColumns).length > height;
  const parts: readonly NotePart[] = [
    { kind: 'error', text: error },
    { kind: 'warning', text: error ? '' : warning },
    { kind: 'fact', text: isCut ? fact : '' },
    { kind: 'reason', text: reason },
    ...fields.map((field, index): NotePart => {
      const text = index === focus ? '' : field.error || field.warning || '';
      return { kind: 'other', text: text && `${field.label}: ${text}`, isWarning: !field.error };
    }),
  ];
  return parts.filter(({ text }) => text !== '');
}

/** Whether a note is always shown completely: errors and warnings may take rows from the fields. */
const isRequired = ({ kind }: NotePart) => kind === 'error' || kind === 'warning';

/** Returns the heading of a note and its tone. */
function describeNote({ kind, isWarning = false }: NotePart): { readonly head: string; readonly tone: Tone } {
  const { notices, derivedFacts, reasonHeading } = words();
  if (kind === 'reason') return { head: reasonHeading, tone: 'accent' };
  if (kind === 'fact') return { head: derivedFacts, tone: 'accent' };
  return kind === 'warning' || isWarning
    ? { head: notices.warning, tone: 'warn' }
    : { head: notices.error, tone: 'error' };
}

/** Wraps notes beside their headings. */
function formatNotes(parts: readonly NotePart[], columns: number, indent = measureNoteIndent(parts)): FormNote[] {
  return parts.flatMap((part) => {
    const { head, tone } = describeNote(part);
    return wrapProse(part.text, columns - indent).map(({ text, isCommand }, index) => ({
      head: index === 0 ? head : '',
      text,
      tone: isCommand ? ('accent' as const) : tone,
    }));
  });
}

/**
 * Formats the notes that fit into `limit` rows. The reason for the question is shortened to the sentences that fit, and
 * a derived value is cut with a mark. If an error does not fit, a line points to the help page. The problems of other
 * fields are complete or left out.
 */
function fitNotes(parts: readonly NotePart[], limit: number, { columns, hasUnicode }: Viewport): readonly FormNote[] {
  const indent = measureNoteIndent(parts);
  const format = (selectedParts: readonly NotePart[]) => formatNotes(selectedParts, columns, indent);
  const answerParts = parts.filter(({ kind }) => kind !== 'other' && kind !== 'reason');
  const fits = (text: string) => format([...answerParts, { kind: 'reason', text }]).length <= limit;
  const reason = fitSentences(parts.find(({ kind }) => kind === 'reason')?.text ?? '', fits);
  const focusedParts: readonly NotePart[] =
    reason === '' ? answerParts : [...answerParts, { kind: 'reason', text: reason }];
  const focusedNotes = format(focusedParts);
  const lastNote = focusedNotes[limit - 1];
  if (focusedNotes.length > limit && lastNote !== undefined) {
    const { ellipsis } = getGlyphs({ hasUnicode });
    const shownNotes = focusedNotes.slice(0, limit - 1);
    if (format(focusedParts.filter(isRequired)).length > limit)
      return [...shownNotes, { head: '', text: words().restInHelp, tone: 'accent' }];
    return [...shownNotes, { ...lastNote, text: truncate(`${lastNote.text} ${ellipsis}`, columns - indent, ellipsis) }];
  }
  // Errors of all fields come before the explanation of the focused field.
  const notes = format(answerParts);
  const reasonNotes = focusedNotes.slice(notes.length, limit);
  for (const part of parts.filter(({ kind }) => kind === 'other')) {
    const lines = format([part]);
    if (notes.length + lines.length + reasonNotes.length <= limit) notes.push(...lines);
  }
  return [...notes, ...reasonNotes];
}

/** Measures the column of the headings. Only the heading of a warning can widen it. */
function measureNoteIndent(parts: readonly NotePart[]): number {
  const { notices, derivedFacts, reasonHeading } = words();
  const heads = [reasonHeading, derivedFacts, notices.error, ...parts.map((part) => describeNote(part).head)];
  return Math.max(...heads.map(getDisplayWidth)) + 2;
}
