import { isWorker } from '../src/design/derived-facts.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { formatTimeOfDay } from '../src/platform/clock.ts';
import { wrapLines } from '../src/platform/text.ts';
import type { BootView } from '../src/steps/shared/machines/boot-progress.ts';
import { formatTarget, parseTarget } from '../src/steps/step-action.ts';
import { statusText } from '../src/ui/components/notices.tsx';
import { Gap, Label, Row } from '../src/ui/components/select.tsx';
import { measureUncutTable, Table, type TableRow, tableHeight } from '../src/ui/components/table.tsx';
import { type TerminalStyle, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import { renderBootTimeline } from './shared/live/boot-timeline.ts';
import { createStepScreen } from './shared/step/step-page.tsx';

const words = () => catalogue().screens.boot;

/** Shows the machines and the stage that each has reached, as their requests show it. */
export const bootScreen = createStepScreen<BootView>({
  id: 'boot',
  isWide: true,
  rowCount: ({ nodes }) => nodes.length,
  bindings: ({ nodes, exposures }, row, { phase, probe }) => {
    const hidden = (probe?.findings ?? []).length === 0;
    const nextBinding = {
      keys: [SHORTCUTS.nextScreen],
      label: catalogue().screens.keys.goOn,
      intent: { type: 'screen/next' as const },
      hidden,
    };
    const selected = nodes[Math.min(row, nodes.length - 1)];
    // Workers join a running control plane, and each can be reinstalled on its own.
    const isLater = selected && isWorker(selected) && (selected.stage === 'ready' || selected.isReplaced);
    // A machine that boots from an ISO may request nothing here, and the bootstrap may go on without one machine.
    const nextBindings = phase === 'watching' ? [nextBinding] : [];
    if (!selected || phase === 'applying') return nextBindings;
    const askIntent = (subject: string) => ({ type: 'step/ask' as const, action: 'apply-one' as const, subject });
    const { unmarkReinstalled, markReinstalled, endIgnition, serveIgnition } = catalogue().screens.keys;
    const reinstallBinding = {
      keys: [SHORTCUTS.markReinstalled],
      label: selected.isReplaced ? unmarkReinstalled : markReinstalled,
      intent: askIntent(selected.name),
    };
    const isServed = exposures.some((exposure) => exposure.nodes.includes(selected.name));
    const ignitionBinding = {
      keys: [SHORTCUTS.toggleIgnition],
      label: selected.isDenied ? serveIgnition : endIgnition,
      intent: askIntent(formatTarget({ kind: 'ignition', node: selected.name })),
    };
    return [
      ...nextBindings,
      ...(isLater ? [reinstallBinding] : []),
      ...(isServed || selected.isDenied ? [ignitionBinding] : []),
    ];
  },
  getQuestion: ({ nodes }, subject) => {
    const target = parseTarget('boot', subject);
    if (target.kind === 'ignition') {
      const { node: name } = target;
      const isDenied = nodes.find((node) => node.name === name)?.isDenied ?? false;
      const { end, again, details } = words().ignition;
      return isDenied ? { question: again(name), details: [] } : { question: end(name), details };
    }
    const isMarked = nodes.find(({ name }) => name === subject)?.isReplaced ?? false;
    return isMarked
      ? { question: words().reinstall.revert(subject), details: [] }
      : { question: words().reinstall.question(subject), details: words().reinstall.details(subject) };
  },
  maxNotes: 6,
  neededColumns: ({ nodes, checks }, run, now, style) => {
    const referenceTime = run.phase === 'done' ? null : now;
    const rows = nodes.map((node) => toGridRow(node, style, referenceTime));
    return checks.length > 0 ? Number.POSITIVE_INFINITY : measureUncutTable(getGridColumns(referenceTime), rows);
  },
  neededRows: (view, run, now, style, columns) => {
    if (view.checks.length > 0) return Number.POSITIVE_INFINITY;
    const { grid, details } = buildGridParts(view, run.row, run.phase === 'done' ? null : now, style, columns);
    return tableHeight(grid, columns) + details.flat().length;
  },
  Body: ({ view, run, now }) => <Boot view={view} row={run.row} now={run.phase === 'done' ? null : now} />,
  help: () => words().help,
});

/** Minimum rows of the grid above the checks: its header and three nodes. */
const MIN_GRID_ROWS = 4;

interface BootProps {
  readonly view: BootView;
  readonly row: number;
  /**
   * Null once the step is done: the grid then shows the time of each machine's last request, because that stays true.
   */
  readonly now: number | null;
}

/** Builds the grid and the lines below it: the selected machine, unavailable hosts and served ignition files. */
function buildGridParts(
  { exposures, nodes, unavailableHosts }: BootView,
  row: number,
  now: number | null,
  style: TerminalStyle,
  columns: number,
) {
  const rows = nodes.map((node) => toGridRow(node, style, now));
  const grid = { columns: getGridColumns(now), rows, selected: Math.min(row, nodes.length - 1) };
  const selected = nodes[grid.selected];
  const timeline = selected === undefined ? [] : renderBootTimeline(selected, now, columns);
  const details = [
    ...timeline.map((line, index) => ({ file: `timeline ${index}`, line })),
    ...unavailableHosts.map((line) => ({ file: line, line })),
    ...exposures,
  ].map(({ file, line }) => wrapLines(line, columns).map((text, index) => ({ file: `${file} ${index}`, line: text })));
  return { grid, details };
}

/** Renders the grid and, before machines join a running cluster, the checks for them. */
function Boot({ view, row, now }: BootProps) {
  const area = useArea();
  const style = useTerminalStyle();
  const { checks } = view;
  const { grid, details } = buildGridParts(view, row, now, style, area.columns);
  const gridRows = tableHeight(grid, area.columns);
  if (checks.length === 0) {
    // In a small window, the machines have priority.
    const lines = takeWholeEntries(details, Math.max(0, area.rows - gridRows));
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
  const height = Math.max(MIN_GRID_ROWS, Math.min(gridRows, area.rows - Math.min(checks.length, 6) - 2));
  return (
    <>
      <Table {...grid} height={height} />
      <Gap />
      <Checks checks={checks} height={Math.max(0, area.rows - height - 1)} />
    </>
  );
}

/** Returns the lines of the first entries that fit; no entry is cut. */
function takeWholeEntries<Line>(entries: readonly (readonly Line[])[], maxRows: number): Line[] {
  const lines: Line[] = [];
  for (const entry of entries) {
    if (lines.length + entry.length > maxRows) return lines;
    lines.push(...entry);
  }
  return lines;
}

/**
 *     Before they are powered on          Result
 *     ✘ i5: something answers at its …    172.16.0.45 port 22
 *     ✔ the API answers
 */
function Checks({ checks, height }: { readonly checks: BootView['checks']; readonly height: number }) {
  const style = useTerminalStyle();
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
          cells: { what: statusText(STATUS[status], style, title), detail: cause },
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

const getGridColumns = (now: number | null) => [
  { id: 'name', title: words().columns.name, min: 4, max: 14 },
  { id: 'stage', title: words().columns.stage, min: 15, max: 18 },
  { id: 'seen', title: now === null ? words().columns.lastSeenAt : words().columns.lastSeen, min: 9, max: 12 },
  { id: 'role', title: words().columns.role, min: 13, max: 13, priority: 1 },
  { id: 'address', title: words().columns.address, min: 12, max: 16, priority: 2 },
  { id: 'detail', title: words().columns.detail, min: 16, max: 60, priority: 3 },
];

function toGridRow(node: BootView['nodes'][number], style: TerminalStyle, now: number | null): TableRow {
  const { name, role, address, stage, lastSeenAt, detail, poweredOnAt } = node;
  const hasIgnition = stage === 'ignition' || stage === 'ready';
  const status = hasIgnition ? 'ok' : poweredOnAt === null && stage === 'off' ? 'pending' : 'running';
  const formatLastSeen = (at: number) => (now === null ? formatTimeOfDay(at) : catalogue().screens.age(now - at));
  return {
    id: name,
    cells: {
      name,
      role,
      address,
      detail,
      stage: statusText(status, style, catalogue().steps.boot.stages[stage]),
      seen: lastSeenAt === null ? '' : formatLastSeen(lastSeenAt),
    },
    tones: { stage: hasIgnition ? 'ok' : status === 'running' ? 'accent' : 'dim' },
  };
}
