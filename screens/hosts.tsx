import type { ServiceAnswer } from '../src/diagnosis/hosts/services.ts';
import type { HostsView, HostView } from '../src/steps/hosts/index.ts';
import { catalogue } from '../src/text/catalogue.ts';
import { commandLines } from '../src/text/command-lines.ts';
import { LETTERS } from '../src/text/letters.ts';
import { Gap, Label, Row } from '../src/ui/components/label.tsx';
import { type Status, statusText, toneOf } from '../src/ui/components/status-mark.tsx';
import { Table, tableHeight, wholeTable } from '../src/ui/components/table.tsx';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import { AreaProvider, type Look, useArea, useLook } from '../src/ui/look.tsx';
import type { StepRun } from '../src/wizard/step-run.ts';
import { scrollBindings } from './shared/bindings.ts';
import { stepPage } from './shared/step-page.tsx';

const words = () => catalogue().screens.hosts;
const STATUS: Readonly<Record<HostView['state'], Status>> = {
  answers: 'ok',
  found: 'ok',
  said: 'pending',
  unfound: 'warning',
  wrong: 'running',
  open: 'pending',
  outdated: 'warning',
  copied: 'running',
};
/** A row: a host, or everything that others set up. */
type Line = HostView | { readonly name: null; readonly checks: readonly ServiceAnswer[] };

/**
 * The hosts in the order of their setup and, for the selected one, what to run there and what it answers.
 *
 *       Host        State                  Does       Address
 *     ▸ 1. ns1      ✔ answers as designed  DNS, DHCP  172.16.0.102
 *       2. lb1      ◦ to be set up         LB         172.16.0.112
 *
 *     For ns1, in a terminal here:
 *       scp -r /root/upi-cluster/files/ns1 root@172.16.0.102:
 */
export const hostsScreen = stepPage<HostsView>({
  id: 'hosts',
  isWide: true,
  hasOwnInstructions: true,
  mostNotes: 4,
  rowCount: (view) => linesOf(view).length,
  bindings: (view, row) => {
    const selected = selectedOf(view, row);
    return [
      ...(selected !== undefined && selected.name !== null && selected.canCopy
        ? [
            {
              keys: [LETTERS.overSsh],
              label: words().copyKey(selected.name),
              intent: { type: 'step/ask' as const, action: 'apply-one' as const, subject: selected.name },
            },
          ]
        : []),
      ...scrollBindings(selected?.checks.length ?? 0),
    ];
  },
  commands: (view, row) => {
    const selected = selectedOf(view, row);
    return selected === undefined || selected.name === null ? [] : selected.commands;
  },
  questionOf: ({ hosts }, subject) =>
    words().copy(subject, hosts.find(({ name }) => name === subject)?.address ?? subject),
  needed: (view, _run, _now, look) =>
    wholeTable(
      columns(),
      linesOf(view).map((line, index) => rowOf(line, index, look)),
    ),
  Body: ({ view, run }) => <Hosts view={view} run={run} />,
  help: () => words().help,
});

function linesOf({ hosts, others }: HostsView): Line[] {
  return others.length === 0 ? [...hosts] : [...hosts, { name: null, checks: others }];
}

function selectedOf(view: HostsView, row: number): Line | undefined {
  const lines = linesOf(view);
  return lines[Math.min(row, lines.length - 1)];
}

function Hosts({ view, run }: { readonly view: HostsView; readonly run: StepRun }) {
  const area = useArea();
  const look = useLook();
  const rows = linesOf(view);
  const selected = selectedOf(view, run.row);
  const commands = selected === undefined || selected.name === null ? [] : commandsOf(selected, area.columns);
  const answers = selected === undefined ? [] : answerLines(selected, look);
  const listed = {
    columns: columns(),
    rows: rows.map((line, index) => rowOf(line, index, look)),
    selected: Math.min(run.row, rows.length - 1),
  };
  // The hosts get half of the rows, and more where the text under them is short; but what is to be typed is whole.
  const half = Math.max(2, Math.floor(area.rows / 2), area.rows - 1 - commands.length - answers.length);
  const most = Math.max(2, Math.min(half, area.rows - 1 - commands.length));
  const table = Math.min(tableHeight(listed, area.columns), most);
  const room = Math.max(0, area.rows - table - 1 - commands.length);
  return (
    <>
      <Table {...listed} height={table} />
      <Gap />
      {commands.map(({ text, tone }) => (
        <Row key={text}>
          <Label {...(tone ? { tone } : {})}>{text}</Label>
        </Row>
      ))}
      <AreaProvider area={{ columns: area.columns, rows: room }}>
        <LogView lines={answers} top={Math.min(run.top, Math.max(0, answers.length - room))} empty="" />
      </AreaProvider>
    </>
  );
}

const columns = () => [
  { id: 'host', title: words().columns.host, min: 10, max: 24 },
  { id: 'state', title: words().columns.state, min: 21, max: 24 },
  { id: 'address', title: words().columns.address, min: 12, max: 39, priority: 2 },
  { id: 'roles', title: words().columns.roles, min: 8, max: 24, priority: 1 },
];

function rowOf(line: Line, index: number, look: Look) {
  if (line.name === null) {
    const status = line.checks.every(({ isOk }) => isOk) ? 'ok' : 'failed';
    return {
      id: '',
      cells: {
        host: words().others,
        state: statusText(status, look, words().states[status === 'ok' ? 'answers' : 'wrong']),
        roles: '',
        address: '',
      },
      tones: { state: toneOf(status) },
    };
  }
  const { name, state, roles, address } = line;
  return {
    id: name,
    cells: {
      host: words().host(index + 1, name),
      state: statusText(STATUS[state], look, words().states[state]),
      roles: roles.join(', '),
      address,
    },
    tones: { state: toneOf(STATUS[state]) },
  };
}

/** The commands for a host, whole. */
function commandsOf({ name, canCopy, commands }: HostView, columns: number): TextLine[] {
  if (commands.length === 0) return [];
  const title = canCopy ? words().commands.there(name) : words().commands.here;
  return [
    { text: title, tone: 'dim' },
    ...commands.flatMap((command) =>
      commandLines(command, columns).map((text): TextLine => ({ text, tone: 'accent' })),
    ),
  ];
}

/** The questions to its services and their answers, wrong answers first. */
function answerLines({ name, checks }: Line, look: Look): TextLine[] {
  if (checks.length === 0) return [{ text: words().notAsked, tone: 'dim' }];
  const sorted = [...checks].sort((a, b) => Number(a.isOk) - Number(b.isOk));
  return [
    { text: words().asked(name ?? words().others), tone: 'dim' },
    ...sorted.map(({ what, detail, isOk }): TextLine => {
      const status = isOk ? 'ok' : 'failed';
      return { text: `  ${statusText(status, look, words().check(what, detail))}`, tone: isOk ? 'text' : 'error' };
    }),
  ];
}
