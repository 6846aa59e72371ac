import type { EffectServices } from './effects.ts';
import type { Intent } from './intents.ts';
import type { LeaveReason, WizardState } from './state.ts';
import type { WizardStore } from './store.ts';

// The contract between the commands and the full screens. Neither imports the other: the executable passes the screens
// in, and loads them only to show them.

/** Facts known before any module is loaded. */
export interface StartupOptions {
  /** Null: the directory used last is not known yet. */
  readonly dir: string | null;
  readonly isRehearsal: boolean;
  /** Rings the terminal bell when a long wait ends. */
  readonly hasBell: boolean;
  /** Notifies through the terminal when the user is needed. */
  readonly hasNotifications: boolean;
  /** Captures the mouse for its wheel. The terminal's own mouse functions do not work meanwhile. */
  readonly hasMouse: boolean;
}

/** The input of a run of the wizard. */
export interface WizardRunOptions {
  readonly initialState: WizardState;
  /** Dispatched before the first key, to return to the saved place. */
  readonly startIntents: readonly Intent[];
  /** The screens add the services that only they can provide: leaving the terminal, copying, and random numbers. */
  readonly services: Omit<EffectServices, 'leave' | 'random' | 'copy'>;
  /** Called with the store once it runs. */
  readonly onStoreReady?: (store: WizardStore) => void;
  readonly resumeCommand: string;
  readonly logPath: string | null;
  readonly log: (error: unknown) => void;
  /** Lines to print after leaving. */
  readonly describeExit: () => readonly string[];
}

/** A front end that owns the terminal and shows the first frame. Keys wait until it runs. */
export interface FrontEndHandle {
  /** Runs until the user leaves; a signal or a crash ends the process instead. */
  run(options: WizardRunOptions): Promise<LeaveReason>;
  /** Shows the holder of the directory and asks what to do; the next page replaces this one. */
  ask(page: HolderPage): Promise<HolderAnswer>;
  /** Shows another session, until the user or that session ends it. */
  watch(session: ViewedSession): Promise<'quit' | 'interrupt' | 'take-over' | 'ended'>;
  /** Restores the terminal without having run. */
  close(): Promise<void>;
  /** Command-line options for another upi-wizard process with the same terminal style. */
  readonly options: readonly string[];
}

/**
 * A choice of the user for a directory that another session holds. `open`: it is free now. `others`: the other
 * installations, or a new one.
 */
export type HolderChoice = 'view' | 'take-over' | 'open' | 'others' | 'quit';
/** `typed`: the required word. `interrupt`: Ctrl-C. */
export type HolderAnswer = HolderChoice | 'typed' | 'interrupt';

/** A page about another session on the directory. The texts are safe to show. */
export interface HolderPage {
  readonly dir: string;
  readonly headline: string;
  readonly lines: readonly string[];
  readonly warning: string | null;
  /** A list of choices, of which the first is selected; a word to type; or nothing, while the page only waits. */
  readonly prompt:
    | { readonly kind: 'choice'; readonly choices: readonly HolderChoice[] }
    | { readonly kind: 'word'; readonly word: string; readonly question: string }
    | { readonly kind: 'nothing'; readonly waitReason: string };
}

/** Another session, as it is shown here. */
export interface ViewedSession {
  /** Its holder: "alice on pts/3". */
  readonly holder: string;
  /** Shows each state until that session ends. */
  readonly follow: (show: (state: WizardState) => void, signal: AbortSignal) => Promise<void>;
}

/** Takes the terminal and draws the first frame, before the wizard's own modules are loaded. */
export type FrontEndOpener = (options: StartupOptions) => FrontEndHandle | Promise<FrontEndHandle>;
