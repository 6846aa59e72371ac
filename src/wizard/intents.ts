import type { Finding } from '../checks/check.ts';
import type { Problem } from '../design/model.ts';
import type { UserError } from '../i18n/user-error.ts';
import type { Secret } from '../platform/secrets.ts';
import type {
  Confirmation,
  ItemProgress,
  Page,
  Plan,
  PreviewedAction,
  Probe,
  StepActionType,
  StepId,
} from '../steps/contract.ts';
import type { FilterIntent } from './list-filter.ts';
import type { LogIntent } from './live/log-position.ts';
import type { DiagnosisRequest, PlanFold, PromptSpec } from './live/step-run.ts';
import type { ImportOffer } from './overlays/overlay.ts';
import type { LeaveReason, MachineOverview, Notice, RehearsalPace, ScreenId } from './state.ts';
import type { KeyEvent, UnfinishedText } from './text-input.ts';

/** A request of the user, an answers file or a test. Imperative names. */
export type Intent =
  /**
   * `field`: the path of the answer for the cursor; `text`: offered there, to be accepted; `rowId`: the row to select
   * in the list of a step; `notice`: shown on the new screen.
   */
  | {
      readonly type: 'screen/go';
      readonly screen: ScreenId;
      readonly field?: string;
      readonly text?: string;
      readonly rowId?: string;
      readonly notice?: Notice;
    }
  /** Goes on, as Enter does. `needsSecondPress`: only a second press in a row leaves a page that is not finished. */
  | { readonly type: 'screen/next'; readonly needsSecondPress?: boolean }
  | { readonly type: 'screen/back' }
  /** Continues to the furthest screen through the steps that are done; stops at the first that is not. */
  | { readonly type: 'screen/onward' }
  /** Accepts the answers from here to the review; stops at the first page with an error. */
  | { readonly type: 'screen/to-review' }
  /** `quit` is for Ctrl-C, `leave` for the letter key. Both ask first; the parent shell sees how the wizard ended. */
  | { readonly type: 'overlay/open'; readonly overlay: 'help' | 'quit' | 'leave' }
  /** Shows a page that no step creates. `subject`: what it is about; missing: the time since the user left. */
  | { readonly type: 'overlay/show'; readonly page: Page; readonly subject?: string }
  | { readonly type: 'overlay/close' }
  /** Shows the secret of the open page. */
  | { readonly type: 'overlay/reveal' }
  /** Undoes the last change in the overlay. */
  | { readonly type: 'overlay/undo' }
  | { readonly type: 'help/scroll'; readonly by: number; readonly count: number }
  | { readonly type: 'notice/show'; readonly notice: Notice }
  /** Puts the text back that was being typed when the last session ended. */
  | { readonly type: 'session/restore-text'; readonly unfinished: UnfinishedText }
  | { readonly type: 'session/quit' }
  /** Leaves although the answers cannot be saved. */
  | { readonly type: 'session/abandon' }
  /** Saves and leaves at the request of another session. */
  | { readonly type: 'session/yield'; readonly reason: 'taken-over' | 'detached' }
  /** Another session has taken over the directory: nothing may be saved any more. */
  | { readonly type: 'session/lose' }
  | { readonly type: 'welcome/move'; readonly by: number; readonly count: number }
  /** Starts a new rehearsal or installation, or opens another installation, each in its own directory. */
  | { readonly type: 'welcome/rehearse' }
  | { readonly type: 'welcome/new' }
  | { readonly type: 'welcome/open'; readonly dir: string }
  /** Probes this host, and repeats that while the welcome screen is shown. */
  | { readonly type: 'welcome/probe' }
  /** Changes the speed of the rehearsal, pauses or resumes it. */
  | { readonly type: 'rehearsal/speed'; readonly by: 1 | -1 }
  | { readonly type: 'rehearsal/pause' }
  /** Closes the page, and repairs this fault of the rehearsal. */
  /** `leavesFirstFinding`: the first finding of the diagnosis is another one. */
  | { readonly type: 'rehearsal/repair'; readonly fault: string; readonly leavesFirstFinding?: boolean }
  | { readonly type: 'palette/open' }
  | { readonly type: 'palette/edit'; readonly event: KeyEvent }
  | { readonly type: 'palette/move'; readonly by: number; readonly count: number }
  /** Closes the overlay, then handles the intent. */
  | { readonly type: 'palette/select'; readonly intent: Intent }
  /** Moves the focus to the sidebar, and moves in it. */
  | { readonly type: 'sidebar/open' }
  | { readonly type: 'sidebar/move'; readonly by: number }
  /**
   * The overlay for the directory of the real installation after a rehearsal: opens it, edits the path, starts there.
   */
  | { readonly type: 'install/open' }
  | { readonly type: 'install/edit'; readonly event: KeyEvent }
  | { readonly type: 'install/enter' }
  | { readonly type: 'field/edit'; readonly event: KeyEvent }
  /** Accepts the answer. `onError`: a wrong answer is kept as typed, or discarded for the one before it. */
  | { readonly type: 'field/accept'; readonly onError?: 'keep' | 'discard' }
  /** Accepts the rest of the page. */
  | { readonly type: 'field/accept-page' }
  | { readonly type: 'field/move'; readonly by: number }
  /** Shows or hides the rarely needed fields. */
  | { readonly type: 'field/more' }
  | { readonly type: 'choice/move'; readonly by: number }
  | { readonly type: 'node/move'; readonly by: number }
  /** Selects the node whose answer keeps the page from being left, and says why. */
  | { readonly type: 'node/refuse'; readonly row: number; readonly reason: string }
  | { readonly type: 'node/edit' }
  | { readonly type: 'node/add' }
  | { readonly type: 'node/duplicate' }
  | { readonly type: 'node/delete' }
  | { readonly type: 'node/close' }
  | { readonly type: 'node/sort' }
  | { readonly type: 'node/fill-open' }
  | { readonly type: 'node/fill-move'; readonly by: number }
  | { readonly type: 'node/fill' }
  /** Toggles whether the fill also covers nodes of other roles. */
  | { readonly type: 'node/fill-across' }
  /** Unlocks the answers on a page that a step led to. */
  | { readonly type: 'document/unlock' }
  /** Undoes the last change of the answers, on any page; redoes it. */
  | { readonly type: 'document/undo' }
  | { readonly type: 'document/redo' }
  /** Reverts the field under the cursor to the answer that it had when the cursor entered it. */
  | { readonly type: 'document/revert' }
  /** Answers the follow-up offer: change the answers that depend on a changed one, or leave them. */
  | { readonly type: 'follow/accept' }
  | { readonly type: 'follow/decline' }
  | { readonly type: 'follow/scroll'; readonly by: number; readonly count: number }
  /** Creates an SSH key where the design names one that does not exist. */
  | { readonly type: 'credentials/make-key' }
  /** Opens the import: from a file that the user names, or from typed or pasted lines. */
  | { readonly type: 'import/open'; readonly from: 'file' | 'lines' }
  | { readonly type: 'import/paste'; readonly text: string }
  | { readonly type: 'import/edit'; readonly event: KeyEvent }
  | { readonly type: 'import/enter' }
  /** Ends the lines. `onError: 'discard'`: lines that are refused are dropped; without it, they stay to be edited. */
  | { readonly type: 'import/finish'; readonly onError?: 'discard' }
  | { readonly type: 'import/move'; readonly by: number }
  /** Scrolls the description of the offer. */
  | { readonly type: 'import/scroll'; readonly by: number; readonly count: number }
  | { readonly type: 'import/close' }
  | { readonly type: 'review/scroll'; readonly by: number; readonly count: number }
  /** Selects another problem. */
  | { readonly type: 'review/move'; readonly by: number }
  /** Goes to the answer of the selected problem. */
  | { readonly type: 'review/jump' }
  /** `from`: the selected row, if the page selected it. `id`: the id of the newly selected row, if the list has ids. */
  | {
      readonly type: 'row/move';
      readonly from?: number;
      readonly by: number;
      readonly count: number;
      readonly id?: string;
    }
  | { readonly type: 'row/scroll'; readonly by: number; readonly count: number }
  | {
      readonly type: 'step/ask';
      readonly action: StepActionType;
      readonly subject?: string;
      /** The user confirms by typing one of these words, or a reason if the list is empty; missing: a key confirms. */
      readonly words?: readonly string[];
    }
  /** Restores the unanswered prompt of the previous session after the first probe of its step. */
  | { readonly type: 'step/restore-prompt'; readonly step: StepId; readonly prompt: PromptSpec }
  /** Resumes the approval of CSRs, as in the previous session, after the first probe of the Certificates step. */
  | { readonly type: 'step/follow-again' }
  /** Types into the text input of a prompt. */
  | { readonly type: 'step/type'; readonly event: KeyEvent }
  | { readonly type: 'step/answer'; readonly isYes: boolean }
  /** Selects a part of the plan in the question, or shows and hides its changes. `top`: the first visible line. */
  | { readonly type: 'step/fold'; readonly fold: PlanFold; readonly top: number }
  /**
   * Stops the running action; its changes so far stay. `needsSecondPress`: only a second press in a row stops it.
   */
  | { readonly type: 'step/cancel'; readonly needsSecondPress?: boolean }
  | { readonly type: 'step/probe' }
  /** Input to the log view. */
  | LogIntent
  /** Input to the filter of the list on the page. */
  | FilterIntent
  /** Makes the terminal copy these commands to its clipboard. */
  | { readonly type: 'commands/copy'; readonly commands: readonly string[] }
  /** Writes the commands of the page, indented under their hosts, into a script. */
  | { readonly type: 'commands/write'; readonly lines: readonly string[] }
  /** Makes the terminal copy the text of one cell. */
  | { readonly type: 'cell/copy'; readonly text: string }
  /** Opens a page about one item of the step. A secret on it is hidden until the user shows it. */
  | { readonly type: 'step/show'; readonly subject: string }
  /** Probes everything, and opens a page with the diagnosis. */
  | { readonly type: 'diagnosis/open' };

/** The general rules for an intent: what it changes beyond its own group. */
interface IntentRules {
  /**
   * `answers`: it may change an answer, so a page that a step led to must be unlocked. `view`: it only moves or scrolls
   * what is visible.
   */
  readonly changes?: 'answers' | 'view';
  /** The intent moves the cursor in the answers, or changes a typed text: both are saved after a delay. */
  readonly savesCursorPosition?: true;
  /** The intent leaves the field under the cursor, whose text is accepted first. */
  readonly leavesField?: true;
  /** The intent may finish an answer: changes that follow from it are offered. */
  readonly offersFollowUps?: true;
  /** The intent reads the credential files again, on their page. */
  readonly rereadsFiles?: true;
  /** A change in an overlay, which can be undone there. */
  readonly isOverlayChange?: true;
  /** `never`: no front end offers it by name. `screens`: only the full screens do; plain mode does not need it. */
  readonly offeredIn?: 'never' | 'screens';
  /** The intent is about the selected node or problem: plain mode asks which one. */
  readonly target?: 'node' | 'problem';
}

const VIEW_RULES = { changes: 'view', offeredIn: 'never' } as const;
const FIELD_RULES = { offersFollowUps: true, offeredIn: 'never' } as const;
const NODE_RULES = { offersFollowUps: true, isOverlayChange: true } as const;
const NODE_CHANGE_RULES = { ...NODE_RULES, changes: 'answers' } as const;
const LEAVE_RULES = { leavesField: true } as const;
const OVERLAY_RULES = { isOverlayChange: true } as const;
const SCREENS_ONLY_RULES = { offeredIn: 'screens' } as const;
const NO_RULES: IntentRules = {};

/** The general rules for each intent. */
const INTENT_RULES: Readonly<Record<Intent['type'], IntentRules>> = {
  'screen/go': { ...LEAVE_RULES, offersFollowUps: true },
  'screen/next': { ...LEAVE_RULES, offersFollowUps: true },
  'screen/back': { ...LEAVE_RULES, offersFollowUps: true, offeredIn: 'never' },
  'screen/onward': { ...LEAVE_RULES, offersFollowUps: true },
  'screen/to-review': { ...LEAVE_RULES, offersFollowUps: true, offeredIn: 'screens' },
  'overlay/open': SCREENS_ONLY_RULES,
  'overlay/show': NO_RULES,
  'overlay/close': NO_RULES,
  'overlay/reveal': NO_RULES,
  'overlay/undo': NO_RULES,
  'help/scroll': VIEW_RULES,
  'notice/show': NO_RULES,
  'session/restore-text': { offeredIn: 'never' },
  'session/quit': LEAVE_RULES,
  'session/abandon': NO_RULES,
  'session/yield': LEAVE_RULES,
  'session/lose': NO_RULES,
  'welcome/move': VIEW_RULES,
  'welcome/rehearse': LEAVE_RULES,
  'welcome/new': LEAVE_RULES,
  'welcome/open': LEAVE_RULES,
  'welcome/probe': NO_RULES,
  'rehearsal/speed': NO_RULES,
  'rehearsal/pause': NO_RULES,
  'rehearsal/repair': NO_RULES,
  'palette/open': { ...OVERLAY_RULES, offeredIn: 'never' },
  'palette/edit': { ...OVERLAY_RULES, offeredIn: 'never' },
  'palette/move': { ...OVERLAY_RULES, ...VIEW_RULES },
  'palette/select': { ...OVERLAY_RULES, offeredIn: 'never' },
  'sidebar/open': { offeredIn: 'never' },
  'sidebar/move': VIEW_RULES,
  'install/open': OVERLAY_RULES,
  'install/edit': { ...OVERLAY_RULES, savesCursorPosition: true },
  'install/enter': OVERLAY_RULES,
  'field/edit': { ...FIELD_RULES, changes: 'answers', savesCursorPosition: true },
  'field/accept': { ...FIELD_RULES, rereadsFiles: true },
  'field/accept-page': { ...FIELD_RULES, rereadsFiles: true },
  'field/move': { ...FIELD_RULES, savesCursorPosition: true, rereadsFiles: true },
  'field/more': FIELD_RULES,
  'choice/move': { changes: 'answers', offeredIn: 'never' },
  'node/move': { ...NODE_RULES, ...VIEW_RULES },
  'node/refuse': { ...NODE_RULES, ...VIEW_RULES },
  'node/edit': { ...NODE_RULES, savesCursorPosition: true, target: 'node' },
  'node/add': NODE_CHANGE_RULES,
  'node/duplicate': { ...NODE_CHANGE_RULES, target: 'node' },
  'node/delete': { ...NODE_CHANGE_RULES, target: 'node' },
  'node/close': { ...NODE_RULES, ...LEAVE_RULES },
  'node/sort': NODE_CHANGE_RULES,
  'node/fill-open': { ...NODE_CHANGE_RULES, target: 'node' },
  'node/fill-move': { ...NODE_RULES, ...VIEW_RULES },
  'node/fill': NODE_CHANGE_RULES,
  'node/fill-across': NODE_RULES,
  'document/unlock': NO_RULES,
  'document/undo': { changes: 'answers' },
  'document/redo': { changes: 'answers' },
  'document/revert': NO_RULES,
  'follow/accept': NO_RULES,
  'follow/decline': NO_RULES,
  'follow/scroll': VIEW_RULES,
  'credentials/make-key': { ...LEAVE_RULES, changes: 'answers' },
  'import/open': { ...OVERLAY_RULES, changes: 'answers' },
  'import/paste': { ...OVERLAY_RULES, changes: 'answers', savesCursorPosition: true },
  'import/edit': { ...OVERLAY_RULES, savesCursorPosition: true },
  'import/enter': OVERLAY_RULES,
  'import/finish': OVERLAY_RULES,
  'import/move': { ...OVERLAY_RULES, ...VIEW_RULES },
  'import/scroll': NO_RULES,
  'import/close': OVERLAY_RULES,
  'review/scroll': VIEW_RULES,
  'review/move': VIEW_RULES,
  'review/jump': { target: 'problem' },
  'row/move': VIEW_RULES,
  'row/scroll': VIEW_RULES,
  'step/ask': NO_RULES,
  'step/restore-prompt': NO_RULES,
  'step/follow-again': NO_RULES,
  'step/type': { savesCursorPosition: true },
  'step/answer': NO_RULES,
  'step/fold': VIEW_RULES,
  'step/cancel': NO_RULES,
  'step/probe': NO_RULES,
  'log/scroll': VIEW_RULES,
  'log/jump': VIEW_RULES,
  'log/whole': VIEW_RULES,
  'log/details': VIEW_RULES,
  'log/search': VIEW_RULES,
  'log/type': VIEW_RULES,
  'log/submit': VIEW_RULES,
  'log/clear': VIEW_RULES,
  'log/next': VIEW_RULES,
  'filter/open': { changes: 'view', offeredIn: 'screens' },
  'filter/type': VIEW_RULES,
  'filter/close': VIEW_RULES,
  'commands/copy': SCREENS_ONLY_RULES,
  'commands/write': NO_RULES,
  'cell/copy': SCREENS_ONLY_RULES,
  'step/show': NO_RULES,
  'diagnosis/open': NO_RULES,
};

/** Returns the general rules for an input. Events have none. */
export function getIntentRules({ type }: Intent | Event): IntentRules {
  const rules: Readonly<Partial<Record<(Intent | Event)['type'], IntentRules>>> = INTENT_RULES;
  return rules[type] ?? NO_RULES;
}

/** A result from outside of the update function. Names in the past tense. */
export type Event =
  /** `isSuperseded`: the user requested a new probe while this one ran. */
  | {
      readonly type: 'step/probed';
      readonly step: StepId;
      readonly probe: Probe<unknown>;
      readonly plan: Plan | null;
      readonly isSuperseded?: boolean;
    }
  | {
      readonly type: 'step/reported';
      readonly step: StepId;
      readonly line: string | null;
      readonly part?: ItemProgress;
    }
  /** The page that the user requested is ready. */
  | { readonly type: 'step/shown'; readonly step: StepId; readonly subject: string; readonly page: Page }
  /** The confirmation text of an action is ready. */
  | {
      readonly type: 'step/previewed';
      readonly step: StepId;
      readonly action: PreviewedAction;
      readonly subject: string | null;
      readonly confirmation: Confirmation;
    }
  | { readonly type: 'step/applied'; readonly step: StepId }
  /** The running action stopped at the user's request. */
  | { readonly type: 'step/cancelled'; readonly step: StepId }
  /** `during`: what failed, either a probe, which is repeated anyway, or an action of the user. */
  | {
      readonly type: 'step/failed';
      readonly step: StepId;
      readonly during: 'probe' | 'run';
      readonly userError: UserError;
    }
  | { readonly type: 'welcome/probed'; readonly overview: MachineOverview }
  /** The diagnosis is complete. */
  | {
      readonly type: 'diagnosis/ready';
      readonly page: Page;
      readonly step?: StepId;
      readonly likelyCause?: Finding | null;
    }
  /** The most likely cause of the failed findings of a step is known; null: the diagnosis found none. */
  | {
      readonly type: 'diagnosis/cause-found';
      readonly step: StepId;
      readonly request: DiagnosisRequest;
      readonly likelyCause: Finding | null;
    }
  | { readonly type: 'notice/shown'; readonly notice: Notice }
  /** The directory of the real installation is ready, or cannot be used for this reason. */
  | { readonly type: 'install/started' }
  | { readonly type: 'install/refused'; readonly message: string }
  /** The speed could not be changed and stays as it was. */
  | { readonly type: 'rehearsal/refused'; readonly previousPace: RehearsalPace; readonly message: string }
  | { readonly type: 'import/offered'; readonly offer: ImportOffer }
  | { readonly type: 'import/refused'; readonly message: string }
  | { readonly type: 'credentials/key-generated'; readonly file: string }
  /** The pasted credential is in a file, and the design can name that file. */
  | { readonly type: 'credentials/saved'; readonly credential: 'pull-secret' | 'ssh-key'; readonly file: string }
  | { readonly type: 'credentials/reviewed'; readonly problems: readonly Problem[] }
  | { readonly type: 'session/saved'; readonly at: number }
  /** The changes while the wizard was away are known; null: they have been on the screen long enough. */
  | { readonly type: 'session/absence'; readonly text: string | null }
  /** The follow-up offer was shown long enough to be noticed. */
  | { readonly type: 'follow/noticed' }
  /** The end was shown long enough to be noticed. */
  | { readonly type: 'end/waited' }
  | { readonly type: 'session/save-failed'; readonly userError: UserError }
  | { readonly type: 'clock/ticked'; readonly now: number; readonly firstPowerOnAt?: number | null };

/** The inputs of these groups. A group is the part before the slash ("log" of "log/scroll"). */
export type InputOf<Group extends string> = Extract<Intent | Event, { type: `${Group}/${string}` }>;

/** Whether an input belongs to one of these groups. New intents of a group need no change here. */
export function isInputInGroup<Group extends string>(
  input: Intent | Event,
  ...groups: readonly Group[]
): input is InputOf<Group> {
  return groups.some((group) => input.type.startsWith(`${group}/`));
}

/** A side effect that the update requests. */
export type Effect =
  | { readonly type: 'save' }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'write-commands'; readonly lines: readonly string[] }
  /** Saves the position of the cursor after a short delay. */
  | { readonly type: 'save-cursor-position' }
  | { readonly type: 'review-credentials' }
  | { readonly type: 'generate-ssh-key' }
  /** Starts a real installation with these answers in a separate directory. */
  | { readonly type: 'start-installation'; readonly dir: string }
  /** Writes a pasted credential into a separate file. */
  | { readonly type: 'save-pasted'; readonly credential: 'pull-secret' | 'ssh-key'; readonly text: Secret }
  /** Stops the clock of a rehearsal while the user reads or answers, or lets it run again. */
  | { readonly type: 'hold-clock'; readonly isHeld: boolean }
  | { readonly type: 'set-pace'; readonly previousPace: RehearsalPace; readonly newPace: RehearsalPace }
  | { readonly type: 'simulate-repair'; readonly fault: string; readonly leavesFirstFinding?: boolean }
  /** Reads a file that the user named, and offers its content. */
  | { readonly type: 'import'; readonly path: string }
  /** Writes the secrets of an imported file into separate files. */
  | { readonly type: 'save-imported'; readonly path: string }
  | { readonly type: 'probe'; readonly step: StepId }
  | { readonly type: 'probe-host' }
  | { readonly type: 'wait-at-end' }
  | { readonly type: 'wait-at-offer' }
  | {
      readonly type: 'run';
      readonly step: StepId;
      readonly action: StepActionType;
      readonly subject: string | null;
      /** A job already carries out the action, which is only followed. */
      readonly isFollowed?: true;
    }
  /** Answers no to the question of the step's job. */
  | { readonly type: 'decline'; readonly step: StepId }
  | {
      readonly type: 'preview';
      readonly step: StepId;
      readonly action: PreviewedAction;
      readonly subject: string | null;
    }
  | { readonly type: 'show'; readonly step: StepId; readonly subject: string }
  | { readonly type: 'diagnose' }
  /** Diagnoses in the background, for the page of a step. */
  | { readonly type: 'find-cause'; readonly step: StepId; readonly request: DiagnosisRequest }
  | { readonly type: 'cancel'; readonly step: StepId }
  | { readonly type: 'leave'; readonly reason: LeaveReason };
