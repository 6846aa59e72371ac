import { isWorker } from '../src/design/names.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { formatTimeOfDay } from '../src/platform/time-of-day.ts';
import { wrapLines } from '../src/platform/width.ts';
import type { BootView } from '../src/steps/shared/machines/boot-progress.ts';
import { IGNITION_SUBJECT_PREFIX } from '../src/steps/shared/machines/ignition-subject.ts';
import { Gap, Label, Row } from '../src/ui/components/label.tsx';
import { statusText } from '../src/ui/components/status-mark.tsx';
import { measureUncutTable, Table, type TableRow, tableHeight } from '../src/ui/components/table.tsx';
import { type TerminalStyle, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import { renderBootTimeline } from './shared/live/boot-timeline.ts';
import { createStepScreen } from './shared/step/step-page.tsx';

const words = () => catalogue().screens.boot;

/** The machines and how far each has come, as their requests show it. */
export const bootScreen = createStepScreen<BootView>({
  id: 'boot',
  isWide: true,
  rowCount: ({ nodes }) => nodes.length,
  bindings: ({ nodes, exposures }, row, { phase, probe }) => {
    const hidden = (probe?.findings ?? []).length === 0;
    const goOn = {
      keys: [SHORTCUTS.nextScreen],
      label: catalogue().screens.keys.goOn,
      intent: { type: 'screen/next' as const },
      hidden,
    };
    const selected = nodes[Math.min(row, nodes.length - 1)];
    // Workers join a running control plane, and may be installed anew one by one.
    const isLater = selected && isWorker(selected) && (selected.stage === 'ready' || selected.isReplaced);
    // A machine booted from an ISO may ask for nothing here, and the bootstrap may go on without one machine.
    const left = phase === 'watching' ? [goOn] : [];
    if (!selected || phase === 'applying') return left;
    const ask = (subject: string) => ({ type: 'step/ask' as const, action: 'apply-one' as const, subject });
    const { unmarkReinstalled, markReinstalled, endIgnition, serveIgnition } = catalogue().screens.keys;
    const anew = {
      keys: [SHORTCUTS.markReinstalled],
      label: selected.isReplaced ? unmarkReinstalled : markReinstalled,
      intent: ask(selected.name),
    };
    const isServed = exposures.some((exposure) => exposure.nodes.includes(selected.name));
    const ignition = {
      keys: [SHORTCUTS.toggleIgnition],
      label: selected.isDenied ? serveIgnition : endIgnition,
      intent: ask(`${IGNITION_SUBJECT_PREFIX}${selected.name}`),
    };
    return [...left, ...(isLater ? [anew] : []), ...(isServed || selected.isDenied ? [ignition] : [])];
  },
  getQuestion: ({ nodes }, subject) => {
    if (subject.startsWith(IGNITION_SUBJECT_PREFIX)) {
      const name = subject.slice(IGNITION_SUBJECT_PREFIX.length);
      const isDenied = nodes.find((node) => node.name === name)?.isDenied ?? false;
      const { end, again, details } = words().ignition;
      return isDenied ? { question: again(name), details: [] } : { question: end(name), details };
    }
    const isTakenBack = nodes.find(({ name }) => name === subject)?.isReplaced ?? false;
    return isTakenBack
      ? { question: words().reinstall.revert(subject), details: [] }
      : { question: words().reinstall.question(subject), details: words().reinstall.details(subject) };
  },
  maxNotes: 6,
  needed: ({ nodes, checks }, run, now, look) => {
    const seenAt = run.phase === 'done' ? null : now;
    const rows = nodes.map((node) => gridRow(node, look, seenAt));
    return checks.length > 0 ? Number.POSITIVE_INFINITY : measureUncutTable(gridColumns(seenAt), rows);
  },
  neededRows: (view, run, now, look, columns) => {
    if (view.checks.length > 0) return Number.POSITIVE_INFINITY;
    const { grid, told } = gridParts(view, run.row, run.phase === 'done' ? null : now, look, columns);
    return tableHeight(grid, columns) + told.flat().length;
  },
  Body: ({ view, run, now }) => <Boot view={view} row={run.row} now={run.phase === 'done' ? null : now} />,
  help: () => words().help,
});

/** Rows of the grid that stay in sight beside the checks: its head and three nodes. */
const LEAST_GRID = 4;

interface BootProps {
  readonly view: BootView;
  readonly row: number;
  /** Null when nobody looks any more: then the grid shows the time at which it saw a machine, which stays true. */
  readonly now: number | null;
}

/** The grid, and what is told below it: the selected machine, what cannot be read, what is served. */
function gridParts(
  { exposures, nodes, unavailableHosts }: BootView,
  row: number,
  now: number | null,
  look: TerminalStyle,
  columns: number,
) {
  const rows = nodes.map((node) => gridRow(node, look, now));
  const grid = { columns: gridColumns(now), rows, selected: Math.min(row, nodes.length - 1) };
  const selected = nodes[grid.selected];
  const timeline = selected === undefined ? [] : renderBootTimeline(selected, now, columns);
  const told = [
    ...timeline.map((line, index) => ({ file: `timeline ${index}`, line })),
    ...unavailableHosts.map((line) => ({ file: line, line })),
    ...exposures,
  ].map(({ file, line }) => wrapLines(line, columns).map((text, index) => ({ file: `${file} ${index}`, line: text })));
  return { grid, told };
}

/** The grid and, before machines join a running cluster, the checks for them. */
function Boot({ view, row, now }: BootProps) {
  const area = useArea();
  const look = useTerminalStyle();
  const { checks } = view;
  const { grid, told } = gridParts(view, row, now, look, area.columns);
  const wanted = tableHeight(grid, area.columns);
  if (checks.length === 0) {
    // In a small window the machines come first.
    const lines = wholeOnes(told, Math.max(0, area.rows - wanted));
    return (
      <>
        <Table {...grid} height={area.rows - lines.length} />
        {lines.map(({ file, line }) => (
          <Row key={file}>
            <Label tone="dim">{line}</Label>
          </Row>
        ))}
      </>
    );
  }
  const height = Math.max(LEAST_GRID, Math.min(wanted, area.rows - Math.min(checks.length, 6) - 2));
  return (
    <>
      <Table {...grid} height={height} />
      <Gap />
      <Checks checks={checks} height={Math.max(0, area.rows - height - 1)} />
    </>
  );
}

/** The first of these that have room, each whole. */
function wholeOnes<Line>(all: readonly (readonly Line[])[], room: number): Line[] {
  const lines: Line[] = [];
  for (const one of all) {
    if (lines.length + one.length > room) return lines;
    lines.push(...one);
  }
  return lines;
}

/**
 *     Before they are powered on          What was seen
 *     ✘ i5: something answers at its …    172.16.0.45 port 22
 *     ✔ the API answers
 */
function Checks({ checks, height }: { readonly checks: BootView['checks']; readonly height: number }) {
  const look = useTerminalStyle();
  return (
    <Table
      columns={[
        { id: 'what', title: words().checks.what, min: 30, max: 72 },
        { id: 'detail', title: words().checks.detail, min: 20, max: 90, priority: 1 },
      ]}
      rows={checks.map(({ code, subject, state, severity, title, cause }) => {
        const status = state === 'failed' && severity === 'warning' ? 'warning' : state;
        return {
          id: `${code} ${subject ?? ''}`,
          cells: { what: statusText(STATUS[status], look, title), detail: cause },
          tones: { what: TONES[status] },
        };
      })}
      selected={null}
      height={height}
    />
  );
}

const STATUS = { ok: 'ok', failed: 'failed', warning: 'warning', pending: 'pending', unknown: 'unknown' } as const;
const TONES = { ok: 'ok', failed: 'error', warning: 'warn', pending: 'dim', unknown: 'dim' } as const;

const gridColumns = (now: number | null) => [
  { id: 'name', title: words().columns.name, min: 4, max: 14 },
  { id: 'stage', title: words().columns.stage, min: 15, max: 18 },
  { id: 'seen', title: now === null ? words().columns.lastSeenAt : words().columns.lastSeen, min: 9, max: 12 },
  { id: 'role', title: words().columns.role, min: 13, max: 13, priority: 1 },
  { id: 'address', title: words().columns.address, min: 12, max: 16, priority: 2 },
  { id: 'detail', title: words().columns.detail, min: 16, max: 60, priority: 3 },
];

function gridRow(node: BootView['nodes'][number], look: TerminalStyle, now: number | null): TableRow {
  const { name, role, address, stage, lastSeenAt, detail, poweredOnAt } = node;
  const isThere = stage === 'ignition' || stage === 'ready';
  const status = isThere ? 'ok' : poweredOnAt === null && stage === 'off' ? 'pending' : 'running';
  const ago = (at: number) => (now === null ? formatTimeOfDay(at) : catalogue().screens.age(now - at));
  return {
    id: name,
    cells: {
      name,
      role,
      address,
      detail,
      stage: statusText(status, look, catalogue().steps.boot.stages[stage]),
      seen: lastSeenAt === null ? '' : ago(lastSeenAt),
    },
    tones: { stage: isThere ? 'ok' : status === 'running' ? 'accent' : 'dim' },
  };
}
