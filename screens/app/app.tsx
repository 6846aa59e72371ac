import { useSyncExternalStore } from 'react';
import { catalogue } from '../../src/text/catalogue.ts';
import { LETTERS } from '../../src/text/letters.ts';
import { timeOfDay } from '../../src/text/time-of-day.ts';
import { AppFrame, hasRoom } from '../../src/ui/components/app-frame.tsx';
import { type Binding, resolveKey } from '../../src/ui/keys/keymap.ts';
import { type Area, useLook } from '../../src/ui/look.tsx';
import { getAt } from '../../src/wizard/design/document.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import { shownState } from '../../src/wizard/shown.ts';
import { SCREEN_IDS, type WizardState } from '../../src/wizard/state.ts';
import type { WizardStore } from '../../src/wizard/store.ts';
import type { KeyEvent } from '../../src/wizard/typing/key-event.ts';
import { type Below, drawOverlay, overlayBindings, overlayText } from '../shared/overlays/overlays.tsx';
import { pageHelp, termsOf } from '../shared/page-help.ts';
import { hasRail, railOf } from '../shared/rail.ts';
import { courseLine } from './course-line.ts';
import { SCREENS } from './registry.ts';
import { rehearsalMark } from './rehearsal-mark.ts';

/** What keys may ask of the terminal itself. */
export interface TerminalActions {
  /** Draws everything anew; stops the process, as Ctrl-Z does elsewhere. */
  readonly onRedraw: () => void;
  readonly onStop: () => void;
  /** Its current size. */
  readonly size: () => Area;
}

export interface AppViewProps {
  readonly store: Pick<WizardStore, 'getState' | 'subscribe'>;
  /** The command that resumes this session. */
  readonly resumeCommand: string;
  /** The session is another's and only watched: the keys that work here, and whose it is. */
  readonly viewer?: { readonly bindings: readonly Binding<unknown>[]; readonly note: string };
}

/** Draws the state of the wizard. */
export function AppView({ store, resumeCommand, viewer }: AppViewProps) {
  const { columns } = useLook();
  const state = shownState(useSyncExternalStore(store.subscribe, store.getState));
  const screen = SCREENS[state.screen];
  return (
    <AppFrame
      cluster={clusterOf(state)}
      version={String(getAt(state.document, 'openshift.version') ?? '')}
      rehearsal={rehearsalMark(state.welcome.rehearsal)}
      course={courseLine(state)}
      place={screen.place()}
      position={`${state.screens.indexOf(state.screen) + 1}/${state.screens.length}`}
      rail={hasRail(state, columns, screen) ? railOf(state) : []}
      bindings={viewer?.bindings ?? bindingsOf(state)}
      footerNote={viewer?.note ?? savedNote(state)}
    >
      <Body state={state} resumeCommand={resumeCommand} />
    </AppFrame>
  );
}

/** What a screen shows, or what lies over it. */
export function Body({ state, resumeCommand }: { readonly state: WizardState; readonly resumeCommand: string }) {
  const { overlay } = state;
  return overlay === null
    ? SCREENS[state.screen].draw(state)
    : drawOverlay(state, overlay, below(state), resumeCommand);
}

/** The keys that work now: an open overlay has its own. */
export function bindingsOf(state: WizardState): readonly Binding<Intent>[] {
  const { overlay } = state;
  return overlay === null ? screenBindings(state) : overlayBindings(state, overlay, below(state));
}

const screenBindings = (state: WizardState) => withRehearsal(state, SCREENS[state.screen].bindings(state));

const below = (state: WizardState): Below => ({
  help: () => pageHelp(SCREENS[state.screen], state),
  bindings: () => screenBindings(state),
  terms: () => termsOf(SCREENS[state.screen]),
  draw: () => SCREENS[state.screen].draw(state),
});

/** The keys of a rehearsal's time, wherever nobody types text and no question is open. */
function withRehearsal(state: WizardState, bindings: readonly Binding<Intent>[]): readonly Binding<Intent>[] {
  const { rehearsal } = state.welcome;
  const has = (key: string) => bindings.some(({ keys }) => keys.includes(key));
  if (rehearsal === null || !has(LETTERS.help) || has('y')) return bindings;
  const { faster, slower, pause, unpause, installForReal } = catalogue().screens.keys;
  const [first, ...others] = bindings;
  const isEnd = state.screen === SCREEN_IDS.at(-1);
  // A cluster that a cloud has made is not installed from here.
  const isOnCloud = !state.screens.includes('generate');
  return [
    ...(first ? [first] : []),
    ...(isEnd && !isOnCloud
      ? [{ keys: [LETTERS.installForReal], label: installForReal, intent: { type: 'install/open' } } as const]
      : []),
    ...others,
    { keys: [LETTERS.faster, '='], label: faster, intent: { type: 'rehearsal/speed', by: 1 } },
    { keys: [LETTERS.slower], label: slower, intent: { type: 'rehearsal/speed', by: -1 } },
    { keys: [LETTERS.pause], label: rehearsal.isPaused ? unpause : pause, intent: { type: 'rehearsal/pause' } },
  ];
}

/** One key, judged by the state as it is now: the previous key of the same burst is already in it. */
export function handleKey(store: WizardStore, event: KeyEvent, terminal: TerminalActions): void {
  const state = store.getState();
  if (event.kind === 'key' && event.name === 'ctrl-l') terminal.onRedraw();
  else if (event.kind === 'key' && event.name === 'ctrl-z' && !isBound(state, 'ctrl-z')) terminal.onStop();
  else if (!state.isLeaving && (hasRoom(terminal.size()) || isBlindKey(event))) {
    const intent = intentOf(state, event);
    if (intent) store.dispatch(intent);
  }
}

/** Where answers are changed, Ctrl-Z takes back; everywhere else it does what it does in other programs. */
function isBound(state: WizardState, key: string): boolean {
  return bindingsOf(state).some(({ keys }) => keys.includes(key));
}

/** The keys that still work in a window that shows nothing: nobody changes what they cannot see. */
function isBlindKey(event: KeyEvent): boolean {
  return event.kind === 'key' && (event.name === 'ctrl-c' || event.name === 'ctrl-s');
}

function intentOf(state: WizardState, event: KeyEvent): Intent | null {
  const resolution = resolveKey(bindingsOf(state), event);
  switch (resolution.kind) {
    case 'intent':
      return resolution.intent;
    case 'disabled':
      return { type: 'notice/show', notice: { kind: 'warning', text: resolution.reason } };
    case 'none':
      return state.overlay === null
        ? (SCREENS[state.screen].onText?.(state, event) ?? null)
        : overlayText(state, state.overlay, event);
  }
}

function clusterOf(state: WizardState): string {
  const name = getAt(state.document, 'cluster.name');
  const domain = getAt(state.document, 'cluster.baseDomain');
  return typeof name === 'string' && typeof domain === 'string' ? `${name}.${domain}` : '';
}

function savedNote({ savedAt, saveTrouble }: WizardState): string {
  if (saveTrouble) return catalogue().ui.notSaved;
  return savedAt === null ? '' : catalogue().ui.saved(timeOfDay(savedAt));
}
