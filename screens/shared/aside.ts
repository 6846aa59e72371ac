import { formatDocumentationLink } from '../../src/design/documentation.ts';
import type { Design } from '../../src/design/model.ts';
import { renderNetworkDiagram } from '../../src/design/network-diagram.ts';
import { buildPartialDesign } from '../../src/design/parse.ts';
import { getAt } from '../../src/design/paths.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { wrapProse } from '../../src/i18n/prose.ts';
import { getDisplayWidth } from '../../src/platform/text.ts';
import type { SidebarItem, StepGroup } from '../../src/rows/frame.ts';
import { type Detail, joinColumns, MIN_COLUMNS_BESIDE } from '../../src/rows/list-page.ts';
import { type Area, createRow, EMPTY_ROW, fitRows, type PageRow, type Viewport } from '../../src/rows/page-rows.ts';
import { type TextLine, wrapHelpParagraph } from '../../src/rows/text.ts';
import type { StepId } from '../../src/steps/contract.ts';
import { findPageForPath } from '../../src/wizard/design/review.ts';
import { listOutdatedSteps } from '../../src/wizard/live/outdated-steps.ts';
import { isDoneWithProblem } from '../../src/wizard/live/step-run.ts';
import { getSidebarSelection } from '../../src/wizard/overlays/sidebar.ts';
import { filterErrors, getScreenIndex, isStep, type ScreenId, type WizardState } from '../../src/wizard/state.ts';
import type { Screen } from './bindings.ts';
import { renderDesign } from './design/design-lines.ts';

/** Columns of the help text: the maximum for comfortable reading, and the minimum that is still readable. */
const MAX_ASIDE_COLUMNS = 76;
const MIN_ASIDE_COLUMNS = 32;
/** A vertical bar between spaces. */
const SEPARATOR_COLUMNS = 3;

/** Columns for the help beside a body that needs `neededColumns` columns. Null: there is no room beside the body. */
function getAsideColumns({ columns, terminalColumns }: Viewport, neededColumns: number): number | null {
  const freeColumns = columns - neededColumns - SEPARATOR_COLUMNS;
  return terminalColumns < MIN_COLUMNS_BESIDE || freeColumns < MIN_ASIDE_COLUMNS
    ? null
    : Math.min(freeColumns, MAX_ASIDE_COLUMNS);
}

/** Returns the viewport of a body that needs `neededColumns` columns; the help beside it gets the rest. */
export function getBodyViewport(viewport: Viewport, neededColumns: number): Viewport {
  const asideColumns = getAsideColumns(viewport, neededColumns);
  return asideColumns === null
    ? viewport
    : { ...viewport, columns: viewport.columns - asideColumns - SEPARATOR_COLUMNS };
}

const toRows = (lines: readonly TextLine[]) =>
  lines.map(({ text, tone, spans }): PageRow => (spans === undefined ? createRow(text, tone) : { segments: spans }));

interface Aside {
  readonly state: WizardState;
  /** Columns in which the body truncates nothing. */
  readonly neededColumns: number;
  /** Maximum rows of the body, if known: the rows below are then free for help. */
  readonly neededRows?: number;
  /** The long help: paragraphs, with commands in backticks, the first a heading. */
  readonly help: readonly string[];
}

/**
 * On a wide terminal, adds the long help of the focused element beside the body, or below it if the body needs the
 * whole width. The network diagram follows if there is room. Otherwise, only the body is shown.
 *
 *     ▸ Gateway   172.16.0.254       │ Gateway
 *       …                            │ Nodes send all traffic for other networks to it:
 *                                    │ image downloads, …
 */
export function withAside(
  { state, neededColumns, neededRows, help }: Aside,
  viewport: Viewport,
  drawBody: (viewport: Viewport) => readonly PageRow[],
): readonly PageRow[] {
  if (viewport.terminalColumns < MIN_COLUMNS_BESIDE) return drawBody(viewport);
  const design = getDrawnDesign(state);
  const asideColumns = getAsideColumns(viewport, neededColumns);
  if (asideColumns !== null) {
    const { columns } = getBodyViewport(viewport, neededColumns);
    const helpArea = { ...viewport, columns: asideColumns };
    const helpLines = fitHelpParagraphs(help, asideColumns, viewport.rows);
    const designBeside = fitDesign(design, { ...helpArea, rows: viewport.rows - helpLines.length - 1 });
    const body = { ...viewport, columns };
    const rowsBelow = viewport.rows - (neededRows ?? viewport.rows) - 1;
    // A design that is too wide for the column of the help may fit into the free rows below the body.
    const designBelow = designBeside.length > 0 ? [] : fitDesign(design, { ...body, rows: rowsBelow });
    const bodyRows = designBelow.length > 0 ? (neededRows ?? viewport.rows) : viewport.rows;
    const leftRows = [...fitRows(drawBody({ ...body, rows: bodyRows }), bodyRows), EMPTY_ROW, ...toRows(designBelow)];
    const rightRows = [...toRows(helpLines), EMPTY_ROW, ...toRows(designBeside)];
    return joinColumns(fitRows(leftRows, viewport.rows), body, fitRows(rightRows, viewport.rows));
  }
  const rows = neededRows === undefined ? 0 : viewport.rows - neededRows - 1;
  const shortHelp = fitHelpParagraphs(help, viewport.columns, MAX_HELP_ROWS);
  const isFilled = rows === shortHelp.length;
  if (neededRows === undefined || (rows < MIN_ROWS_BELOW && !isFilled)) return drawBody(viewport);
  const belowLines = isFilled ? shortHelp : renderAside(help, design, { ...viewport, rows });
  return [...fitRows(drawBody({ ...viewport, rows: neededRows }), neededRows), EMPTY_ROW, ...toRows(belowLines)];
}

/**
 * Returns the design for the diagram. While an answer is wrong: the design in force or, before there is one, the
 * readable part of the answers.
 */
const getDrawnDesign = ({ design, inForce, document }: WizardState): Design | null =>
  design ?? inForce?.design ?? buildPartialDesign(document);

/** Pages about objects of the cluster: the networks are no help there. */
const PAGES_WITHOUT_DESIGN: readonly ScreenId[] = ['certificates', 'operators'];

/** Returns the help of a page as a detail of its list, where a wide terminal has room for it. */
export function createHelpDetails(
  state: WizardState,
  help: readonly string[],
  { terminalColumns, hasUnicode, canAnimate }: Viewport,
): readonly Detail[] {
  if (terminalColumns < MIN_COLUMNS_BESIDE) return [];
  const design = PAGES_WITHOUT_DESIGN.includes(state.screen) ? null : getDrawnDesign(state);
  const renderLines = (columns: number, rows: number) =>
    renderAside(help, design, { columns, rows, terminalColumns, hasUnicode, canAnimate });
  return [{ renderLines, top: 0, isFixed: true }];
}

/** With fewer rows, help below the body is omitted. */
const MIN_ROWS_BELOW = 4;

/** A scrolling body keeps at least MIN_SCROLLED_ROWS; the help below it takes at most MAX_HELP_ROWS. */
const MIN_SCROLLED_ROWS = 18;
const MAX_HELP_ROWS = 6;

/**
 * Computes how many of the free rows a body gets if help follows below it; null if no help follows. A body that is
 * complete in `neededRows` rows leaves all other rows to the help. A body that scrolls or has no fixed height leaves
 * only the rows that the help fills, and only in a tall window.
 * @param freeArea.isAlone whether nothing stands beside the body
 */
export function computeBodyRows(
  terminalColumns: number,
  freeArea: Area & { readonly isAlone: boolean },
  neededRows: number | undefined,
  help: readonly string[],
): number | null {
  const { columns, rows, isAlone } = freeArea;
  if (terminalColumns < MIN_COLUMNS_BESIDE || !isAlone) return null;
  if (neededRows !== undefined && rows - neededRows > MIN_ROWS_BELOW) return neededRows;
  if (rows - 1 - MAX_HELP_ROWS < MIN_SCROLLED_ROWS) return null;
  return rows - 1 - fitHelpParagraphs(help, columns, MAX_HELP_ROWS).length;
}

/** Returns the help, followed by as much of the design as fits. */
function renderAside(help: readonly string[], design: Design | null, viewport: Viewport): readonly TextLine[] {
  const lines = fitHelpParagraphs(help, viewport.columns, viewport.rows);
  const designLines = fitDesign(design, { ...viewport, rows: viewport.rows - lines.length - 1 });
  return designLines.length === 0 ? lines : [...lines, { text: '' }, ...designLines];
}

/**
 * Renders as much of the design as fits: its first blocks, which blank lines separate; else the network diagram or
 * nothing.
 */
function fitDesign(design: Design | null, { columns, rows, hasUnicode }: Viewport): readonly TextLine[] {
  if (design === null || rows <= 0) return [];
  const width = Math.min(columns, MAX_ASIDE_COLUMNS);
  const designLines = renderDesign(design, width, hasUnicode);
  const blockEnds = [...designLines.flatMap(({ text }, index) => (text === '' ? [index] : [])), designLines.length];
  const candidates = [
    ...blockEnds.toReversed().map((end) => designLines.slice(0, end)),
    renderNetworkDiagram(design, width, hasUnicode),
  ];
  const canFit = (lines: readonly TextLine[]) =>
    lines.length <= rows && lines.every(({ text }) => getDisplayWidth(text) <= columns);
  return candidates.find(canFit) ?? [];
}

/** Returns as many complete paragraphs as fit. The help page has the rest. */
function fitHelpParagraphs(help: readonly string[], width: number, rows: number): TextLine[] {
  const lines: TextLine[] = [];
  const moreLines = wrapProse(catalogue().screens.step.moreNotes, width);
  for (const [index, text] of help.entries()) {
    const block =
      index === 0
        ? wrapProse(text, width).map(({ text: line }): TextLine => ({ text: line, tone: 'accent' }))
        : wrapHelpParagraph(text, width);
    const gap: TextLine[] = index < 2 ? [] : [{ text: '' }];
    const isLast = index === help.length - 1;
    if (lines.length + gap.length + block.length + (isLast ? 0 : moreLines.length) > rows) {
      return [...lines, ...moreLines.map(({ text: line }): TextLine => ({ text: line, tone: 'accent' }))].slice(
        0,
        rows,
      );
    }
    lines.push(...gap, ...block);
  }
  return lines;
}

type Term = keyof ReturnType<typeof catalogue>['glossary']['terms'];

/** The glossary terms that each page uses. */
const PAGE_TERMS: Readonly<Record<ScreenId, readonly Term[]>> = {
  welcome: ['upi', 'bootstrap', 'controlPlane', 'ignition', 'rhcos', 'pullSecret'],
  cluster: ['upi', 'controlPlane', 'wildcard'],
  networks: ['endpoint', 'ingress', 'vip', 'wildcard'],
  nodes: ['bootstrap', 'controlPlane', 'pool'],
  services: ['endpoint', 'vip', 'ptr', 'wildcard', 'ipxe', 'taint', 'pool'],
  credentials: ['pullSecret', 'ignition'],
  review: ['endpoint', 'vip', 'bootstrap', 'controlPlane'],
  generate: ['installConfig', 'ipxe', 'ptr', 'wildcard'],
  hosts: ['endpoint', 'vip', 'ptr', 'wildcard'],
  prepare: ['manifests', 'ignition', 'rhcos', 'ipxe'],
  boot: ['ipxe', 'rhcos', 'ignition', 'bootstrap'],
  bootstrap: ['bootstrap', 'controlPlane', 'operator', 'endpoint'],
  'bootstrap-removal': ['bootstrap', 'endpoint'],
  certificates: ['csr', 'serving', 'ignition'],
  operators: ['operator', 'ingress', 'kubeconfig'],
  infra: ['pool', 'taint', 'toleration', 'ingress'],
  report: ['kubeconfig', 'csr'],
};

/** Returns the version of OpenShift as it was typed. */
const getVersion = ({ document }: Pick<WizardState, 'document'>) => String(getAt(document, 'openshift.version') ?? '');

/** Lists the glossary terms of a page, each with a link to the documentation of the version of the design. */
export function listTerms({ id }: Pick<Screen, 'id'>, state: Pick<WizardState, 'document'>): readonly string[] {
  const { title, terms } = catalogue().glossary;
  const lines = PAGE_TERMS[id].flatMap((term) => [
    `${terms[term].name}: ${terms[term].definition}`,
    formatDocumentationLink(getVersion(state), terms[term].link),
  ]);
  return [title, ...lines];
}

/** Returns the help page (Ctrl-G): the current context, then what the step does, why, and what can go wrong. */
export function getPageHelp({ id, help }: Pick<Screen, 'id' | 'help'>, state: WizardState): readonly string[] {
  return [...help(state), ...(isStep(id) ? describeStep(id) : [])];
}

/**
 * Describes a step, one paragraph each: what it does, why, how long it takes unless it is over, what can go wrong, and
 * what comes next.
 */
export function describeStep(id: StepId, { isOver = false } = {}): string[] {
  const { titles, steps } = catalogue().stepHelp;
  const parts = ['action', 'reason', ...(isOver ? [] : ['duration' as const]), 'failures', 'nextStep'] as const;
  return parts.map((part) => `${titles[part]}: ${steps[id][part]}`);
}

/**
 * Whether the sidebar is shown. A wide terminal shows it beside every page, so that it does not come and go from page
 * to page. The welcome page has one only while the keys move in it.
 */
export function hasSidebar({ overlay, screen }: WizardState, columns: number): boolean {
  return overlay?.kind === 'sidebar' || (screen !== 'welcome' && columns >= MIN_SIDEBAR_COLUMNS);
}

/** Columns from which the widest table fits beside the sidebar. */
const MIN_SIDEBAR_COLUMNS = 100;

/** The headings over the steps in the sidebar. */
const GROUPS: Readonly<Record<ScreenId, keyof ReturnType<typeof catalogue>['screens']['groups']>> = {
  welcome: 'design',
  cluster: 'design',
  networks: 'design',
  nodes: 'design',
  services: 'design',
  credentials: 'design',
  review: 'design',
  generate: 'build',
  hosts: 'build',
  prepare: 'build',
  boot: 'build',
  bootstrap: 'install',
  'bootstrap-removal': 'install',
  certificates: 'install',
  operators: 'install',
  infra: 'finish',
  report: 'finish',
};

/** Lists the items of the sidebar: every screen but the first, each with its state. */
export function listSidebarItems(state: WizardState): SidebarItem[] {
  return state.screens
    .filter((id) => id !== 'welcome')
    .map((id) => ({
      label: catalogue().screens.sidebar[id],
      state: deriveItemState(state, id),
      group: catalogue().screens.groups[GROUPS[id]],
      isSelected: id === getSidebarSelection(state),
    }));
}

/** Returns the groups of these items, each with the state of its items together: the most important one counts. */
export function groupSidebarItems(items: readonly SidebarItem[]): StepGroup[] {
  return [...Map.groupBy(items, ({ group = '' }) => group)].map(([label, groupItems]) => {
    const states = groupItems.map(({ state }) => state);
    return { label, state: GROUP_STATES.find((state) => states.includes(state)) ?? 'done' };
  });
}

/** The states of items, the most important first. */
const GROUP_STATES = ['current', 'problem', 'open', 'skipped', 'done'] as const;

function deriveItemState(state: WizardState, id: ScreenId): SidebarItem['state'] {
  if (id === state.screen) return 'current';
  if (isStep(id)) {
    const run = state.runs[id];
    const { phase } = run;
    if (isDoneWithProblem(run)) return 'problem';
    // A step that was finished in an earlier session is probed again when it is opened.
    if (listOutdatedSteps(state).includes(id)) return phase === 'failed' ? 'problem' : 'open';
    if (phase === 'failed') return 'problem';
    if (phase === 'done') return 'done';
    if (getScreenIndex(id) >= state.furthestScreenIndex || phase === 'applying') return 'open';
    return phase === 'unknown' && !state.unfinishedSteps.includes(id) ? 'done' : 'skipped';
  }
  if (getScreenIndex(id) >= state.furthestScreenIndex) return 'open';
  const errors = filterErrors([...state.problems, ...state.credentialProblems]);
  const hasErrors = id === 'review' ? errors.length > 0 : errors.some(({ path }) => findPageForPath(path) === id);
  return hasErrors ? 'problem' : 'done';
}
