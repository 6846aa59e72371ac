import { Box } from 'ink';
import { catalogue } from '../../i18n/catalogue.ts';
import { stripBackticks, wrapProse } from '../../i18n/prose.ts';
import { displayWidth, padEnd, truncate } from '../../platform/text.ts';
import { createTextField, type TextFieldState } from '../../wizard/typing.ts';
import { getRangeAround } from '../table-layout.ts';
import { getGlyphs, type Tone, useArea, useTerminalStyle } from '../terminal-style.tsx';
import { Label, Row } from './select.tsx';
import { TextField } from './text-field.tsx';

const words = () => catalogue().ui;

/** A field of a form, with its value and the notes about it. */
export interface FormField {
  readonly id: string;
  readonly label: string;
  /** The accepted text; the focused field shows the text of the editor instead. */
  readonly value: string;
  /** A value derived from the answer, at the right; an error replaces it. */
  readonly fact?: string;
  /** The error in the answer and how to correct it. */
  readonly error?: string;
  /** A doubtful point of the answer; shown if there is no error. */
  readonly warning?: string;
  readonly placeholder?: string;
  readonly isSecret?: boolean;
  /** Options that are selected with Left and Right instead of typing: drawn `< value >`. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The letters typed to find an option. */
  readonly typeAhead?: string;
}

export interface FormProps {
  readonly fields: readonly FormField[];
  /** Index of the focused field. */
  readonly focus: number;
  /** The text of the focused field while it is edited. */
  readonly editor: TextFieldState;
  /** One or two sentences about the focused field, under the form. */
  readonly why?: string;
}

const MAX_LABEL_WIDTH = 22;
/**
 * Maximum number of lines under the fields: the error of the focused field, its derived value, and the reason for the
 * question.
 */
export const MAX_NOTE_ROWS = 6;

/**
 * Fields one below the other, the derived value beside each, and the reason for the focused question below.
 *
 *       Machine network      172.16.0.0/24█         254 addresses
 *     ▸ Gateway              172.16.1.254           ! is not in 172.16.0.0/24
 *
 *     Error  172.16.1.254 is not in 172.16.0.0/24: take an address of that network.
 *     Why    Nodes send what is not for their own network to this address.
 */
export function Form({ fields, focus, editor, why = '' }: FormProps) {
  const style = useTerminalStyle();
  const { columns, rows } = useArea();
  const focused = fields[focus];
  // The typed text and its caret need space, too.
  const shownFields = fields.map((field, index) =>
    index === focus && !field.choices ? { ...field, value: editor.text } : field,
  );
  const widths = measureColumns(shownFields, columns);
  const fact = focused?.fact ?? '';
  const { error = '', warning = '' } = focused ?? {};
  const messages = { error, warning: error ? '' : warning, fact: displayWidth(fact) > widths.fact ? fact : '', why };
  const notes = createNotes(messages, columns, rows);
  const { first, end } = getRangeAround(fields.length, focus, rows - (notes.length > 0 ? notes.length + 1 : 0));
  const hidden = end - first < fields.length ? words().moreRows(first + 1, end, fields.length) : '';
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {fields.slice(first, end).map((field, index) => (
        <FieldRow key={field.id} field={field} editor={first + index === focus ? editor : null} widths={widths} />
      ))}
      {notes.length > 0 && (
        <Row>
          <Label tone="dim">{`  ${hidden}`}</Label>
        </Row>
      )}
      {notes.map(({ head, text, tone }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label tone={tone}>{padEnd(head, measureNoteIndent(), '')}</Label>
          <Label tone={tone === 'accent' || !style.hasColour ? 'text' : tone}>{text}</Label>
        </Row>
      ))}
    </Box>
  );
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
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map(displayWidth));
  const values = longest(fields.map(({ value, choices }) => (choices ? `< ${value} >` : value))) + 1;
  const facts = longest(fields.map(({ fact = '' }) => fact));
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

/** The column of the labels is as wide as the longest label; the answers get 45 to 60 % of the rest. */
function measureColumns(fields: readonly FormField[], columns: number): FieldWidths {
  const longest = Math.max(0, ...fields.map(({ label }) => displayWidth(label)));
  const label = Math.min(longest, MAX_LABEL_WIDTH, Math.floor((columns * 3) / 8));
  const rest = columns - 2 - label - 4;
  const hasFacts = fields.some(({ fact, error, warning }) => fact || error || warning);
  // The answer takes precedence over its derived value.
  const longestValue = Math.max(0, ...fields.map(({ value: text }) => displayWidth(text))) + 1;
  const desired = Math.min(longestValue, Math.ceil(rest * 0.6));
  const value = hasFacts ? Math.min(MAX_VALUE_WIDTH, Math.max(Math.ceil(rest * 0.45), desired)) : rest;
  return { label, value, fact: rest - value };
}

function FieldRow({
  field,
  editor,
  widths,
}: {
  readonly field: FormField;
  readonly editor: TextFieldState | null;
  readonly widths: FieldWidths;
}) {
  const style = useTerminalStyle();
  const signs = getGlyphs(style);
  const isFocused = editor !== null;
  return (
    <Row>
      <Label tone={isFocused ? 'focus' : 'text'}>
        {`${isFocused ? signs.pointer : ' '} ${padEnd(field.label, widths.label, signs.ellipsis)}  `}
      </Label>
      {field.choices ? (
        <ChoiceValue field={field} text={editor?.text ?? field.value} isFocused={isFocused} width={widths.value} />
      ) : (
        <TextField
          state={editor ?? createTextField(field.value)}
          width={widths.value}
          isFocused={isFocused}
          isSecret={field.isSecret ?? false}
          placeholder={field.placeholder ?? ''}
        />
      )}
      <Label>{'  '}</Label>
      {field.error ? (
        <Label tone="error">
          {truncate(`${signs.problem} ${stripBackticks(field.error)}`, widths.fact, signs.ellipsis)}
        </Label>
      ) : field.warning ? (
        <Label tone="warn">
          {truncate(`${signs.warning} ${stripBackticks(field.warning)}`, widths.fact, signs.ellipsis)}
        </Label>
      ) : (
        <Label tone="dim">{truncate(field.fact ?? '', widths.fact, signs.ellipsis)}</Label>
      )}
    </Row>
  );
}

function ChoiceValue(props: {
  readonly field: FormField;
  readonly text: string;
  readonly isFocused: boolean;
  readonly width: number;
}) {
  const { field, text, isFocused, width } = props;
  const mark = getGlyphs(useTerminalStyle()).ellipsis;
  const choices = field.choices ?? [];
  const index = choices.findIndex(({ value }) => value === text);
  const label = choices[index]?.label ?? text;
  const position = index < 0 ? '' : `  ${index + 1}/${choices.length}`;
  const typeAhead = field.typeAhead === undefined ? '' : ` ${words().typeAhead(field.typeAhead)}`;
  // In a narrow column, the answer takes precedence.
  const variants = isFocused
    ? [`< ${label} >${typeAhead}${position}`, `< ${label} >${typeAhead}`, `<${label}>`, label]
    : [label];
  const shown = variants.find((text) => displayWidth(text) <= width) ?? label;
  return <Label tone={isFocused ? 'focus' : 'text'}>{padEnd(shown, width, mark)}</Label>;
}

interface FormNote {
  readonly head: string;
  readonly text: string;
  readonly tone: Tone;
}

/** Rows that the fields keep: the focused one with its neighbours, and the line under them. */
const MIN_FIELD_ROWS = 4;

/**
 * Creates the notes under the form. A derived value that is cut beside its answer is shown in full. An error and its
 * correction are shown to the end: they take rows from the fields. If even those are too few, a note points to the help
 * page.
 */
function createNotes(
  messages: { readonly error: string; readonly warning: string; readonly fact: string; readonly why: string },
  columns: number,
  rows: number,
): FormNote[] {
  const parts = [
    { head: words().notices.error, text: messages.error, tone: 'error' as const, isWrong: true },
    { head: words().notices.info, text: messages.warning, tone: 'warn' as const, isWrong: true },
    { head: words().result, text: messages.fact, tone: 'accent' as const, isWrong: false },
    { head: words().why, text: messages.why, tone: 'accent' as const, isWrong: false },
  ].filter(({ text }) => text !== '');
  const formatParts = (selected: typeof parts) =>
    selected.flatMap(({ head, text, tone }) =>
      wrapProse(text, columns - measureNoteIndent()).map(({ text: line, isCommand }, index) => ({
        head: index === 0 ? head : '',
        text: line,
        tone: isCommand ? ('accent' as const) : tone,
      })),
    );
  const maximum = Math.max(0, rows - MIN_FIELD_ROWS);
  const required = formatParts(parts.filter(({ isWrong }) => isWrong)).length;
  const limit = Math.min(maximum, Math.max(MAX_NOTE_ROWS, required));
  const shown = formatParts(parts);
  if (required <= limit || limit === 0) return shown.slice(0, limit);
  return [...shown.slice(0, limit - 1), { head: '', text: words().restInHelp, tone: 'accent' }];
}

function measureNoteIndent(): number {
  return Math.max(...[words().why, words().result, words().notices.error].map(displayWidth)) + 2;
}
