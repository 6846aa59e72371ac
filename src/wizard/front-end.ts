import type { EffectServices } from './effects.ts';
import type { Intent } from './intents.ts';
import type { Leaving, WizardState } from './state.ts';

// The contract of the commands and the full screens. Neither side imports the other: the executable hands the screens
// in, and loads them only to show them.

/** Facts known before anything is loaded. */
export interface Opening {
  /** Null: not known yet which directory was used last. */
  readonly dir: string | null;
  readonly isRehearsal: boolean;
  readonly isForScreenReader: boolean;
}

/** The input of a run of the wizard. */
export interface WizardStart {
  readonly initial: WizardState;
  /** What happens before the first key: going to where the person left. */
  readonly start: readonly Intent[];
  /** The screens add what only they have: how the terminal is left, and the jitter. */
  readonly services: Omit<EffectServices, 'leave' | 'random'>;
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
  /** Gives the terminal back without having run. */
  close(): Promise<void>;
}

/** Takes the terminal and draws the first frame, before the wizard's own modules are loaded. */
export type OpenWizard = (opening: Opening) => OpenedWizard;
