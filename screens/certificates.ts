import { BOOT_STAGES } from '../src/checks/boot/checks.ts';
import type { CertificateProgress } from '../src/csr/node-membership.ts';
import { getShownVerdict, type ShownVerdict } from '../src/csr/verdict.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { formatTimeOfDay, HOUR } from '../src/platform/clock.ts';
import { breakLongNames, getDisplayWidth, truncate, wrapBeside, wrapLines } from '../src/platform/text.ts';
import { MIN_COLUMNS_FOR_TWO } from '../src/rows/list-page.ts';
import {
  createRow,
  fitRows,
  getGlyphs,
  type PageRow,
  type Segment,
  type Tone,
  type Viewport,
} from '../src/rows/page-rows.ts';
import { formatStatusText, getStatusTone, REQUEST_STATUS } from '../src/rows/status.ts';
import { layOutTable, type TableRow } from '../src/rows/table.ts';
import { createParagraphRows, type TextLine, wrapFact } from '../src/rows/text.ts';
import type { CertificatesView } from '../src/steps/certificates/certificates-probe.ts';
import { formatOwner, getRowId, listRows, type RequestRow } from '../src/steps/certificates/request-rows.ts';
import { createMissingNodeSubject, formatTarget, parseTarget } from '../src/steps/step-action.ts';
import { describeOutage } from './shared/step/step-lines.ts';
import { createStepScreen } from './shared/step/step-page.ts';

const nodeGridWords = () => catalogue().screens.certificates.grid;
type GridNode = CertificatesView['nodes'][number];

const MARKS: Readonly<Record<'unicode' | 'ascii', Readonly<Record<CertificateProgress, string>>>> = {
  unicode: { done: '✔', requested: '?', refused: '✖', open: '·' },
  ascii: { done: '+', requested: '?', refused: 'x', open: '-' },
};

const MARK_STATUSES = { done: 'ok', requested: 'running', refused: 'failed', open: 'pending' } as const;

/** Maximum cells of a name in the grid. */
const MAX_NAME_WIDTH = 16;

/**
 * Formats the grid: the meaning of the marks, then a cell for each node. If space is short, joined nodes are left out
 * first. Empty if not even one row of nodes fits.
 *
 *     join, serve, Ready: ✔ done, ? pending, ✖ refused, · not yet
 *     m1 ✔✔✔  m2 ✔✔✔  w1 ✔?·  w2 ···
 */
export function formatGrid(
  nodes: readonly GridNode[],
  {
    columns,
    maxRows,
    hasUnicode,
  }: { readonly columns: number; readonly maxRows: number; readonly hasUnicode: boolean },
): readonly PageRow[] {
  const marks = MARKS[hasUnicode ? 'unicode' : 'ascii'];
  const legend = wrapLines(nodeGridWords().legend(marks), columns).map((line) => createRow(line, 'muted'));
  const maxGridLines = maxRows - legend.length;
  if (nodes.length === 0 || maxGridLines < 1) return [];
  // A long name is cut, so that more nodes are visible.
  const nameWidth = Math.min(MAX_NAME_WIDTH, Math.max(...nodes.map(({ name }) => getDisplayWidth(name))));
  const width = nameWidth + 1 + 3;
  const nodesPerLine = Math.max(1, Math.floor((columns + 2) / (width + 2)));
  const canShowAll = nodesPerLine * maxGridLines >= nodes.length;
  const sortedByNeed = [...nodes].sort((a, b) => Number(a.hasJoined) - Number(b.hasJoined));
  const visibleNodes = new Set(canShowAll ? nodes : sortedByNeed.slice(0, nodesPerLine * maxGridLines - 1));
  const shownNodes = nodes.filter((node) => visibleNodes.has(node));
  const { ellipsis } = getGlyphs({ hasUnicode });
  const cells = shownNodes.map(({ name, certificateProgress, isReady }): readonly Segment[] => {
    const progress: readonly CertificateProgress[] = [...certificateProgress, isReady ? 'done' : 'open'];
    const label = `${truncate(name, nameWidth, ellipsis)} `;
    return [
      { text: label },
      ...progress.map((state) => ({ text: marks[state], tone: getStatusTone(MARK_STATUSES[state]) })),
      { text: ' '.repeat(width - getDisplayWidth(label) - progress.length + 2) },
    ];
  });
  if (!canShowAll) cells.push([{ text: nodeGridWords().more(nodes.length - shownNodes.length) }]);
  const rows: PageRow[] = [];
  for (let index = 0; index < cells.length; index += nodesPerLine)
    rows.push({ segments: cells.slice(index, index + nodesPerLine).flat() });
  return [...legend, ...rows];
}

const TONES: Readonly<Record<ShownVerdict, Tone>> = {
  expected: 'accent',
  refused: 'error',
  'not-ours': 'muted',
  approved: 'ok',
  denied: 'warn',
  failed: 'warn',
  superseded: 'muted',
};

/**
 * Formats the details below the list: why the request was denied or is not approved automatically, or its requester and
 * its key.
 */
function formatRequestDetail(requestRow: RequestRow): string {
  if (requestRow.kind === 'missing') return words().silentDetail(requestRow.node.name);
  const { name, requester, fingerprint, verdict, reasonTexts, refusal } = requestRow.request;
  if (verdict === 'superseded') return `${name}  ${words().superseded}`;
  if (refusal !== '') return `${name}  ${refusal}`;
  // The page of the details has the whole requester: here it would take a row from the list.
  const account = requester.replace(/^system:(?:serviceaccount:[^:]*|node):/, '');
  const sender = words().sender(account, fingerprint === null ? null : fingerprint.slice(0, 16));
  return `${name}  ${reasonTexts.length === 0 ? sender : reasonTexts.join(' ')}`;
}

/** Renders a request: its verdict with every reason, its content and its sender, and its names against the design. */
function renderRequest(requestRow: RequestRow, columns: number): TextLine[] {
  if (requestRow.kind === 'missing')
    return wrapLines(words().silentDetail(requestRow.node.name), columns).map((text) => ({ text }));
  const { request } = requestRow;
  const { title, verdicts } = catalogue().steps.certificates.page;
  const verdict = getShownVerdict(request);
  const wrapText = (text: string, tone: Tone = 'text') => {
    const [head = ''] = /^(?:- | *)/.exec(text) ?? [];
    const value = breakLongNames(text.slice(head.length), columns - head.length);
    return wrapBeside(head, value, columns).map((line) => ({ text: line, tone }));
  };
  return [
    ...wrapText(title(request.name), 'accent'),
    ...wrapText(verdicts[verdict], TONES[verdict]),
    ...request.reasonTexts.flatMap((text) => wrapText(`- ${text}`)),
    { text: '' },
    ...request.facts.flatMap((fact) => wrapFact(fact, columns)).map((text) => ({ text })),
    ...(request.nameLines.length === 0 ? [] : [{ text: '' }]),
    ...request.nameLines.flatMap((text) => wrapText(text)),
  ];
}

function formatVerdict(request: CertificatesView['requests'][number]): string {
  const { verdict, reasons, hasNoObservedBoot, rejoinKind } = request;
  const getShortReason = (code: (typeof reasons)[number]) =>
    code === 'NODE_EXISTS' && rejoinKind !== null
      ? catalogue().csr.rejoiningShort[rejoinKind]
      : catalogue().csr.shortReasons[code];
  const reasonText = [
    ...(verdict === 'refused' ? reasons.map(getShortReason) : []),
    ...(hasNoObservedBoot ? [words().noBootObserved] : []),
  ].join(', ');
  const shownVerdict = catalogue().csr.verdicts[getShownVerdict(request)];
  return reasonText === '' ? shownVerdict : `${shownVerdict}: ${reasonText}`;
}

/**
 * Returns the age of a request. Once the step is done, a request younger than a day has its time: an age would grow.
 */
function formatRequestAge(requestedAt: number | null, now: number, isOver: boolean): string {
  if (requestedAt === null) return '';
  return isOver && now - requestedAt < DAY
    ? formatTimeOfDay(requestedAt)
    : catalogue().screens.ageShort(now - requestedAt);
}

const DAY = 24 * HOUR;

/** Creates the table row of a request or a missing node. */
function toTableRow(
  requestRow: RequestRow,
  style: { readonly hasUnicode: boolean },
  now: number,
  isOver: boolean,
): TableRow {
  if (requestRow.kind === 'missing') {
    const { name, minutes } = requestRow.node;
    const verdict = formatStatusText('warning', style, words().silent(minutes));
    return { id: name, cells: { node: name, kind: '', age: '', verdict, name: '' }, tones: { verdict: 'warn' } };
  }
  const { name, kind, requestedAt } = requestRow.request;
  const verdict = getShownVerdict(requestRow.request);
  const repeatText = requestRow.count > 1 ? words().times(requestRow.count) : '';
  return {
    id: name,
    cells: {
      node: formatOwner(requestRow.request),
      kind: catalogue().steps.certificates.kinds[kind],
      age: formatRequestAge(requestedAt, now, isOver),
      verdict: formatStatusText(REQUEST_STATUS[verdict], style, `${formatVerdict(requestRow.request)}${repeatText}`),
      name,
    },
    tones: { verdict: TONES[verdict] },
  };
}

/**
 * Groups the nodes that have not joined: those whose requests are denied first, then by the stage of their boot,
 * furthest first.
 */
function groupMissingByStage({ nodes }: CertificatesView): { stage: string; names: string }[] {
  // A node with both certificates has joined: the grid shows whether it is Ready.
  const nodesToJoin = nodes.filter(
    ({ hasJoined, isLost, certificateProgress }) =>
      !hasJoined && !isLost && certificateProgress.some((progress) => progress !== 'done'),
  );
  const getStage = ({ stage, isReady, certificateProgress: [joinProgress] }: (typeof nodesToJoin)[number]) =>
    isReady ? 'ready' : joinProgress === 'done' ? 'joined' : (stage ?? 'off');
  const isDenied = ({ deniedCount }: (typeof nodesToJoin)[number]) => deniedCount > 0;
  const deniedGroups = nodesToJoin
    .filter(isDenied)
    .map(({ name, deniedCount }) => ({ stage: words().denied(deniedCount), names: name }));
  const stages = { ...catalogue().steps.boot.stages, joined: words().joinedNotReady, ready: words().readyNotJoined };
  const stageIds = ['ready', 'joined', ...[...BOOT_STAGES].reverse().filter((id) => id !== 'ready')] as const;
  const stageGroups = stageIds.flatMap((id) => {
    // This step does not watch the boot of the control plane: without a stage, a node is Ready or counts as off.
    const names = nodesToJoin.filter((node) => !isDenied(node) && getStage(node) === id).map(({ name }) => name);
    return names.length > 0 ? [{ stage: stages[id], names: names.join(' ') }] : [];
  });
  return [...deniedGroups, ...stageGroups];
}

/** Creates the columns of the requests, whose widths do not depend on the requests: these come and go. */
const createColumns = ({ nodes }: CertificatesView, isOver: boolean, columns: number) =>
  [
    {
      id: 'node',
      title: words().columns.node,
      minWidth: 16,
      maxWidth: Math.min(
        40,
        Math.max(columns < MIN_COLUMNS_FOR_FULL_NAMES ? 17 : 28, ...nodes.map(({ name }) => getDisplayWidth(name))),
      ),
    },
    { id: 'kind', title: words().columns.kind, minWidth: 8, maxWidth: 8, priority: 1 },
    {
      id: 'age',
      title: isOver ? words().columns.requestedAt : words().columns.age,
      minWidth: 6,
      maxWidth: 6,
      priority: 2,
      align: 'right' as const,
    },
    { id: 'verdict', title: words().columns.verdict, minWidth: 29, maxWidth: 38, detailRepeats: 'always' as const },
    {
      id: 'name',
      title: words().columns.name,
      minWidth: 10,
      maxWidth: 10,
      priority: 3,
      detailRepeats: 'always' as const,
    },
  ].map((column) => ({ ...column, ignoresCells: true }));

const words = () => catalogue().screens.certificates;

/** From this width of the page on, the full name of a node that is not in the design is visible. */
const MIN_COLUMNS_FOR_FULL_NAMES = 100;
/** From this height of the page on, a second row separates the grid from the list, or has more of the nodes. */
const MIN_ROWS_WITH_GAP = 28;
/** Minimum rows of the page for the grid, three requests, and the details of one request. */
const MIN_ROWS_WITH_GRID = 14;
/** Minimum rows of the head without the state, three requests, and the details of one request. */
const MIN_BODY_ROWS = 9;

/** Shows how far each node has joined, each request with its verdict, and the details of the selected row. */
export const certificatesScreen = createStepScreen<CertificatesView>({
  id: 'certificates',
  watchesSite: true,
  mayStayIncomplete: true,
  isIntroOptional: true,
  fixedPart: 'head',
  minBodyRows: MIN_BODY_ROWS,
  maxNotes: 3,
  isShownInBody: ({ code }) => code === 'request-refused',
  rowCount: (view) => listRows(view).length,
  bindings: (view, row, run) => {
    const { approveOne, approveOneShort, approveExpected, approveExpectedShort } = catalogue().screens.keys;
    const list = listRows(view);
    const selectedRequestRow = list[Math.min(row, list.length - 1)];
    const isFollowing = run.phase === 'applying';
    const disabledState = isFollowing ? { disabledReason: words().following } : {};
    const hasExpected = view.requests.some(({ verdict }) => verdict === 'expected');
    const approveAllState = hasExpected ? disabledState : { disabledReason: words().noneExpected };
    const approveKey = selectedRequestRow ? { ...createApproveKey(selectedRequestRow), ...disabledState } : null;
    const showIntent = selectedRequestRow
      ? { type: 'step/show' as const, subject: getSubject(selectedRequestRow) }
      : null;
    return [
      ...(approveKey
        ? [{ keys: [SHORTCUTS.approveOne], label: approveOne, shortLabel: approveOneShort, ...approveKey }]
        : []),
      {
        keys: [SHORTCUTS.approveExpected],
        label: approveExpected,
        shortLabel: approveExpectedShort,
        intent: { ...ASK_INTENT, subject: formatTarget({ kind: 'expected-requests' }) },
        ...approveAllState,
      },
      ...(showIntent
        ? [{ keys: [SHORTCUTS.details], label: catalogue().screens.keys.details, intent: showIntent }]
        : []),
    ];
  },
  textToCopy: (view, row) => {
    const list = listRows(view);
    const selectedRequestRow = list[Math.min(row, list.length - 1)];
    return selectedRequestRow === undefined ? null : getRowId(selectedRequestRow);
  },
  getQuestion: ({ requests }, subject) => {
    const target = parseTarget('certificates', subject);
    if (target.kind !== 'request') {
      const expectedRequests = requests.filter(({ verdict }) => verdict === 'expected');
      const { questionAll, kinds, approvalIsFinal } = catalogue().steps.certificates;
      const lines = expectedRequests.map(
        (request) => `${formatOwner(request)}  ${kinds[request.kind]}  ${request.name}`,
      );
      return { question: questionAll(expectedRequests.length), details: [approvalIsFinal, ...lines] };
    }
    const { name, node } = target;
    const request = requests.find((candidate) => candidate.name === name);
    const {
      question,
      questionTyped,
      questionFor,
      typeNode,
      approvalIsFinal: finalityNote,
    } = catalogue().steps.certificates;
    const reasonTexts = request?.reasonTexts ?? [];
    const fingerprintLines = request?.fingerprint ? [words().fingerprint(request.fingerprint)] : [];
    return node === null
      ? {
          question: question(name),
          details: [questionFor(request === undefined ? '' : formatOwner(request)), ...fingerprintLines, finalityNote],
        }
      : { question: questionTyped(name), details: [typeNode(node), ...reasonTexts, ...fingerprintLines, finalityNote] };
  },
  tableRows: (view, { phase }, now, style) =>
    listRows(view).map((requestRow) => toTableRow(requestRow, style, now, phase === 'done')),
  body: (view, run, _now, viewport, tableRows) => {
    const list = listRows(view);
    const row = Math.min(run.row, list.length - 1);
    const selectedRequestRow = list[row];
    const renderLines = (columns: number): readonly TextLine[] =>
      selectedRequestRow === undefined
        ? []
        : viewport.terminalColumns >= MIN_COLUMNS_FOR_TWO
          ? renderRequest(selectedRequestRow, columns)
          : wrapLines(formatRequestDetail(selectedRequestRow), columns).map((text) => ({ text }));
    return {
      list: {
        createRowsAbove: (area) => drawHead(view, area, viewport.rows),
        table: {
          columns: createColumns(view, run.phase === 'done', viewport.columns),
          rows: tableRows,
          selectedIndex: row,
          emptyText: view.apiDetail === null ? describeNoRequests(view) : describeOutage(view.apiDetail, run),
          filter: run.filter,
        },
        details: [{ renderLines, top: run.top }],
        isChanging: true,
      },
    };
  },
});

const describeNoRequests = (view: CertificatesView) =>
  groupMissingByStage(view).length === 0 ? words().noneLeft : words().none;

const ASK_INTENT = { type: 'step/ask', action: 'apply-one' } as const;

/** Returns the subject of the details page. */
function getSubject(requestRow: RequestRow): string {
  return requestRow.kind === 'request' ? requestRow.request.name : createMissingNodeSubject(requestRow.node.name);
}

/**
 * Creates the approve key for a row. An expected request needs a yes; one that is approvable by name needs the name of
 * its node to be typed; no other can be approved.
 */
function createApproveKey(requestRow: RequestRow) {
  if (requestRow.kind === 'missing') {
    return { intent: { ...ASK_INTENT, subject: '' }, disabledReason: words().notApprovable(requestRow.node.name) };
  }
  const { name, node, verdict, reasonTexts, isApprovableByName } = requestRow.request;
  if (verdict === 'expected') return { intent: { ...ASK_INTENT, subject: name } };
  if (isApprovableByName && node !== null) {
    return {
      intent: {
        ...ASK_INTENT,
        subject: formatTarget({ kind: 'request', name, node }),
        words: [node, node.split('.')[0] ?? node],
      },
    };
  }
  const disabledReason = reasonTexts.join(' ') || catalogue().csr.verdicts[getShownVerdict(requestRow.request)];
  return { intent: { ...ASK_INTENT, subject: name }, disabledReason };
}

/** From this height of the page on, each node has a row of its own: its boot stage, and its certificates. */
const MIN_ROWS_WITH_TABLE = 44;

function createNodeTable(nodes: readonly GridNode[], viewport: Viewport): readonly PageRow[] {
  const { columns, progress } = nodeGridWords().table;
  const rows = nodes.map(({ name, role, stage, isReady, isLost, certificateProgress: [join, serve] }): TableRow => {
    const ready = isReady ? 'done' : isLost ? 'refused' : 'open';
    const toCell = (state: CertificateProgress) => formatStatusText(MARK_STATUSES[state], viewport, progress[state]);
    const readyText = isLost ? catalogue().screens.boot.lostStage : progress[ready];
    return {
      id: name,
      cells: {
        name,
        role,
        stage: stage === null ? '' : catalogue().steps.boot.stages[stage],
        join: toCell(join),
        serve: toCell(serve),
        ready: formatStatusText(MARK_STATUSES[ready], viewport, readyText),
      },
      tones: {
        join: getStatusTone(MARK_STATUSES[join]),
        serve: getStatusTone(MARK_STATUSES[serve]),
        ready: getStatusTone(MARK_STATUSES[ready]),
      },
    };
  });
  const tableColumns = (['name', 'role', 'stage', 'join', 'serve', 'ready'] as const).map((id) => ({
    id,
    title: columns[id],
    minWidth: id === 'name' ? 4 : 10,
    maxWidth: 20,
    priority: id === 'role' ? 1 : 0,
  }));
  return layOutTable({ columns: tableColumns, rows, selectedIndex: null }, { ...viewport, rows: 1 + rows.length }).draw(
    1 + rows.length,
  );
}

/**
 * Draws the progress of each node as far as space allows, and which nodes have not joined. The number of rows depends
 * only on the size and the number of nodes: the list below always begins in the same row.
 * @param pageRows rows of the whole page
 */
function drawHead(view: CertificatesView, viewport: Viewport, pageRows: number): readonly PageRow[] {
  const { columns, hasUnicode } = viewport;
  const missingByStage = groupMissingByStage(view);
  // The state line of the step already counts the nodes that have joined.
  const lostNames = view.nodes.filter(({ isLost }) => isLost).map(({ name }) => name);
  const hasTable = pageRows >= MIN_ROWS_WITH_TABLE && 1 + view.nodes.length <= pageRows / 3;
  const waitLines = [
    ...(view.nodesAt == null || view.nodes.length === 0 ? [] : [words().nodesAt(formatTimeOfDay(view.nodesAt))]),
    ...(lostNames.length === 0 || hasTable ? [] : [words().lost(lostNames.join(' '))]),
    ...(missingByStage.length === 0 || hasTable ? [] : [words().missing(missingByStage)]),
  ];
  const waitRowCount = pageRows < MIN_ROWS_WITH_GAP ? 1 : 2;
  const height = Math.max(1, Math.floor(waitRowCount / waitLines.length));
  const waitRows = waitLines.flatMap((line) => createParagraphRows(line, viewport, { height }));
  const maxRows = 2 + Math.floor((pageRows - MIN_ROWS_WITH_GRID) / 3);
  const nodeRows = hasTable
    ? createNodeTable(view.nodes, viewport)
    : pageRows >= MIN_ROWS_WITH_GRID
      ? formatGrid(view.nodes, { hasUnicode, columns, maxRows })
      : [];
  return [...nodeRows, ...fitRows(waitRows, waitRowCount)];
}
