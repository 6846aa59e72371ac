import { Box } from 'ink';
import { catalogue } from '../../text/catalogue.ts';
import { inOneLine, proseLines } from '../../text/command-lines.ts';
import { cut, pad, widthOf } from '../../text/width.ts';
import { type TextFieldState, textFieldOf } from '../../wizard/typing/text-field.ts';
import { useArea, useLook } from '../look.tsx';
import { glyphs, type Tone } from '../theme.ts';
import { windowAround } from '../window.ts';
import { Label, Row } from './label.tsx';
import { TextField } from './text-field.tsx';

const words = () => catalogue().ui;

/** A question of a form, with its answer and what is to be said of it. */
export interface FormField {
  readonly id: string;
  readonly label: string;
  /** The accepted text; the focused field shows the editor's instead. */
  readonly value: string;
  /** What follows from the answer, at the right; an error takes its place. */
  readonly fact?: string;
  /** What is wrong with the answer and how to put it right, in words. */
  readonly error?: string;
  /** What is unwise about it; shown where there is no error. */
  readonly warning?: string;
  readonly placeholder?: string;
  readonly isSecret?: boolean;
  /** One of these is chosen with Left and Right instead of typing: drawn `< value >`. */
  readonly choices?: readonly { readonly value: string; readonly label: string }[];
  /** The letters that were typed to find one of them. */
  readonly typedAhead?: string;
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

const LONGEST_LABEL = 22;
/** Lines under the questions at most: what is wrong with the focused one, what it gives, and why it is asked. */
export const WHY_ROWS = 6;

/**
 * Questions one under the other, what follows from each answer beside it, and the reason of the focused one below.
 *
 *       Machine network      172.16.0.0/24█         254 addresses
 *     ▸ Gateway              172.16.1.254           ! is not in 172.16.0.0/24
 *
 *     Error  172.16.1.254 is not in 172.16.0.0/24: take an address of that network.
 *     Why    Nodes send what is not for their own network to this address.
 */
export function Form({ fields, focus, editor, why = '' }: FormProps) {
  const look = useLook();
  const { columns, rows } = useArea();
  const focused = fields[focus];
  // The text as it is typed, and its caret, want their room too.
  const typed = fields.map((field, index) =>
    index === focus && !field.choices ? { ...field, value: editor.text } : field,
  );
  const sizes = columnWidths(typed, columns);
  const fact = focused?.fact ?? '';
  const { error = '', warning = '' } = focused ?? {};
  const said = { error, warning: error ? '' : warning, fact: widthOf(fact) > sizes.fact ? fact : '', why };
  const notes = notesOf(said, columns, rows);
  const { first, end } = windowAround(fields.length, focus, rows - (notes.length > 0 ? notes.length + 1 : 0));
  const hidden = end - first < fields.length ? words().moreRows(first + 1, end, fields.length) : '';
  return (
    <Box flexDirection="column" width={columns} height={rows} overflow="hidden">
      {fields.slice(first, end).map((field, index) => (
        <FieldRow key={field.id} field={field} editor={first + index === focus ? editor : null} sizes={sizes} />
      ))}
      {notes.length > 0 && (
        <Row>
          <Label tone="dim">{`  ${hidden}`}</Label>
        </Row>
      )}
      {notes.map(({ head, text, tone }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label tone={tone}>{pad(head, noteIndent(), '')}</Label>
          <Label tone={tone === 'accent' || !look.hasColour ? 'text' : tone}>{text}</Label>
        </Row>
      ))}
    </Box>
  );
}

interface Sizes {
  readonly label: number;
  readonly value: number;
  readonly fact: number;
}

/** The cells in which no answer of the form is cut, and nothing that follows from it; at most what `columnWidths` gives at that width. */
export function formColumns(fields: readonly FormField[], least: number): number {
  const longest = (texts: readonly string[]) => Math.max(0, ...texts.map(widthOf));
  const values = longest(fields.map(({ value, choices }) => (choices ? `< ${value} >` : value))) + 1;
  const facts = longest(fields.map(({ fact = '' }) => fact));
  const isWhole = (columns: number) => {
    const { value, fact } = columnWidths(fields, columns);
    return value >= Math.min(values, LONGEST_VALUE) && fact >= facts;
  };
  let columns = least;
  while (columns < MOST_COLUMNS && !isWhole(columns)) columns += 2;
  return columns;
}

const LONGEST_VALUE = 48;
/** A form that needs more takes what there is. */
const MOST_COLUMNS = 300;

/** The label's column is as wide as the longest label; the answers get 45 to 60 % of the rest. */
function columnWidths(fields: readonly FormField[], columns: number): Sizes {
  const longest = Math.max(0, ...fields.map(({ label }) => widthOf(label)));
  const label = Math.min(longest, LONGEST_LABEL, Math.floor((columns * 3) / 8));
  const rest = columns - 2 - label - 4;
  const hasFacts = fields.some(({ fact, error, warning }) => fact || error || warning);
  // An answer is worth more than what follows from it.
  const longestValue = Math.max(0, ...fields.map(({ value: text }) => widthOf(text))) + 1;
  const wanted = Math.min(longestValue, Math.ceil(rest * 0.6));
  const value = hasFacts ? Math.min(LONGEST_VALUE, Math.max(Math.ceil(rest * 0.45), wanted)) : rest;
  return { label, value, fact: rest - value };
}

function FieldRow({
  field,
  editor,
  sizes,
}: {
  readonly field: FormField;
  readonly editor: TextFieldState | null;
  readonly sizes: Sizes;
}) {
  const look = useLook();
  const signs = glyphs(look);
  const isFocused = editor !== null;
  return (
    <Row>
      <Label tone={isFocused ? 'focus' : 'text'}>
        {`${isFocused ? signs.pointer : ' '} ${pad(field.label, sizes.label, signs.ellipsis)}  `}
      </Label>
      {field.choices ? (
        <Choice field={field} text={editor?.text ?? field.value} isFocused={isFocused} width={sizes.value} />
      ) : (
        <TextField
          state={editor ?? textFieldOf(field.value)}
          width={sizes.value}
          isFocused={isFocused}
          isSecret={field.isSecret ?? false}
          placeholder={field.placeholder ?? ''}
        />
      )}
      <Label>{'  '}</Label>
      {field.error ? (
        <Label tone="error">{cut(`${signs.problem} ${inOneLine(field.error)}`, sizes.fact, signs.ellipsis)}</Label>
      ) : field.warning ? (
        <Label tone="warn">{cut(`${signs.warning} ${inOneLine(field.warning)}`, sizes.fact, signs.ellipsis)}</Label>
      ) : (
        <Label tone="dim">{cut(field.fact ?? '', sizes.fact, signs.ellipsis)}</Label>
      )}
    </Row>
  );
}

function Choice(props: {
  readonly field: FormField;
  readonly text: string;
  readonly isFocused: boolean;
  readonly width: number;
}) {
  const { field, text, isFocused, width } = props;
  const mark = glyphs(useLook()).ellipsis;
  const choices = field.choices ?? [];
  const index = choices.findIndex(({ value }) => value === text);
  const label = choices[index]?.label ?? text;
  const place = index < 0 ? '' : `  ${index + 1}/${choices.length}`;
  const typed = field.typedAhead === undefined ? '' : ` ${words().typedAhead(field.typedAhead)}`;
  // Where there is little room, the answer has it.
  const forms = isFocused ? [`< ${label} >${typed}${place}`, `< ${label} >${typed}`, `<${label}>`, label] : [label];
  const shown = forms.find((text) => widthOf(text) <= width) ?? label;
  return <Label tone={isFocused ? 'focus' : 'text'}>{pad(shown, width, mark)}</Label>;
}

interface Note {
  readonly head: string;
  readonly text: string;
  readonly tone: Tone;
}

/** Rows that the questions keep: the one with the cursor and its neighbours, and the line under them. */
const LEAST_FIELDS = 4;

/**
 * Shows a fact in full that has no room beside its answer. What is wrong, and how to correct it, is read to its end: it takes the
 * rows of the questions around, and where even those are too few, points to the help page.
 */
function notesOf(
  said: { readonly error: string; readonly warning: string; readonly fact: string; readonly why: string },
  columns: number,
  rows: number,
): Note[] {
  const parts = [
    { head: words().notices.error, text: said.error, tone: 'error' as const, isWrong: true },
    { head: words().notices.info, text: said.warning, tone: 'warn' as const, isWrong: true },
    { head: words().gives, text: said.fact, tone: 'accent' as const, isWrong: false },
    { head: words().why, text: said.why, tone: 'accent' as const, isWrong: false },
  ].filter(({ text }) => text !== '');
  const lines = (only: typeof parts) =>
    only.flatMap(({ head, text, tone }) =>
      proseLines(text, columns - noteIndent()).map(({ text: line, isCommand }, index) => ({
        head: index === 0 ? head : '',
        text: line,
        tone: isCommand ? ('accent' as const) : tone,
      })),
    );
  const all = Math.max(0, rows - LEAST_FIELDS);
  const needed = lines(parts.filter(({ isWrong }) => isWrong)).length;
  const room = Math.min(all, Math.max(WHY_ROWS, needed));
  const shown = lines(parts);
  if (needed <= room || room === 0) return shown.slice(0, room);
  return [...shown.slice(0, room - 1), { head: '', text: words().restInHelp, tone: 'accent' }];
}

function noteIndent(): number {
  return Math.max(...[words().why, words().gives, words().notices.error].map(widthOf)) + 2;
}
