import type { EffectServices } from './effects.ts';
import type { Intent } from './intents.ts';
import type { Leaving, WizardState } from './state.ts';

// What the commands and the full screens agree on. Neither side imports the other: the executable hands the screens in, and
// they are loaded only when they are shown.

/** What is known before anything is loaded. */
export interface Opening {
  /** Null while it is not known which directory was used last. */
  readonly dir: string | null;
  readonly isRehearsal: boolean;
  readonly isForScreenReader: boolean;
}

/** What the wizard runs with. */
export interface WizardStart {
  readonly initial: WizardState;
  /** What is done before the first key: going to where the person left. */
  readonly start: readonly Intent[];
  /** The screens add what only they have: how the terminal is left, and the jitter. */
  readonly services: Omit<EffectServices, 'leave' | 'random'>;
  readonly resumeCommand: string;
  readonly logPath: string | null;
  readonly log: (error: unknown) => void;
  /** Said after leaving. */
  readonly farewell: () => readonly string[];
}

/** The terminal is the wizard's, and its first frame is drawn. Keys are kept until it runs. */
export interface OpenedWizard {
  /** Runs until the person leaves; a signal or a crash ends the process instead. */
  run(options: WizardStart): Promise<Leaving>;
  /** Gives the terminal back without having run. */
  close(): Promise<void>;
}

/** Takes the terminal and draws the first frame, before what the wizard works with is loaded. */
export type OpenWizard = (opening: Opening) => OpenedWizard;
