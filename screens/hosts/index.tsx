import type { HostsView } from '../../src/steps/hosts/index.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import { LETTERS } from '../../src/text/letters.ts';
import { Gap } from '../../src/ui/components/label.tsx';
import { Table, tableHeight, wholeTable } from '../../src/ui/components/table.tsx';
import { LogView, type TextLine } from '../../src/ui/components/text-views.tsx';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import { AreaProvider, type Look, useArea, useLook } from '../../src/ui/look.tsx';
import type { Intent } from '../../src/wizard/intents.ts';
import type { StepRun } from '../../src/wizard/live/step-run.ts';
import { scrollBindings } from '../shared/bindings.ts';
import { stepPage } from '../shared/step/step-page.tsx';
import { actingOn, type HostLine, hostColumns, hostLines, hostRow, selectedHost } from './rows.ts';
import { answerCount, answerLines, commandsOf, runLines, saidLines } from './texts.ts';

const words = () => catalogue().screens.hosts;

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
  rowCount: (view) => hostLines(view).length,
  bindings: (view, row, run) => {
    const selected = selectedHost(view, row);
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
    const selected = selectedHost(view, row);
    return selected === undefined || selected.name === null ? [] : selected.commands;
  },
  questionOf: ({ hosts }, subject) =>
    words().copy(subject, hosts.find(({ name }) => name === subject)?.address ?? subject),
  needed: (view, run, now, look) =>
    Math.max(
      ANSWER,
      wholeTable(
        hostColumns(),
        hostLines(view).map((line, index) => hostRow(line, index, look, now, actingOn(run))),
      ),
    ),
  neededRows: (view, run, now, look, columns) => {
    const { listed, commands, answers } = partsOf(view, run, now, look, columns);
    return tableHeight(listed, columns) + 1 + commands.length + answers.length;
  },
  Body: ({ view, run, now }) => <Hosts view={view} run={run} now={now} />,
  help: () => words().help,
});

/** From here, over SSH: the selected host, all of them, and back. */
function setUpBindings({ hosts }: HostsView, selected: HostLine | undefined): Binding<Intent>[] {
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

/** Cells in which what a host answers reads well; a longer line goes on below. */
const ANSWER = 78;

/** What stands on the page: the list, and for the selected host what to type there and what it answers. */
function partsOf(view: HostsView, run: StepRun, now: number, look: Look, width: number) {
  const rows = hostLines(view);
  const selected = selectedHost(view, run.row);
  // While hosts are set up from here, what they say takes the place of what a person would type.
  const acting = actingOn(run);
  const isSettingUp = acting !== null;
  const one = selected === undefined || selected.name === null || isSettingUp ? null : selected;
  const commands =
    one === null ? [] : [...(run.phase === 'looking' ? [] : runLines(one, now, width)), ...commandsOf(one, width)];
  const answers = isSettingUp
    ? saidLines(run, width)
    : selected === undefined
      ? []
      : answerLines(selected, look, width);
  const listed = {
    columns: hostColumns(),
    rows: rows.map((line, index) => hostRow(line, index, look, now, acting)),
    selected: Math.min(run.row, rows.length - 1),
  };
  return { listed, commands, answers, isSettingUp };
}

function Hosts({ view, run, now }: { readonly view: HostsView; readonly run: StepRun; readonly now: number }) {
  const area = useArea();
  const { listed, commands, answers, isSettingUp } = partsOf(view, run, now, useLook(), area.columns);
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
