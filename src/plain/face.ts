import type { Intent } from '../wizard/intents.ts';
import type { WizardState } from '../wizard/state.ts';

/** What a key of the full screens does; here a numbered choice. */
export interface Choice {
  /** The keys that have this effect on the full screens; a single letter works here too. */
  readonly keys: readonly string[];
  readonly label: string;
  readonly intent: Intent | null;
  /** It does nothing now: the reason. */
  readonly disabled?: string;
}

/** An entry of a list to choose from, and what choosing it does. */
export interface Entry {
  readonly label: string;
  readonly intents: readonly Intent[];
}

/** The screens as the line-by-line front end needs them: their choices are the same, and their text is said instead of drawn. */
export interface PlainFace {
  /** The name of the screen. */
  readonly title: (state: WizardState) => string;
  /** What it is about; said once, on the way in. */
  readonly intro: (state: WizardState) => readonly string[];
  readonly choices: (state: WizardState) => readonly Choice[];
  /** What to choose from where the screen is a list of ways to go on; empty elsewhere. */
  readonly entries: (state: WizardState) => readonly Entry[];
  readonly help: (state: WizardState) => readonly string[];
  /** Everything that the screen shows now, as text. */
  readonly text: (state: WizardState) => readonly string[];
  /** What the step would change, line by line; empty where nothing is known. */
  readonly changes: (state: WizardState) => readonly string[];
}
