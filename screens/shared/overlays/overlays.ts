import { catalogue } from '../../../src/i18n/catalogue.ts';
import { wrapCommand, wrapProse } from '../../../src/i18n/prose.ts';
import { SHORTCUTS } from '../../../src/i18n/shortcuts.ts';
import { fitToWidth, getDisplayWidth, wrapBeside, wrapLines } from '../../../src/platform/text.ts';
import { type Binding, getKeyLabel, listHelpLines } from '../../../src/rows/bindings.ts';
import {
  type Confirmation,
  createConfirmationRows,
  createNoticeRowsBelow,
  getConfirmationRange,
} from '../../../src/rows/confirmation.ts';
import { createTextFieldRow } from '../../../src/rows/form.ts';
import {
  createRow,
  EMPTY_ROW,
  getGlyphs,
  measureRow,
  type PageRow,
  type Viewport,
} from '../../../src/rows/page-rows.ts';
import { createSpinnerRow } from '../../../src/rows/progress.ts';
import {
  createNoticeRows,
  createParagraphRows,
  createTextRows,
  getLastTop,
  type TextLine,
  wrapFact,
  wrapHelpParagraph,
} from '../../../src/rows/text.ts';
import type { Page } from '../../../src/steps/contract.ts';
import { describeFollowUpOffer } from '../../../src/wizard/design/follow-up.ts';
import { FILL_KINDS } from '../../../src/wizard/design/node-table.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import { isWelcomeBackPage, type Overlay } from '../../../src/wizard/overlays/overlay.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent } from '../../../src/wizard/text-input.ts';
import { listSidebarItems } from '../aside.ts';
import {
  createOverlayUndoBindings,
  createQuitBindings,
  createTextScrollBindings,
  getJumpDistance,
  getPageRows,
  skipExcess,
} from '../bindings.ts';
import { createFillBindings, fillRows } from './fill-overlay.ts';
import { createImportBindings, getImportIntent, importRows } from './import-overlay.ts';
import { createPaletteBindings, createSidebarBindings, paletteRows } from './palette-overlay.ts';

const words = () => catalogue().followUp;

type FollowUpOffer = Extract<Overlay, { kind: 'follow' }>;

/**
 * Returns the keys of the follow-up offer. Enter means no: a slip changes no other answer. Keys typed before the offer
 * was visible do nothing.
 */
function createFollowUpBindings(state: WizardState, offer: FollowUpOffer, viewport: Viewport): Binding<Intent>[] {
  const {
    lineCount: count,
    visibleRows,
    lastTop,
  } = getConfirmationRange(createFollowUpQuestion(state, offer), viewport);
  const range = { top: offer.top, lastTop };
  const scroll = (by: number): Intent => ({ type: 'follow/scroll', by: skipExcess(by, range), count });
  const disabledState = offer.isFresh ? { disabledReason: words().readFirst } : {};
  return [
    { keys: ['y'], label: words().yesLabel, intent: { type: 'follow/accept' }, ...disabledState },
    { keys: ['enter', 'escape', 'n'], label: words().noLabel, intent: { type: 'follow/decline' }, ...disabledState },
    ...createTextScrollBindings(scroll, visibleRows),
    { keys: ['right', ' '], label: keys().readOn, intent: scroll(getPageRows(visibleRows)), isHidden: true },
    { keys: ['ctrl-s'], label: keys().quit, intent: { type: 'session/quit' } },
  ];
}

/**
 * The answers that depend on the one that the user changed, each with its new value.
 *
 *     Move 17 addresses to 10.20.30.0/24?
 *
 *     172.16.0.254 -> 10.20.30.254  Gateway
 *     172.16.0.111 -> 10.20.30.111  API address, Ingress address
 *     172.16.0.11  -> 10.20.30.11   bs
 *
 *     y change them   n leave them
 */
function createFollowUpQuestion({ document }: WizardState, { change, top }: FollowUpOffer): Confirmation {
  const { question, lines } = describeFollowUpOffer(document, change);
  return {
    question,
    details: [words().explanation, '', ...lines],
    top,
    yesLabel: words().yesLabel,
    noLabel: words().noLabel,
  };
}

/** Draws the offer, with the notice below it. */
function followUpRows(state: WizardState, offer: FollowUpOffer, viewport: Viewport): PageRow[] {
  const notice = createNoticeRowsBelow(state.notice, viewport);
  const rows = viewport.rows - notice.length;
  return [...createConfirmationRows(createFollowUpQuestion(state, offer), { ...viewport, rows }), ...notice];
}

const installOverlayWords = () => catalogue().rehearsal.install;

type InstallPrompt = Extract<Overlay, { kind: 'install' }>;

/** Returns the keys of the overlay that asks for the install directory. */
function createInstallBindings(): Binding<Intent>[] {
  return [
    { keys: ['enter'], label: keys().begin, intent: { type: 'install/enter' } },
    { keys: ['escape'], label: keys().back, intent: { type: 'overlay/close' } },
    ...createOverlayUndoBindings({ isTyping: true }),
    ...createQuitBindings(),
  ];
}

/** Maximum rows of the explanation. It gives way to an error message about the last input. */
const MAX_WHY_ROWS = 6;

/**
 * Asks for the directory of the real installation after a rehearsal.
 *
 *     Install for real with this design
 *
 *     Install directory  /home/user/upi-cluster
 */
function installRows({ editor, refusal }: InstallPrompt, viewport: Viewport): PageRow[] {
  const { rows } = viewport;
  const notice = refusal === null ? [] : createNoticeRows({ kind: 'error', text: refusal, height: rows - 6 }, viewport);
  const explanationRows = createParagraphRows(installOverlayWords().explanation, viewport, {
    tone: 'muted',
    height: MAX_WHY_ROWS,
  });
  return [
    createRow(installOverlayWords().title, 'text', true),
    EMPTY_ROW,
    createTextFieldRow({ text: `${installOverlayWords().directory}  `, tone: 'focus' }, editor, viewport),
    EMPTY_ROW,
    ...(notice.length === 0 || rows - 6 - notice.length >= explanationRows.length ? explanationRows : []),
    ...(refusal === null ? [] : [EMPTY_ROW, ...notice]),
  ];
}

const keys = () => catalogue().screens.keys;

type PageOverlay = Extract<Overlay, { kind: 'page' }>;

/** Returns the keys of a page. On a page with a secret, Enter reveals it, and any other key closes the page. */
function createPageBindings(overlay: PageOverlay, viewport: Viewport): Binding<Intent>[] {
  const { page, top } = overlay;
  const closeIntent: Intent = { type: 'overlay/close' };
  if (page?.secret) {
    const revealBinding: Binding<Intent> = {
      keys: ['enter'],
      label: keys().reveal,
      intent: { type: 'overlay/reveal' },
    };
    const label = overlay.isRevealed ? keys().hide : keys().close;
    return [...(overlay.isRevealed ? [] : [revealBinding]), { keys: ['escape'], label, intent: closeIntent }];
  }
  return [
    ...(isWelcomeBackPage({ overlay })
      ? ([
          { keys: ['enter'], label: keys().continue, intent: closeIntent },
          { keys: ['escape', SHORTCUTS.close], label: keys().close, intent: closeIntent },
        ] as const)
      : [{ keys: ['enter', 'escape', SHORTCUTS.close] as const, label: keys().close, intent: closeIntent }]),
    // The help is that of the page below.
    {
      keys: [SHORTCUTS.help, 'ctrl-g'],
      label: keys().help,
      staysVisible: 'help',
      intent: { type: 'overlay/open', overlay: 'help' },
    },
    ...(page?.simulatedRepair === undefined
      ? []
      : [
          {
            keys: [SHORTCUTS.simulateRepair],
            label: keys().simulateRepair(page.repairedFinding),
            staysVisible: true,
            intent: {
              type: 'rehearsal/repair',
              fault: page.simulatedRepair,
              ...(page.repairedFinding === undefined ? {} : { leavesFirstFinding: true }),
            } as const,
          } as const,
        ]),
    ...(page?.alternativePage
      ? [
          {
            keys: [SHORTCUTS.verifyKey],
            label: page.alternativePage.label,
            intent: { type: 'step/show', subject: page.alternativePage.subject } as const,
          },
        ]
      : []),
    ...createPageScrollBindings(
      top,
      page ? (overlay.isPending ? layOutPendingPage : layOutPage)(page, viewport) : { lines: [], visibleRows: 1 },
    ),
    ...createQuitBindings(),
  ];
}

/** The lines of a page, and how many of them are visible. */
interface PageLayout {
  readonly lines: readonly (string | TextLine)[];
  readonly visibleRows: number;
}

/** Returns the scroll keys of a page whose first visible line is `top`. */
function createPageScrollBindings(top: number, { lines, visibleRows }: PageLayout): Binding<Intent>[] {
  const range = { top, lastTop: getLastTop(lines.length, visibleRows) };
  const toIntent = (by: number): Intent => ({
    type: 'help/scroll',
    by: skipExcess(by, range),
    count: Math.max(1, lines.length),
  });
  const bindings = createTextScrollBindings(toIntent, visibleRows);
  // If the whole text fits, the footer shows no scroll keys.
  return range.lastTop === 0 ? bindings.map((binding) => ({ ...binding, isHidden: true })) : bindings;
}

/**
 * Returns the rows of a page that the user opened. It replaces the body of the screen.
 *
 *     Latest events around ingress
 *
 *     2 min  WARNING  FailedScheduling  Pod/router-default-5d4f  ×7
 *         0/3 nodes are available
 */
function pageRows(overlay: PageOverlay, viewport: Viewport): readonly PageRow[] {
  const { subject, page, top, isPending } = overlay;
  if (!page)
    return progressRows(
      subject === 'diagnosis' ? catalogue().diagnose.progress : catalogue().screens.step.probing,
      viewport,
    );
  if (isPending) {
    const head = [...progressRows(page.title, viewport), EMPTY_ROW];
    const { lines, visibleRows } = layOutPendingPage(page, viewport);
    return [...head, ...createTextRows({ lines, top }, { ...viewport, rows: visibleRows })];
  }
  const hasFindings = subject === 'diagnosis' || subject === 'findings';
  const { lines, visibleRows } = layOutPage(page, viewport, { isRevealed: overlay.isRevealed, hasFindings });
  return [
    createRow(page.title, 'text', true),
    EMPTY_ROW,
    ...createTextRows({ lines, top }, { ...viewport, rows: visibleRows }),
  ];
}

/** Returns the rows of a running task, with a spinner before its label. */
function progressRows(label: string, viewport: Viewport): readonly PageRow[] {
  const indent = ' '.repeat(measureRow(createSpinnerRow('', viewport)));
  const [firstLine = '', ...otherLines] = wrapLines(label, viewport.columns - indent.length);
  return [createSpinnerRow(firstLine, viewport), ...otherLines.map((line) => createRow(indent + line, 'accent'))];
}

/** Lays out a page below its progress, which may need more lines than a title. */
function layOutPendingPage(page: Page, viewport: Viewport): PageLayout {
  const { lines } = layOutPage(page, viewport);
  return { lines, visibleRows: Math.max(1, viewport.rows - progressRows(page.title, viewport).length - 1) };
}

/** A title of a finding, which its number or a hyphen begins, and a line that begins with its label. */
const FINDING_TITLE = /^(?:\d+\. |- )/;
const FINDING_LABEL = /^ {3}\S/;

function layOutPage(
  page: NonNullable<PageOverlay['page']>,
  { columns, rows }: Viewport,
  { isRevealed = false, hasFindings = false } = {},
): PageLayout {
  // Continuation lines align with the start of the text.
  const wrapPageLines = (lines: readonly string[]) =>
    lines.flatMap((line): (string | TextLine)[] => {
      const [head = ''] = /^[ -]*/.exec(line) ?? [];
      if (hasFindings && FINDING_TITLE.test(line))
        return wrapProse(line, columns).map(({ text }): TextLine => ({ text, tone: 'accent' }));
      if (hasFindings && FINDING_LABEL.test(line)) return wrapHelpParagraph(line, columns);
      const command = /^ *\$ (.*)$/.exec(line)?.[1];
      // A command is never truncated, whatever the width.
      if (command !== undefined)
        return wrapCommand(command, columns, head).map((text) => ({ text, tone: 'accent' as const }));
      return wrapProse(line.slice(head.length), columns, head).map(({ text, isCommand }) =>
        isCommand ? { text, tone: 'accent' as const } : text,
      );
    });
  const lines = [
    ...wrapPageLines(page.lines),
    ...(page.secret ? [formatSecret(page.secret, isRevealed)] : []),
    ...(page.facts === undefined ? [] : ['', ...page.facts.flatMap((fact) => wrapFact(fact, columns))]),
    ...(page.linesBelow?.length && (isRevealed || !page.secret) ? ['', ...wrapPageLines(page.linesBelow)] : []),
  ];
  return { lines, visibleRows: Math.max(1, rows - 2) };
}

function formatSecret({ label, value }: NonNullable<Page['secret']>, isRevealed: boolean): TextLine {
  return isRevealed
    ? { text: `${label}${value.reveal()}`, tone: 'focus' }
    : { text: `${label}${catalogue().screens.step.hiddenSecret}`, tone: 'muted' };
}

/**
 * Returns the rows of the help page, which replaces the body: the purpose of the screen, then every key that works on
 * it.
 *
 *     Help: Networks
 *
 *     Pods get addresses from the cluster network ...
 *
 *     Keys that work here
 *       Enter          next
 *       Ctrl-G, ?      help
 */
function helpRows(
  top: number,
  state: WizardState,
  underlyingScreen: UnderlyingScreen,
  viewport: Viewport,
): readonly PageRow[] {
  const { lines, visibleRows, overlayKeyLines } = layOutHelp(underlyingScreen, viewport);
  const title = `${catalogue().ui.helpTitle}: ${catalogue().screens.sidebar[state.screen]}`;
  return [
    createRow(title, 'text', true),
    EMPTY_ROW,
    ...createTextRows({ lines, top }, { ...viewport, rows: visibleRows }),
    ...overlayKeyLines.map((line) => createRow(line, 'muted')),
  ];
}

/** Maximum columns of the keys on a help page: the keys that move in a list fit. */
const MAX_KEY_COLUMNS = 31;

function layOutHelp(
  underlyingScreen: UnderlyingScreen,
  viewport: Viewport,
): PageLayout & { readonly overlayKeyLines: string[] } {
  const { columns, rows } = viewport;
  const { ellipsis } = getGlyphs(viewport);
  const keyLines = listHelpLines(underlyingScreen.bindings());
  const keyWidth = Math.min(MAX_KEY_COLUMNS, Math.max(0, ...keyLines.map(({ keys: names }) => getDisplayWidth(names))));
  const wrapParagraphs = (texts: readonly string[]) =>
    texts.flatMap((text): TextLine[] => [...wrapHelpParagraph(text, columns), { text: '' }]);
  const lines: TextLine[] = [
    ...wrapParagraphs(underlyingScreen.help()),
    { text: catalogue().ui.helpKeys, tone: 'accent' },
    ...keyLines.flatMap(({ keys: names, label, disabledReason }) =>
      wrapBeside(
        `  ${fitToWidth(names, keyWidth, ellipsis)}  `,
        `${label}${disabledReason === undefined ? '' : ` (${disabledReason})`}`,
        columns,
      ).map((text) => ({ text })),
    ),
    { text: '' },
    ...wrapParagraphs(underlyingScreen.terms()),
  ];
  // The labels of these keys do not depend on the number of lines.
  const ownBindings = createHelpBindings(createPageScrollBindings(0, { lines: [], visibleRows: 0 }));
  const ownKeys = wrapLines(formatKeys(ownBindings), columns).slice(0, Math.max(1, rows - 6));
  return { lines, visibleRows: rows - 2 - ownKeys.length, overlayKeyLines: ownKeys };
}

/** Returns every key with its effect; keys with the same effect are grouped: `Down, Up: row`. */
function formatKeys(bindings: readonly Binding<unknown>[]): string {
  const keysByLabel = new Map<string, string[]>();
  for (const { keys: names, label } of bindings)
    keysByLabel.set(label, [...(keysByLabel.get(label) ?? []), ...names.map((key) => getKeyLabel(key))]);
  return [...keysByLabel]
    .map(([label, names]) => catalogue().ui.keyHelp([...new Set(names)].join(', '), label))
    .join('  ');
}

function createHelpBindings(scrollBindings: Binding<Intent>[]): Binding<Intent>[] {
  return [
    {
      keys: ['escape', 'enter', 'ctrl-g', SHORTCUTS.help, SHORTCUTS.close],
      label: keys().close,
      intent: { type: 'overlay/close' },
    },
    ...createQuitBindings(),
    ...scrollBindings,
  ];
}

/** The screen under an overlay: its help, its rows, and the keys that work on it. */
export interface UnderlyingScreen {
  readonly help: () => readonly string[];
  readonly bindings: () => readonly Binding<Intent>[];
  /** The glossary terms of the screen, shown after everything else. */
  readonly terms: () => readonly string[];
  readonly rows: () => readonly PageRow[];
}

type OpenOverlay = NonNullable<Overlay>;

/** Returns the rows of an overlay, which replace those of the screen's body. */
export function overlayRows(
  state: WizardState,
  overlay: OpenOverlay,
  underlyingScreen: UnderlyingScreen,
  viewport: Viewport,
  resumeCommand: string,
): readonly PageRow[] {
  const { quit, unsaved } = catalogue().screens;
  switch (overlay.kind) {
    case 'help':
      return helpRows(overlay.top, state, underlyingScreen, viewport);
    case 'quit': {
      const command = wrapCommand(resumeCommand, viewport.columns, '').map((text): TextLine => ({ text }));
      return createConfirmationRows({ question: quit.question, details: [...quit.details, ...command] }, viewport);
    }
    case 'unsaved': {
      const { question, details, yesLabel, noLabel } = unsaved;
      return createConfirmationRows(
        { question, details: details(state.saveError?.cause ?? ''), yesLabel, noLabel },
        viewport,
      );
    }
    case 'example-site':
      return createConfirmationRows(catalogue().pages.review.exampleSite, viewport);
    case 'import':
      return importRows(state, overlay.importState, viewport);
    case 'fill':
      return fillRows(state, overlay, viewport);
    case 'follow':
      return followUpRows(state, overlay, viewport);
    case 'install':
      return installRows(overlay, viewport);
    case 'palette':
      return paletteRows(state, overlay, underlyingScreen.bindings(), viewport);
    case 'sidebar':
      return underlyingScreen.rows();
    case 'page':
      return pageRows(overlay, viewport);
  }
}

/** Returns the keys of an overlay. */
export function createOverlayBindings(
  state: WizardState,
  overlay: OpenOverlay,
  underlyingScreen: UnderlyingScreen,
  viewport: Viewport,
): readonly Binding<Intent>[] {
  const { keys: keyLabels } = catalogue().screens;
  switch (overlay.kind) {
    case 'help':
      return createHelpBindings(createPageScrollBindings(overlay.top, layOutHelp(underlyingScreen, viewport)));
    case 'quit':
      return [
        { keys: ['y', 'ctrl-c', 'ctrl-s'], label: keyLabels.quit, intent: { type: 'session/quit' } },
        { keys: ['n', 'escape'], label: keyLabels.stay, intent: { type: 'overlay/close' } },
      ];
    case 'unsaved':
      return [
        { keys: ['ctrl-s'], label: keyLabels.quit, intent: { type: 'session/quit' } },
        { keys: ['y'], label: keyLabels.abandon, intent: { type: 'session/abandon' } },
        { keys: ['n', 'escape'], label: keyLabels.stay, intent: { type: 'overlay/close' } },
      ];
    case 'example-site': {
      const { yesLabel, noLabel } = catalogue().pages.review.exampleSite;
      return [
        { keys: ['enter', 'escape', 'n'], label: noLabel, intent: { type: 'overlay/close' } },
        { keys: ['y'], label: yesLabel, intent: { type: 'screen/go', screen: 'generate' } },
        ...createQuitBindings(),
      ];
    }
    case 'import':
      return createImportBindings(state, overlay.importState, viewport);
    case 'fill':
      return createFillBindings(state, overlay);
    case 'follow':
      return createFollowUpBindings(state, overlay, viewport);
    case 'install':
      return createInstallBindings();
    case 'palette':
      return createPaletteBindings(state, overlay, underlyingScreen.bindings());
    case 'sidebar':
      return createSidebarBindings(state);
    case 'page':
      return createPageBindings(overlay, viewport);
  }
}

/** Returns the intent of a key that is not bound in the overlay: text, where it takes text. */
export function getOverlayIntent(state: WizardState, overlay: OpenOverlay, event: KeyEvent): Intent | null {
  switch (overlay.kind) {
    case 'import':
      return getImportIntent(overlay.importState, event);
    case 'install':
      return { type: 'install/edit', event };
    case 'palette':
      return { type: 'palette/edit', event };
    case 'page':
      return overlay.page?.secret ? { type: 'overlay/close' } : null;
    case 'help':
    case 'quit':
    case 'unsaved':
    case 'example-site':
      return null;
    case 'follow':
      return event.kind === 'key'
        ? null
        : { type: 'notice/show', notice: { kind: 'info', text: catalogue().screens.step.yesOrNo } };
    case 'fill': {
      const labels = FILL_KINDS.map((fill) => catalogue().screens.nodes.fill.labels[fill]);
      return { type: 'node/fill-move', by: getJumpDistance(labels, overlay.choice, event) };
    }
    case 'sidebar': {
      const labels = listSidebarItems(state).map(({ label }) => label);
      return { type: 'sidebar/move', by: getJumpDistance(labels, overlay.row, event) };
    }
  }
}
