import { catalogue } from '../i18n/catalogue.ts';
import { formatUtc, HOUR, MINUTE } from '../platform/clock.ts';
import { drawRect, drawText, renderSvg, roundLength } from '../platform/svg.ts';
import { fitToWidth } from '../platform/text.ts';

const words = () => catalogue().report.timeline;

/** A part of a row in which something ran. Times are ISO 8601 in UTC, by the clock of the site. */
interface TimelineSegment {
  readonly startedAt: string;
  /** Null: it has not ended, or its end is unknown. */
  readonly endedAt: string | null;
  readonly outcome: 'done' | 'failed' | 'open';
}

/** A row of the timeline: a machine, a stage, an infra move, or the wizard itself. */
export interface TimelineRow {
  readonly group: 'machines' | 'bootstrap' | 'operators' | 'approvals' | 'moves' | 'sessions';
  readonly name: string;
  /** At least one, oldest first. */
  readonly segments: readonly TimelineSegment[];
  /** Minutes that it usually takes; null: not known. */
  readonly usual: readonly [least: number, most: number] | null;
  /** Remarks about it; may be empty. */
  readonly note: string;
}

const GROUP_ORDER: readonly TimelineRow['group'][] = [
  'machines',
  'bootstrap',
  'operators',
  'approvals',
  'moves',
  'sessions',
];

/** The time that a drawing covers, in ms since the epoch. */
interface TimeRange {
  readonly start: number;
  readonly end: number;
}

/** Returns the time from the first to the last event; sessions of the wizard before and after are cut. */
function getTimeRange(rows: readonly TimelineRow[]): TimeRange {
  const eventRows = rows.filter(({ group }) => group !== 'sessions');
  const times = (eventRows.length > 0 ? eventRows : rows).flatMap(({ segments }) =>
    segments.flatMap(({ startedAt, endedAt }) => [Date.parse(startedAt), Date.parse(endedAt ?? startedAt)]),
  );
  const start = Math.min(...times);
  return { start, end: Math.max(...times, start + MINUTE) };
}

/** Returns the position of a time in a range: 0 at its start and before, 1 at its end and after. */
function getPosition({ start, end }: TimeRange, time: number): number {
  return (Math.min(Math.max(time, start), end) - start) / (end - start);
}

/** Returns the segments for the start and the duration of a row: the last attempt of a move, otherwise all. */
function getTimedSegments({ group, segments }: TimelineRow): readonly TimelineSegment[] {
  return group === 'moves' ? segments.slice(-1) : segments;
}

/** Sums up the segments of a row in ms; null while it is open, and for single events. */
function getDurationMs(row: TimelineRow): number | null {
  if (row.group === 'approvals') return null;
  const segments = getTimedSegments(row);
  if (!segments.at(-1)?.endedAt) return null;
  return segments.reduce(
    (sum, { startedAt, endedAt }) => sum + Date.parse(endedAt ?? startedAt) - Date.parse(startedAt),
    0,
  );
}

/** Returns the start of the timed segments of a row, ISO 8601; empty if there are none. */
const getStartTime = (row: TimelineRow) => getTimedSegments(row)[0]?.startedAt ?? '';

/** Formats how long a row took, and how long it usually takes. */
function formatDuration(row: TimelineRow): string {
  const durationMs = getDurationMs(row);
  const durationText = durationMs === null ? '' : words().minutes(durationMs / MINUTE);
  return [durationText, ...(row.usual === null ? [] : [words().usual(...row.usual)])]
    .filter((text) => text !== '')
    .join(', ');
}

const formatDay = (time: string) => time.slice(0, 10);
const formatUtcTime = (time: string) => time.slice(11, 16);

/** Lists the rows as table cells: name, start, end, duration, usual duration, and remarks. */
export function listTimelineCells(rows: readonly TimelineRow[]): string[][] {
  const times = rows.flatMap(({ segments }) =>
    segments.flatMap(({ startedAt, endedAt }) => [startedAt, endedAt ?? startedAt]),
  );
  const isOneDay = new Set(times.map(formatDay)).size < 2;
  const formatTime = (time: string) => (isOneDay ? formatUtcTime(time) : `${formatDay(time)} ${formatUtcTime(time)}`);
  return rows.map((row) => {
    const startedAt = getStartTime(row);
    const endedAt = row.segments.at(-1)?.endedAt ?? null;
    const durationMs = getDurationMs(row);
    return [
      row.name,
      formatTime(startedAt),
      endedAt === null ? '' : formatTime(endedAt),
      durationMs === null ? '' : words().minutes(durationMs / MINUTE),
      row.usual === null ? '' : words().usualInColumn(...row.usual),
      row.note,
    ];
  });
}

// All lengths in pixels.
const WIDTH = 960;
const MARGIN = 16;
const LABEL_WIDTH = 340;
const DURATION_WIDTH = 200;
const CHART_LEFT = MARGIN + LABEL_WIDTH;
const CHART_WIDTH = WIDTH - 2 * MARGIN - LABEL_WIDTH - DURATION_WIDTH;
const ROW_HEIGHT = 22;
const HEADING_HEIGHT = 30;
const BAR_HEIGHT = 12;
const AXIS_HEIGHT = 24;
const BAR_CLASSES = { done: 'bar', failed: 'failed', open: 'open' } as const;
/** Width of a bar for something that took no time. */
const MIN_BAR_WIDTH = 3;
/** Steps of the axis in minutes. */
const AXIS_STEPS_MINUTES = [1, 2, 5, 10, 15, 30, 60, 120, 240, 480, 720, 1440, 2880, 10_080] as const;
const MAX_TICKS = 9;

/**
 * Draws the rows as bars on one axis of time, by group, with the usual time as a dashed outline. The drawing needs no
 * script and no other file; texts are escaped.
 */
export function renderTimelineSvg(rows: readonly TimelineRow[]): string {
  const range = getTimeRange(rows);
  const toX = (time: number) => CHART_LEFT + getPosition(range, time) * CHART_WIDTH;
  const parts: string[] = [];
  let y = MARGIN + AXIS_HEIGHT;
  for (const group of GROUP_ORDER) {
    const groupRows = rows.filter((row) => row.group === group);
    if (groupRows.length === 0) continue;
    parts.push(drawText(words().groups[group], MARGIN, y + 20, { maxLength: 60, style: 'title' }));
    y += HEADING_HEIGHT;
    for (const row of groupRows) {
      parts.push(drawText(row.name, MARGIN + 8, y + 15, { maxLength: 41, style: '' }));
      const start = Date.parse(getStartTime(row));
      if (row.usual !== null) {
        const end = toX(start + row.usual[1] * MINUTE);
        parts.push(drawRect('usual', toX(start), y + 2, Math.max(end - toX(start), MIN_BAR_WIDTH), BAR_HEIGHT + 6, 3));
      }
      for (const { startedAt, endedAt, outcome } of row.segments) {
        const [segmentStart, segmentEnd] = [Date.parse(startedAt), endedAt === null ? null : Date.parse(endedAt)];
        if (segmentStart > range.end || (segmentEnd ?? range.end) < range.start) continue;
        const left = Math.min(toX(segmentStart), CHART_LEFT + CHART_WIDTH - MIN_BAR_WIDTH);
        const width = Math.max(toX(segmentEnd ?? range.end) - left, MIN_BAR_WIDTH);
        parts.push(drawRect(BAR_CLASSES[outcome], left, y + 5, width, BAR_HEIGHT, 2));
      }
      parts.push(
        drawText(formatDuration(row), CHART_LEFT + CHART_WIDTH + 10, y + 15, { maxLength: 27, style: 'quiet' }),
      );
      y += ROW_HEIGHT;
    }
  }
  const height = y + MARGIN;
  const title = words().heading;
  const description = words().description(
    formatUtc(range.start, 'minute'),
    formatUtc(range.end, 'minute'),
    rows.length,
  );
  return renderSvg('timeline', { title, description }, { width: WIDTH, height }, [
    ...drawAxis(range, toX, height),
    ...parts,
  ]);
}

function drawAxis(range: TimeRange, toX: (time: number) => number, height: number): string[] {
  const minutes = (range.end - range.start) / MINUTE;
  const step = (AXIS_STEPS_MINUTES.find((stepMinutes) => minutes / stepMinutes <= MAX_TICKS) ?? 10_080) * MINUTE;
  const firstTick = Math.ceil(range.start / step) * step;
  const ticks = Array.from(
    { length: Math.max(0, Math.floor((range.end - firstTick) / step) + 1) },
    (_, i) => firstTick + i * step,
  );
  return ticks.map((time) => {
    const x = toX(time);
    const isMidnight = time % (24 * HOUR) === 0;
    const text = new Date(time).toISOString();
    const label = drawText(isMidnight ? text.slice(5, 10) : formatUtcTime(text), x + 3, MARGIN + 12, {
      maxLength: 6,
      style: 'quiet',
    });
    return `<line class="grid" x1="${roundLength(x)}" y1="${MARGIN}" x2="${roundLength(x)}" y2="${roundLength(height - MARGIN)}"/>${label}`;
  });
}

/** The minimum width of the terminal, in columns, for the timeline as bars. */
export const MIN_TIMELINE_COLUMNS = 110;
const NAME_COLUMNS = 36;
const TEXT_COLUMNS = 30;

/**
 * Renders the rows as bars of characters, by group.
 * @param columns of the terminal, at least `MIN_TIMELINE_COLUMNS`
 */
export function renderTimelineText(rows: readonly TimelineRow[], columns: number): string[] {
  const range = getTimeRange(rows);
  const width = columns - NAME_COLUMNS - TEXT_COLUMNS - 4;
  const toColumn = (time: number) => Math.round(getPosition(range, time) * (width - 1));
  const [rangeStart, rangeEnd] = [new Date(range.start).toISOString(), new Date(range.end).toISOString()];
  const isOneDay = formatDay(rangeStart) === formatDay(rangeEnd);
  const [startLabel, endLabel] = [rangeStart, rangeEnd].map((time) =>
    isOneDay ? formatUtcTime(time) : formatUtc(Date.parse(time), 'minute'),
  );
  const axis = ' '.repeat(NAME_COLUMNS + 2) + startLabel + endLabel?.padStart(width - (startLabel?.length ?? 0));
  return [
    axis,
    ...GROUP_ORDER.flatMap((group) => {
      const groupRows = rows.filter((row) => row.group === group);
      if (groupRows.length === 0) return [];
      return [
        words().groups[group],
        ...groupRows.map((row) => {
          const cells = Array.from({ length: width }, () => ' ');
          const start = Date.parse(getStartTime(row));
          if (row.usual !== null) cells.fill('·', toColumn(start), toColumn(start + row.usual[1] * MINUTE) + 1);
          for (const { startedAt, endedAt, outcome } of row.segments) {
            const end = endedAt === null ? range.end : Date.parse(endedAt);
            if (Date.parse(startedAt) > range.end || end < range.start) continue;
            cells.fill(outcome === 'failed' ? '×' : '━', toColumn(Date.parse(startedAt)), toColumn(end) + 1);
          }
          return `  ${fitToWidth(row.name, NAME_COLUMNS - 2, '…')}  ${cells.join('')}  ${formatDuration(row)}`.trimEnd();
        }),
      ];
    }),
  ];
}
