import type { EffectServices } from './effects.ts';
import type { Intent } from './intents.ts';
import type { Leaving, WizardState } from './state.ts';
import type { WizardStore } from './store.ts';

// The contract of the commands and the full screens. Neither side imports the other: the executable hands the screens
// in, and loads them only to show them.

/** Facts known before anything is loaded. */
export interface Opening {
  /** Null: not known yet which directory was used last. */
  readonly dir: string | null;
  readonly isRehearsal: boolean;
  /** Rings when a long wait ends. */
  readonly hasBell: boolean;
  /** Takes the mouse wheel, and with it the mouse, from the terminal. */
  readonly hasMouse: boolean;
}

/** The input of a run of the wizard. */
export interface WizardStart {
  readonly initial: WizardState;
  /** What happens before the first key: going to where the person left. */
  readonly start: readonly Intent[];
  /** The screens add what only they have: how the terminal is left, and the jitter. */
  readonly services: Omit<EffectServices, 'leave' | 'random' | 'copy'>;
  /** Called with the store once it runs. */
  readonly onStore?: (store: WizardStore) => void;
  readonly resumeCommand: string;
  readonly logPath: string | null;
  readonly log: (error: unknown) => void;
  /** Said after leaving. */
  readonly farewell: () => readonly string[];
}

/** The terminal is the wizard's and shows the first frame. Keys wait until it runs. */
export interface OpenedWizard {
  /** Runs until the person leaves; a signal or a crash ends the process instead. */
  run(options: WizardStart): Promise<Leaving>;
  /** Shows who works on the directory, and asks what to do; the next page takes the place of this one. */
  ask(page: HolderPage): Promise<HolderAnswer>;
  /** Shows the session of another, until the person or that session ends it. */
  watch(viewed: Viewed): Promise<'quit' | 'interrupt' | 'take-over' | 'ended'>;
  /** Gives the terminal back without having run. */
  close(): Promise<void>;
  /** The options that make another process of ours look the same. */
  readonly options: readonly string[];
}

/** What a person can do about a directory that another session holds. `open`: it is free now. */
export type HolderChoice = 'view' | 'take-over' | 'open' | 'quit';
/** `typed`: the word that was asked for. `interrupt`: Ctrl-C. */
export type HolderAnswer = HolderChoice | 'typed' | 'interrupt';

/** A page about another session on the directory. The texts are safe to show. */
export interface HolderPage {
  readonly dir: string;
  readonly headline: string;
  readonly lines: readonly string[];
  readonly warning: string | null;
  /** A choice, the first one selected; a word to type, beside quitting; or nothing: it only waits, and says for what. */
  readonly asks:
    | { readonly kind: 'choice'; readonly choices: readonly HolderChoice[] }
    | { readonly kind: 'word'; readonly word: string; readonly question: string }
    | { readonly kind: 'nothing'; readonly waitsFor: string };
}

/** The session of another, as it is shown here. */
export interface Viewed {
  /** Whose it is: "alice on pts/3". */
  readonly who: string;
  /** Shows each state until that session ends. */
  readonly follow: (show: (state: WizardState) => void, signal: AbortSignal) => Promise<void>;
}

/** Takes the terminal and draws the first frame, before the wizard's own modules are loaded. */
export type OpenWizard = (opening: Opening) => OpenedWizard;
