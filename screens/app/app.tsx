import { useSyncExternalStore } from 'react';
import { getAt } from '../../src/design/paths.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { SHORTCUTS } from '../../src/i18n/shortcuts.ts';
import { formatTimeOfDay, MINUTE } from '../../src/platform/clock.ts';
import { AppFrame, type AppFrameProps, isLargeEnough } from '../../src/ui/components/app-frame.tsx';
import { type Binding, resolveKey } from '../../src/ui/keys.tsx';
import { type Area, useTerminalStyle } from '../../src/ui/terminal-style.tsx';
import type { Intent } from '../../src/wizard/intents.ts';
import { deriveInstallProgress } from '../../src/wizard/live/install-progress.ts';
import { SCREEN_IDS, sanitizeState, type WizardState } from '../../src/wizard/state.ts';
import type { WizardStore } from '../../src/wizard/store.ts';
import type { KeyEvent } from '../../src/wizard/typing.ts';
import { getPageHelp, hasSidebar, listSidebarItems, listTerms } from '../shared/aside.tsx';
import { drawOverlay, getOverlayIntent, overlayBindings, type UnderlyingScreen } from '../shared/overlays/overlays.tsx';
import { SCREENS } from './registry.ts';
import { formatRehearsalMark } from './startup-frame.tsx';

/** In steps of five minutes: more precision would be misleading. */
const ROUNDING_MINUTES = 5;

/** Formats the progress of the whole installation for the frame: `35 min so far, usually 40-95 min more`. */
function formatProgress(state: WizardState): AppFrameProps['progress'] {
  const progress = deriveInstallProgress(state);
  if (progress === null) return null;
  const words = catalogue().ui.progress;
  const spent = words.spent(catalogue().screens.age(progress.elapsed));
  if (progress.share === null) return { share: null, label: spent };
  const [minimum = 0, maximum = 0] = (progress.remaining ?? []).map(
    (ms) => Math.ceil(ms / MINUTE / ROUNDING_MINUTES) * ROUNDING_MINUTES,
  );
  const remaining =
    progress.remaining === null
      ? words.overdue
      : minimum < maximum && minimum > 0
        ? words.remaining(minimum, maximum)
        : words.remainingUpTo(maximum);
  return { share: progress.share, label: `${spent}, ${remaining}` };
}

/** Actions of the terminal itself that keys can trigger. */
export interface TerminalActions {
  /** Redraws everything. */
  readonly onRedraw: () => void;
  /** Stops the process, as Ctrl-Z does elsewhere. */
  readonly onStop: () => void;
  /** The current size of the terminal. */
  readonly size: () => Area;
}

export interface AppViewProps {
  readonly store: Pick<WizardStore, 'getState' | 'subscribe'>;
  /** The command that resumes this session. */
  readonly resumeCommand: string;
  /** Set if another session is only viewed: the keys that work here, and its holder. */
  readonly viewer?: { readonly bindings: readonly Binding<unknown>[]; readonly note: string };
}

/** Draws the state of the wizard. */
export function AppView({ store, resumeCommand, viewer }: AppViewProps) {
  const { columns } = useTerminalStyle();
  const state = sanitizeState(useSyncExternalStore(store.subscribe, store.getState));
  const screen = SCREENS[state.screen];
  return (
    <AppFrame
      cluster={formatClusterName(state)}
      version={String(getAt(state.document, 'openshift.version') ?? '')}
      rehearsal={formatRehearsalMark(state.welcome.rehearsal)}
      progress={formatProgress(state)}
      place={screen.breadcrumb()}
      position={`${state.screens.indexOf(state.screen) + 1}/${state.screens.length}`}
      sidebar={hasSidebar(state, columns, screen) ? listSidebarItems(state) : []}
      bindings={viewer?.bindings ?? getActiveBindings(state)}
      footerNote={viewer?.note ?? formatSavedNote(state)}
    >
      <ScreenBody state={state} resumeCommand={resumeCommand} />
    </AppFrame>
  );
}

/** Renders the current screen, or the overlay over it. */
export function ScreenBody({ state, resumeCommand }: { readonly state: WizardState; readonly resumeCommand: string }) {
  const { overlay } = state;
  return overlay === null
    ? SCREENS[state.screen].draw(state)
    : drawOverlay(state, overlay, getUnderlyingScreen(state), resumeCommand);
}

/** Returns the keys that work now: an open overlay has its own. */
export function getActiveBindings(state: WizardState): readonly Binding<Intent>[] {
  const { overlay } = state;
  return overlay === null ? getScreenBindings(state) : overlayBindings(state, overlay, getUnderlyingScreen(state));
}

const getScreenBindings = (state: WizardState) => addRehearsalKeys(state, SCREENS[state.screen].bindings(state));

const getUnderlyingScreen = (state: WizardState): UnderlyingScreen => ({
  help: () => getPageHelp(SCREENS[state.screen], state),
  bindings: () => getScreenBindings(state),
  terms: () => listTerms(SCREENS[state.screen]),
  draw: () => SCREENS[state.screen].draw(state),
});

/** Adds the keys for the time of a rehearsal, except where text is typed or a question is open. */
function addRehearsalKeys(state: WizardState, bindings: readonly Binding<Intent>[]): readonly Binding<Intent>[] {
  const { rehearsal } = state.welcome;
  const has = (key: string) => bindings.some(({ keys }) => keys.includes(key));
  if (rehearsal === null || !has(SHORTCUTS.help) || has('y')) return bindings;
  const { faster, slower, pause, unpause, installForReal } = catalogue().screens.keys;
  const [first, ...others] = bindings;
  const isLastScreen = state.screen === SCREEN_IDS.at(-1);
  // A cluster that a cloud created is not installed from here.
  const isOnCloud = !state.screens.includes('generate');
  return [
    ...(first ? [first] : []),
    ...(isLastScreen && !isOnCloud
      ? [{ keys: [SHORTCUTS.installForReal], label: installForReal, intent: { type: 'install/open' } } as const]
      : []),
    ...others,
    { keys: [SHORTCUTS.faster, '='], label: faster, intent: { type: 'rehearsal/speed', by: 1 } },
    { keys: [SHORTCUTS.slower], label: slower, intent: { type: 'rehearsal/speed', by: -1 } },
    { keys: [SHORTCUTS.pause], label: rehearsal.isPaused ? unpause : pause, intent: { type: 'rehearsal/pause' } },
  ];
}

/** Handles one key with the current state, which already includes the previous key of the same burst. */
export function handleKey(store: WizardStore, event: KeyEvent, terminal: TerminalActions): void {
  const state = store.getState();
  if (event.kind === 'key' && event.name === 'ctrl-l') terminal.onRedraw();
  else if (event.kind === 'key' && event.name === 'ctrl-z' && !isBound(state, 'ctrl-z')) terminal.onStop();
  else if (!state.leaveReason && (isLargeEnough(terminal.size()) || worksInSmallWindow(event))) {
    const intent = resolveIntent(state, event);
    if (intent) store.dispatch(intent);
  }
}

/**
 * Whether the current screen binds the key. Ctrl-Z is undo where answers are edited; elsewhere it stops the process, as
 * in other programs.
 */
function isBound(state: WizardState, key: string): boolean {
  return getActiveBindings(state).some(({ keys }) => keys.includes(key));
}

/** The keys that still work in a window too small to show anything: no answer changes unseen. */
function worksInSmallWindow(event: KeyEvent): boolean {
  return event.kind === 'key' && (event.name === 'ctrl-c' || event.name === 'ctrl-s');
}

function resolveIntent(state: WizardState, event: KeyEvent): Intent | null {
  const resolution = resolveKey(getActiveBindings(state), event);
  switch (resolution.kind) {
    case 'intent':
      return resolution.intent;
    case 'disabled':
      return { type: 'notice/show', notice: { kind: 'warning', text: resolution.reason } };
    case 'none':
      return state.overlay === null
        ? (SCREENS[state.screen].onText?.(state, event) ?? null)
        : getOverlayIntent(state, state.overlay, event);
  }
}

function formatClusterName(state: WizardState): string {
  const name = getAt(state.document, 'cluster.name');
  const domain = getAt(state.document, 'cluster.baseDomain');
  return typeof name === 'string' && typeof domain === 'string' ? `${name}.${domain}` : '';
}

function formatSavedNote({ savedAt, saveError }: WizardState): string {
  if (saveError) return catalogue().ui.notSaved;
  return savedAt === null ? '' : catalogue().ui.saved(formatTimeOfDay(savedAt));
}
