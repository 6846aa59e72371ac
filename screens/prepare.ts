import { listProblemTrees } from '../src/checks/causes/explain.ts';
import type { Finding } from '../src/checks/check.ts';
import type { PhaseResults, PrepareView } from '../src/checks/prepare/items.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { markCommand, splitProse } from '../src/i18n/prose.ts';
import { wrapBeside, wrapLines } from '../src/platform/text.ts';
import type { Viewport } from '../src/rows/page-rows.ts';
import { formatStatusText } from '../src/rows/status.ts';
import type { TableRow } from '../src/rows/table.ts';
import type { TextLine } from '../src/rows/text.ts';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import { createFindingNotes, wrapNotes } from './shared/step/step-lines.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const TONES = { ok: 'ok', failed: 'error', warning: 'warn', unknown: 'muted' } as const;
const words = () => catalogue().screens.prepare;

/** Shows the items that must exist, and the checks that must pass, before a machine is powered on. */
export const prepareScreen = createStepScreen<PrepareView>({
  id: 'prepare',
  // The list already shows the failed checks under their phases: their findings are not repeated below it.
  isRowOfList: ({ phases }, { code, subject }) =>
    phases.some(({ failedFindings }) =>
      failedFindings.some((failedFinding) => failedFinding.code === code && failedFinding.subject === subject),
    ),
  firstRow: findFirstRow,
  rowCount: (view) => listLines(view).length,
  help: () => words().help,
  commands: (view, row, run) => listCommands(listLines(view)[row], run),
  tableRows: (view, _run, _now, viewport) => listLines(view).map((line) => toTableRow(line, viewport)),
  body: (view, run, _now, viewport, rows) => {
    const selectedRow = Math.min(run.row, rows.length - 1);
    const line = listLines(view)[selectedRow];
    return {
      list: {
        table: { columns: getColumns(viewport), rows, selectedIndex: selectedRow, filter: run.filter },
        details: [
          { renderLines: (columns) => (line === undefined ? [] : renderLine(line, viewport, columns)), top: run.top },
        ],
      },
    };
  },
});

type PrepareLine =
  | { readonly id: string; readonly item: PrepareView['items'][number] }
  | { readonly id: string; readonly phase: PhaseResults }
  | { readonly id: string; readonly finding: Finding }
  | { readonly id: string; readonly consequences: readonly Finding[]; readonly cause: Finding };

/** Caches the lines of a view, because each drawing needs them several times. */
const lineCache = new WeakMap<PrepareView, readonly PrepareLine[]>();

function listLines(view: PrepareView): readonly PrepareLine[] {
  const lines = lineCache.get(view) ?? createLines(view);
  lineCache.set(view, lines);
  return lines;
}

/**
 * Creates the lines of the items, then of each phase with its failed checks. Checks that failed because of the same
 * other check share one line.
 */
function createLines({ items, phases }: PrepareView): readonly PrepareLine[] {
  const problemTrees = listProblemTrees(phases.flatMap(({ failedFindings }) => failedFindings));
  return [
    ...items.map((item) => ({ id: item.id, item })),
    ...phases.flatMap((phase): PrepareLine[] => [
      { id: phase.phase, phase },
      ...problemTrees.flatMap(({ finding, consequences }): PrepareLine[] => {
        const id = `${finding.code} ${finding.subject}`;
        const phaseConsequences = consequences.filter((consequence) => phase.failedFindings.includes(consequence));
        return [
          ...(phase.failedFindings.includes(finding) ? [{ id, finding }] : []),
          ...(phaseConsequences.length === 0
            ? []
            : [{ id: `${phase.phase} ${id}`, consequences: phaseConsequences, cause: finding }]),
        ];
      }),
    ]),
  ];
}

/** Whether a line is something to do: a failed check or a missing item, but not the phase over it. */
const needsUser = (line: PrepareLine) => 'finding' in line || ('item' in line && line.item.state === 'failed');

/** Finds the check that blocks the step, or else the first line with something to do: Enter may do that. */
function findFirstRow(view: PrepareView, { probe }: StepRun): number {
  const lines = listLines(view);
  const isBlocking = (line: PrepareLine) => 'finding' in line && line.finding.severity === 'fatal';
  const blockingRow = probe?.state === 'blocked' ? lines.findIndex(isBlocking) : -1;
  return Math.max(0, blockingRow >= 0 ? blockingRow : lines.findIndex(needsUser));
}

/** Renders a line in full: for a failed check its cause, its remedy and the command. */
function renderLine(line: PrepareLine, viewport: Viewport, columns: number): readonly TextLine[] {
  const { cells, tones = {} } = toTableRow(line, viewport);
  const cellTexts = [cells.check ?? '', cells.detail ?? ''].map((text) => text.trim());
  if ('finding' in line) return wrapNotes(createFindingNotes(line.finding, true), columns);
  const checks = listOpenChecks(line);
  const failedFindings = 'phase' in line ? line.phase.failedFindings : 'cause' in line ? line.consequences : [];
  return [
    ...cellTexts.flatMap((text, index) =>
      wrapLines(text, columns).map((part): TextLine => ({ text: part, tone: index === 0 ? tones.check : 'text' })),
    ),
    ...failedFindings.flatMap(({ title }) =>
      wrapBeside('- ', title, columns).map((text): TextLine => ({ text, tone: 'muted' })),
    ),
    ...(checks.length === 0 ? [] : wrapNotes([{ text: markCommand(words().rerunCommand(checks)) }], columns)),
  ];
}

/**
 * Lists the command to copy for a line: the one that fixes its failed check, or else shows the fault. Without a failed
 * check, it is the first such command of all findings, or else the one that repeats the checks of the line.
 */
function listCommands(line: PrepareLine | undefined, { probe }: StepRun): readonly string[] {
  const rowFindings = line !== undefined && 'finding' in line ? [line.finding] : [];
  const [command] = [...rowFindings, ...(probe?.findings ?? [])].flatMap(getMainCommand);
  if (command !== undefined) return [command];
  const checks = line === undefined ? [] : listOpenChecks(line);
  return checks.length === 0 ? [] : [words().rerunCommand(checks)];
}

/**
 * Returns the first command of the remedy, because later ones may be alternatives, or else the command that shows the
 * fault.
 */
function getMainCommand({ remedy, command }: Pick<Finding, 'remedy' | 'command'>): string | readonly string[] {
  return splitProse(remedy).find(({ isCommand }) => isCommand)?.text ?? command ?? [];
}

function listOpenChecks(line: PrepareLine): readonly string[] {
  if ('finding' in line) return [line.finding.code];
  if ('cause' in line) return [line.cause.code];
  return 'item' in line && line.item.state !== 'ok' ? line.item.checks : [];
}

/** In a narrower window, names get less width, so that the details stay readable. */
const NARROW_COLUMNS = 90;

/**
 * Returns the columns of the list:
 *
 *     ✔ boot images         all checked
 *     ✘ DNS                 88 in order, 1 failed
 *       ✘ m2: the name …    no such name; the design says 172.16.0.22
 */
const getColumns = ({ columns }: Viewport) => [
  {
    id: 'check',
    title: words().columns.check,
    minWidth: 22,
    maxWidth: columns < NARROW_COLUMNS ? 30 : 44,
    detailRepeats: 'always' as const,
  },
  { id: 'detail', title: words().columns.detail, minWidth: 14, maxWidth: 100, detailRepeats: 'always' as const },
];

function toTableRow(line: PrepareLine, viewport: Viewport): TableRow {
  if ('item' in line) {
    const { id, state, detail } = line.item;
    return {
      id: line.id,
      cells: { check: formatStatusText(state, viewport, words().items[id]), detail },
      tones: { check: state === 'ok' ? 'ok' : state === 'failed' ? 'error' : 'muted' },
    };
  }
  if ('phase' in line) {
    const { phase, failedFindings, okCount, pendingCount, unknownCount } = line.phase;
    const isBlocking = failedFindings.some(({ severity }) => severity === 'fatal');
    const state = failedFindings.length > 0 ? (isBlocking ? 'failed' : 'warning') : okCount > 0 ? 'ok' : 'unknown';
    return {
      id: line.id,
      cells: {
        check: formatStatusText(state, viewport, words().phases[phase]),
        detail: words().counts({
          ok: okCount,
          failed: failedFindings.length,
          pending: pendingCount,
          unknown: unknownCount,
        }),
      },
      tones: { check: TONES[state] },
    };
  }
  if ('cause' in line)
    return {
      id: line.id,
      cells: {
        check: `    ${words().consequences(line.consequences.length)}`,
        detail: line.cause.title,
      },
      tones: { check: 'muted' },
    };
  const { severity, title, cause, remedy } = line.finding;
  const state = severity === 'fatal' ? 'failed' : 'warning';
  return {
    id: line.id,
    cells: {
      check: `  ${formatStatusText(state, viewport, title)}`,
      detail: words().failed(cause, remedy),
    },
    tones: { check: TONES[state] },
  };
}
