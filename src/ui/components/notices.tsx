import { Box, useAnimation } from 'ink';
import { catalogue } from '../../i18n/catalogue.ts';
import { type ProseLine, wrapProse } from '../../i18n/prose.ts';
import { displayWidth, padEnd, truncate, wrapBeside, wrapLines } from '../../platform/text.ts';
import { type Binding, helpLines, keyLabel } from '../keys.tsx';
import {
  AreaProvider,
  getGlyphs,
  type TerminalStyle,
  type Tone,
  useArea,
  useTerminalStyle,
} from '../terminal-style.tsx';
import { Gap, Label, Row } from './select.tsx';
import { LogView, type TextLine } from './text-views.tsx';

const words = () => catalogue().ui;

type NoticeKind = 'info' | 'ok' | 'warning' | 'error';

const NOTICE_TONES: Readonly<Record<NoticeKind, Tone>> = { info: 'accent', ok: 'ok', warning: 'warn', error: 'error' };
const NOTICE_SIGNS = { info: 'info', ok: 'ok', warning: 'warning', error: 'failed' } as const;

export interface NoticeProps {
  readonly kind: NoticeKind;
  readonly text: string;
  /** Lines it may take; 2 by default. */
  readonly height?: number;
}

const formatHead = (kind: NoticeKind, style: { readonly hasUnicode: boolean }) =>
  `${getGlyphs(style)[NOTICE_SIGNS[kind]]} ${words().notices[kind]}  `;

/** Converts a prose line: a command to type gets the accent tone. */
export const toTextLine = ({ text, isCommand }: ProseLine): TextLine => ({ text, tone: isCommand ? 'accent' : 'text' });

/** Counts the number of lines of a Notice at this width. */
export function countNoticeRows(
  { kind, text, height = 2 }: NoticeProps,
  columns: number,
  style: { readonly hasUnicode: boolean },
): number {
  return Math.min(height, wrapProse(text, columns - displayWidth(formatHead(kind, style))).length);
}

/**
 * Something to know, in as many lines as it needs up to `height`.
 *
 *     ! Warning  The ignition files are valid for 2 h 10 min more.
 */
export function Notice({ kind, text, height = 2 }: NoticeProps) {
  const style = useTerminalStyle();
  const { columns } = useArea();
  const signs = getGlyphs(style);
  const head = formatHead(kind, style);
  const all = wrapProse(text, columns - displayWidth(head));
  const lines = all.slice(0, height);
  const last = lines.at(-1);
  // A command with a missing end is no longer a command: the ellipsis shows that the text goes on.
  const isCut = all.length > height && last !== undefined;
  const shown = isCut
    ? [
        ...lines.slice(0, -1),
        {
          ...last,
          text: truncate(`${last.text} ${all[height]?.text ?? ''}`, columns - displayWidth(head), signs.ellipsis),
        },
      ]
    : lines;
  return (
    <Box flexDirection="column" flexShrink={0} width={columns}>
      {shown.map(({ text: line, isCommand }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines of one text
        <Row key={index}>
          <Label tone={NOTICE_TONES[kind]}>{index === 0 ? head : ' '.repeat(displayWidth(head))}</Label>
          <Label tone={isCommand ? 'accent' : 'text'}>{line}</Label>
        </Row>
      ))}
    </Box>
  );
}

interface ConfirmProps {
  /** A yes-or-no question. */
  readonly question: string;
  /** The changes and losses that a yes causes. */
  readonly details?: readonly (string | TextLine)[];
  /** Index of the first visible line of the details. */
  readonly top?: number;
  /** Labels of the two keys: `approve 3 requests`, `leave them`. */
  readonly yes?: string;
  readonly no?: string;
}

/**
 * A question in place of the screen's body; the store accepts only `y` and `n`, not Enter.
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
    typeof line === 'string' ? wrapProse(line, area.columns).map(toTextLine) : [line],
  );
  const available = Math.max(0, area.rows - head.length - 4);
  // Lines that do not fit are counted, never cut silently.
  const first = Math.max(0, Math.min(top, body.length - available + 1));
  const hidden = body.length - first - available;
  const shown =
    hidden <= 0
      ? body.slice(first)
      : [...body.slice(first, first + available - 1), { text: words().moreLines(hidden + 1) }];
  return (
    <Box flexDirection="column" flexShrink={0} width={area.columns}>
      {head.map((line) => (
        <Row key={line}>
          <Label isBold>{line}</Label>
        </Row>
      ))}
      <Gap />
      {body.length > 0 && <LogView lines={shown} top={0} height={Math.min(available, shown.length)} />}
      {body.length > 0 && <Gap />}
      <Row>
        <Label tone="focus">{`y ${yes}   n ${no}`}</Label>
      </Row>
    </Box>
  );
}

interface HelpOverlayProps {
  /** Name of the screen. */
  readonly title: string;
  /** The help page: paragraphs, with commands in backticks. */
  readonly paragraphs: readonly string[];
  readonly bindings: readonly Binding<unknown>[];
  /** Paragraphs below the keys. */
  readonly after?: readonly string[];
  /** Index of the first visible line. */
  readonly top?: number;
  /** The keys of the help page itself. */
  readonly ownBindings?: readonly Binding<unknown>[];
}

/**
 * The purpose of the screen and every key that works on it, in place of its body.
 *
 *     Help: Networks
 *
 *     Pods get addresses from the cluster network ...
 *
 *     Keys that work here
 *       Enter          next
 *       Ctrl-G, ?      help
 */
export function HelpOverlay({ title, paragraphs, bindings, after = [], top = 0, ownBindings = [] }: HelpOverlayProps) {
  const { columns, rows } = useArea();
  const { ellipsis } = getGlyphs(useTerminalStyle());
  const keys = helpLines(bindings);
  const keyWidth = Math.min(24, Math.max(0, ...keys.map(({ keys: names }) => displayWidth(names))));
  const wrapParagraphs = (texts: readonly string[]) =>
    texts.flatMap((text): TextLine[] => [...wrapProse(text, columns).map(toTextLine), { text: '' }]);
  const lines: TextLine[] = [
    ...wrapParagraphs(paragraphs),
    { text: words().helpKeys, tone: 'accent' },
    ...keys.flatMap(({ keys: names, label, disabled }) =>
      wrapBeside(
        `  ${padEnd(names, keyWidth, ellipsis)}  `,
        `${label}${disabled === undefined ? '' : ` (${disabled})`}`,
        columns,
      ).map((text) => ({ text })),
    ),
    ...(after.length === 0 ? [] : [{ text: '' }, ...wrapParagraphs(after)]),
  ];
  const ownKeys = wrapLines(formatKeys(ownBindings), columns).slice(0, Math.max(1, rows - 6));
  return (
    <AreaProvider area={{ columns, rows: rows - 2 - ownKeys.length }}>
      <Box flexDirection="column" flexShrink={0} width={columns}>
        <Row>
          <Label isBold>{`${words().helpTitle}: ${title}`}</Label>
        </Row>
        <Gap />
        <LogView lines={lines} top={top} />
        {ownKeys.map((line) => (
          <Row key={line}>
            <Label tone="dim">{line}</Label>
          </Row>
        ))}
      </Box>
    </AreaProvider>
  );
}

/** Returns every key with its effect; keys with the same effect are grouped: `Down, Up: row`. */
function formatKeys(bindings: readonly Binding<unknown>[]): string {
  const byLabel = new Map<string, string[]>();
  for (const { keys, label } of bindings)
    byLabel.set(label, [...(byLabel.get(label) ?? []), ...keys.map((key) => keyLabel(key))]);
  return [...byLabel].map(([label, keys]) => words().keyHelp([...new Set(keys)].join(', '), label)).join('  ');
}

interface ProgressBarProps {
  readonly done: number;
  readonly total: number;
  /** Cells of the bar itself; 20 by default. */
  readonly width?: number;
  /** Shown after the bar instead of the percentage. */
  readonly label?: string;
}

/**
 * The completed share of a task.
 *
 *     [########............]  40 %
 */
export function ProgressBar({ done, total, width = 20, label }: ProgressBarProps) {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 0;
  const bar = formatBar(share, width, useTerminalStyle());
  return (
    <Row>
      <Box flexShrink={0}>
        <Label tone="accent">{bar}</Label>
      </Box>
      <Label>{`  ${label ?? words().percent(share * 100)}`}</Label>
    </Row>
  );
}

/**
 * Formats a bar in brackets.
 * @param share the full part, 0 to 1
 * @param cells width without the brackets
 */
export function formatBar(share: number, cells: number, style: TerminalStyle): string {
  const signs = getGlyphs(style);
  const full = Math.floor(share * cells);
  return `[${signs.barFull.repeat(full)}${signs.barEmpty.repeat(cells - full)}]`;
}

/** Every frame has a cost: a wait of minutes advances once a second, and after its first minute every five seconds. */
const FRAME_INTERVALS_MS = { quick: 120, calm: 1000, slow: 5000 };

/** Provides the current glyph of a spinner. It does not turn where frames are costly. */
export function useSpinnerGlyph(pace: keyof typeof FRAME_INTERVALS_MS, isActive = true): string {
  const style = useTerminalStyle();
  const signs = getGlyphs(style);
  const { frame } = useAnimation({ interval: FRAME_INTERVALS_MS[pace], isActive: isActive && style.canAnimate });
  return style.canAnimate ? (signs.spinner[frame % signs.spinner.length] ?? signs.running) : signs.running;
}

/**
 * A spinner with the name of the running task.
 *
 *     ⠹ Probing the cluster
 */
export function Spinner({ label }: { readonly label: string }) {
  return <Label tone="accent">{`${useSpinnerGlyph('quick')} ${label}`}</Label>;
}

/** The status of an item. `unknown`: it could not be probed, which is neither good nor bad. */
export type Status = 'ok' | 'warning' | 'failed' | 'pending' | 'running' | 'unknown' | 'skipped';

const TONES: Readonly<Record<Status, Tone>> = {
  ok: 'ok',
  warning: 'warn',
  failed: 'error',
  pending: 'dim',
  running: 'accent',
  unknown: 'warn',
  skipped: 'dim',
};

/**
 * A status as sign and word, for a table cell; sign, word and tone each carry the meaning alone.
 *
 *     ✔ Ready      [OK] Ready
 * @param word the word beside the sign; the general one ("ok", "not yet", ...) by default
 */
export function statusText(status: Status, style: { readonly hasUnicode: boolean }, word?: string): string {
  return `${getGlyphs(style)[status]} ${word ?? words().status[status]}`;
}

/** Returns the tone of a status; `unknown` deserves as much attention as a warning. */
export function getStatusTone(status: Status): Tone {
  return TONES[status];
}
