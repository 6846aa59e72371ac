import { catalogue } from '../src/i18n/catalogue.ts';
import { wrapCommand } from '../src/i18n/prose.ts';
import { wrapLines } from '../src/platform/text.ts';
import { highlightLine } from '../src/rows/highlight.ts';
import type { Tone } from '../src/rows/page-rows.ts';
import type { TableRow } from '../src/rows/table.ts';
import type { TextLine } from '../src/rows/text.ts';
import type { GeneratedFileView, GenerateView } from '../src/steps/generate.ts';
import { renderDifference, wrapFileLine } from './shared/step/changes.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const words = () => catalogue().screens.generate;
const TONES: Readonly<Record<GeneratedFileView['state'], Tone>> = {
  new: 'ok',
  changed: 'warn',
  edited: 'warn',
  obsolete: 'error',
  unchanged: 'muted',
};

type Host = GenerateView['hosts'][number];
/** An entry of the tree: a host, or a file under it. */
type TreeEntry =
  | { readonly kind: 'host'; readonly host: Host; readonly position: number }
  | { readonly kind: 'file'; readonly file: GeneratedFileView };

/**
 * Shows the files as a tree by host, in the order of setup. Below the tree is the content of the selected line: the
 * commands of a host, or the text or the changes of a file.
 *
 *     State     File                                        Checked by
 *     ▸         1 ns1: DNS, DHCP
 *       new       /etc/named.conf
 *       changed   /var/named/example.localdomain.zone       named-checkzone
 */
export const generateScreen = createStepScreen<GenerateView>({
  id: 'generate',
  fixedPart: 'head',
  rowCount: (view) => listTreeEntries(view).length,
  firstRow: findChangedRow,
  commands: (view, row) => {
    const entry = listTreeEntries(view)[row];
    return entry?.kind === 'host' ? entry.host.instructions : [];
  },
  script: ({ hosts }) =>
    hosts.flatMap(({ name, instructions }) =>
      instructions.length === 0 ? [] : [`${name}:`, ...instructions.map((command) => `  ${command}`)],
    ),
  tableRows: (view) => listTreeEntries(view).map(toTableRow),
  body: (view, run, _now, _style, rows) => {
    const entries = listTreeEntries(view);
    const selectedRow = Math.min(run.row, entries.length - 1);
    const entry = entries[selectedRow];
    const renderLines = (columns: number) => renderPreview(entry, columns);
    return {
      list: {
        table: { columns: getColumns(), rows, selectedIndex: selectedRow, filter: run.filter },
        details: [{ title: formatPreviewTitle(entry), renderLines, top: run.top, decorate: addHighlighting }],
      },
    };
  },
  help: () => words().help,
});

/** Finds the row of the first file that differs from its previous version; the first host if any file is new. */
function findChangedRow(view: GenerateView): number {
  const states = listTreeEntries(view).map((entry) => (entry.kind === 'file' ? entry.file.state : 'unchanged'));
  return states.includes('new')
    ? 0
    : Math.max(
        0,
        states.findIndex((state) => state !== 'unchanged'),
      );
}

function listTreeEntries({ hosts }: GenerateView): TreeEntry[] {
  return hosts.flatMap((host, index): TreeEntry[] => [
    { kind: 'host', host, position: index + 1 },
    // Files to write come first.
    ...[...host.files]
      .sort((a, b) => Number(a.state === 'unchanged') - Number(b.state === 'unchanged'))
      .map((file): TreeEntry => ({ kind: 'file', file })),
  ]);
}

const getColumns = () => [
  { id: 'state', title: words().columns.state, minWidth: 8, maxWidth: 8 },
  { id: 'file', title: words().columns.file, minWidth: 20, maxWidth: 52, detailRepeats: 'if-cut' as const },
  {
    id: 'check',
    title: words().columns.check,
    minWidth: 19,
    maxWidth: 28,
    priority: 2,
    detailRepeats: 'if-cut' as const,
  },
];

/** Formats the roles of a host; the list has room for the whole word. */
const formatRoles = ({ roles }: Host) => roles.map((role) => (role === 'LB' ? words().balancer : role)).join(', ');

function toTableRow(entry: TreeEntry): TableRow {
  if (entry.kind === 'host') {
    const { host, position } = entry;
    return {
      id: host.name,
      cells: { state: '', file: words().host(position, host.name, formatRoles(host)), check: '' },
      tones: { file: 'accent' },
    };
  }
  const { file, state, check } = entry.file;
  return {
    id: file,
    cells: {
      state: words().states[state],
      file: `  ${getPathOnHost(file)}`,
      check: check === null ? '' : words().checks[check.state](check.program),
    },
    tones: {
      state: TONES[state],
      ...(check === null ? {} : { check: check.state === 'refused' ? 'error' : check.state === 'ok' ? 'ok' : 'muted' }),
    },
  };
}

/** Returns the path on the host: `file` without the host's name. */
function getPathOnHost(file: string): string {
  return file.slice(file.indexOf('/'));
}

function formatPreviewTitle(entry: TreeEntry | undefined): string {
  if (entry === undefined) return '';
  return entry.kind === 'host'
    ? words().onHost(entry.host.name)
    : words().previews[entry.file.state](getPathOnHost(entry.file.file));
}

function renderPreview(entry: TreeEntry | undefined, columns: number): TextLine[] {
  if (entry === undefined) return [];
  return entry.kind === 'host' ? renderHost(entry.host, entry.position, columns) : renderFile(entry.file, columns);
}

/** Renders the commands for a host, and when to run them. */
function renderHost({ instructions, files, roles }: Host, position: number, columns: number): TextLine[] {
  const renderCommand = (command: string, tone: Tone) =>
    wrapCommand(command, columns).map((text): TextLine => ({ text, tone }));
  const commands = [...new Set(files.flatMap((file) => file.commands))];
  return [
    ...wrapLines(words().order(position, roles.includes('DNS')), columns).map((text): TextLine => ({ text })),
    ...instructions.flatMap((command) => renderCommand(command, 'accent')),
    ...(instructions.length > 0 ? [{ text: '' }] : []),
    ...wrapLines(commands.length > 0 ? words().scriptRuns(commands.length) : words().scriptCopies, columns).map(
      (text): TextLine => ({ text, tone: 'muted' }),
    ),
    ...commands.flatMap((command) => renderCommand(command, 'muted')),
  ];
}

function renderFile({ content, before, state, isSecret, check }: GeneratedFileView, columns: number): TextLine[] {
  const refusalLines: TextLine[] =
    check?.state === 'refused'
      ? check.output.split('\n').flatMap((line) => wrapFileLine(line, columns, { tone: 'error' }))
      : [];
  if (isSecret) return [...refusalLines, { text: words().secret, tone: 'muted' }];
  if (before !== null && state !== 'unchanged') return [...refusalLines, ...renderDifference(before, content, columns)];
  return [...refusalLines, ...content.split('\n').flatMap((line) => wrapFileLine(line, columns))];
}

/** Adds syntax highlighting to a line of a file. Called for visible lines only, because a file may have thousands. */
function addHighlighting(line: string | TextLine): string | TextLine {
  if (typeof line === 'string' || line.tone !== undefined) return line;
  return { ...line, spans: highlightLine(line.text) };
}
