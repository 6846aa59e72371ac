import type { Design, Problem } from '../design/model.ts';
import type { Page, StepId } from '../steps/contract.ts';
import { STEP_IDS } from '../steps/contract.ts';
import type { Trouble } from '../text/trouble.ts';
import type { Document } from './document.ts';
import type { ImportState } from './importing.ts';
import type { FormId } from './pages/index.ts';
import type { StepRun } from './step-run.ts';
import type { TextFieldState } from './text-field.ts';
import type { Change } from './undo.ts';

/** The pages that ask for the design: forms, and the table of nodes. */
export const DESIGN_PAGES = ['cluster', 'networks', 'nodes', 'services', 'credentials'] as const;
export type DesignPage = (typeof DESIGN_PAGES)[number];

/** Every screen in its order. */
export const SCREEN_IDS = ['welcome', ...DESIGN_PAGES, 'review', ...STEP_IDS] as const;
export type ScreenId = (typeof SCREEN_IDS)[number];

/** The state of a form: the field with the cursor, and its text while a person edits it. */
export interface FormState {
  readonly focus: number;
  readonly editor: TextFieldState;
}

/** The node table, and the form over it while a person edits a node. */
export interface NodesState {
  readonly row: number;
  /** How often a person sorted the table: each time by the next order. */
  readonly sorts: number;
  readonly edit: (FormState & { readonly index: number; readonly isNew: boolean }) | null;
}

/** What lies over the screen, with its own state; null: nothing. `top` is the first line shown. */
export type Overlay =
  | { readonly kind: 'help'; readonly top: number }
  | { readonly kind: 'quit' }
  /** Leaving although the answers could not be saved. */
  | { readonly kind: 'unsaved' }
  /** An import from a file or pasted lines. */
  | { readonly kind: 'import'; readonly importing: ImportState }
  /** Filling down from the selected node; `choice` is the selected kind. */
  | { readonly kind: 'fill'; readonly choice: number }
  /** A page that a person asked for; `shown` is null until it is there. */
  | { readonly kind: 'page'; readonly subject: string; readonly shown: Page | null; readonly top: number }
  | null;

/** How a person leaves: save and quit, the same after Ctrl-C, to rehearse first, or knowing that it cannot be saved. */
export type Leaving = 'quit' | 'interrupt' | 'rehearse' | 'unsaved';

/** A line that answers a person's last input; the next one replaces it. */
export interface Notice {
  readonly kind: 'info' | 'warning' | 'error';
  readonly text: string;
}

/** What the welcome screen knows of this directory. */
export interface WelcomeState {
  readonly dir: string;
  readonly isResumed: boolean;
  readonly rehearsal: { readonly speed: number } | null;
  readonly choice: number;
}

/** All that the screens draw and that the next state is made from. Plain data, never changed in place. */
export interface WizardState {
  readonly screen: ScreenId;
  readonly document: Document;
  /** Changes of the document as a whole that undo can take back, the newest last. */
  readonly past: readonly Change[];
  readonly problems: readonly Problem[];
  /** What is wrong with the credential files, as of the last look at their page. */
  readonly credentialProblems: readonly Problem[];
  /** The parsed design; null while there are errors. */
  readonly design: Design | null;
  readonly welcome: WelcomeState;
  readonly forms: Readonly<Record<FormId, FormState>>;
  readonly nodes: NodesState;
  /** The page also asks the rarely needed questions. */
  readonly isMoreShown: boolean;
  /** The review: the selected problem, and the first visible line of the design. */
  readonly reviewRow: number;
  readonly reviewTop: number;
  /** The answer (its path) or page that the review or a step led to: once it is right, Enter leads to the review. */
  readonly fromReview: string | null;
  readonly runs: Readonly<Record<StepId, StepRun>>;
  /** On the way to this screen, from step to step as each proves done; null where the person goes by hand. */
  readonly onward: ScreenId | null;
  readonly overlay: Overlay;
  readonly notice: Notice | null;
  /** The furthest screen reached (its index): the rail ticks those before it. */
  readonly reached: number;
  /** The person's time of day (ms of the machine's clock), whatever the time at the site is. */
  readonly savedAt: number | null;
  /** Why the last save failed; null after a good one. Answers typed meanwhile are kept here. */
  readonly saveTrouble: Trouble | null;
  /** The time of the clock, for durations on the screen; ticks once a second on live screens. */
  readonly now: number;
  readonly isLeaving: Leaving | null;
}

/** Whether a screen belongs to a step, which looks at the world, and is not a page that only asks. */
export function isStep(screen: ScreenId): screen is StepId {
  return (STEP_IDS as readonly string[]).includes(screen);
}

/** The index of a screen in their order, from 0. */
export function screenIndex(screen: ScreenId): number {
  return SCREEN_IDS.indexOf(screen);
}

/** The problems that make a design unusable; warnings do not. */
export function errorsOf(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ severity }) => severity === 'error');
}
