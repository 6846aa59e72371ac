import type { ReactNode } from 'react';
import type { Binding } from '../../src/ui/keys.tsx';
import type { Intent } from '../../src/wizard/intents.ts';
import type { ScreenId, WizardState } from '../../src/wizard/state.ts';
import type { KeyEvent } from '../../src/wizard/typing.ts';

/** A screen: draws the state, and binds keys to intents. It has no side effects. */
export interface Screen {
  readonly id: ScreenId;
  /** The breadcrumb of the title line: `Design > Networks`. */
  readonly breadcrumb: () => string;
  /** The keys that work now, the most important first. */
  readonly bindings: (state: WizardState) => readonly Binding<Intent>[];
  /** The meaning of an unbound key: text for the field under the cursor. */
  readonly onText?: (state: WizardState, event: KeyEvent) => Intent | null;
  /** The paragraphs of the help page (Ctrl-G). */
  readonly help: (state: WizardState) => readonly string[];
  /** Its table needs the whole width of a narrow terminal: the sidebar is hidden. */
  readonly isWide?: boolean;
  /** Minimum columns of a terminal that shows its lines untruncated beside the sidebar. */
  readonly minColumnsWithSidebar?: number;
  readonly draw: (state: WizardState) => ReactNode;
}
