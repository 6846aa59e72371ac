import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import type { HostsView } from '../../src/steps/hosts/index.ts';
import { Gap } from '../../src/ui/components/select.tsx';
import { measureUncutTable, Table, tableHeight } from '../../src/ui/components/table.tsx';
import { LogView, type TextLine } from '../../src/ui/components/text-views.tsx';
import type { Binding } from '../../src/ui/keys.tsx';
import { AreaProvider, type TerminalStyle, useArea, useTerminalStyle } from '../../src/ui/terminal-style.tsx';

import type { Intent } from '../../src/wizard/intents.ts';
import type { StepRun } from '../../src/wizard/live/step-run.ts';
import { scrollBindings } from '../shared/bindings.ts';
import { createStepScreen } from '../shared/step/step-page.tsx';
import {
  createHostColumns,
  createHostRow,
  getSelectedHost,
  type HostRow,
  listActiveHosts,
  listHostRows,
} from './rows.ts';
import { estimateDetailRows, renderChecks, renderCommands, renderOutput, renderRun } from './texts.ts';

const words = () => catalogue().screens.hosts;

/**
 * The hosts in the order of their setup and, for the selected one, the commands to run and the results of its checks.
 *
 *       Host        State                  Does       Address
 *     ▸ 1. ns1      ✔ answers as designed  DNS, DHCP  172.16.0.102
 *       2. lb1      ◦ to be set up         LB         172.16.0.112
 *
 *     H sets ns1 up from here. By hand, in a terminal here:
 *       scp -r /root/upi-cluster/files/ns1 root@172.16.0.102:
 */
export const hostsScreen = createStepScreen<HostsView>({
  id: 'hosts',
  isWide: true,
  hasOwnInstructions: true,
  maxNotes: 4,
  rowCount: (view) => listHostRows(view).length,
  bindings: (view, row, run) => {
    const selected = getSelectedHost(view, row);
    return [
      ...(run.phase === 'applying' ? [] : createSetUpBindings(view, selected)),
      ...(selected !== undefined && selected.name !== null && selected.canCopy
        ? [
            {
              keys: [SHORTCUTS.overSsh],
              label: words().copyKey(selected.name),
              intent: { type: 'step/ask' as const, action: 'apply-one' as const, subject: selected.name },
            },
          ]
        : []),
      ...scrollBindings(estimateDetailRows(selected)),
    ];
  },
  commands: (view, row) => {
    const selected = getSelectedHost(view, row);
    return selected === undefined || selected.name === null ? [] : selected.commands;
  },
  getQuestion: ({ hosts }, subject) =>
    words().copy(subject, hosts.find(({ name }) => name === subject)?.address ?? subject),
  needed: (view, run, now, style) =>
    Math.max(
      ANSWER_WIDTH,
      measureUncutTable(
        createHostColumns(),
        listHostRows(view).map((line, index) => createHostRow(line, index, style, now, listActiveHosts(run))),
      ),
    ),
  neededRows: (view, run, now, style, columns) => {
    const { listed, commands, answers } = layOutParts(view, run, now, style, columns);
    return tableHeight(listed, columns) + 1 + commands.length + answers.length;
  },
  Body: ({ view, run, now }) => <Hosts view={view} run={run} now={now} />,
  help: () => words().help,
});

/** Actions over SSH from here: set up the selected host, set up all hosts, and undo. */
function createSetUpBindings({ hosts }: HostsView, selected: HostRow | undefined): Binding<Intent>[] {
  const { setUpKey, setUpAllKey, followKey, undoKey } = words();
  const all = hosts.map(({ name }) => name).join(',');
  const createBinding = (
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
      : [createBinding([SHORTCUTS.setUp], isOpen ? followKey(one.name) : setUpKey(one.name), 'set-up', one.name)]),
    ...(hosts.length > 1 ? [createBinding([SHORTCUTS.setUpAll], setUpAllKey, 'set-up', all)] : []),
    // A host on which nothing was put in place has nothing to undo.
    ...(one === null || (one.state === 'open' && one.run === null)
      ? []
      : [createBinding([SHORTCUTS.undo], undoKey(one.name), 'undo', one.name)]),
  ];
}

/** Columns in which the answers of a host are easy to read; a longer line wraps. */
const ANSWER_WIDTH = 78;

/** Lays out the page: the list and, for the selected host, the commands to type and its answers. */
function layOutParts(view: HostsView, run: StepRun, now: number, style: TerminalStyle, width: number) {
  const rows = listHostRows(view);
  const selected = getSelectedHost(view, run.row);
  // While hosts are set up from here, their output replaces the commands to type.
  const activeHosts = listActiveHosts(run);
  const isSettingUp = activeHosts !== null;
  const one = selected === undefined || selected.name === null || isSettingUp ? null : selected;
  const commands =
    one === null ? [] : [...(run.phase === 'looking' ? [] : renderRun(one, now, width)), ...renderCommands(one, width)];
  const answers = isSettingUp
    ? renderOutput(run, width)
    : selected === undefined
      ? []
      : renderChecks(selected, style, width);
  const listed = {
    columns: createHostColumns(),
    rows: rows.map((line, index) => createHostRow(line, index, style, now, activeHosts)),
    selected: Math.min(run.row, rows.length - 1),
  };
  return { listed, commands, answers, isSettingUp };
}

function Hosts({ view, run, now }: { readonly view: HostsView; readonly run: StepRun; readonly now: number }) {
  const area = useArea();
  const { listed, commands, answers, isSettingUp } = layOutParts(view, run, now, useTerminalStyle(), area.columns);
  // The hosts get half of the rows, and more if the text under them is short; but the commands are shown whole.
  const half = Math.max(2, Math.floor(area.rows / 2), area.rows - 1 - commands.length - answers.length);
  const maxTableRows = Math.max(2, Math.min(half, area.rows - 2 - commands.length));
  const tableRows = Math.min(tableHeight(listed, area.columns), maxTableRows);
  const textRows = Math.max(0, area.rows - tableRows - 1);
  return (
    <>
      <Table {...listed} height={tableRows} />
      <Gap />
      {isSettingUp ? (
        <AreaProvider area={{ columns: area.columns, rows: textRows }}>
          <LogView lines={answers} top={null} empty="" />
        </AreaProvider>
      ) : (
        <LogView {...scrollLines([...commands, ...answers], run.top, textRows)} empty="" />
      )}
    </>
  );
}

/** Shows a text from line `top` on, in `height` rows. Lines that do not fit are counted, with the key that reads on. */
function scrollLines(lines: readonly TextLine[], top: number, height: number) {
  const first = Math.min(top, Math.max(0, lines.length - height));
  const hidden = lines.length - first - height;
  const more: TextLine = { text: catalogue().ui.moreLines(hidden + 1), tone: 'accent' };
  const shown = hidden <= 0 ? lines.slice(first) : [...lines.slice(first, first + height - 1), more];
  return { lines: shown, top: 0, height: height };
}
