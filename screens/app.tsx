import { useSyncExternalStore } from 'react';
import { catalogue } from '../src/text/catalogue.ts';
import { timeOfDay } from '../src/text/time-of-day.ts';
import { AppFrame, hasRoom, type RailItem } from '../src/ui/components/app-frame.tsx';
import { Confirm, HelpOverlay } from '../src/ui/components/notices.tsx';
import { KeyDispatcher } from '../src/ui/keys/dispatcher.tsx';
import { type Binding, resolveKey } from '../src/ui/keys/keymap.ts';
import { type Area, type Look, TerminalLook, useLook } from '../src/ui/look.tsx';
import { getAt } from '../src/wizard/document.ts';
import type { Intent } from '../src/wizard/intents.ts';
import type { KeyEvent } from '../src/wizard/key-event.ts';
import { pageOfPath } from '../src/wizard/review.ts';
import { errorsOf, isStep, SCREEN_IDS, type ScreenId, screenIndex, type WizardState } from '../src/wizard/state.ts';
import type { WizardStore } from '../src/wizard/store.ts';
import { SCREENS } from './registry.ts';
import { moveBindings } from './shared/bindings.ts';
import { FillOverlay, fillBindings } from './shared/fill-overlay.tsx';
import { ImportOverlay, importBindings, importText } from './shared/import-overlay.tsx';
import { PageOverlay, pageBindings } from './shared/page-overlay.tsx';

/** What keys may ask of the terminal itself. */
export interface TerminalActions {
  /** Draws everything anew, and stops the process as Ctrl-Z does elsewhere. */
  readonly onRedraw: () => void;
  readonly onStop: () => void;
  /** Its current size. */
  readonly size: () => Area;
}

export interface AppViewProps {
  readonly store: WizardStore;
  /** The command that resumes this session. */
  readonly resumeCommand: string;
}

export interface AppProps extends AppViewProps, TerminalActions {
  readonly look: Omit<Look, 'columns' | 'rows'>;
}

/** The whole wizard on a terminal: the frame, the current screen in it, and what each key means there. */
export function App({ store, look, resumeCommand, ...terminal }: AppProps) {
  return (
    <KeyDispatcher onKey={(event) => handleKey(store, event, terminal)}>
      <TerminalLook look={look}>
        <AppView store={store} resumeCommand={resumeCommand} />
      </TerminalLook>
    </KeyDispatcher>
  );
}

/** Draws the state of the wizard. */
export function AppView({ store, resumeCommand }: AppViewProps) {
  const { columns } = useLook();
  const state = useSyncExternalStore(store.subscribe, store.getState);
  const screen = SCREENS[state.screen];
  return (
    <AppFrame
      cluster={clusterOf(state)}
      version={String(getAt(state.document, 'openshift.version') ?? '')}
      place={screen.place()}
      position={`${screenIndex(state.screen) + 1}/${SCREEN_IDS.length}`}
      rail={hasRail(state, columns) ? railOf(state) : []}
      bindings={bindingsOf(state)}
      footerNote={savedNote(state)}
    >
      <Body state={state} resumeCommand={resumeCommand} />
    </AppFrame>
  );
}

function Body({ state, resumeCommand }: { readonly state: WizardState; readonly resumeCommand: string }) {
  const screen = SCREENS[state.screen];
  const { overlay } = state;
  if (overlay === null) return screen.draw(state);
  switch (overlay.kind) {
    case 'help':
      return (
        <HelpOverlay
          title={catalogue().screens.rail[state.screen]}
          paragraphs={[...screen.help(state)]}
          bindings={screen.bindings(state)}
          top={overlay.top}
        />
      );
    case 'quit':
      return (
        <Confirm
          question={catalogue().screens.quit.question}
          details={[...catalogue().screens.quit.details, resumeCommand]}
        />
      );
    case 'unsaved':
      return (
        <Confirm
          question={catalogue().screens.unsaved.question}
          details={catalogue().screens.unsaved.details(state.saveTrouble?.cause ?? '')}
          yes={catalogue().screens.unsaved.yes}
          no={catalogue().screens.unsaved.no}
        />
      );
    case 'import':
      return <ImportOverlay state={state} importing={overlay.importing} />;
    case 'fill':
      return <FillOverlay state={state} choice={overlay.choice} />;
    case 'page':
      return <PageOverlay page={overlay} />;
  }
}

/** The keys that work now: an open overlay has its own. */
function bindingsOf(state: WizardState): readonly Binding<Intent>[] {
  const { keys } = catalogue().screens;
  const { overlay } = state;
  if (overlay === null) return SCREENS[state.screen].bindings(state);
  switch (overlay.kind) {
    case 'help':
      return [
        { keys: ['escape', 'enter', 'ctrl-g', 'q'], label: keys.close, intent: { type: 'overlay/close' } },
        ...moveBindings(keys.row, (by) => ({ type: 'help/scroll', by, count: helpLength(state) }), 10),
      ];
    case 'quit':
      return [
        { keys: ['y', 'ctrl-c', 'ctrl-s'], label: keys.quit, intent: { type: 'session/quit' } },
        { keys: ['n', 'escape'], label: keys.stay, intent: { type: 'overlay/close' } },
      ];
    case 'unsaved':
      return [
        { keys: ['s', 'ctrl-s'], label: keys.quit, intent: { type: 'session/quit' } },
        { keys: ['y'], label: keys.abandon, intent: { type: 'session/abandon' } },
        { keys: ['n', 'escape'], label: keys.stay, intent: { type: 'overlay/close' } },
      ];
    case 'import':
      return importBindings(overlay.importing);
    case 'fill':
      return fillBindings(state, overlay.choice);
    case 'page':
      return pageBindings(overlay);
  }
}

/** About as many lines as the help page has; reading always reaches the last of them. */
function helpLength(state: WizardState): number {
  const { help, bindings } = SCREENS[state.screen];
  return help(state).reduce((lines, text) => lines + Math.ceil(text.length / 50) + 1, bindings(state).length);
}

/** One key, judged by the state as it is now: the previous key of the same burst is already in it. */
export function handleKey(store: WizardStore, event: KeyEvent, terminal: TerminalActions): void {
  const state = store.getState();
  if (event.kind === 'key' && event.name === 'ctrl-l') terminal.onRedraw();
  else if (event.kind === 'key' && event.name === 'ctrl-z') terminal.onStop();
  else if (!state.isLeaving && (hasRoom(terminal.size()) || isBlindKey(event))) {
    const intent = intentOf(state, event);
    if (intent) store.dispatch(intent);
  }
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
      if (state.overlay?.kind === 'import') return importText(event);
      if (state.overlay?.kind === 'page' && state.overlay.shown?.secret) return { type: 'overlay/close' };
      return state.overlay === null ? (SCREENS[state.screen].onText?.(state, event) ?? null) : null;
  }
}

/** On a narrow terminal, pages with a wide table have it to themselves. */
function hasRail(state: WizardState, columns: number): boolean {
  if (state.screen === 'welcome') return false;
  const isNarrow = columns < 100;
  return !(isNarrow && SCREENS[state.screen].isWide);
}

function clusterOf(state: WizardState): string {
  const name = getAt(state.document, 'cluster.name');
  const domain = getAt(state.document, 'cluster.baseDomain');
  return typeof name === 'string' && typeof domain === 'string' ? `${name}.${domain}` : '';
}

function railOf(state: WizardState): RailItem[] {
  return SCREEN_IDS.filter((id) => id !== 'welcome').map((id) => ({
    label: catalogue().screens.rail[id],
    state: railState(state, id),
  }));
}

function railState(state: WizardState, id: ScreenId): RailItem['state'] {
  if (id === state.screen) return 'current';
  if (isStep(id)) {
    const { phase } = state.runs[id];
    // Opening a step that was passed in an earlier session looks at it anew.
    const isPassed = phase === 'done' || (phase === 'unknown' && screenIndex(id) < state.reached);
    return phase === 'failed' ? 'problem' : isPassed ? 'done' : 'open';
  }
  if (screenIndex(id) >= state.reached) return 'open';
  const wrong = errorsOf([...state.problems, ...state.credentialProblems]);
  const isWrong = id === 'review' ? wrong.length > 0 : wrong.some(({ path }) => pageOfPath(path) === id);
  return isWrong ? 'problem' : 'done';
}

function savedNote({ savedAt, saveTrouble }: WizardState): string {
  if (saveTrouble) return catalogue().ui.notSaved;
  return savedAt === null ? '' : catalogue().ui.saved(timeOfDay(savedAt));
}
