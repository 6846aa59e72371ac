import { SIGN_MINUTES } from '../src/checks/boot/timeline.ts';
import type { Finding } from '../src/checks/check.ts';
import { isWorker } from '../src/design/derived-facts.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { formatTimeOfDay } from '../src/platform/clock.ts';
import { fitToWidth, getDisplayWidth, wrapBeside, wrapLines } from '../src/platform/text.ts';
import { type Detail, MIN_COLUMNS_FOR_TWO } from '../src/rows/list-page.ts';
import type { Viewport } from '../src/rows/page-rows.ts';
import { formatStatusText } from '../src/rows/status.ts';
import type { TableRow } from '../src/rows/table.ts';
import type { TextLine } from '../src/rows/text.ts';
import type { BootView } from '../src/steps/shared/machines/boot-progress.ts';
import { formatTarget, parseTarget } from '../src/steps/step-action.ts';
import { type BarScale, formatBarTitle, formatBootBar, getBarScale } from './shared/boot-bars.ts';
import { createSkipBinding } from './shared/step/step-bindings.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const words = () => catalogue().screens.boot;

/** Shows the machines, each with the boot stage that its requests show. */
export const bootScreen = createStepScreen<BootView>({
  id: 'boot',
  watchesSite: true,
  isIntroOptional: true,
  rowCount: ({ nodes }) => nodes.length,
  // Selects the first node that is lost, else the first machine with a problem, the worst first.
  firstRow: ({ nodes }, { probe }) => {
    const problems = (probe?.findings ?? []).filter(({ state }) => state === 'failed');
    const isFatal = ({ severity }: Finding) => severity === 'fatal';
    const subjects = problems.toSorted((a, b) => Number(isFatal(b)) - Number(isFatal(a))).map(({ subject }) => subject);
    const index = subjects.map((subject) => nodes.findIndex(({ name }) => name === subject)).find((row) => row >= 0);
    const lostIndex = nodes.findIndex(({ isLost }) => isLost);
    return lostIndex >= 0 ? lostIndex : (index ?? 0);
  },
  bindings: ({ nodes, servedIgnitionFiles }, row, { phase, probe }) => {
    const isHidden = (probe?.findings ?? []).length === 0;
    const selectedNode = nodes[Math.min(row, nodes.length - 1)];
    // A worker can be reinstalled on its own, because it joins a running control plane. A lost etcd member is replaced.
    const canReinstall =
      selectedNode &&
      (isWorker(selectedNode)
        ? selectedNode.stage === 'ready' || selectedNode.wasReady === true || selectedNode.isMarkedReinstalled
        : selectedNode.isLost);
    // Enter waits for every machine. This key continues anyway: a machine that boots from an ISO may send no request
    // here, and the bootstrap can continue without one machine.
    const nextBindings = phase === 'watching' ? [{ ...createSkipBinding(), isHidden }] : [];
    if (!selectedNode || phase === 'applying') return nextBindings;
    const createAskIntent = (subject: string) => ({ type: 'step/ask' as const, action: 'apply-one' as const, subject });
    const { unmarkReinstalled, markReinstalled, keepMember, replaceMember, denyIgnition, allowIgnition } =
      catalogue().screens.keys;
    const { denyIgnitionShort, allowIgnitionShort } = catalogue().screens.keys;
    const [markLabel, unmarkLabel] = isLostMember(selectedNode)
      ? [replaceMember, keepMember]
      : [markReinstalled, unmarkReinstalled];
    const reinstallBinding = {
      keys: [SHORTCUTS.markReinstalled],
      label: selectedNode.isMarkedReinstalled ? unmarkLabel : markLabel,
      intent: createAskIntent(selectedNode.name),
    };
    const isServed = servedIgnitionFiles.some((file) => file.nodes.includes(selectedNode.name));
    const ignitionBinding = {
      keys: [SHORTCUTS.toggleIgnitionAccess],
      label: selectedNode.isDenied ? allowIgnition : denyIgnition,
      shortLabel: selectedNode.isDenied ? allowIgnitionShort : denyIgnitionShort,
      intent: createAskIntent(formatTarget({ kind: 'ignition', node: selectedNode.name })),
    };
    // The network test is offered only before the first machine is powered on.
    const isNetworkTestRunning = nodes.every(({ isDenied }) => isDenied);
    const canTestNetwork = nodes.every(({ poweredOnAt }) => poweredOnAt === null);
    const networkTestBinding = {
      keys: [SHORTCUTS.testNetworkFirst],
      label: isNetworkTestRunning ? catalogue().screens.keys.endNetworkTest : catalogue().screens.keys.testNetworkFirst,
      intent: createAskIntent(formatTarget({ kind: 'network-test' })),
    };
    return [
      ...nextBindings,
      ...(canTestNetwork ? [networkTestBinding] : []),
      ...(canReinstall ? [reinstallBinding] : []),
      ...(isServed || selectedNode.isDenied ? [ignitionBinding] : []),
    ];
  },
  getQuestion: ({ nodes }, subject) => {
    const target = parseTarget('boot', subject);
    if (target.kind === 'network-test') {
      const { question, details, again } = words().testNetworkFirst;
      return nodes.every(({ isDenied }) => isDenied) ? { question: again, details: [] } : { question, details };
    }
    if (target.kind === 'ignition') {
      const { node: name } = target;
      const isDenied = nodes.find((node) => node.name === name)?.isDenied ?? false;
      const { end, again, details } = words().ignition;
      return isDenied ? { question: again(name), details: [] } : { question: end(name), details };
    }
    const node = nodes.find(({ name }) => name === subject);
    const isMarked = node?.isMarkedReinstalled ?? false;
    if (node !== undefined && isLostMember(node)) {
      const { revert, question, details } = words().replacement;
      return isMarked
        ? { question: revert(subject), details: [] }
        : { question: question(subject), details: details(nodes.find(({ isLost: lost }) => !lost)?.address ?? '') };
    }
    return isMarked
      ? { question: words().reinstall.revert(subject), details: [] }
      : { question: words().reinstall.question(subject), details: words().reinstall.details(subject) };
  },
  isListFirst: true,
  tableRows: ({ nodes }, { phase }, probedAt, viewport) => {
    const now = phase === 'done' ? null : probedAt;
    const scale = getTableBarScale(nodes, now, viewport);
    return nodes.map((node) => toTableRow(node, viewport, now, scale));
  },
  body: (view, run, probedAt, viewport, rows) => {
    // Once the step is done, the table shows the time of each machine's last request, because that stays true.
    const now = run.phase === 'done' ? null : probedAt;
    const scale = getTableBarScale(view.nodes, now, viewport);
    const table = {
      columns: getTableColumns(now, scale),
      rows,
      selectedIndex: Math.min(run.row, view.nodes.length - 1),
      filter: run.filter,
    };
    const details = createDetails(view, table.selectedIndex, now, scale !== null, run.top, viewport);
    const hasEvents = hasLargeWindow(viewport);
    return {
      list: { table, details: hasEvents && details.length === 1 ? [...details, ...createEvents(view)] : details },
    };
  },
  help: () => words().help,
});

const isLostMember = (node: BootView['nodes'][number]) => node.isLost && !isWorker(node);

/**
 * Creates the details of a table: the selected machine, hosts that cannot be read, and served ignition files. The steps
 * of a replacement, or else the checks before machines join a running cluster, come first.
 */
function createDetails(
  view: BootView,
  selectedRow: number,
  now: number | null,
  hasBars: boolean,
  top: number,
  viewport: Viewport,
): Detail[] {
  const { checks, servedIgnitionFiles, nodes, unavailableHostLines } = view;
  const node = nodes[selectedRow];
  const isLarge = hasLargeWindow(viewport);
  const renderLines = (columns: number): TextLine[] => [
    ...(node === undefined || !isLarge ? [] : renderSignTable(node, now, viewport)),
    ...[
      ...(node === undefined
        ? []
        : renderBootTimeline(node, now, columns).slice(isLarge && node.timeline.signs.length > 0 ? 1 : 0)),
      ...unavailableHostLines,
      ...servedIgnitionFiles.map(({ line }) => line),
      ...(hasBars ? [words().bars.legend] : []),
    ]
      .flatMap((line) => wrapLines(line, columns))
      .map((text): TextLine => ({ text, tone: 'muted' })),
  ];
  const details = { renderLines, top };
  if (view.replacement)
    return [
      {
        title: catalogue().steps.boot.replacement.title(view.replacement.node),
        renderLines: (columns) => renderReplacement(view.replacement, viewport, columns),
        top,
      },
      { ...details, top: 0 },
    ];
  return checks.length === 0
    ? [details]
    : [
        { title: words().checks.title, renderLines: (columns) => renderChecks(checks, viewport, columns), top },
        { ...details, top: 0 },
      ];
}

/** From this height on, the signs of all machines are shown as one log. */
const EVENTS_WINDOW_ROWS = 32;

const hasLargeWindow = ({ terminalColumns, rows }: Viewport) =>
  terminalColumns >= MIN_COLUMNS_FOR_TWO && rows >= EVENTS_WINDOW_ROWS;

/**
 * Renders each sign of a machine in a row: the observed ones with their times, the next one, and the later ones with
 * the time that each usually takes.
 *
 *     m2
 *     ✔ address                     11:50
 *     ▸ TFTP                        usually within 1 min
 */
function renderSignTable(
  { name, isLost, timeline: { signs, next, later = [] } }: BootView['nodes'][number],
  now: number | null,
  viewport: Viewport,
): TextLine[] {
  const { signs: names } = catalogue().steps.boot;
  const width = Math.max(...Object.values(names).map(getDisplayWidth)) + 4;
  const toLine = (
    status: 'ok' | 'running' | 'warning' | 'pending',
    sign: keyof typeof names,
    note: string,
  ): TextLine => ({
    text: `${fitToWidth(formatStatusText(status, viewport, names[sign]), width, '')}${note}`.trimEnd(),
    tone: status === 'ok' ? 'text' : STATUS_TONES[status],
  });
  const isOver = now === null || isLost;
  return [
    { text: name, tone: 'accent' },
    ...signs.map(({ sign, at }) => toLine('ok', sign, at === null ? '' : formatTimeOfDay(at))),
    ...(next === null || isOver
      ? []
      : [toLine(next.isSlow ? 'warning' : 'running', next.sign, timelineWords().usual(SIGN_MINUTES[next.sign].usual))]),
    ...(isOver ? [] : later.map((sign) => toLine('pending', sign, timelineWords().usual(SIGN_MINUTES[sign].usual)))),
    { text: '' },
  ];
}

/** Creates the log of what was observed of all machines, newest first: `12:01  m1  boot script`. */
function createEvents({ nodes }: BootView): Detail[] {
  const { signs } = catalogue().steps.boot;
  const width = Math.max(0, ...nodes.map(({ name }) => getDisplayWidth(name)));
  const events = nodes
    .flatMap(({ name, timeline }) =>
      timeline.signs.flatMap(({ sign, at }) => (at === null ? [] : [{ name, sign, at }])),
    )
    .toSorted((a, b) => b.at - a.at);
  const toLine = ({ name, sign, at }: (typeof events)[number]): TextLine => ({
    text: `${formatTimeOfDay(at)}  ${fitToWidth(name, width, '')}  ${signs[sign]}`,
  });
  return events.length === 0
    ? []
    : [{ title: words().events, renderLines: () => events.map(toLine), top: 0, isFixed: true, isLog: true }];
}

/**
 * Renders the steps that replace a lost control plane node, then their checks:
 *
 *     ✔ remove it from etcd
 *     ◦ turn off the quorum guard of etcd
 *     ✔ the other members keep the quorum
 */
function renderReplacement(replacement: BootView['replacement'], viewport: Viewport, columns: number): TextLine[] {
  if (replacement === undefined) return [];
  const stepStatuses = { done: 'ok', next: 'running', later: 'pending' } as const;
  const steps = replacement.steps.flatMap(({ id, state }) => {
    const text = formatStatusText(stepStatuses[state], viewport, catalogue().steps.boot.replacement.steps[id]);
    return wrapStatus(text, STATUS_TONES[stepStatuses[state]], columns);
  });
  return [...steps, ...renderChecks(replacement.checks, viewport, columns)];
}

/**
 * Renders each check with its cause, if it has one:
 *
 *     ✘ i5: something answers at its …: 172.16.0.45 port 22
 *     ✔ the API answers
 */
function renderChecks(checks: BootView['checks'], viewport: Viewport, columns: number): TextLine[] {
  return checks.flatMap(({ state, severity, title, cause }) => {
    const status = state === 'failed' && severity === 'warning' ? 'warning' : state;
    const text = formatStatusText(CHECK_STATUS[status], viewport, cause === '' ? title : `${title}: ${cause}`);
    return wrapStatus(text, CHECK_TONES[status], columns);
  });
}

/** Wraps a line that begins with a status mark; continuation lines are indented by the width of the mark. */
function wrapStatus(text: string, tone: TextLine['tone'], columns: number): TextLine[] {
  return wrapBeside('  ', text, columns).map((line, index) => ({ text: index === 0 ? line.trimStart() : line, tone }));
}

const CHECK_STATUS = {
  ok: 'ok',
  failed: 'failed',
  warning: 'warning',
  pending: 'pending',
  unknown: 'unknown',
} as const;
const CHECK_TONES = { ok: 'ok', failed: 'error', warning: 'warn', pending: 'muted', unknown: 'muted' } as const;

const getBaseColumns = (now: number | null) => [
  { id: 'name', title: words().columns.name, minWidth: 4, maxWidth: 14 },
  { id: 'stage', title: words().columns.stage, minWidth: 15, maxWidth: 18 },
  {
    id: 'seen',
    title: now === null ? words().columns.lastSeenAt : words().columns.lastSeen,
    minWidth: 12,
    maxWidth: 12,
  },
  { id: 'role', title: words().columns.role, minWidth: 13, maxWidth: 13, priority: 1 },
  { id: 'address', title: words().columns.address, minWidth: 12, maxWidth: 16, priority: 2 },
  {
    id: 'detail',
    title: words().columns.detail,
    minWidth: 16,
    maxWidth: 60,
    priority: 3,
    detailRepeats: 'if-cut' as const,
  },
];

/** The bars get the width that the other columns leave; a gap of two spaces precedes each column. */
const getTableBarScale = (nodes: BootView['nodes'], now: number | null, viewport: Viewport) =>
  getBarScale(
    nodes,
    now,
    viewport,
    getBaseColumns(now).reduce((sum, { maxWidth }) => sum + 2 + maxWidth, 0),
  );

function getTableColumns(now: number | null, scale: BarScale | null) {
  const [name, stage, lastSeen, ...others] = getBaseColumns(now);
  if (scale === null) return getBaseColumns(now);
  const bar = {
    id: 'bar',
    title: formatBarTitle(scale),
    minWidth: scale.columns,
    maxWidth: scale.columns,
    priority: 4,
  };
  return [name, stage, lastSeen, bar, ...others].filter((column) => column !== undefined);
}

const STATUS_TONES = { ok: 'ok', failed: 'error', warning: 'warn', running: 'accent', pending: 'muted' } as const;

function toTableRow(
  node: BootView['nodes'][number],
  viewport: Viewport,
  now: number | null,
  scale: BarScale | null,
): TableRow {
  const { name, role, address, stage, lastSeenAt, poweredOnAt, problems, isLost, timeline, likelyCause } = node;
  const detail = problems.length > 0 ? words().stopped(problems.join('; ')) : node.detail;
  const hasIgnition = (stage === 'ignition' || stage === 'ready') && !isLost;
  const status = hasIgnition
    ? 'ok'
    : problems.length > 0 || isLost
      ? 'failed'
      : now !== null && (timeline.next?.isSlow === true || likelyCause !== null)
        ? 'warning'
        : poweredOnAt === null && stage === 'off'
          ? 'pending'
          : 'running';
  // Beside a node that has joined, the time of its last boot request would read as the time of its loss.
  const formatSignAge = () => {
    if (isLost) return '';
    if (stage === 'ready') return now === null ? '' : words().now;
    if (lastSeenAt === null) return '';
    return now === null ? formatTimeOfDay(lastSeenAt) : catalogue().screens.age(now - lastSeenAt);
  };
  return {
    id: name,
    cells: {
      name,
      role,
      address,
      detail,
      stage: formatStatusText(
        status,
        viewport,
        problems.length > 0 ? words().stoppedStage : isLost ? words().lostStage : catalogue().steps.boot.stages[stage],
      ),
      seen: formatSignAge(),
      bar: scale === null ? '' : formatBootBar(node, now, scale, viewport),
    },
    tones: {
      stage: STATUS_TONES[status],
      bar: STATUS_TONES[status],
      ...(problems.length > 0 ? { detail: 'error' } : {}),
    },
  };
}

const timelineWords = () => catalogue().screens.boot.timeline;

/**
 * Renders the boot signs of a machine, the next expected sign, and the likely cause of its absence:
 *
 *     m1: on 12:00, address 12:01, TFTP 12:01, boot script 12:02
 *     Next: kernel, usually within 2 min; waited 12 min
 *     Likely: A file that machines boot with is missing (! checks it)
 *
 * @param now ms of the clock; null once probing has ended, after all files were fetched. A complete history then has
 * its duration. A missing sign then has no likely cause, because ports are no longer probed. The bootstrap machine then
 * has no next sign, because it is removed after use. A lost node never has one, because it was already Ready.
 */
export function renderBootTimeline(
  {
    name,
    role,
    report,
    problems,
    conflictingMac,
    isLost,
    notReadySince,
    timeline: { signs: observedSigns, next },
    likelyCause,
  }: BootView['nodes'][number],
  now: number | null,
  columns: number,
): string[] {
  const { signs } = catalogue().steps.boot;
  const times = observedSigns.flatMap(({ at }) => at ?? []);
  const [start, end] = [Math.min(...times), Math.max(...times)];
  const isComplete = now === null && next === null && !isLost && end > start;
  const signTexts = observedSigns.map(({ sign, at }) => {
    const text = timelineWords().sign(signs[sign], at === null ? null : formatTimeOfDay(at));
    return isComplete && at === end ? timelineWords().after(text, catalogue().screens.age(end - start)) : text;
  });
  if (isLost && notReadySince !== undefined)
    signTexts.push(timelineWords().notReadySince(formatTimeOfDay(notReadySince)));
  const isOver = isLost || (now === null && role === 'bootstrap');
  return [
    ...(signTexts.length === 0 ? [] : [timelineWords().observedSigns(name, signTexts)]),
    ...(conflictingMac === null || now === null ? [] : [timelineWords().addressTaken(conflictingMac)]),
    ...report,
    ...(next === null || isOver || problems.length > 0 ? [] : [formatNextSign(next, now)]),
    ...(likelyCause === null || now === null || isLost
      ? []
      : [timelineWords().likely(catalogue().diagnosis.causes[likelyCause].title)]),
  ].flatMap((line) => wrapLines(line, columns));
}

function formatNextSign(
  { sign, since }: NonNullable<BootView['nodes'][number]['timeline']['next']>,
  now: number | null,
) {
  const name = catalogue().steps.boot.signs[sign];
  if (now === null) return timelineWords().noLongerWatched(name, since === null ? null : formatTimeOfDay(since));
  return timelineWords().next(
    name,
    SIGN_MINUTES[sign].usual,
    since === null ? null : catalogue().screens.age(now - since),
  );
}
