import type { Finding } from '../src/diagnosis/finding.ts';
import type { PhaseResults, PrepareView } from '../src/diagnosis/prepare/items.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { statusText } from '../src/ui/components/status-mark.tsx';
import { Table, type TableRow, tableHeight } from '../src/ui/components/table.tsx';
import { type TerminalStyle, useArea, useTerminalStyle } from '../src/ui/terminal-style.tsx';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import { createStepScreen } from './shared/step/step-page.tsx';

const TONES = { ok: 'ok', failed: 'error', warning: 'warn', unknown: 'dim' } as const;
const words = () => catalogue().screens.prepare;

/** What has to exist before a machine is switched on. */
export const prepareScreen = createStepScreen<PrepareView>({
  id: 'prepare',
  isWide: true,
  // What failed stands in the list, under its phase.
  maxNotes: 6,
  rowCount: ({ items, phases }) => rowsOf(items, phases).length,
  help: () => words().help,
  commands: ({ items, phases }, row, run) => commandsOf(rowsOf(items, phases)[row], run),
  neededRows: (view, run, _now, look, columns) => tableHeight(listOf(view, run.row, look, columns), columns),
  Body: ({ view, run }) => <Items view={view} row={run.row} />,
});

type Line =
  | { readonly id: string; readonly item: PrepareView['items'][number] }
  | { readonly id: string; readonly phase: PhaseResults }
  | { readonly id: string; readonly finding: Finding };

/** What is made, then each phase with what failed in it. */
function rowsOf(items: PrepareView['items'], phases: PrepareView['phases']): readonly Line[] {
  return [
    ...items.map((item) => ({ id: item.id, item })),
    ...phases.flatMap((phase): Line[] => [
      { id: phase.phase, phase },
      ...phase.failed.map((finding) => ({ id: `${finding.code} ${finding.subject}`, finding })),
    ]),
  ];
}

/**
 * What a person types for a line: what a failed check names as its command by hand, else the command that stands under the list,
 * else the one that asks again what a line says that is not right.
 */
function commandsOf(line: Line | undefined, { probe }: StepRun): readonly string[] {
  const own = line !== undefined && 'finding' in line ? line.finding.command : undefined;
  const shown = own ?? probe?.findings.flatMap(({ command }) => command ?? [])[0];
  if (shown !== undefined) return [shown];
  const checks = line === undefined ? [] : checksOf(line);
  return checks.length === 0 ? [] : [words().rerunCommand(checks)];
}

function checksOf(line: Line): readonly string[] {
  if ('finding' in line) return [line.finding.code];
  return 'item' in line && line.item.state !== 'ok' ? line.item.checks : [];
}

/** Fewer columns leave what was found little room beside long names. */
const NARROW = 90;

/**
 *     ✔ RHCOS images        all checked
 *     ✘ DNS                 88 in order, 1 failed
 *       ✘ m2: the name …    no such name; the design says 172.16.0.22
 */
function Items({ view, row }: { readonly view: PrepareView; readonly row: number }) {
  const area = useArea();
  return <Table {...listOf(view, row, useTerminalStyle(), area.columns)} height={area.rows} />;
}

function listOf(view: PrepareView, row: number, look: TerminalStyle, columns: number) {
  const lines = rowsOf(view.items, view.phases);
  return {
    columns: [
      { id: 'what', title: words().columns.what, min: 22, max: columns < NARROW ? 30 : 44 },
      { id: 'detail', title: words().columns.detail, min: 20, max: 100 },
    ],
    rows: lines.map((line) => rowOf(line, look)),
    selected: Math.min(row, lines.length - 1),
  };
}

function rowOf(line: Line, look: TerminalStyle): TableRow {
  if ('item' in line) {
    const { id, state, detail } = line.item;
    return {
      id: line.id,
      cells: { what: statusText(state, look, words().items[id]), detail },
      tones: { what: state === 'ok' ? 'ok' : state === 'failed' ? 'error' : 'dim' },
    };
  }
  if ('phase' in line) {
    const { phase, failed, ...counts } = line.phase;
    const isBlocking = failed.some(({ severity }) => severity === 'fatal');
    const state = failed.length > 0 ? (isBlocking ? 'failed' : 'warning') : counts.ok > 0 ? 'ok' : 'unknown';
    return {
      id: line.id,
      cells: {
        what: statusText(state, look, words().phases[phase]),
        detail: words().counts({ ...counts, failed: failed.length }),
      },
      tones: { what: TONES[state] },
    };
  }
  const { severity, title, cause, remedy } = line.finding;
  const state = severity === 'fatal' ? 'failed' : 'warning';
  return {
    id: line.id,
    cells: {
      what: `  ${statusText(state, look, title)}`,
      detail: words().failed(cause, remedy),
    },
    tones: { what: TONES[state] },
  };
}
