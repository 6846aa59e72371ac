import type { Intent } from '../wizard/intents.ts';
import type { WizardState } from '../wizard/state.ts';

/** An action that a key of the full screens triggers; here a numbered choice. */
export interface ScreenChoice {
  /** Keys with this effect on the full screens; a single letter works here too. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly intent: Intent | null;
  /** The reason why the choice has no effect now. */
  readonly disabled?: string;
}

/** An entry of a list to select from, with the intents that it dispatches. */
export interface ScreenEntry {
  readonly label: string;
  readonly intents: readonly Intent[];
}

/**
 * The screens as the line-by-line front end needs them: the same choices, with text that is printed instead of drawn.
 */
export interface ScreenTextModel {
  readonly title: (state: WizardState) => string;
  /** The subject of the screen; printed once, on entering it. */
  readonly intro: (state: WizardState) => readonly string[];
  readonly choices: (state: WizardState) => readonly ScreenChoice[];
  /** The entries of a screen that is a list of ways to continue; empty for other screens. */
  readonly entries: (state: WizardState) => readonly ScreenEntry[];
  readonly help: (state: WizardState) => readonly string[];
  /** Everything that the screen shows now, as text. */
  readonly text: (state: WizardState) => readonly string[];
  /** The changes that the step would make, one per line; empty if unknown. */
  readonly changes: (state: WizardState) => readonly string[];
}
