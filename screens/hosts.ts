import { catalogue } from '../src/i18n/catalogue.ts';
import { wrapCommand, wrapProse } from '../src/i18n/prose.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { formatTimeOfDay } from '../src/platform/clock.ts';
import { truncate, wrapLines } from '../src/platform/text.ts';
import type { Binding } from '../src/rows/bindings.ts';
import type { Detail } from '../src/rows/list-page.ts';
import type { Tone, Viewport } from '../src/rows/page-rows.ts';
import { formatStatusText, getStatusTone, type Status } from '../src/rows/status.ts';
import type { TableRow } from '../src/rows/table.ts';
import type { TextLine } from '../src/rows/text.ts';
import type { ExternalService, HostsView, HostView } from '../src/steps/hosts/index.ts';
import { parseTarget } from '../src/steps/step-action.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { StepRun } from '../src/wizard/live/step-run.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const STATUS: Readonly<Record<HostView['state'], Status>> = {
  answers: 'ok',
  found: 'ok',
  confirmed: 'pending',
  'files-missing': 'warning',
  // Services may still be restarting.
  wrong: 'running',
  'no-route': 'warning',
  'not-set-up': 'pending',
  outdated: 'warning',
  changed: 'warning',
  stopped: 'warning',
  copied: 'running',
};

/** A row: a host that the wizard can set up, or an external service. */
type HostRow = HostView | (ExternalService & { readonly name: null });

/** Lists the rows: every host, then the services that are not set up from here. */
function listHostRows({ hosts, externalServices }: HostsView): HostRow[] {
  return [...hosts, ...externalServices.map((service) => ({ ...service, name: null }))];
}

/** Returns the selected row; the last one if the list became shorter. */
function getSelectedHostRow(view: HostsView, rowIndex: number): HostRow | undefined {
  const rows = listHostRows(view);
  return rows[Math.min(rowIndex, rows.length - 1)];
}

/** Whether nothing is known to be set up on the host or for the service. Its failed checks then count as pending. */
const isNotSetUpYet = (row: HostRow) => (row.name === null ? row.checks.every(({ isOk }) => !isOk) : !row.isSetUp);

/**
 * Whether a failed check is a fault. On a host: it is set up, and its files are not merely copied. For an external
 * service: another check passes.
 */
const isFailedCheckFault = (row: HostRow) => !isNotSetUpYet(row) && (row.name === null || row.state !== 'copied');

const hasFailedCheck = ({ checks }: HostRow) => checks.some(({ isOk }) => !isOk);

const createHostColumns = () => [
  { id: 'host', title: words().columns.host, minWidth: 10, maxWidth: 24 },
  { id: 'state', title: words().columns.state, minWidth: 21, maxWidth: 24 },
  { id: 'address', title: words().columns.address, minWidth: 12, maxWidth: 39, priority: 2 },
  { id: 'roles', title: words().columns.roles, minWidth: 8, maxWidth: 24, priority: 1 },
];

/**
 * Lists the hosts on which the current action runs `install.sh` over SSH, now or later; null if no such action runs.
 */
function listActiveHosts(run: StepRun): readonly string[] | null {
  if (run.phase !== 'applying' || (run.attempt.action !== 'set-up' && run.attempt.action !== 'undo')) return null;
  const target = parseTarget('hosts', run.attempt.subject ?? '');
  return target.kind === 'hosts' ? target.names : [];
}

/** Creates a row of the table. `activeHosts`: the hosts that this run changes. */
function createHostTableRow(
  row: HostRow,
  index: number,
  viewport: Viewport,
  now: number,
  activeHosts: readonly string[] | null,
): TableRow {
  if (row.name === null) {
    const status = row.checks.every(({ isOk }) => isOk) ? 'ok' : isNotSetUpYet(row) ? 'pending' : 'failed';
    return {
      id: row.role,
      cells: {
        host: words().external[row.role].name,
        state: formatStatusText(status, viewport, words().states[status === 'ok' ? 'answers' : 'wrong']),
        roles: row.role,
        address: row.addresses[0] ?? '',
      },
      tones: { state: getStatusTone(status) },
    };
  }
  const { name, state, roles, address } = row;
  const activity = describeInstallRun(row, viewport, now) ?? describeActiveHost(row, viewport, activeHosts);
  return {
    id: name,
    cells: {
      host: words().host(index + 1, name),
      state: activity?.text ?? formatStatusText(STATUS[state], viewport, words().states[state]),
      roles: roles.join(', '),
      address,
    },
    tones: { state: activity?.tone ?? getStatusTone(STATUS[state]) },
  };
}

/** Describes a run of `install.sh` that was started here. Until it ends, its state is more precise than the checks. */
function describeInstallRun({ run: installRun }: HostView, viewport: Viewport, now: number) {
  if (installRun === null || installRun.state === 'ended') return null;
  const isUnconfirmed = installRun.state === 'open';
  const secondsLeft = installRun.revertsAt === null ? null : computeSecondsUntil(installRun.revertsAt, now);
  const label = !isUnconfirmed
    ? words().running
    : secondsLeft === null
      ? words().unconfirmed
      : words().revertsIn(secondsLeft);
  const status = isUnconfirmed ? 'warning' : 'running';
  return { text: formatStatusText(status, viewport, label), tone: getStatusTone(status) };
}

/** Between probes, shows "running" for a host that this run changes, instead of its outdated state. */
function describeActiveHost({ name }: HostView, viewport: Viewport, activeHosts: readonly string[] | null) {
  if (activeHosts === null || !activeHosts.includes(name)) return null;
  const label = activeHosts.length === 1 ? words().running : words().inThisRun;
  return { text: formatStatusText('running', viewport, label), tone: getStatusTone('running') };
}

/** Whole seconds from now (both ms of the clock), never below 0. */
const computeSecondsUntil = (at: number, now: number) => Math.max(0, Math.ceil((at - now) / 1000));

/** Columns of a host name in a sentence. The selected row shows the full name. */
const MAX_NAME_COLUMNS = 24;

/**
 * Renders the last run on a host, or the run that still continues there unattended.
 * @param now ms of the clock
 */
function renderInstallRun({ run: installRun }: HostView, now: number, columns: number): TextLine[] {
  if (installRun === null || installRun.statusText === '') return [];
  const revertNote =
    installRun.revertsAt === null ? '' : ` (${words().revertsIn(computeSecondsUntil(installRun.revertsAt, now))})`;
  const text =
    installRun.state === 'ended'
      ? words().lastRun(installRun.statusText)
      : words().unattendedRun(`${installRun.statusText}${revertNote}`);
  return wrapLines(text, columns).map(
    (line): TextLine => ({ text: line, tone: installRun.state === 'ended' ? 'text' : 'warn' }),
  );
}

/** Renders the output of the hosts during their setup, newest line last. */
function renderOutput({ lines }: StepRun, columns: number): TextLine[] {
  const output = lines.slice(-MAX_OUTPUT_LINES).flatMap((text) => wrapHanging(text, columns, ''));
  return [{ text: words().outputHeading, tone: 'muted' }, ...output];
}

/** Only the newest lines are shown; older ones scroll out of view. */
const MAX_OUTPUT_LINES = 100;

/** Wraps a text with a hanging indent: every line but the first is indented further. */
function wrapHanging(text: string, columns: number, indent: string, tone: Tone = 'text'): TextLine[] {
  return wrapProse(text, columns, indent + HANGING_INDENT).map(({ text: line, isCommand }, index) => ({
    text: index === 0 ? indent + line.slice(indent.length + HANGING_INDENT.length) : line,
    tone: isCommand ? 'accent' : tone,
  }));
}

const HANGING_INDENT = '  ';

/** Renders the commands for a host, untruncated; none if the host answers as designed. */
function renderCommands({ name, state, canCopy, commands }: HostView, columns: number): TextLine[] {
  if (commands.length === 0 || state === 'answers') return [];
  const title = canCopy ? words().commands.remote(truncate(name, MAX_NAME_COLUMNS, '\u2026')) : words().commands.local;
  return [
    ...wrapLines(title, columns).map((text): TextLine => ({ text, tone: 'muted' })),
    ...commands.flatMap((command) => wrapCommand(command, columns).map((text): TextLine => ({ text, tone: 'accent' }))),
  ];
}

/** Renders which services of a host that is set up run there; if unknown, the command that shows them. */
function renderServices({ name, isSetUp, services, verifyCommand }: HostView, columns: number): TextLine[] {
  if (!isSetUp) return [];
  const { running, none, unknown } = words().services;
  if (services === null) return wrapHanging(unknown(verifyCommand), columns, '', 'muted');
  const time = formatTimeOfDay(services.at);
  const activeUnits = services.units.filter(({ isActive }) => isActive).map((unit) => unit.name);
  return [
    ...wrapHanging(activeUnits.length === 0 ? none(time) : running(activeUnits, time), columns, ''),
    ...services.units
      .filter(({ isActive }) => !isActive)
      .flatMap((unit) => {
        const { title, remedy } = catalogue().hosts.unitStopped(unit.name, name);
        return wrapHanging(`${title}. ${remedy}`, columns, '', 'warn');
      }),
  ];
}

/** Renders the names of files on the host that differ from the generated ones. */
function renderChangedFiles({ changedFiles }: HostView, columns: number): TextLine[] {
  if (changedFiles.length === 0) return [];
  return wrapHanging(words().changedFiles(changedFiles.join(', ')), columns, '', 'warn');
}

/** Renders what the administrators of a service enter; nothing if it answers as designed. */
function renderEntries(
  { role, filesDir, isEnteredAutomatically, checks }: ExternalService,
  columns: number,
): TextLine[] {
  if (checks.every(({ isOk }) => isOk)) return [];
  const { enteredAutomatically, enter, command } = words().external[role];
  if (isEnteredAutomatically)
    return wrapLines(enteredAutomatically, columns).map((text): TextLine => ({ text, tone: 'text' }));
  return [
    ...wrapLines(enter(filesDir), columns).map((text): TextLine => ({ text, tone: 'text' })),
    ...(command === null
      ? []
      : wrapCommand(command(filesDir), columns).map((text): TextLine => ({ text, tone: 'accent' }))),
  ];
}

/** Renders the checks of a host's services with their results, failed checks first. */
function renderChecks(row: HostRow, viewport: Viewport, columns: number): TextLine[] {
  const { checks } = row;
  const name = row.name ?? words().external[row.role].name;
  if (checks.length === 0) return wrapLines(words().noQueries, columns).map((text) => ({ text, tone: 'muted' }));
  const sortedChecks = [...checks].sort((a, b) => Number(a.isOk) - Number(b.isOk));
  const isPending = isNotSetUpYet(row);
  const heading = isPending && row.name !== null ? words().notSetUpHeading : words().answersHeading;
  const [status, tone] = isPending ? (['pending', 'muted'] as const) : (['failed', 'error'] as const);
  return [
    { text: heading(truncate(name, MAX_NAME_COLUMNS, '\u2026')), tone: 'muted' },
    ...sortedChecks.flatMap(({ isOk, ...check }) => {
      const text = formatStatusText(isOk ? 'ok' : status, viewport, formatCheck(check));
      return wrapHanging(text, columns, '  ', isOk ? 'text' : tone);
    }),
  ];
}

/** Formats a check and its answer. A sentence that names what was queried needs no heading. */
function formatCheck({ queryText, detail }: Pick<HostView['checks'][number], 'queryText' | 'detail'>): string {
  const [, host, port] = /^(.*):(\d+)$/.exec(queryText) ?? [];
  const endpoint = host === undefined ? queryText : catalogue().bastion.probe.hostAndPort(host, Number(port));
  if (detail.startsWith(`${endpoint} `)) return `${queryText}${detail.slice(endpoint.length)}`;
  return detail.split(' ').includes(queryText) ? detail : words().check(queryText, detail);
}

const words = () => catalogue().screens.hosts;

/**
 * The hosts in the order of their setup and, for the selected one, the commands to run and the results of its checks.
 *
 *       Host        State                  Address       Roles
 *     ▸ 1. ns1      ✔ answers as designed  172.16.0.102  DNS, DHCP
 *       2. lb1      ◦ to be set up         172.16.0.112  LB
 *
 *     H sets ns1 up from here. By hand, in a terminal here:
 *       scp -r /root/upi-cluster/files/ns1 root@172.16.0.102:
 */
export const hostsScreen = createStepScreen<HostsView>({
  id: 'hosts',
  watchesSite: true,
  hasOwnInstructions: true,
  isListFirst: true,
  maxNotes: 4,
  probingLine: (view) =>
    words().checking(
      listHostRows(view)
        .map((row) => row.name ?? words().external[row.role].name)
        .join(', '),
    ),
  rowCount: (view) => listHostRows(view).length,
  // Selects the first host that does not answer as designed, once its services are awaited or it is set up; else the
  // first host that has another problem, such as a changed file.
  firstRow: (view, { phase }) => {
    const rows = listHostRows(view);
    const failedRow = rows.findIndex((row) => hasFailedCheck(row) && (phase === 'watching' || isFailedCheckFault(row)));
    const hasProblem = (row: HostRow) => row.name !== null && STATUS[row.state] === 'warning';
    return Math.max(0, failedRow >= 0 ? failedRow : rows.findIndex(hasProblem));
  },
  bindings: (view, rowIndex, run) => {
    const selectedHostRow = getSelectedHostRow(view, rowIndex);
    return [
      ...(run.phase === 'applying' ? [] : createSetUpBindings(view, selectedHostRow)),
      ...(selectedHostRow !== undefined && selectedHostRow.name !== null && selectedHostRow.canCopy
        ? [
            {
              keys: [SHORTCUTS.installOverSsh],
              label: words().copyKey(selectedHostRow.name),
              shortLabel: words().copyShort,
              intent: { type: 'step/ask' as const, action: 'apply-one' as const, subject: selectedHostRow.name },
            },
          ]
        : []),
    ];
  },
  commands: (view, rowIndex) => {
    const selectedHostRow = getSelectedHostRow(view, rowIndex);
    return selectedHostRow === undefined || selectedHostRow.name === null ? [] : selectedHostRow.commands;
  },
  getQuestion: ({ hosts }, subject) =>
    words().copy(subject, hosts.find(({ name }) => name === subject)?.address ?? subject),
  tableRows(view, run, now, viewport) {
    const activeHosts = listActiveHosts(run);
    return listHostRows(view).map((row, index) => createHostTableRow(row, index, viewport, now, activeHosts));
  },
  body: (view, run, now, viewport, rows) => ({
    list: {
      table: {
        columns: createHostColumns(),
        rows,
        selectedIndex: Math.min(run.row, rows.length - 1),
        filter: run.filter,
      },
      details: [
        {
          ...createDetail(view, run, now, viewport),
          countLines: (columns, rowIndex) =>
            createDetail(view, { ...run, row: rowIndex }, now, viewport).renderLines(columns, 0).length,
        },
      ],
    },
  }),
  help: () => words().help,
});

/** Creates the keys for actions over SSH: set up the selected host, set up all hosts, and undo. */
function createSetUpBindings({ hosts }: HostsView, selectedHostRow: HostRow | undefined): Binding<Intent>[] {
  const { setUpKey, setUpShort, setUpAllKey, setUpAllShort, followKey, followShort, undoKey, undoShort } = words();
  const allHostsSubject = hosts.map(({ name }) => name).join(',');
  const createBinding = (
    keys: readonly string[],
    label: string,
    shortLabel: string,
    action: 'set-up' | 'undo',
    subject: string,
  ): Binding<Intent> => ({
    keys,
    label,
    shortLabel,
    intent: { type: 'step/ask', action, subject },
  });
  const selectedHost = selectedHostRow !== undefined && selectedHostRow.name !== null ? selectedHostRow : null;
  const hasUnfinishedRun = selectedHost?.run != null && selectedHost.run.state !== 'ended';
  return [
    ...(selectedHost === null
      ? []
      : [
          createBinding(
            [SHORTCUTS.setUp],
            hasUnfinishedRun ? followKey(selectedHost.name) : setUpKey(selectedHost.name),
            hasUnfinishedRun ? followShort : setUpShort,
            'set-up',
            selectedHost.name,
          ),
        ]),
    ...(hosts.length > 1
      ? [createBinding([SHORTCUTS.setUpAll], setUpAllKey, setUpAllShort, 'set-up', allHostsSubject)]
      : []),
    // On a host that was never set up, there is nothing to undo.
    ...(selectedHost === null || (selectedHost.state === 'not-set-up' && selectedHost.run === null)
      ? []
      : [createBinding([SHORTCUTS.undo], undoKey(selectedHost.name), undoShort, 'undo', selectedHost.name)]),
  ];
}

/** Creates the detail of the selected host: the commands to type, and what its services answer. */
function createDetail(view: HostsView, run: StepRun, now: number, viewport: Viewport): Detail {
  const selectedHostRow = getSelectedHostRow(view, run.row);
  // While hosts are set up from here, their output replaces the commands to type.
  if (listActiveHosts(run) !== null) return { renderLines: (columns) => renderOutput(run, columns), top: null };
  const selectedHost = selectedHostRow === undefined || selectedHostRow.name === null ? null : selectedHostRow;
  const renderLines = (columns: number) => [
    ...(selectedHost === null || run.phase === 'probing' ? [] : renderInstallRun(selectedHost, now, columns)),
    ...(selectedHost === null ? [] : renderChangedFiles(selectedHost, columns)),
    ...(selectedHost?.services ? renderServices(selectedHost, columns) : []),
    ...(selectedHost === null ? [] : renderCommands(selectedHost, columns)),
    ...(selectedHostRow?.name === null ? renderEntries(selectedHostRow, columns) : []),
    ...(selectedHostRow === undefined ? [] : renderChecks(selectedHostRow, viewport, columns)),
    // Unknown services come last: their only line is the command that shows them.
    ...(selectedHost?.services === null ? renderServices(selectedHost, columns) : []),
  ];
  return { renderLines, top: run.top };
}
