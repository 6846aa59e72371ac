import { Box } from 'ink';
import { catalogue } from '../../text/catalogue.ts';
import { type ProseLine, proseLines } from '../../text/command-lines.ts';
import { cut, pad, widthOf, wrapBeside, wrapLines } from '../../text/width.ts';
import { type Binding, helpLines, keyLabel } from '../keys/keymap.ts';
import { AreaProvider, useArea, useLook } from '../look.tsx';
import { glyphs, type Tone } from '../theme.ts';
import { Gap, Label, Row } from './label.tsx';
import { LogView, type TextLine } from './text-views.tsx';

const words = () => catalogue().ui;

export type NoticeKind = 'info' | 'ok' | 'warning' | 'error';

const NOTICE_TONES: Readonly<Record<NoticeKind, Tone>> = { info: 'accent', ok: 'ok', warning: 'warn', error: 'error' };
const NOTICE_SIGNS = { info: 'info', ok: 'ok', warning: 'warning', error: 'failed' } as const;

export interface NoticeProps {
  readonly kind: NoticeKind;
  readonly text: string;
  /** Lines it may take; 2 by default. */
  readonly height?: number;
}

const headOf = (kind: NoticeKind, look: { readonly hasUnicode: boolean }) =>
  `${glyphs(look)[NOTICE_SIGNS[kind]]} ${words().notices[kind]}  `;

/** A line of a text for people in its tone: what is to be typed stands out. */
export const proseTone = ({ text, isCommand }: ProseLine): TextLine => ({ text, tone: isCommand ? 'accent' : 'text' });

/** The number of lines of a Notice at this width. */
export function noticeRows(
  { kind, text, height = 2 }: NoticeProps,
  columns: number,
  look: { readonly hasUnicode: boolean },
): number {
  return Math.min(height, proseLines(text, columns - widthOf(headOf(kind, look))).length);
}

/**
 * Something to know, in as many lines as it needs up to `height`.
 *
 *     ! Warning  The ignition files are valid for 2 h 10 min more.
 */
export function Notice({ kind, text, height = 2 }: NoticeProps) {
  const look = useLook();
  const { columns } = useArea();
  const signs = glyphs(look);
  const head = headOf(kind, look);
  const all = proseLines(text, columns - widthOf(head));
  const lines = all.slice(0, height);
  const last = lines.at(-1);
  // A command of which a part has no room is no command any more: the text says that it goes on.
  const cutAt = all.length > height && last !== undefined;
  const shown = cutAt
    ? [
        ...lines.slice(0, -1),
        { ...last, text: cut(`${last.text} ${all[height]?.text ?? ''}`, columns - widthOf(head), signs.ellipsis) },
      ]
    : lines;
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {shown.map(({ text: line, isCommand }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label tone={NOTICE_TONES[kind]}>{index === 0 ? head : ' '.repeat(widthOf(head))}</Label>
          <Label tone={isCommand ? 'accent' : 'text'}>{line}</Label>
        </Row>
      ))}
    </Box>
  );
}

export interface ConfirmProps {
  /** A question that yes and no answer. */
  readonly question: string;
  /** What will change or be lost. */
  readonly details?: readonly (string | TextLine)[];
  /** First line of the details that is seen. */
  readonly top?: number;
  /** What the two keys do: `approve 3 requests`, `leave them`. */
  readonly yes?: string;
  readonly no?: string;
}

/**
 * A question in place of the screen's body; the store answers it to `y` and `n`, and takes Enter for neither.
 *
 *     Quit upi-wizard?
 *
 *     Everything is saved; start again in the same directory to go on.
 *
 *     y quit   n stay
 */
export function Confirm({
  question,
  details = [],
  top = 0,
  yes = words().confirmKeys.yes,
  no = words().confirmKeys.no,
}: ConfirmProps) {
  const area = useArea();
  const head = wrapLines(question, area.columns);
  const body = details.flatMap<string | TextLine>((line) =>
    typeof line === 'string' ? proseLines(line, area.columns).map(proseTone) : [line],
  );
  const room = Math.max(0, area.rows - head.length - 4);
  // What does not fit is counted, never cut without a word.
  const first = Math.max(0, Math.min(top, body.length - room + 1));
  const left = body.length - first - room;
  const shown =
    left <= 0 ? body.slice(first) : [...body.slice(first, first + room - 1), { text: words().moreLines(left + 1) }];
  return (
    <Box flexDirection="column" flexShrink={0} width={area.columns}>
      {head.map((line) => (
        <Row key={line}>
          <Label isBold>{line}</Label>
        </Row>
      ))}
      <Gap />
      {body.length > 0 && <LogView lines={shown} top={0} height={Math.min(room, shown.length)} />}
      {body.length > 0 && <Gap />}
      <Row>
        <Label tone="focus">{`y ${yes}   n ${no}`}</Label>
      </Row>
    </Box>
  );
}

export interface HelpOverlayProps {
  /** Name of the screen. */
  readonly title: string;
  /** The page about it: paragraphs, with commands in backticks. */
  readonly paragraphs: readonly string[];
  readonly bindings: readonly Binding<unknown>[];
  /** What stands below the keys: paragraphs. */
  readonly after?: readonly string[];
  /** First line seen. */
  readonly top?: number;
  /** The keys of this page itself. */
  readonly own?: readonly Binding<unknown>[];
}

/**
 * What the screen is for and every key that works on it, in place of its body.
 *
 *     Help: Networks
 *
 *     Pods get addresses from the cluster network ...
 *
 *     Keys that work here
 *       Enter          next
 *       Ctrl-G, ?      help
 */
export function HelpOverlay({ title, paragraphs, bindings, after = [], top = 0, own = [] }: HelpOverlayProps) {
  const { columns, rows } = useArea();
  const { ellipsis } = glyphs(useLook());
  const keys = helpLines(bindings);
  const keyRoom = Math.min(24, Math.max(0, ...keys.map(({ keys: names }) => widthOf(names))));
  const wrapped = (texts: readonly string[]) =>
    texts.flatMap((text): TextLine[] => [...proseLines(text, columns).map(proseTone), { text: '' }]);
  const lines: TextLine[] = [
    ...wrapped(paragraphs),
    { text: words().helpKeys, tone: 'accent' },
    ...keys.flatMap(({ keys: names, label, disabled }) =>
      wrapBeside(
        `  ${pad(names, keyRoom, ellipsis)}  `,
        `${label}${disabled === undefined ? '' : ` (${disabled})`}`,
        columns,
      ).map((text) => ({ text })),
    ),
    ...(after.length === 0 ? [] : [{ text: '' }, ...wrapped(after)]),
  ];
  const here = wrapLines(keysInLine(own), columns).slice(0, Math.max(1, rows - 6));
  return (
    <AreaProvider area={{ columns, rows: rows - 2 - here.length }}>
      <Box flexDirection="column" flexShrink={0} width={columns}>
        <Row>
          <Label isBold>{`${words().helpTitle}: ${title}`}</Label>
        </Row>
        <Gap />
        <LogView lines={lines} top={top} />
        {here.map((line) => (
          <Row key={line}>
            <Label tone="dim">{line}</Label>
          </Row>
        ))}
      </Box>
    </AreaProvider>
  );
}

/** Every key with what it does, those that do the same together: `Down, Up: row  PgDn, PgUp: page`. */
function keysInLine(bindings: readonly Binding<unknown>[]): string {
  const byLabel = new Map<string, string[]>();
  for (const { keys, label } of bindings)
    byLabel.set(label, [...(byLabel.get(label) ?? []), ...keys.map((key) => keyLabel(key))]);
  return [...byLabel].map(([label, keys]) => words().keysDo([...new Set(keys)].join(', '), label)).join('  ');
}
