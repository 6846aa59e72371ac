import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import { formatTimeOfDay, MINUTE } from '../../src/platform/clock.ts';
import { type Binding, resolveKey } from '../../src/rows/bindings.ts';
import {
  createFrameRows,
  type Frame,
  getPageViewport,
  isLargeEnough,
  type TerminalSize,
} from '../../src/rows/frame.ts';
import type { PageRow, Viewport } from '../../src/rows/page-rows.ts';
import type { StepId } from '../../src/steps/contract.ts';
import { getTitleCluster, getTitleVersion } from '../../src/wizard/bell-and-title.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import { deriveInstallProgress } from '../../src/wizard/live/install-progress.ts';
import { needsRepair } from '../../src/wizard/live/likely-cause.ts';
import { type ConfirmationPrompt, getOpenPrompt } from '../../src/wizard/live/step-run.ts';
import { isClockHeld } from '../../src/wizard/live/update-rehearsal.ts';
import { sanitizeState } from '../../src/wizard/sanitize-state.ts';
import { isStep, SCREEN_IDS, type ScreenId, type WizardState } from '../../src/wizard/state.ts';
import type { WizardStore } from '../../src/wizard/store.ts';
import type { KeyEvent } from '../../src/wizard/text-input.ts';
import { bootScreen } from '../boot.ts';
import { bootstrapScreen } from '../bootstrap.ts';
import { bootstrapRemovalScreen } from '../bootstrap-removal.ts';
import { certificatesScreen } from '../certificates.ts';
import { credentialsScreen } from '../credentials.ts';
import { generateScreen } from '../generate.ts';
import { hostsScreen } from '../hosts.ts';
import { infraScreen } from '../infra.ts';
import { nodesScreen } from '../nodes.ts';
import { operatorsScreen } from '../operators.ts';
import { prepareScreen } from '../prepare.ts';
import { reportScreen } from '../report.ts';
import { reviewScreen } from '../review.ts';
import { getPageHelp, groupSidebarItems, hasSidebar, listSidebarItems, listTerms } from '../shared/aside.ts';
import type { Screen } from '../shared/bindings.ts';
import { withEditLock } from '../shared/design/edit-bindings.ts';
import { createFormPage } from '../shared/design/form-page.ts';
import {
  createOverlayBindings,
  getOverlayIntent,
  overlayRows,
  type UnderlyingScreen,
} from '../shared/overlays/overlays.ts';
import { hasOwnEstimate, hasProgressBar } from '../shared/step/step-lines.ts';
import { hasBegun, welcomeScreen } from '../welcome.ts';
import { formatRehearsalMark } from './startup-frame.ts';

/** Every screen, by its id. */
export const SCREENS: Readonly<Record<ScreenId, Screen>> = {
  welcome: welcomeScreen,
  cluster: withEditLock(createFormPage('cluster')),
  networks: withEditLock(createFormPage('networks')),
  nodes: withEditLock(nodesScreen),
  services: withEditLock(createFormPage('services')),
  credentials: withEditLock(credentialsScreen),
  review: withEditLock(reviewScreen),
  generate: generateScreen,
  hosts: hostsScreen,
  prepare: prepareScreen,
  boot: bootScreen,
  bootstrap: bootstrapScreen,
  'bootstrap-removal': bootstrapRemovalScreen,
  certificates: certificatesScreen,
  operators: operatorsScreen,
  infra: infraScreen,
  report: reportScreen,
};

/** Rounds remaining times up to five minutes: more precision would be misleading. */
const ROUNDING_MINUTES = 5;

/** Formats the progress of the whole installation for the frame: `35 min since power-on, usually 40–95 min more`. */
function formatProgress(state: WizardState): Frame['progress'] {
  const progress = deriveInstallProgress(state);
  if (progress === null) return null;
  const words = catalogue().ui.progress;
  const elapsedText = words.elapsed(catalogue().screens.age(progress.elapsedMs));
  if (progress.share === null && !progress.needsRepair) return { share: null, label: elapsedText };
  // The page of a step may show its own bar and estimate: the frame does not repeat them.
  const stepWithBar = isStep(state.screen) && hasProgressBar(state.runs[state.screen]) ? state.screen : null;
  const share = stepWithBar === null ? progress.share : null;
  if (progress.needsRepair) {
    const isRepeated = stepWithBar !== null && needsRepair(state, stepWithBar);
    return { share, label: isRepeated ? elapsedText : `${elapsedText}, ${words.needsRepair}` };
  }
  if (isStep(state.screen) && hasOwnEstimate(state.screen, state.runs[state.screen]))
    return { share, label: elapsedText };
  const [minimum = 0, maximum = 0] = (progress.remainingMs ?? []).map(
    (ms) => Math.ceil(ms / MINUTE / ROUNDING_MINUTES) * ROUNDING_MINUTES,
  );
  const remainingText =
    progress.remainingMs === null
      ? words.overdue
      : maximum === 0
        ? words.remainingMinutes(0)
        : minimum < maximum && minimum > 0
          ? formatRemaining(progress.remainingStep, minimum, maximum)
          : words.remainingUpTo(maximum);
  return { share, label: `${elapsedText}, ${remainingText}` };
}

const formatRemaining = (step: StepId | undefined, minimum: number, maximum: number) =>
  step === undefined
    ? catalogue().ui.progress.remaining(minimum, maximum)
    : catalogue().ui.progress.remainingOf(catalogue().steps.titles[step], minimum, maximum);

/** Actions of the terminal itself that keys can trigger. */
export interface TerminalActions {
  /** Redraws everything. */
  readonly redraw: () => void;
  /** Suspends the process, as Ctrl-Z does elsewhere. */
  readonly suspend: () => void;
  /** The current size of the terminal, and what it can draw. */
  readonly getSize: () => TerminalSize;
}

export interface AppOptions {
  /** The command that resumes this session. */
  readonly resumeCommand: string;
  /** Set if another session is only viewed: the keys that work here, and its holder. */
  readonly viewer?: { readonly bindings: readonly Binding<unknown>[]; readonly note: string };
}

/** Returns everything that the terminal shows for a state. */
export function appRows(unsafeState: WizardState, terminal: TerminalSize, options: AppOptions): readonly PageRow[] {
  const { resumeCommand, viewer } = options;
  const state = sanitizeState(unsafeState);
  const sidebar = listShownSidebar(state, terminal);
  const hasGroups = sidebar.length === 0 && state.screen !== 'welcome';
  const bindings = viewer?.bindings ?? getActiveBindings(state, getPageViewport(terminal, sidebar));
  // Before the installation begins, the cluster is the example's, which the user has not chosen.
  const isDesignShown = state.screen !== 'welcome' || hasBegun(state);
  return createFrameRows(
    {
      cluster: isDesignShown ? formatClusterName(state) : '',
      version: isDesignShown ? getTitleVersion(state) : '',
      rehearsal: formatRehearsalMark(state.welcome.rehearsal, isClockHeld(state)),
      progress: formatProgress(state),
      breadcrumb: SCREENS[state.screen].breadcrumb(),
      position: `${state.screens.indexOf(state.screen) + 1}/${state.screens.length}`,
      groups: hasGroups ? groupSidebarItems(listSidebarItems(state)) : [],
      sidebar,
      bindings,
      footerNote: viewer?.note ?? formatSavedNote(state, terminal.columns >= MIN_TIME_COLUMNS || !isTyping(bindings)),
      body: (viewport) => bodyRows(state, viewport, resumeCommand),
    },
    terminal,
  );
}

const listShownSidebar = (state: WizardState, { columns }: TerminalSize) =>
  hasSidebar(state, columns) ? listSidebarItems(state) : [];

/** Returns the rows of the current screen or, if an overlay is open, of the overlay. */
export function bodyRows(state: WizardState, viewport: Viewport, resumeCommand: string): readonly PageRow[] {
  const { overlay, screen } = state;
  return overlay === null
    ? SCREENS[screen].rows(state, viewport)
    : overlayRows(state, overlay, getUnderlyingScreen(state, viewport), viewport, resumeCommand);
}

/** Returns the keys that work now: an open overlay has its own. */
export function getActiveBindings(state: WizardState, viewport: Viewport): readonly Binding<Intent>[] {
  const { overlay } = state;
  return overlay === null
    ? getScreenBindings(state, viewport)
    : createOverlayBindings(state, overlay, getUnderlyingScreen(state, viewport), viewport);
}

const getScreenBindings = (state: WizardState, viewport: Viewport) =>
  addRehearsalKeys(state, addUnavailableKeys(SCREENS[state.screen].bindings(state, viewport)));

/** Whether letters are actions here: no text is typed, and no question waits for a yes or no. */
const hasActionKeys = (bindings: readonly Binding<Intent>[]) =>
  isBound(bindings, SHORTCUTS.help) && !(isBound(bindings, 'y') && isBound(bindings, 'n'));

/**
 * Adds the keys that most pages have and this page lacks, disabled with a reason. Adds none while text is typed or a
 * question is open: the letters are input then.
 */
function addUnavailableKeys(bindings: readonly Binding<Intent>[]): readonly Binding<Intent>[] {
  if (!hasActionKeys(bindings)) return bindings;
  const { diagnose, undo } = catalogue().screens.keys;
  const unavailableBindings = [
    { key: SHORTCUTS.diagnose, label: diagnose, disabledReason: catalogue().screens.step.notDiagnosed },
    { key: SHORTCUTS.undo, label: undo, disabledReason: catalogue().screens.step.notUndone },
  ].filter(({ key }) => !isBound(bindings, key));
  return [
    ...bindings,
    ...unavailableBindings.map(
      ({ key, label, disabledReason }): Binding<Intent> => ({
        ...{ keys: [key], label, disabledReason, isHidden: true },
        intent: null,
      }),
    ),
  ];
}

function getUnderlyingScreen(state: WizardState, viewport: Viewport): UnderlyingScreen {
  const screen = SCREENS[state.screen];
  return {
    help: () => getPageHelp(screen, state),
    bindings: () => getScreenBindings(state, viewport),
    terms: () => listTerms(screen, state),
    rows: () => screen.rows(state, viewport),
  };
}

/** Adds the keys that control the clock of a rehearsal, except where text is typed or a question is open. */
function addRehearsalKeys(state: WizardState, bindings: readonly Binding<Intent>[]): readonly Binding<Intent>[] {
  const { rehearsal } = state.welcome;
  if (rehearsal === null || !hasActionKeys(bindings)) return bindings;
  const { faster, slower, speed, pause, unpause, installForReal, installShort } = catalogue().screens.keys;
  const [firstBinding, ...otherBindings] = bindings;
  const isLastScreen = state.screen === SCREEN_IDS.at(-1);
  // A rehearsal on a cloud begins with a running cluster: there is nothing to install.
  const isOnCloud = !state.screens.includes('generate');
  return [
    ...(firstBinding ? [firstBinding] : []),
    ...(isLastScreen && !isOnCloud
      ? [
          {
            keys: [SHORTCUTS.installForReal],
            label: installForReal,
            shortLabel: installShort,
            intent: { type: 'install/open' },
          } as const,
        ]
      : []),
    ...otherBindings,
    {
      keys: [SHORTCUTS.faster, '='],
      label: faster,
      footer: { key: `${SHORTCUTS.faster}/${SHORTCUTS.slower}`, label: speed },
      intent: { type: 'rehearsal/speed', by: 1 },
    },
    { keys: [SHORTCUTS.slower], label: slower, intent: { type: 'rehearsal/speed', by: -1 }, isHidden: true },
    { keys: [SHORTCUTS.pause], label: rehearsal.isPaused ? unpause : pause, intent: { type: 'rehearsal/pause' } },
  ];
}

/** Handles one key with the current state, which already includes the previous key of the same burst. */
export function handleKey(store: WizardStore, event: KeyEvent, terminal: TerminalActions): void {
  const state = store.getState();
  const size = terminal.getSize();
  const getViewport = () => getPageViewport(size, listShownSidebar(state, size));
  const getBindings = () => getActiveBindings(state, getViewport());
  if (event.kind === 'key' && event.name === 'ctrl-l') terminal.redraw();
  // Ctrl-Z is undo where answers are edited; elsewhere it suspends the process, as in other programs.
  else if (event.kind === 'key' && event.name === 'ctrl-z' && !isBound(getBindings(), 'ctrl-z')) terminal.suspend();
  else if (!state.leaveReason && (isLargeEnough(size) || worksInSmallWindow(event))) {
    const intent = resolveIntent(state, event, getViewport());
    if (intent) store.dispatch(intent);
  }
}

const isBound = (bindings: readonly Binding<Intent>[], key: string) => bindings.some(({ keys }) => keys.includes(key));

/**
 * Whether the key works even in a window too small to show anything. Only the keys that quit work there, so that no
 * answer changes unseen.
 */
function worksInSmallWindow(event: KeyEvent): boolean {
  return event.kind === 'key' && (event.name === 'ctrl-c' || event.name === 'ctrl-s');
}

/** The questions that have been on the screen. A yes to any other question was typed before the user could read it. */
const drawnPrompts = new WeakSet<ConfirmationPrompt>();

const getShownPrompt = ({ screen, runs, overlay }: WizardState) =>
  overlay === null && isStep(screen) ? getOpenPrompt(runs[screen]) : null;

/** Records that the question of this state, if it has one, has been drawn. */
export function recordDrawnState(state: WizardState): void {
  const prompt = getShownPrompt(state);
  if (prompt !== null) drawnPrompts.add(prompt);
}

/**
 * Whether the key is a yes that was typed before its question was on the screen. Questions that need a typed word are
 * exempt.
 */
function isTypedAhead(state: WizardState, intent: Intent): boolean {
  const prompt = getShownPrompt(state);
  const isYes = intent.type === 'step/answer' && intent.isYes;
  return isYes && prompt?.input === null && !drawnPrompts.has(prompt);
}

function resolveIntent(state: WizardState, event: KeyEvent, viewport: Viewport): Intent | null {
  const resolution = resolveKey(getActiveBindings(state, viewport), event);
  switch (resolution.kind) {
    case 'intent':
      return isTypedAhead(state, resolution.intent)
        ? { type: 'notice/show', notice: { kind: 'info', text: catalogue().screens.step.typedAhead } }
        : resolution.intent;
    case 'disabled':
      return {
        type: 'notice/show',
        notice: { kind: resolution.reasonKind ?? 'info', text: resolution.reason, context: { kind: 'not-now' } },
      };
    case 'none':
      return state.overlay === null
        ? (SCREENS[state.screen].onText?.(state, event, viewport) ?? null)
        : getOverlayIntent(state, state.overlay, event);
  }
}

function formatClusterName(state: WizardState): string {
  const { name, baseDomain } = getTitleCluster(state);
  return name === '' || baseDomain === '' ? '' : `${name}.${baseDomain}`;
}

/**
 * Minimum columns of a terminal that shows the time of the save while text is typed: long key labels need the space.
 */
const MIN_TIME_COLUMNS = 90;
const isTyping = (bindings: readonly Binding<unknown>[]) =>
  bindings.some(({ keys, staysVisible }) => staysVisible === 'help' && keys[0] !== SHORTCUTS.help);

/** Formats whether the session is saved, with the time if `hasTime` is true and the clock is not a rehearsal's. */
function formatSavedNote({ savedAt, saveError, welcome: { rehearsal } }: WizardState, hasTime: boolean): string {
  const { notSaved, saved, savedShort } = catalogue().ui;
  if (saveError) return notSaved;
  return savedAt === null ? '' : hasTime && rehearsal === null ? saved(formatTimeOfDay(savedAt)) : savedShort;
}
