import type { Binding } from '../rows/bindings.ts';
import type { PageRow } from '../rows/page-rows.ts';
import type { Intent } from '../wizard/intents.ts';
import type { WizardState } from '../wizard/state.ts';

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
  /** The actions that keys of the full screens trigger; here numbered choices. */
  readonly choices: (state: WizardState) => readonly Binding<Intent>[];
  /** The entries of a screen that is a list of ways to continue; empty for other screens. */
  readonly entries: (state: WizardState) => readonly ScreenEntry[];
  readonly help: (state: WizardState) => readonly string[];
  /** The rows that the screen shows now. */
  readonly rows: (state: WizardState) => readonly PageRow[];
  /** The rows that the screen shows now, as text. */
  readonly text: (state: WizardState) => readonly string[];
  /** The most important lines of a finished step; empty for most. */
  readonly doneText: (state: WizardState) => readonly string[];
  /** Creates the text of the whole log of the screen; null if it has none. */
  readonly log: (state: WizardState) => (() => readonly string[]) | null;
  /** The changes that the step would make, one per line; empty if unknown. */
  readonly changes: (state: WizardState) => readonly string[];
}
