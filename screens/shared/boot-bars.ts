import { formatTimeOfDay, MINUTE } from '../../src/platform/clock.ts';
import type { BootView } from '../../src/steps/shared/machines/boot-progress.ts';

type BootNode = BootView['nodes'][number];
type BootSign = BootNode['timeline']['signs'][number]['sign'];

/** The milestones of a bar, each with its letter; the earliest observed sign of a milestone gives its position. */
const MILESTONES: readonly { readonly letter: 'D' | 'F' | 'I' | 'J' | 'R'; readonly signs: readonly BootSign[] }[] = [
  { letter: 'D', signs: ['lease', 'arp'] },
  { letter: 'F', signs: ['tftp', 'script', 'kernel', 'rootfs'] },
  { letter: 'I', signs: ['ignition'] },
  { letter: 'J', signs: ['node'] },
  { letter: 'R', signs: ['ready'] },
];

/**
 * The time spans that the bars may cover, in minutes. Few spans mean that a growing bar rarely changes the scale of all
 * bars.
 */
const SPAN_MINUTES = [10, 20, 30, 45, 60, 90, 120, 180, 240, 480, 1440] as const;
/** The minimum width of a terminal that shows bars. */
const MIN_TERMINAL_COLUMNS = 110;
const MIN_BAR_COLUMNS = 24;
const MAX_BAR_COLUMNS = 60;

/** The time that the bars cover, ms of the clock, and their width. */
export interface BarScale {
  readonly startAt: number;
  readonly endAt: number;
  readonly columns: number;
}

/**
 * Returns the scale of the bars; null without room for them, and before the first machine was powered on.
 * @param now null once probing has ended: the last sign is then the end
 * @param usedColumns columns of the rest of the table
 */
export function getBarScale(
  nodes: BootView['nodes'],
  now: number | null,
  { terminalColumns, columns }: { readonly terminalColumns: number; readonly columns: number },
  usedColumns: number,
): BarScale | null {
  const startAt = Math.min(...nodes.map(({ poweredOnAt }) => poweredOnAt ?? Number.POSITIVE_INFINITY));
  const availableColumns = columns - usedColumns;
  if (terminalColumns < MIN_TERMINAL_COLUMNS || availableColumns < MIN_BAR_COLUMNS || !Number.isFinite(startAt))
    return null;
  const lastTime = Math.max(startAt, ...nodes.map(getLastTime), now ?? 0);
  const span =
    SPAN_MINUTES.find((minutes) => lastTime - startAt <= minutes * MINUTE) ?? Math.ceil((lastTime - startAt) / MINUTE);
  return { startAt, endAt: startAt + span * MINUTE, columns: Math.min(MAX_BAR_COLUMNS, availableColumns) };
}

/** Formats the times at both ends, as the title over the bars. */
export const formatBarTitle = ({ startAt, endAt, columns }: BarScale) =>
  `${formatTimeOfDay(startAt).padEnd(columns - 5)}${formatTimeOfDay(endAt)}`;

function getLastTime({ poweredOnAt, lastSeenAt, timeline }: BootNode): number {
  return Math.max(poweredOnAt ?? 0, lastSeenAt ?? 0, ...timeline.signs.map(({ at }) => at ?? 0));
}

/**
 * Formats the boot of a machine as a bar from its power-on to now, or to its last sign when it is Ready. A letter
 * stands where each milestone was first observed.
 *
 *     ━━D━F━━━━I━━━━━━━━━━━━━J━━R
 */
export function formatBootBar(
  node: BootNode,
  now: number | null,
  { startAt, endAt, columns }: BarScale,
  { hasUnicode }: { readonly hasUnicode: boolean },
): string {
  const { poweredOnAt, timeline } = node;
  if (poweredOnAt === null) return '';
  const toCell = (time: number) =>
    Math.max(0, Math.min(columns - 1, Math.floor(((time - startAt) / (endAt - startAt)) * (columns - 1))));
  const isReady = timeline.signs.some(({ sign }) => sign === 'ready');
  const lastCell = toCell(isReady || now === null ? getLastTime(node) : now);
  // A machine that is installed again has no power-on of that start.
  const firstCell = toCell(Math.min(...timeline.signs.flatMap(({ at }) => at ?? []), now ?? poweredOnAt));
  const letters: (string | undefined)[] = [];
  for (const { letter, signs } of MILESTONES) {
    const observedSigns = timeline.signs.filter(({ sign }) => signs.includes(sign));
    if (observedSigns.length === 0) continue;
    const times = observedSigns.flatMap(({ at }) => at ?? []);
    // A milestone without a time is placed directly after the previous one.
    const signCell = times.length === 0 ? letters.length : toCell(Math.min(...times));
    letters[Math.min(columns - 1, Math.max(signCell, letters.length))] = letter;
  }
  const length = Math.max(lastCell + 1, letters.length);
  const barCharacter = hasUnicode ? '━' : '=';
  return Array.from({ length }, (_, cell) => letters[cell] ?? (cell < firstCell ? ' ' : barCharacter)).join('');
}
