import type { ReactNode } from 'react';
import type { Binding } from '../../src/ui/keys/keymap.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import type { ScreenId, WizardState } from '../../src/wizard/state.ts';
import type { KeyEvent } from '../../src/wizard/typing/key-event.ts';

/** A screen: how it draws the state, and what each key means there. It does nothing itself. */
export interface Screen {
  readonly id: ScreenId;
  /** Where we are, for the title line: `Design > Networks`. */
  readonly place: () => string;
  /** The keys that work now, the most important first. */
  readonly bindings: (state: WizardState) => readonly Binding<Intent>[];
  /** The meaning of an unbound key: text for the field under the cursor. */
  readonly onText?: (state: WizardState, event: KeyEvent) => Intent | null;
  /** The page behind Ctrl-G: paragraphs. */
  readonly help: (state: WizardState) => readonly string[];
  /** Its table needs the whole width of a narrow terminal: the rail of steps gives way. */
  readonly isWide?: boolean;
  /** Columns of a terminal in which its lines are whole beside the rail. */
  readonly leastBesideRail?: number;
  readonly draw: (state: WizardState) => ReactNode;
}
