import { NODE_ROLES } from '../src/design/choices.ts';
import { isWorker } from '../src/design/derived-facts.ts';
import type { Problem } from '../src/design/model.ts';
import { getVersionProfile } from '../src/design/versions.ts';
import { catalogue } from '../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../src/i18n/shortcuts.ts';
import { truncate } from '../src/platform/text.ts';
import type { Binding } from '../src/rows/bindings.ts';
import { listRowTexts } from '../src/rows/filtered-table.ts';
import { drawListPage } from '../src/rows/list-page.ts';
import { EMPTY_ROW, getGlyphs, type PageRow, type Viewport } from '../src/rows/page-rows.ts';
import type { TableRow } from '../src/rows/table.ts';
import { createNoticeLines, createParagraphRows, type NoticeContent } from '../src/rows/text.ts';
import { isExampleAnswer } from '../src/wizard/design/active-form.ts';
import { formatProblem, toPageMessage } from '../src/wizard/design/fields.ts';
import { type NodeDraft, readNodeDrafts } from '../src/wizard/design/node-table.ts';
import { describePath, listNodesWithLeftoverMac } from '../src/wizard/design/review.ts';
import type { Intent } from '../src/wizard/intents.ts';
import { listMatches } from '../src/wizard/list-filter.ts';
import { filterErrors, type WizardState } from '../src/wizard/state.ts';
import { createHelpDetails } from './shared/aside.ts';
import { createCommonBindings, createQuitBindings, createReviewBindings, type Screen } from './shared/bindings.ts';
import { createRecheckNotice, createUndoBindings } from './shared/design/edit-bindings.ts';
import { addHiddenFieldsHint, createFormBindings, formPageRows, getFormHelp } from './shared/design/form-page.ts';
import { createFilterBindings, createFilterTypingBindings } from './shared/list-filter.ts';

const words = () => catalogue().pages.nodes;
const keys = () => catalogue().screens.keys;

/** Shows the table of the nodes, or the form of one node. */
export const nodesScreen: Screen = {
  id: 'nodes',
  breadcrumb: () => catalogue().screens.breadcrumbs.design(words().title),
  bindings: (state) =>
    state.nodes.edit ? createFormBindings(state, { type: 'node/close' }) : createTableBindings(state),
  onText(state, event) {
    if (state.nodes.edit) return { type: 'field/edit', event };
    if (state.nodes.filter.field !== null)
      return { type: 'filter/type', event, texts: listRowTexts(listTableRows(state)) };
    return event.kind === 'paste' ? { type: 'import/paste', text: event.text } : null;
  },
  help: (state) => (state.nodes.edit ? getFormHelp(state) : [words().intro, words().why, words().pasteHelp]),
  rows: (state, viewport) => (state.nodes.edit ? nodeFormRows(state, viewport) : nodeTableRows(state, viewport)),
  intro: (_state, getText) => [words().intro, ...getText().slice(1)],
};

/** Maximum number of names in the warning about MAC addresses of the example. */
const MAX_EXAMPLE_NAMES = 8;

/** Creates the warning that names the nodes with a MAC address of the example; null if there is none. */
function createExampleNotice(state: WizardState): NoticeContent | null {
  const names = listNodesWithLeftoverMac(state).map(({ name }) => name);
  if (names.length === 0) return null;
  const shownNames = names.slice(0, MAX_EXAMPLE_NAMES);
  return { kind: 'warning', text: words().exampleMacs(shownNames, names.length - shownNames.length) };
}

const rowCache = new WeakMap<WizardState, readonly TableRow[]>();

/** Lists the rows of the table, once for the keys and the page of a state. */
function listTableRows(state: WizardState): readonly TableRow[] {
  const rows =
    rowCache.get(state) ?? readNodeDrafts(state.document).map((node, index) => toTableRow(state, node, index));
  rowCache.set(state, rows);
  return rows;
}

function createTableBindings(state: WizardState): Binding<Intent>[] {
  const { filter, row } = state.nodes;
  const texts = listRowTexts(listTableRows(state));
  const list = { filter, row, texts, toIntent: (by: number): Intent => ({ type: 'node/move', by }) };
  if (filter.field !== null) return [...createFilterTypingBindings(list), ...createQuitBindings()];
  const nodeCount = texts.length;
  // No key acts on a node that the filter hides.
  const isSelectionVisible = listMatches(texts, filter.query).includes(row);
  const blocker = getNextBlocker(state, nodeCount);
  const rowBindings: Binding<Intent>[] = [
    { keys: [SHORTCUTS.edit, ' '], label: keys().edit, intent: { type: 'node/edit' } },
    { keys: [SHORTCUTS.duplicate], label: keys().duplicate, intent: { type: 'node/duplicate' }, isHidden: true },
    { keys: [SHORTCUTS.remove, 'delete'], label: keys().remove, intent: { type: 'node/delete' } },
  ];
  const [edit, ...others] = isSelectionVisible ? rowBindings : [];
  return [
    {
      keys: ['enter', 'ctrl-n'],
      label: state.correctionPath === null ? keys().next : keys().toReview,
      intent: { type: 'screen/next' },
      ...(blocker === null ? {} : { disabledReason: blocker.text, disabledKind: blocker.kind }),
      ...(blocker === null || blocker.row === null
        ? {}
        : { disabledIntent: { type: 'node/refuse', row: blocker.row, reason: blocker.text } }),
    },
    ...(filter.query === '' ? [] : createFilterBindings(list)),
    ...(edit ? [edit] : []),
    { keys: [SHORTCUTS.add], label: keys().add, intent: { type: 'node/add' } },
    ...others,
    ...createUndoBindings(state, { isTyping: false, staysVisible: true }),
    ...(nodeCount > 0 ? createReviewBindings(state) : []),
    ...(nodeCount > 1 && isSelectionVisible
      ? [
          {
            keys: [SHORTCUTS.fillDown],
            label: keys().fillDown,
            intent: { type: 'node/fill-open' as const },
            isHidden: true,
          },
          { keys: [SHORTCUTS.sort], label: keys().sort, intent: { type: 'node/sort' as const }, isHidden: true },
        ]
      : []),
    {
      keys: [SHORTCUTS.import],
      label: keys().import,
      intent: { type: 'import/open', from: 'file' },
      isHidden: nodeCount > 0,
    },
    {
      keys: [SHORTCUTS.paste],
      label: keys().paste,
      intent: { type: 'import/open', from: 'lines' },
      isHidden: nodeCount > 0,
    },
    ...(isSelectionVisible ? createCopyAddressBindings(state) : []),
    ...(nodeCount > 1 && filter.query === '' ? createFilterBindings(list) : []),
    // While a filter is active, Esc clears the filter instead of leaving the page.
    ...createCommonBindings({ isTyping: false }).filter(
      ({ keys: names }) => filter.query === '' || !names.includes('escape'),
    ),
  ];
}

/** `y` copies the IP address of the selected node. */
function createCopyAddressBindings(state: WizardState): Binding<Intent>[] {
  const [address] = [readNodeDrafts(state.document)[state.nodes.row]?.ip ?? ''].flat();
  if (typeof address !== 'string' || address === '') return [];
  return [
    { keys: [SHORTCUTS.copy], label: keys().copyCell, intent: { type: 'cell/copy', text: address }, isHidden: true },
  ];
}

/** Returns the reason why Enter cannot continue, with the kind of its notice and its node; null if it can. */
function getNextBlocker(state: WizardState, count: number) {
  if (count === 0) return { kind: 'info', text: catalogue().screens.nodes.empty, row: null } as const;
  const errors = filterErrors(state.problems).filter(({ path }) => path.startsWith('nodes'));
  const [firstError] = errors;
  if (firstError === undefined) return null;
  const text = catalogue().screens.nodes.needFix(
    errors.length,
    describePath(state.document, firstError.path),
    formatProblem(firstError, state.document),
  );
  const row = /^nodes\.(\d+)/.exec(firstError.path)?.[1];
  return { kind: 'error', text, row: row === undefined ? null : Number(row) } as const;
}

function nodeFormRows(state: WizardState, viewport: Viewport): readonly PageRow[] {
  const { edit } = state.nodes;
  const name = String(readNodeDrafts(state.document)[edit?.index ?? -1]?.name ?? '');
  const shortName = truncate(name, MAX_NAME_COLUMNS, getGlyphs(viewport).ellipsis);
  const title = edit?.isNew || name === '' ? words().addTitle : words().editTitle(shortName);
  return formPageRows(state, addHiddenFieldsHint(`${title}.`, words().more, viewport.columns), viewport);
}

/** Maximum columns of a name in the line above the form. */
const MAX_NAME_COLUMNS = 40;

/** With fewer columns of the terminal, units in titles would displace the last column. */
const MIN_COLUMNS_WITH_UNITS = 120;

/** @param hasUnits the titles have room for units */
const getColumns = (hasUnits: boolean) => [
  { id: 'name', title: words().columns.name, minWidth: 4, maxWidth: 14, priority: 0 },
  { id: 'role', title: words().columns.role, minWidth: 13, maxWidth: 13, priority: 1 },
  { id: 'ip', title: words().columns.ip, minWidth: 12, maxWidth: 22, priority: 0 },
  { id: 'mac', title: words().columns.mac, minWidth: 17, maxWidth: 17, priority: 1 },
  { id: 'vcpu', title: words().columns.vcpu, minWidth: 4, maxWidth: 4, priority: 2, align: 'right' as const },
  {
    ...{ id: 'memory', title: words().columns[hasUnits ? 'memoryGiB' : 'memory'], minWidth: 4, maxWidth: 8 },
    ...{ priority: 2, align: 'right' as const },
  },
  {
    ...{ id: 'disk', title: words().columns[hasUnits ? 'diskGiB' : 'disk'], minWidth: 4, maxWidth: 8 },
    ...{ priority: 3, align: 'right' as const },
  },
  { id: 'installDisk', title: words().columns.installDisk, minWidth: 8, maxWidth: 16, priority: 4 },
  { id: 'problem', title: '', minWidth: 10, maxWidth: 40, priority: 5, detailRepeats: 'always' as const },
];

const LARGE_WINDOW_ROWS = 18;
/** Column titles, one node, the counter, and the detail below them. */
const MIN_LIST_ROWS = 6;

/** Returns the table and, below it, the problem of the selected node or advice on it. A notice replaces that text. */
function nodeTableRows(state: WizardState, viewport: Viewport): readonly PageRow[] {
  const nodes = readNodeDrafts(state.document);
  const notice = state.notice ?? createRecheckNotice(state);
  const exampleNotice = createExampleNotice(state);
  const getNotice = (node: NodeDraft | undefined, row: number) => getRowNotice(state, node, row, exampleNotice);
  const content = notice ?? getNotice(nodes[state.nodes.row], state.nodes.row);
  // In a small window the nodes get the rows: the help page has the rest.
  const isSmall = viewport.rows < LARGE_WINDOW_ROWS;
  const createTextRows = (text: string) =>
    isSmall ? [] : createParagraphRows(text, viewport, { tone: 'muted', height: 2 });
  const rowsAbove = isSmall ? [] : [...createTextRows(words().intro), EMPTY_ROW];
  const rowsBelow = [...createTextRows(formatTotals(nodes)), ...createTextRows(words().moreKeys)];
  const list = {
    minRows: isSmall ? viewport.rows : 0,
    table: {
      columns: getColumns(viewport.terminalColumns >= MIN_COLUMNS_WITH_UNITS),
      rows: listTableRows(state),
      selectedIndex: state.nodes.row,
      emptyText: catalogue().screens.nodes.empty,
      filter: state.nodes.filter,
    },
    details: [
      {
        renderLines: (columns: number) => createNoticeLines(content, { ...viewport, columns }),
        top: 0,
        isFixed: true,
        countLines: (columns: number) =>
          countContentLines(state, [content, ...nodes.map(getNotice)], { ...viewport, columns }),
      },
      // Without `words().why`: the notice above shows it for every node that is not an infra node.
      ...createHelpDetails(state, [words().title, words().pasteHelp], viewport),
    ],
  };
  const rows = Math.max(MIN_LIST_ROWS, viewport.rows - rowsAbove.length - rowsBelow.length);
  return [...rowsAbove, ...drawListPage(list, { ...viewport, rows }).rows, ...rowsBelow];
}

/**
 * Returns the problem or the advice for a row of the table; for a table without rows, advice.
 * @param exampleNotice replaces the advice, except for infra nodes
 */
function getRowNotice(
  state: WizardState,
  node: NodeDraft | undefined,
  row: number,
  exampleNotice: NoticeContent | null,
): NoticeContent {
  const problem = findProblem(state, row) ?? state.problems.find(({ path }) => path === 'nodes');
  return problem !== undefined && node !== undefined
    ? { kind: problem.severity, text: formatProblem(problem, state.document) }
    : exampleNotice !== null && node?.role !== 'infra'
      ? exampleNotice
      : { kind: 'info', text: getAdvice(state, node) };
}

/** Counts the lines of the longest text that a key can show below the table. */
function countContentLines(state: WizardState, rowContents: readonly NoticeContent[], viewport: Viewport): number {
  const blocker = getNextBlocker(state, readNodeDrafts(state.document).length);
  const contents = [...rowContents, ...(blocker === null ? [] : [blocker])];
  const distinctContents = new Map(contents.map((content) => [`${content.kind} ${content.text}`, content]));
  return Math.max(...[...distinctContents.values()].map((content) => createNoticeLines(content, viewport).length));
}

/** Formats the totals of each role, in the order of `NODE_ROLES`, and of all nodes: `3 compute: 6 vCPU, 24 GiB`. */
function formatTotals(nodes: readonly NodeDraft[]): string {
  const sum = (group: readonly NodeDraft[], key: string) =>
    group.reduce((total, node) => total + (Number(node[key]) || 0), 0);
  const formatRoleTotal = (name: string, group: readonly NodeDraft[]) =>
    catalogue().screens.design.roleTotal(group.length, name, sum(group, 'vcpu'), sum(group, 'memoryGiB'));
  const roles = NODE_ROLES.map((role) => ({ role, members: nodes.filter((node) => node.role === role) }));
  const roleTotals = roles
    .filter(({ members }) => members.length > 0)
    .map(({ role, members: roleNodes }) => formatRoleTotal(role, roleNodes));
  return [
    ...roleTotals,
    ...(roleTotals.length > 1 ? [formatRoleTotal(catalogue().screens.design.all, nodes)] : []),
  ].join('; ');
}

/** Returns advice for a node: the size of an infra node; for others, why the MAC address matters. */
function getAdvice({ design }: WizardState, node: NodeDraft | undefined): string {
  if (node?.role !== 'infra' || design === null) return words().why;
  const workerCount = design.nodes.filter(isWorker).length;
  const { infraSizes } = getVersionProfile(design.openshift.version);
  const size = infraSizes.find((candidate) => workerCount <= candidate.maxWorkers) ?? infraSizes.at(-1);
  return size === undefined ? words().why : words().infraAdvice(workerCount, size.vcpu, size.memoryGiB);
}

function findProblem(state: WizardState, index: number) {
  const isAboutNode = ({ path, otherPath = '' }: Pick<Problem, 'path' | 'otherPath'>) =>
    [path, otherPath].some(
      (problemPath) => problemPath === `nodes.${index}` || problemPath.startsWith(`nodes.${index}.`),
    );
  return filterErrors(state.problems).find(isAboutNode) ?? state.problems.find(isAboutNode);
}

function toTableRow(state: WizardState, node: Readonly<Record<string, unknown>>, index: number): TableRow {
  const formatValue = (key: string) => {
    const value = node[key];
    return value === undefined || value === null ? '' : Array.isArray(value) ? value.join(', ') : String(value);
  };
  const problem = findProblem(state, index);
  const isExample = state.welcome.rehearsal === null && isExampleAnswer(state, `nodes.${index}.mac`);
  return {
    id: String(index),
    cells: {
      // The mark shows the problem on a terminal without colour, and in a narrow window, which drops the problem
      // column.
      name: problem ? `${formatValue('name')} !` : formatValue('name'),
      role: formatValue('role'),
      ip: formatValue('ip'),
      mac: formatValue('mac'),
      vcpu: formatValue('vcpu'),
      memory: formatValue('memoryGiB'),
      disk: formatValue('diskGiB'),
      installDisk: formatValue('installDisk'),
      problem: problem ? toPageMessage(problem, state.document).message : '',
    },
    ...(isExample ? { examples: ['mac'] } : {}),
    tones: problem
      ? {
          problem: problem.severity === 'error' ? 'error' : 'warn',
          name: problem.severity === 'error' ? 'error' : 'warn',
        }
      : {},
  };
}
