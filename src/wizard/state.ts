import type { Finding } from '../checks/check.ts';
import type { InstallerStatus } from '../checks/machine/programs.ts';
import type { Difference } from '../design/differences.ts';
import type { Design, Problem } from '../design/model.ts';
import type { DesignDocument } from '../design/paths.ts';
import type { UserError } from '../i18n/user-error.ts';
import { mapSteps, STEP_IDS, type StepId } from '../steps/contract.ts';
import type { FormId } from './design/pages/index.ts';
import type { ListFilter } from './list-filter.ts';
import type { LogPosition } from './live/log-position.ts';
import { getOpenPrompt, type LikelyCause, type PromptSpec, type StepRun } from './live/step-run.ts';
import type { Overlay, OverlayUndoEntry } from './overlays/overlay.ts';
import type { TextFieldState, TypeAhead } from './text-input.ts';

/** The pages with the answers of the design: forms, and the table of nodes. */
export const DESIGN_PAGES = ['cluster', 'networks', 'nodes', 'services', 'credentials'] as const;
export type DesignPage = (typeof DESIGN_PAGES)[number];

/** All screens, in order. */
export const SCREEN_IDS = ['welcome', ...DESIGN_PAGES, 'review', ...STEP_IDS] as const;
export type ScreenId = (typeof SCREEN_IDS)[number];

/** Properties of a page, besides its own intents. */
interface PageRules {
  /** The page has answers: it is read-only while an installation uses them. */
  readonly hasAnswers?: true;
  /**
   * The credential files are checked on entering the page; `entered`: the user enters their names there; `reviewed`:
   * the page only lists their problems.
   */
  readonly credentialFiles?: 'entered' | 'reviewed';
  /** This host is probed while the page is shown. */
  readonly probesHost?: true;
  /** The page lists the problems of all answers; Enter leads back from it to a step that a changed answer affects. */
  readonly listsProblems?: true;
}

const ANSWER_PAGE_RULES: PageRules = { hasAnswers: true };
const PAGE_RULES: Readonly<Record<ScreenId, PageRules>> = {
  welcome: { probesHost: true },
  cluster: ANSWER_PAGE_RULES,
  networks: ANSWER_PAGE_RULES,
  nodes: ANSWER_PAGE_RULES,
  services: ANSWER_PAGE_RULES,
  credentials: { ...ANSWER_PAGE_RULES, credentialFiles: 'entered' },
  review: { ...ANSWER_PAGE_RULES, credentialFiles: 'reviewed', listsProblems: true },
  ...mapSteps((): PageRules => ({})),
};

/** Returns the properties of a page. */
export const getPageRules = (screen: ScreenId): PageRules => PAGE_RULES[screen];

const INSTALL_STEPS: readonly ScreenId[] = STEP_IDS.filter((id) => id !== 'infra' && id !== 'report');
/** The screens for a cluster that already runs on a cloud: the installation steps are left out. */
export const CLOUD_SCREENS: readonly ScreenId[] = SCREEN_IDS.filter((id) => !INSTALL_STEPS.includes(id));

/** The state of a form: the index of the focused field, and its text while the user edits it. */
export interface FormState {
  readonly focus: number;
  readonly editor: TextFieldState;
  /** The change since the cursor entered the field, also if it was accepted several times; null: none. */
  readonly change: Difference | null;
  /** Letters typed into a choice; null: none since the cursor entered the field or the choice was moved. */
  readonly typeAhead: TypeAhead | null;
}

/** The node table, and the form over it while the user edits a node. */
interface NodesState {
  readonly row: number;
  readonly filter: ListFilter;
  /** The number of sorts. Each one uses the next sort order. */
  readonly sortCount: number;
  readonly edit: (FormState & { readonly index: number; readonly isNew: boolean }) | null;
}

/**
 * How a session ends. `interrupt`: quit after Ctrl-C. `rehearse`, `install`, `new`, `open`: leave for a new rehearsal,
 * the real installation after a rehearsal, a new or another installation. `unsaved`: the user accepts that nothing can
 * be saved. `taken-over` and `detached`: another session ends this one, with everything saved. `lost`: the lock was
 * lost without notice.
 */
export type LeaveReason =
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
 * Context of a notice for the next input. `secret-as-keys`: it rejected a secret that came as single keys, so the
 * remaining keys are no text either. `not-now`: it gave the reason why a key has no effect until the running action
 * ends. `stop`: it required a second Esc. `skip`: it required a second key press to leave the page. `invalid-answer`:
 * it gave the reason why Enter stays at an answer (its path in the document). `reading-file`: Enter stays until the
 * file is read.
 */
export type NoticeContext =
  | { readonly kind: 'secret-as-keys' | 'not-now' | 'stop' | 'ended' | 'skip' }
  | { readonly kind: 'invalid-answer' | 'reading-file'; readonly path: string };

/** A line that responds to the last input; the next input replaces it. */
export interface Notice {
  readonly kind: 'info' | 'warning' | 'error';
  readonly text: string;
  readonly context?: NoticeContext;
}

/** The time of a rehearsal: its speed as a multiple of real time, and whether it is paused. */
export interface RehearsalPace {
  readonly speed: number;
  readonly isPaused: boolean;
}

interface WelcomeState {
  readonly dir: string;
  readonly isResumed: boolean;
  readonly rehearsal: RehearsalPace | null;
  readonly choice: number;
  /** This host and its installations; null before the first probe. */
  readonly overview: MachineOverview | null;
  /** The install directory to open after leaving; null: none. */
  readonly nextDir: string | null;
}

/** Findings about this host, and its other installations, the last used one first. */
export interface MachineOverview {
  readonly findings: readonly Finding[];
  /** Null: not probed. */
  readonly installer: InstallerStatus | null;
  readonly otherInstallations: readonly Installation[];
}

/** Another installation on this host. The texts are safe to show. */
export interface Installation {
  readonly dir: string;
  /** Name and base domain; empty before they were typed. */
  readonly cluster: string;
  /** The screen on which it was left, or the furthest one if that was its welcome screen. */
  readonly screen: ScreenId;
  readonly isFinished: boolean;
  readonly isRehearsal: boolean;
  /** When it was used last: its last save, ms of the machine's clock. */
  readonly savedAt: number;
}

/** A visit to the design from a step, after the files were generated from it. */
interface DesignVisit {
  /** The step to which Esc returns; null after the user went back page by page. */
  readonly returnTo: StepId | null;
  /** The page on which the visit began. */
  readonly entryPage: ScreenId;
  /** The user has unlocked the answers. */
  readonly isEditing: boolean;
}

/** A prompt that waits for an answer, and its step. */
interface UnansweredPrompt {
  readonly step: StepId;
  readonly prompt: PromptSpec;
}

/** All that the screens draw, and the input of the next state. Plain data, never changed in place. */
export interface WizardState {
  readonly screen: ScreenId;
  /** The available screens, in order. */
  readonly screens: readonly ScreenId[];
  readonly document: DesignDocument;
  /** Undo steps: each leads from the document after a change to the one before, the newest last. */
  readonly past: readonly Difference[];
  /** Redo steps: the changes that were undone, the last undone one at the end. */
  readonly future: readonly Difference[];
  /** The last valid texts of answers that others depend on, while the current ones are not valid. */
  readonly lastValidTexts: Readonly<Record<string, string>>;
  /** The values that the wizard moved, filled or imported in this session, by path: the user typed none of them. */
  readonly wizardAnswers: Readonly<Record<string, unknown>>;
  readonly problems: readonly Problem[];
  /** Problems of the credential files, as of the last check. */
  readonly credentialProblems: readonly Problem[];
  /** The parsed design; null while there are errors. */
  readonly design: Design | null;
  /**
   * The answers that steps work with: as typed or, while those have errors, the last valid ones. Null before there were
   * any.
   */
  readonly inForce: { readonly document: DesignDocument; readonly design: Design } | null;
  /** The user has been at a step: the design is more than an example to change. */
  readonly hasReachedStep: boolean;
  readonly welcome: WelcomeState;
  readonly forms: Readonly<Record<FormId, FormState>>;
  readonly nodes: NodesState;
  /** The page also shows the rarely needed fields. */
  readonly areAdvancedFieldsShown: boolean;
  /** The review: the selected problem, the first visible line of the design, and the search in it. */
  readonly reviewRow: number;
  readonly reviewTop: number;
  readonly reviewSearch: Omit<LogPosition, 'top'>;
  /**
   * The path of the answer, or the page, that the review or a step led to; null: none. Enter returns to the review when
   * the answer is correct.
   */
  readonly correctionPath: string | null;
  readonly visit: DesignVisit | null;
  /** The document with which each finished step was found done. */
  readonly doneDocuments: Readonly<Partial<Record<StepId, DesignDocument>>>;
  /** Steps that were not done when the session was left. */
  readonly unfinishedSteps: readonly string[];
  readonly runs: Readonly<Record<StepId, StepRun>>;
  /** The prompt of an earlier session, opened again after the first probe of its step; null: none. */
  readonly unansweredPrompt: UnansweredPrompt | null;
  /**
   * The wizard was approving CSRs when the last session ended. The approval resumes after the first probe of the
   * Certificates step.
   */
  readonly shouldResumeApproval: boolean;
  /** The target while the wizard continues from step to step as each one is done; null otherwise. */
  readonly continueTarget: ScreenId | null;
  readonly likelyCause: LikelyCause | null;
  readonly overlay: Overlay;
  /** The overlay before each undoable change of it, the newest last. */
  readonly overlayUndoStack: readonly OverlayUndoEntry[];
  readonly notice: Notice | null;
  /** The index of the furthest screen reached: the sidebar ticks those before it. */
  readonly furthestScreenIndex: number;
  /** When the answers were saved last, ms of the clock; null: not yet in this session. */
  readonly savedAt: number | null;
  /** Why the last save failed; null after a successful one. Answers typed meanwhile are kept in memory. */
  readonly saveError: UserError | null;
  /** When the first machine was powered on, ms of the clock; null before that. */
  readonly firstPowerOnAt: number | null;
  /** The time of the clock, for durations on the screen. Probes of steps advance it. */
  readonly now: number;
  /** How the session ends; null while it goes on. */
  readonly leaveReason: LeaveReason | null;
  /** The end has only just been reached: Enter does not leave yet. */
  readonly isEndJustReached: boolean;
  /** The step whose action has only just ended: Esc, meant to stop the action, does not go back yet; null: none. */
  readonly justEndedStep: StepId | null;
  /**
   * A sentence about the changes while the wizard was away, for the page to which the user returns; null if there is
   * nothing to show.
   */
  readonly absenceSummary: string | null;
}

/** Whether a saved name is the name of an existing screen. */
export function isScreen(text: string): text is ScreenId {
  return (SCREEN_IDS as readonly string[]).includes(text);
}

/** Whether a screen belongs to a step, which probes the cluster or a host, and is not a page with questions only. */
export function isStep(screen: ScreenId): screen is StepId {
  return (STEP_IDS as readonly string[]).includes(screen);
}

/** Whether the page is read-only until the user unlocks it, because an installation uses its answers. */
export function isReadOnly({ visit, screen }: Pick<WizardState, 'visit' | 'screen'>): boolean {
  return visit !== null && !visit.isEditing && getPageRules(screen).hasAnswers === true;
}

/**
 * Finds the prompt that waits for an answer; null if there is none. The prompt is saved, so that the next session can
 * open it again.
 */
export function findUnansweredPrompt({ screen, runs, unansweredPrompt }: WizardState): UnansweredPrompt | null {
  const steps = isStep(screen) ? [screen, ...STEP_IDS] : STEP_IDS;
  for (const step of steps) {
    const openPrompt = getOpenPrompt(runs[step]);
    if (openPrompt) {
      const { action, subject, input } = openPrompt;
      const typedReason = input?.words.length === 0 ? input.field.text : '';
      return {
        step,
        prompt: { action, subject, words: input?.words ?? null, ...(typedReason === '' ? {} : { typed: typedReason }) },
      };
    }
  }
  return unansweredPrompt;
}

/** Returns the index of a screen in the order of the screens, from 0. */
export function getScreenIndex(screen: ScreenId): number {
  return SCREEN_IDS.indexOf(screen);
}

/** Returns the problems that make a design unusable, without warnings. */
export function filterErrors(problems: readonly Problem[]): Problem[] {
  return problems.filter(({ severity }) => severity === 'error');
}
