import type { Difference } from '../design/differences.ts';
import type { Design, Problem } from '../design/model.ts';
import type { Finding } from '../diagnosis/finding.ts';
import type { InstallerSeen } from '../diagnosis/machine/programs.ts';
import type { StepId } from '../steps/contract.ts';
import { STEP_IDS } from '../steps/contract.ts';
import type { Trouble } from '../text/trouble.ts';
import type { Document } from './design/document.ts';
import type { FormId } from './design/pages/index.ts';
import { type Asked, openQuestion, type StepRun } from './live/step-run.ts';
import type { Overlay, OverlayBefore } from './overlays/overlay.ts';
import type { TextFieldState } from './typing/text-field.ts';
import type { TypedAhead } from './typing/type-ahead.ts';

/** The pages that ask for the design: forms, and the table of nodes. */
export const DESIGN_PAGES = ['cluster', 'networks', 'nodes', 'services', 'credentials'] as const;
export type DesignPage = (typeof DESIGN_PAGES)[number];

/** Every screen in its order. */
export const SCREEN_IDS = ['welcome', ...DESIGN_PAGES, 'review', ...STEP_IDS] as const;
export type ScreenId = (typeof SCREEN_IDS)[number];

/** The screens of a cluster that runs already, made by a cloud: nothing of it is installed. */
const INSTALLING: readonly ScreenId[] = STEP_IDS.filter((id) => id !== 'infra' && id !== 'report');
export const CLOUD_SCREENS: readonly ScreenId[] = SCREEN_IDS.filter((id) => !INSTALLING.includes(id));

/** The state of a form: the field with the cursor, and its text while a person edits it. */
export interface FormState {
  readonly focus: number;
  readonly editor: TextFieldState;
  /** What was changed since the cursor came to the field: one change, however often it was accepted; null: nothing. */
  readonly made: Difference | null;
  /** Letters typed into a choice; null: none since the cursor came or the choice was moved. */
  readonly ahead: TypedAhead | null;
}

/** The node table, and the form over it while a person edits a node. */
export interface NodesState {
  readonly row: number;
  /** How often a person sorted the table: each time by the next order. */
  readonly sorts: number;
  readonly edit: (FormState & { readonly index: number; readonly isNew: boolean }) | null;
}

/**
 * How a person leaves: save and quit, the same after Ctrl-C, to a new rehearsal, to install for real what was rehearsed, to a new
 * installation, to open another one, or knowing that it cannot be saved. Or how another session ends this one: taken over or
 * detached with everything saved, or lost without a word.
 */
export type Leaving =
  | 'quit'
  | 'interrupt'
  | 'rehearse'
  | 'install'
  | 'new'
  | 'open'
  | 'unsaved'
  | 'taken-over'
  | 'detached'
  | 'lost';

/**
 * What the next input asks of a notice: it refused a secret that came key by key, so that its other keys are no text either; or it
 * said why Enter does not leave an answer (its path in the document).
 */
export type NoticeAbout = { readonly what: 'secret-as-keys' } | { readonly what: 'held'; readonly path: string };

/** A line that answers a person's last input; the next one replaces it. */
export interface Notice {
  readonly kind: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly about?: NoticeAbout;
}

/** How the time of a rehearsal runs: so many times as fast as life, or not at all for now. */
export interface Rehearsal {
  readonly speed: number;
  readonly isPaused: boolean;
}

/** What the welcome screen knows of this directory. */
export interface WelcomeState {
  readonly dir: string;
  readonly isResumed: boolean;
  readonly rehearsal: Rehearsal | null;
  readonly choice: number;
  /** What is around this installation; null before the first look. */
  readonly around: Surroundings | null;
  /** The install directory that a person leaves for. */
  readonly opens: string | null;
}

/** What this machine has and lacks, and the other installations on it, the one used last first. */
export interface Surroundings {
  readonly findings: readonly Finding[];
  /** Null: nobody looked. */
  readonly installer: InstallerSeen | null;
  readonly others: readonly Installation[];
}

/** Another installation that was worked on here. The texts are safe to show. */
export interface Installation {
  readonly dir: string;
  /** Name and base domain; empty before they were typed. */
  readonly cluster: string;
  readonly screen: ScreenId;
  readonly isFinished: boolean;
  readonly isRehearsal: boolean;
}

/** A look at the design from a step, while the installation is past its files. */
export interface Visit {
  /** Where Esc leads back to; null for who walks back page by page. */
  readonly from: StepId | null;
  /** The page that it began at. */
  readonly entered: ScreenId;
  /** The person has said that the answers may change. */
  readonly isEditing: boolean;
}

/** A question that waits for an answer, and of which step it is. */
export interface Unanswered {
  readonly step: StepId;
  readonly asked: Asked;
}

/** All that the screens draw and that the next state is made from. Plain data, never changed in place. */
export interface WizardState {
  readonly screen: ScreenId;
  /** The screens that there are, in their order. */
  readonly screens: readonly ScreenId[];
  readonly document: Document;
  /** Changes of the document that undo can take back: each leads from the document after it to the one before, the newest last. */
  readonly past: readonly Difference[];
  /** Changes that were taken back and can be done again, the one that was taken back last at the end. */
  readonly future: readonly Difference[];
  /** The last good texts of answers that others follow, where what stands there now is no good. */
  readonly followed: Readonly<Record<string, string>>;
  readonly problems: readonly Problem[];
  /** What is wrong with the credential files, as of the last look at their page. */
  readonly credentialProblems: readonly Problem[];
  /** The parsed design; null while there are errors. */
  readonly design: Design | null;
  /** What steps work with: the answers as typed or, while those have errors, the last ones that had none. Null before there were any. */
  readonly inForce: { readonly document: Document; readonly design: Design } | null;
  /** The person has been at a step: the design is more than an example to change. */
  readonly isDecided: boolean;
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
  readonly visit: Visit | null;
  /** The answers with which each finished step was seen done. */
  readonly doneWith: Readonly<Partial<Record<StepId, Document>>>;
  readonly runs: Readonly<Record<StepId, StepRun>>;
  /** A question of an earlier sitting; it is asked again after the first look at its step. */
  readonly unanswered: Unanswered | null;
  /** Certificates were followed when the last sitting ended: so they are again, after the first look. */
  readonly isToFollow: boolean;
  /** On the way to this screen, from step to step as each proves done; null where the person goes by hand. */
  readonly onward: ScreenId | null;
  readonly overlay: Overlay;
  /** What lay over the screen before each change of it that can be taken back, the newest last. */
  readonly overlayPast: readonly OverlayBefore[];
  readonly notice: Notice | null;
  /** The furthest screen reached (its index): the rail ticks those before it. */
  readonly reached: number;
  /** The person's time of day (ms of the machine's clock), whatever the time at the site is. */
  readonly savedAt: number | null;
  /** Why the last save failed; null after a good one. Answers typed meanwhile are kept here. */
  readonly saveTrouble: Trouble | null;
  /** When the first machine was powered on, ms of the clock; null before that. */
  readonly begunAt: number | null;
  /** The time of the clock, for durations on the screen; ticks once a second on live screens. */
  readonly now: number;
  readonly isLeaving: Leaving | null;
  /** The end was reached a moment ago: Enter does not leave yet. */
  readonly isJustOver: boolean;
}

/** Whether a saved name is that of a screen that we have. */
export function isScreen(text: string): text is ScreenId {
  return (SCREEN_IDS as readonly string[]).includes(text);
}

/** Whether a screen belongs to a step, which looks at the world, and is not a page that only asks. */
export function isStep(screen: ScreenId): screen is StepId {
  return (STEP_IDS as readonly string[]).includes(screen);
}

/** Nothing on the page can be changed until the person says so: what they came from runs. */
export function isReadOnly({ visit, screen }: Pick<WizardState, 'visit' | 'screen'>): boolean {
  return visit !== null && !visit.isEditing && !isStep(screen) && screen !== 'welcome';
}

/** The question that waits for an answer: what is saved, so that it is asked again after a cut. */
export function unansweredOf({ screen, runs, unanswered }: WizardState): Unanswered | null {
  const steps = isStep(screen) ? [screen, ...STEP_IDS] : STEP_IDS;
  for (const step of steps) {
    const question = openQuestion(runs[step]);
    if (question) {
      const { action, subject, typed } = question;
      return { step, asked: { action, subject, words: typed?.words ?? null } };
    }
  }
  return unanswered;
}

/** The index of a screen in their order, from 0. */
export function screenIndex(screen: ScreenId): number {
  return SCREEN_IDS.indexOf(screen);
}

/** The problems that make a design unusable; warnings do not. */
export function errorsOf(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ severity }) => severity === 'error');
}
