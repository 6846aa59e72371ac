import { catalogue } from '../src/i18n/catalogue.ts';
import { wrapCommand } from '../src/i18n/prose.ts';
import { displayWidth } from '../src/platform/width.ts';
import type { GeneratedFileView, GenerateView } from '../src/steps/generate/index.ts';
import { Gap, Label, Row } from '../src/ui/components/label.tsx';
import { Table, type TableRow, tableHeight } from '../src/ui/components/table.tsx';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import { highlightLine } from '../src/ui/highlight.ts';
import { AreaProvider, useArea } from '../src/ui/terminal-style.tsx';
import type { Tone } from '../src/ui/theme.ts';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import { scrollBindings } from './shared/bindings.ts';
import { lastRender } from './shared/last-render.ts';
import { renderDifference, wrapFileLine } from './shared/step/changes.ts';
import { createStepScreen } from './shared/step/step-page.tsx';

const words = () => catalogue().screens.generate;
const TONES: Readonly<Record<GeneratedFileView['state'], Tone>> = {
  new: 'ok',
  changed: 'warn',
  edited: 'warn',
  obsolete: 'error',
  unchanged: 'dim',
};

type Host = GenerateView['hosts'][number];
/** A line of the tree: a host, or a file under it. */
type Branch =
  | { readonly kind: 'host'; readonly host: Host; readonly position: number }
  | { readonly kind: 'file'; readonly file: GeneratedFileView };

/** The preview has at least this many lines at 80x24, so that a page on skips none. */
const PREVIEW_PAGE = 4;

/**
 * The files as a tree by host, the hosts in the order of their setup, and under it the content of the selected line:
 * for a host what to run there, for a file its text, or what would change in it.
 *
 *     State     File                                        Checked by
 *     ▸         1 ns1: DNS, DHCP
 *       new       /etc/named.conf
 *       changed   /var/named/example.localdomain.zone       named-checkzone
 */
export const generateScreen = createStepScreen<GenerateView>({
  id: 'generate',
  isWide: true,
  rowCount: (view) => branchesOf(view).length,
  commands: (view, row) => {
    const branch = branchesOf(view)[row];
    return branch?.kind === 'host' ? branch.host.instructions : [];
  },
  script: ({ hosts }) =>
    hosts.flatMap(({ name, instructions }) =>
      instructions.length === 0 ? [] : [`${name}:`, ...instructions.map((command) => `  ${command}`)],
    ),
  bindings: (view, row) => scrollBindings(previewOf(branchesOf(view)[row], lastRender.columns).length, PREVIEW_PAGE),
  Body: ({ view, run }) => <Files view={view} run={run} />,
  help: () => words().help,
});

function branchesOf({ hosts }: GenerateView): Branch[] {
  return hosts.flatMap((host, index): Branch[] => [
    { kind: 'host', host, position: index + 1 },
    // Files to write come first.
    ...[...host.files]
      .sort((a, b) => Number(a.state === 'unchanged') - Number(b.state === 'unchanged'))
      .map((file): Branch => ({ kind: 'file', file })),
  ]);
}

function Files({ view, run }: { readonly view: GenerateView; readonly run: StepRun }) {
  const area = useArea();
  lastRender.columns = area.columns;
  const branches = branchesOf(view);
  const row = Math.min(run.row, branches.length - 1);
  const lines = previewOf(branches[row], area.columns);
  const listed = { columns: columns(), rows: branches.map(branchRow), selected: row };
  const isHost = branches[row]?.kind === 'host';
  // Half of the rows, and more where the text under them is short; where that is what a person types, or they read on in it, fewer.
  const typed = branches[row]?.kind === 'host' ? typedRows(branches[row].host, area.columns) : lines.length;
  const half = Math.max(4, Math.floor(area.rows / 2), area.rows - 2 - lines.length);
  const most = isHost || run.top > 0 ? Math.max(LEAST_TREE, Math.min(half, area.rows - 2 - typed)) : half;
  const tree = Math.min(tableHeight(listed, area.columns), most);
  const room = Math.max(0, area.rows - tree - 2);
  const top = Math.min(run.top, Math.max(0, lines.length - room));
  const end = Math.min(lines.length, top + room);
  const seen = lines.length > room ? `  ${words().lineRange(top + 1, end, lines.length)}` : '';
  return (
    <>
      <Table {...listed} height={tree} />
      <Gap />
      <Row>
        <Label tone="accent" width={area.columns - displayWidth(seen)}>
          {titleOf(branches[row])}
        </Label>
        <Label tone="dim">{seen}</Label>
      </Row>
      <AreaProvider area={{ columns: area.columns, rows: room }}>
        <LogView lines={lines.slice(top, top + room).map(coloured)} top={0} empty="" />
      </AreaProvider>
    </>
  );
}

/** Rows of when to set up a host, and of what a person types for it. */
const typedRows = ({ instructions }: Host, columns: number) =>
  1 + instructions.flatMap((command) => wrapCommand(command, columns)).length;

/** The titles, a file and its counter. */
const LEAST_TREE = 3;

const columns = () => [
  { id: 'state', title: words().columns.state, min: 8, max: 8 },
  { id: 'file', title: words().columns.file, min: 20, max: 52 },
  { id: 'check', title: words().columns.check, min: 12, max: 28, priority: 2 },
];

function branchRow(branch: Branch): TableRow {
  if (branch.kind === 'host') {
    const { host, position } = branch;
    return {
      id: host.name,
      cells: { state: '', file: words().host(position, host.name, host.roles.join(', ')), check: '' },
      tones: { file: 'accent' },
    };
  }
  const { file, state, check } = branch.file;
  return {
    id: file,
    cells: {
      state: words().states[state],
      file: `  ${pathOf(file)}`,
      check: check === null ? '' : words().checks[check.state](check.program),
    },
    tones: {
      state: TONES[state],
      ...(check === null ? {} : { check: check.state === 'refused' ? 'error' : check.state === 'ok' ? 'ok' : 'dim' }),
    },
  };
}

/** The path on the host: what comes after its name. */
function pathOf(file: string): string {
  return file.slice(file.indexOf('/'));
}

function titleOf(branch: Branch | undefined): string {
  if (branch === undefined) return '';
  return branch.kind === 'host'
    ? words().onHost(branch.host.name)
    : words().previews[branch.file.state](pathOf(branch.file.file));
}

function previewOf(branch: Branch | undefined, columns: number): TextLine[] {
  if (branch === undefined) return [];
  return branch.kind === 'host' ? hostLines(branch.host, branch.position, columns) : fileLines(branch.file, columns);
}

/** The commands for a host, and when to run them. */
function hostLines({ instructions, files, roles }: Host, position: number, columns: number): TextLine[] {
  const whole = (command: string, tone: Tone) =>
    wrapCommand(command, columns).map((text): TextLine => ({ text, tone }));
  const commands = [...new Set(files.flatMap((file) => file.commands))];
  return [
    { text: words().order(position, roles.includes('DNS')), tone: 'text' },
    ...instructions.flatMap((command) => whole(command, 'accent')),
    { text: '' },
    { text: commands.length > 0 ? words().scriptRuns : words().scriptCopies, tone: 'dim' },
    ...commands.flatMap((command) => whole(command, 'dim')),
  ];
}

function fileLines({ content, before, state, isSecret, check }: GeneratedFileView, columns: number): TextLine[] {
  const refused: TextLine[] =
    check?.state === 'refused'
      ? check.output
          .split('\n')
          .flatMap((line) => wrapFileLine(line, columns).map((text): TextLine => ({ text, tone: 'error' })))
      : [];
  if (isSecret) return [...refused, { text: words().secret, tone: 'dim' }];
  if (before !== null && state !== 'unchanged') return [...refused, ...renderDifference(before, content, columns)];
  return [...refused, ...content.split('\n').flatMap((line) => wrapFileLine(line, columns).map((text) => ({ text })))];
}

/** Only for visible lines: a file may have thousands. */
function coloured(line: TextLine): TextLine {
  return line.tone === undefined ? { ...line, spans: highlightLine(line.text) } : line;
}
