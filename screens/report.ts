import { catalogue, formatCommandLine } from '../src/i18n/catalogue.ts';
import { wrapProse } from '../src/i18n/prose.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { fitToWidth, getDisplayWidth, wrapBeside } from '../src/platform/text.ts';
import type { TextLine } from '../src/rows/text.ts';
import { MIN_TIMELINE_COLUMNS, type ReportSection, type ReportView, renderTimelineText } from '../src/steps/report.ts';
import { formatTarget, parseTarget } from '../src/steps/step-action.ts';
import { createSearchableTextBindings, createSearchTypingBindings, layOutText } from './shared/log-pane.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const words = () => catalogue().screens.report;

/**
 * The report of the finished cluster: how to log in, what is left to do, and then the rest of the file.
 *
 *     Console     https://console-openshift-console.apps.ocp45.example.localdomain
 *     User        kubeadmin (p shows the password)
 *     kubeconfig  /root/upi-cluster/auth/kubeconfig
 */
export const reportScreen = createStepScreen<ReportView>({
  id: 'report',
  watchesSite: 'afterwards',
  isWrapped: true,
  typingBindings: (_view, { logPosition }, { text }) =>
    logPosition.searchField === null || text === undefined ? null : createSearchTypingBindings(text, true),
  bindings: ({ isApprovingCsrs }, _row, { phase, logPosition }, { text }) => {
    const textBindings = text === undefined ? [] : createSearchableTextBindings(text, logPosition);
    if (phase === 'applying') return textBindings;
    const subject = formatTarget({ kind: 'approval-job', change: isApprovingCsrs ? 'stop' : 'start' });
    const { follow, followShort, followStop } = catalogue().screens.keys;
    const label = isApprovingCsrs ? followStop : follow;
    const shortLabel = isApprovingCsrs ? followStop : followShort;
    // A narrow footer shows only the first keys: during a search, the search keys come first.
    const isSearching = logPosition.query !== '';
    return [
      ...(isSearching ? textBindings : []),
      {
        keys: [SHORTCUTS.password],
        label: catalogue().screens.keys.password,
        intent: { type: 'step/show', subject: 'password' },
      },
      {
        keys: [SHORTCUTS.approveInBackground],
        label,
        shortLabel,
        intent: { type: 'step/ask', action: 'apply-one', subject },
      },
      {
        keys: [SHORTCUTS.add],
        label: catalogue().screens.keys.addNodes,
        intent: { type: 'screen/go', screen: 'nodes', field: 'nodes' },
      },
      ...(isSearching ? [] : textBindings),
    ];
  },
  getQuestion: (_view, subject) => {
    const { question, details } = catalogue().steps.report;
    const target = parseTarget('report', subject);
    const questionKey = target.kind === 'approval-job' && target.change === 'stop' ? 'follow-stop' : 'follow';
    return {
      question: question[questionKey],
      details: details[questionKey](formatCommandLine('csr', 'approve', '--stop')),
    };
  },
  doneText: (view) => [
    ...listFacts(view).map(([name, value]) => `${name}: ${value}`),
    ...view.sections
      .filter(({ id }) => id === 'open' || id === 'overrides')
      .flatMap(({ heading, lines }) => [heading.replace(/^#+ /, ''), ...lines].filter((line) => line !== '')),
  ],
  body: (view, run, _now, { columns, rows: pageRows }) => ({
    neededColumns: pageRows < MIN_ROWS_FOR_TABLE ? NARROW_COLUMNS : measureNeededColumns(view, columns),
    layOut(viewport) {
      const lines = renderReport(view, viewport.columns);
      return {
        draw: (rows) => layOutText(lines, run.logPosition, { ...viewport, rows }),
      };
    },
  }),
});

const NARROW_COLUMNS = 60;
/** With fewer rows, the help must stay beside the text: it would not fit below a wide table. */
const MIN_ROWS_FOR_TABLE = 25;

/** Measures the columns that the tables need to stay unfolded. Tables that are wider than the page do not count. */
function measureNeededColumns({ sections }: ReportView, availableColumns: number): number {
  const fittingWidths = sections
    .map(({ lines }) => measureTable(measureColumnWidths(lines)))
    .filter((width) => width <= availableColumns);
  return Math.max(NARROW_COLUMNS, ...fittingWidths);
}

/** Sections with the next actions come before those for later reference. */
const FIRST_SECTIONS: readonly ReportSection['id'][] = [
  'open',
  'overrides',
  'afterwards',
  'update',
  'secrets',
  'facts',
];

/** Lists how to log in, and where the report is: each fact with its name. */
function listFacts({ consoleUrl: url, kubeconfig, path }: ReportView) {
  const { console: consoleName, consoleUnknown, user, passwordHint, kubeconfig: kubeconfigLabel, file } = words();
  return [
    [consoleName, url ?? consoleUnknown],
    [user, passwordHint],
    [kubeconfigLabel, kubeconfig],
    [file, path],
  ] as const;
}

function renderReport(view: ReportView, columns: number): TextLine[] {
  const { sections, timeline } = view;
  const facts = listFacts(view);
  const width = Math.max(...facts.map(([name]) => getDisplayWidth(name)));
  return [
    ...facts.flatMap(([name, value]) =>
      wrapBeside(`${fitToWidth(name, width, '')}  `, value, columns).map((text): TextLine => ({ text })),
    ),
    ...[
      ...FIRST_SECTIONS.flatMap((id) => sections.filter((section) => section.id === id)),
      ...sections.filter(({ id }) => !FIRST_SECTIONS.includes(id)),
    ].flatMap(({ id, heading, lines }) => [
      { text: '' },
      ...(id === 'timeline' && columns >= MIN_TIMELINE_COLUMNS
        ? [...renderMarkdown([heading], columns), ...renderTimelineText(timeline, columns).map((text) => ({ text }))]
        : renderMarkdown(heading === '' ? lines : [heading, ...lines], columns)),
    ]),
  ];
}

/**
 * Renders the Markdown of the wizard's own report (headings, lists, tables, commands) as lines of at most `columns`
 * cells: without markup, wrapped, and with every command in one piece.
 */
function renderMarkdown(lines: readonly string[], columns: number): TextLine[] {
  const widths = measureColumnWidths(lines);
  return lines.flatMap((line): TextLine[] => {
    const heading = /^#+ (.*)$/.exec(line)?.[1];
    if (heading !== undefined) return wrapProse(heading, columns).map(({ text }) => ({ text, tone: 'accent' }));
    if (isTableRow(line)) return renderRow(splitCells(line), widths, columns).map((text) => ({ text }));
    const [head = ''] = /^ *(?:- )?/.exec(line) ?? [];
    const rest = line.slice(head.length);
    if (rest.includes('`'))
      return wrapProse(rest, columns, head).map(({ text, isCommand }) => ({
        text,
        tone: isCommand ? 'accent' : 'text',
      }));
    return wrapBeside(head, rest, columns).map((text) => ({ text }));
  });
}

const isTableRow = (line: string) => /^\|.*\|$/.test(line);
const splitCells = (line: string) =>
  line
    .slice(1, -1)
    .split('|')
    .map((cell) => cell.trim());
const isDelimiterRow = (cells: readonly string[]) => cells.every((cell) => /^-+$/.test(cell));

/** Measures the widest cell of each column of the tables in these lines. */
function measureColumnWidths(lines: readonly string[]): readonly number[] {
  const rows = lines.filter(isTableRow).map(splitCells);
  return rows
    .filter((cells) => !isDelimiterRow(cells))
    .reduce<number[]>(
      (widest, cells) => cells.map((cell, index) => Math.max(widest[index] ?? 0, getDisplayWidth(cell))),
      [],
    );
}

const measureTable = (widths: readonly number[]) =>
  widths.reduce((sum, width) => sum + width, 0) + CELL_GAP.length * Math.max(0, widths.length - 1);

const CELL_GAP = '  ';

/** Returns a table row with aligned cells. If they do not fit side by side, the other cells go below the first. */
function renderRow(cells: readonly string[], widths: readonly number[], columns: number): string[] {
  if (isDelimiterRow(cells)) return [];
  const line = cells
    .map((cell, index) => fitToWidth(cell, widths[index] ?? 0, ''))
    .join(CELL_GAP)
    .trimEnd();
  if (measureTable(widths) <= columns) return [line];
  const [firstCell = '', ...otherCells] = cells;
  return [
    ...wrapBeside('', firstCell, columns),
    ...wrapBeside('    ', otherCells.filter((cell) => cell !== '').join(CELL_GAP), columns),
  ];
}
