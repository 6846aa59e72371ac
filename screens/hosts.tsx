import type { ServiceAnswer } from '../src/diagnosis/hosts/services.ts';
import type { HostsView, HostView } from '../src/steps/hosts/index.ts';
import { catalogue } from '../src/text/catalogue.ts';
import { commandLines, proseLines } from '../src/text/command-lines.ts';
import { LETTERS } from '../src/text/letters.ts';
import { cut, wrapLines } from '../src/text/width.ts';
import { Gap } from '../src/ui/components/label.tsx';
import { type Status, statusText, toneOf } from '../src/ui/components/status-mark.tsx';
import { Table, tableHeight, wholeTable } from '../src/ui/components/table.tsx';
import { LogView, type TextLine } from '../src/ui/components/text-views.tsx';
import type { Binding } from '../src/ui/keys/keymap.ts';
import { AreaProvider, type Look, useArea, useLook } from '../src/ui/look.tsx';
import type { Tone } from '../src/ui/theme.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { StepRun } from '../src/wizard/step-run.ts';
import { linesAbout, scrollBindings } from './shared/bindings.ts';
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
 *     H sets ns1 up from here. By hand, in a terminal here:
 *       scp -r /root/upi-cluster/files/ns1 root@172.16.0.102:
 */
export const hostsScreen = stepPage<HostsView>({
  id: 'hosts',
  isWide: true,
  hasOwnInstructions: true,
  mostNotes: 4,
  rowCount: (view) => linesOf(view).length,
  bindings: (view, row, run) => {
    const selected = selectedOf(view, row);
    return [
      ...(run.phase === 'applying' ? [] : setUpBindings(view, selected)),
      ...(selected !== undefined && selected.name !== null && selected.canCopy
        ? [
            {
              keys: [LETTERS.overSsh],
              label: words().copyKey(selected.name),
              intent: { type: 'step/ask' as const, action: 'apply-one' as const, subject: selected.name },
            },
          ]
        : []),
      ...scrollBindings(answerCount(selected)),
    ];
  },
  commands: (view, row) => {
    const selected = selectedOf(view, row);
    return selected === undefined || selected.name === null ? [] : selected.commands;
  },
  questionOf: ({ hosts }, subject) =>
    words().copy(subject, hosts.find(({ name }) => name === subject)?.address ?? subject),
  needed: (view, run, now, look) =>
    Math.max(
      ANSWER,
      wholeTable(
        columns(),
        linesOf(view).map((line, index) => rowOf(line, index, look, now, actingOn(run))),
      ),
    ),
  Body: ({ view, run, now }) => <Hosts view={view} run={run} now={now} />,
  help: () => words().help,
});

/** From here, over SSH: the selected host, all of them, and back. */
function setUpBindings({ hosts }: HostsView, selected: Line | undefined): Binding<Intent>[] {
  const { setUpKey, setUpAllKey, takeUpKey, undoKey } = words();
  const all = hosts.map(({ name }) => name).join(',');
  const ask = (
    keys: readonly string[],
    label: string,
    action: 'set-up' | 'undo',
    subject: string,
  ): Binding<Intent> => ({
    keys,
    label,
    intent: { type: 'step/ask', action, subject },
  });
  const one = selected !== undefined && selected.name !== null ? selected : null;
  const isOpen = one?.run != null && one.run.state !== 'ended';
  return [
    ...(one === null
      ? []
      : [ask([LETTERS.setUp], isOpen ? takeUpKey(one.name) : setUpKey(one.name), 'set-up', one.name)]),
    ...(hosts.length > 1 ? [ask([LETTERS.setUpAll], setUpAllKey, 'set-up', all)] : []),
    // Where nothing was put in place, nothing is to be undone.
    ...(one === null || (one.state === 'open' && one.run === null)
      ? []
      : [ask([LETTERS.undo], undoKey(one.name), 'undo', one.name)]),
  ];
}

/** Lines over commands and answers. */
const TITLES = 4;

/** About as many lines as the commands and answers have; reading on always reaches the last of them. */
function answerCount(line: Line | undefined): number {
  const typed = line === undefined || line.name === null ? [] : line.commands;
  return linesAbout([...typed, ...(line?.checks ?? []).map(({ what, detail }) => `${what}: ${detail}`)]) + TITLES;
}

/** Cells of a name in a sentence about the selected row, which shows it whole. */
const SHORT_NAME = 24;

/** Cells in which what a host answers reads well; a longer line goes on below. */
const ANSWER = 78;

function linesOf({ hosts, others }: HostsView): Line[] {
  return others.length === 0 ? [...hosts] : [...hosts, { name: null, checks: others }];
}

function selectedOf(view: HostsView, row: number): Line | undefined {
  const lines = linesOf(view);
  return lines[Math.min(row, lines.length - 1)];
}

function Hosts({ view, run, now }: { readonly view: HostsView; readonly run: StepRun; readonly now: number }) {
  const area = useArea();
  const look = useLook();
  const rows = linesOf(view);
  const selected = selectedOf(view, run.row);
  // While hosts are set up from here, what they say takes the place of what a person would type.
  const acting = actingOn(run);
  const isSettingUp = acting !== null;
  const one = selected === undefined || selected.name === null || isSettingUp ? null : selected;
  const commands =
    one === null
      ? []
      : [...(run.phase === 'looking' ? [] : runLines(one, now, area.columns)), ...commandsOf(one, area.columns)];
  const answers = isSettingUp
    ? saidLines(run, area.columns)
    : selected === undefined
      ? []
      : answerLines(selected, look, area.columns);
  const listed = {
    columns: columns(),
    rows: rows.map((line, index) => rowOf(line, index, look, now, acting)),
    selected: Math.min(run.row, rows.length - 1),
  };
  // The hosts get half of the rows, and more where the text under them is short; but what is to be typed is whole.
  const half = Math.max(2, Math.floor(area.rows / 2), area.rows - 1 - commands.length - answers.length);
  const most = Math.max(2, Math.min(half, area.rows - 2 - commands.length));
  const table = Math.min(tableHeight(listed, area.columns), most);
  const room = Math.max(0, area.rows - table - 1);
  return (
    <>
      <Table {...listed} height={table} />
      <Gap />
      {isSettingUp ? (
        <AreaProvider area={{ columns: area.columns, rows: room }}>
          <LogView lines={answers} top={null} empty="" />
        </AreaProvider>
      ) : (
        <LogView {...readOn([...commands, ...answers], run.top, room)} empty="" />
      )}
    </>
  );
}

/** A text in so many rows from a line on: what does not fit is counted, with the key that reads on. */
function readOn(lines: readonly TextLine[], top: number, room: number) {
  const first = Math.min(top, Math.max(0, lines.length - room));
  const left = lines.length - first - room;
  const more: TextLine = { text: catalogue().ui.moreLines(left + 1), tone: 'accent' };
  const shown = left <= 0 ? lines.slice(first) : [...lines.slice(first, first + room - 1), more];
  return { lines: shown, top: 0, height: room };
}

const columns = () => [
  { id: 'host', title: words().columns.host, min: 10, max: 24 },
  { id: 'state', title: words().columns.state, min: 21, max: 24 },
  { id: 'address', title: words().columns.address, min: 12, max: 39, priority: 2 },
  { id: 'roles', title: words().columns.roles, min: 8, max: 24, priority: 1 },
];

/** The hosts on which `install.sh` runs from here now, or will in this run; null: on none. */
function actingOn(run: StepRun): readonly string[] | null {
  if (run.phase !== 'applying' || (run.tried.action !== 'set-up' && run.tried.action !== 'undo')) return null;
  const [names = ''] = (run.tried.subject ?? '').split(' ');
  return names.split(',');
}

function rowOf(line: Line, index: number, look: Look, now: number, acting: readonly string[] | null) {
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
  const live = liveState(line, look, now) ?? actedOn(line, look, acting);
  return {
    id: name,
    cells: {
      host: words().host(index + 1, name),
      state: live?.text ?? statusText(STATUS[state], look, words().states[state]),
      roles: roles.join(', '),
      address,
    },
    tones: { state: live?.tone ?? toneOf(STATUS[state]) },
  };
}

/** How a run from here stands: it says more than what the services answer meanwhile. */
function liveState({ run }: HostView, look: Look, now: number) {
  if (run === null || run.state === 'ended') return null;
  const isOpen = run.state === 'open';
  const left = run.revertsAt === null ? null : secondsUntil(run.revertsAt, now);
  const said = !isOpen ? words().running : left === null ? words().unconfirmed : words().revertsIn(left);
  const status = isOpen ? 'warning' : 'running';
  return { text: statusText(status, look, said), tone: toneOf(status) };
}

/** A row is as old as the last look: of a host that is acted on it says that, not how the host was before. */
function actedOn({ name }: HostView, look: Look, acting: readonly string[] | null) {
  if (acting === null || !acting.includes(name)) return null;
  const said = acting.length === 1 ? words().running : words().inThisRun;
  return { text: statusText('running', look, said), tone: toneOf('running') };
}

const secondsUntil = (at: number, now: number) => Math.max(0, Math.ceil((at - now) / 1000));

/** The last run on a host, or the one that goes on there while nobody follows it. */
function runLines({ run }: HostView, now: number, columns: number): TextLine[] {
  if (run === null || run.said === '') return [];
  const left = run.revertsAt === null ? '' : ` (${words().revertsIn(secondsUntil(run.revertsAt, now))})`;
  const text = run.state === 'ended' ? words().run(run.said) : words().runsAlone(`${run.said}${left}`);
  return wrapLines(text, columns).map(
    (line): TextLine => ({ text: line, tone: run.state === 'ended' ? 'text' : 'warn' }),
  );
}

/** What the hosts say while they are set up, the newest last. */
function saidLines({ lines }: StepRun, columns: number): TextLine[] {
  const said = lines.slice(-MOST_SAID).flatMap((text) => hanging(text, columns, ''));
  return [{ text: words().says, tone: 'dim' }, ...said];
}

/** The newest are followed: those before scroll away. */
const MOST_SAID = 100;

/** A text in as many lines as it needs, all but the first a little further in. */
function hanging(text: string, columns: number, indent: string, tone: Tone = 'text'): TextLine[] {
  return proseLines(text, columns, indent + HANG).map(({ text: line, isCommand }, index) => ({
    text: index === 0 ? indent + line.slice(indent.length + HANG.length) : line,
    tone: isCommand ? 'accent' : tone,
  }));
}

const HANG = '  ';

/** The commands for a host, whole; none for one that answers as designed. */
function commandsOf({ name, state, canCopy, commands }: HostView, columns: number): TextLine[] {
  if (commands.length === 0 || state === 'answers') return [];
  const title = canCopy ? words().commands.there(cut(name, SHORT_NAME, '\u2026')) : words().commands.here;
  return [
    ...wrapLines(title, columns).map((text): TextLine => ({ text, tone: 'dim' })),
    ...commands.flatMap((command) =>
      commandLines(command, columns).map((text): TextLine => ({ text, tone: 'accent' })),
    ),
  ];
}

/** The questions to its services and their answers, wrong answers first. */
function answerLines({ name, checks }: Line, look: Look, columns: number): TextLine[] {
  if (checks.length === 0) return [{ text: words().notAsked, tone: 'dim' }];
  const sorted = [...checks].sort((a, b) => Number(a.isOk) - Number(b.isOk));
  return [
    { text: words().asked(cut(name ?? words().others, SHORT_NAME, '\u2026')), tone: 'dim' },
    ...sorted.flatMap(({ what, detail, isOk }) => {
      const text = statusText(isOk ? 'ok' : 'failed', look, words().check(what, detail));
      return hanging(text, columns, '  ', isOk ? 'text' : 'error');
    }),
  ];
}
