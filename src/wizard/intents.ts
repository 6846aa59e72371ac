import type { Problem } from '../design/model.ts';
import type { Brief, BriefedAction, Page, PartNews, Plan, Probe, StepAction, StepId } from '../steps/contract.ts';
import type { Secret } from '../text/secret.ts';
import type { Trouble } from '../text/trouble.ts';
import type { ReadingIntent } from './live/reading.ts';
import type { Asked } from './live/step-run.ts';
import type { ImportOffer } from './overlays/overlay.ts';
import type { Leaving, Notice, Rehearsal, ScreenId, Surroundings } from './state.ts';
import type { KeyEvent } from './typing/key-event.ts';

/** What a person (or an answers file, or a test) wants. Imperatives. */
export type Intent =
  /** `field`: the path of the answer to put the cursor on; `notice`: what to keep in mind there. */
  | { readonly type: 'screen/go'; readonly screen: ScreenId; readonly field?: string; readonly notice?: Notice }
  | { readonly type: 'screen/next' }
  | { readonly type: 'screen/back' }
  /** Back to where the person was, through the steps that are done; stops at the first that is not. */
  | { readonly type: 'screen/onward' }
  | { readonly type: 'overlay/open'; readonly overlay: 'help' | 'quit' }
  /** Shows a page that nobody asked a step for. */
  | { readonly type: 'overlay/show'; readonly page: Page }
  | { readonly type: 'overlay/close' }
  /** Takes back the last change in what lies over the screen. */
  | { readonly type: 'overlay/undo' }
  | { readonly type: 'help/scroll'; readonly by: number; readonly count: number }
  | { readonly type: 'notice/show'; readonly notice: Notice }
  | { readonly type: 'session/quit' }
  /** Leaves although the answers cannot be saved. */
  | { readonly type: 'session/abandon' }
  /** Saves and leaves because another session asks for it. */
  | { readonly type: 'session/yield'; readonly how: 'taken-over' | 'detached' }
  /** Another session has taken the directory over: nothing may be saved any more. */
  | { readonly type: 'session/lose' }
  | { readonly type: 'welcome/move'; readonly by: number; readonly count: number }
  /** Begins a new rehearsal, a new installation, or opens another one: each in a directory of its own. */
  | { readonly type: 'welcome/rehearse' }
  | { readonly type: 'welcome/new' }
  | { readonly type: 'welcome/open'; readonly dir: string }
  /** Looks at this machine, again and again while the welcome is shown. */
  | { readonly type: 'welcome/look' }
  /** Lets the time of the rehearsal run faster or slower; halts it or lets it go on. */
  | { readonly type: 'rehearsal/speed'; readonly by: 1 | -1 }
  | { readonly type: 'rehearsal/pause' }
  | { readonly type: 'palette/open' }
  | { readonly type: 'palette/edit'; readonly event: KeyEvent }
  | { readonly type: 'palette/move'; readonly by: number; readonly count: number }
  /** Closes what lies over the screen, and does this. */
  | { readonly type: 'palette/take'; readonly intent: Intent }
  /** Moves in the list at the left. */
  | { readonly type: 'rail/open' }
  | { readonly type: 'rail/move'; readonly by: number }
  /** Asks where to install for real what was rehearsed; types the directory; begins there. */
  | { readonly type: 'install/open' }
  | { readonly type: 'install/edit'; readonly event: KeyEvent }
  | { readonly type: 'install/enter' }
  | { readonly type: 'field/edit'; readonly event: KeyEvent }
  | { readonly type: 'field/accept' }
  | { readonly type: 'field/move'; readonly by: number }
  /** Shows or hides the rarely needed questions. */
  | { readonly type: 'field/more' }
  | { readonly type: 'choice/move'; readonly by: number }
  | { readonly type: 'node/move'; readonly by: number }
  | { readonly type: 'node/edit' }
  | { readonly type: 'node/add' }
  | { readonly type: 'node/duplicate' }
  | { readonly type: 'node/delete' }
  | { readonly type: 'node/close' }
  | { readonly type: 'node/sort' }
  | { readonly type: 'node/fill-open' }
  | { readonly type: 'node/fill-move'; readonly by: number }
  | { readonly type: 'node/fill' }
  /** Fills nodes of other roles too, or no longer. */
  | { readonly type: 'node/fill-across' }
  /** Lets the answers change on a page that a step led to. */
  | { readonly type: 'document/unlock' }
  /** Takes back the last change of the answers, on whatever page it was made; does it again. */
  | { readonly type: 'document/undo' }
  | { readonly type: 'document/redo' }
  /** Gives the field under the cursor the answer that it had when the cursor came there. */
  | { readonly type: 'document/take-back' }
  /** Answers the offer to change the answers that follow from a changed one. */
  | { readonly type: 'follow/accept' }
  | { readonly type: 'follow/decline' }
  | { readonly type: 'follow/scroll'; readonly by: number; readonly count: number }
  /** Makes an SSH key where the design names one that does not exist. */
  | { readonly type: 'credentials/make-key' }
  /** From a named file, or from typed or pasted lines. */
  | { readonly type: 'import/open'; readonly from: 'file' | 'lines' }
  | { readonly type: 'import/paste'; readonly text: string }
  | { readonly type: 'import/edit'; readonly event: KeyEvent }
  | { readonly type: 'import/enter' }
  | { readonly type: 'import/finish' }
  | { readonly type: 'import/move'; readonly by: number }
  /** Reads on in what is said of the offer. */
  | { readonly type: 'import/read'; readonly by: number; readonly count: number }
  | { readonly type: 'import/close' }
  | { readonly type: 'review/scroll'; readonly by: number; readonly count: number }
  /** Selects another problem. */
  | { readonly type: 'review/move'; readonly by: number }
  /** To the answer that the selected problem is about. */
  | { readonly type: 'review/jump' }
  | { readonly type: 'row/move'; readonly by: number; readonly count: number }
  | { readonly type: 'row/scroll'; readonly by: number; readonly count: number }
  | {
      readonly type: 'step/ask';
      readonly action: StepAction;
      readonly subject?: string;
      /** Yes means typing one of these. */
      readonly words?: readonly string[];
    }
  /** Asks again what nobody answered in an earlier sitting, when the step has been looked at. */
  | { readonly type: 'step/recall'; readonly step: StepId; readonly asked: Asked }
  /** Goes on following certificates, as in the last sitting, when the step has been looked at. */
  | { readonly type: 'step/follow-again' }
  /** Types into the answer of a question. */
  | { readonly type: 'step/type'; readonly event: KeyEvent }
  | { readonly type: 'step/answer'; readonly isYes: boolean }
  /** Stops what runs; what it has done so far stays. */
  | { readonly type: 'step/cancel' }
  | { readonly type: 'step/look' }
  /** Reading a log. */
  | ReadingIntent
  /** Asks the terminal to take these commands into its clipboard. */
  | { readonly type: 'commands/copy'; readonly commands: readonly string[] }
  /** Writes the commands of the page, indented under their hosts, into a script. */
  | { readonly type: 'commands/write'; readonly lines: readonly string[] }
  /** The same for the text of one cell. */
  | { readonly type: 'cell/copy'; readonly text: string }
  /** Opens a page about one part of the step. */
  | { readonly type: 'step/show'; readonly subject: string }
  /** Looks at everything, and opens a page that says what is wrong. */
  | { readonly type: 'diagnosis/open' };

/** What happened outside. Past tense. */
export type Event =
  | { readonly type: 'step/looked'; readonly step: StepId; readonly probe: Probe<unknown>; readonly plan: Plan | null }
  | { readonly type: 'step/reported'; readonly step: StepId; readonly line: string; readonly part?: PartNews }
  /** The page that a person asked for is there. */
  | { readonly type: 'step/shown'; readonly step: StepId; readonly subject: string; readonly page: Page }
  /** What a person reads before saying yes is known. */
  | {
      readonly type: 'step/briefed';
      readonly step: StepId;
      readonly action: BriefedAction;
      readonly subject: string | null;
      readonly brief: Brief;
    }
  | { readonly type: 'step/applied'; readonly step: StepId }
  /** What ran has stopped at a person's request. */
  | { readonly type: 'step/cancelled'; readonly step: StepId }
  /** `during` says what failed: a look, which is repeated anyway, or an act that a person asked for. */
  | {
      readonly type: 'step/failed';
      readonly step: StepId;
      readonly during: 'look' | 'run';
      readonly trouble: Trouble;
    }
  | { readonly type: 'welcome/looked'; readonly around: Surroundings }
  /** Everything was looked at. */
  | { readonly type: 'diagnosis/made'; readonly page: Page }
  | { readonly type: 'notice/shown'; readonly notice: Notice }
  /** The directory of the real installation is ready, or cannot be used: why. */
  | { readonly type: 'install/begun' }
  | { readonly type: 'install/refused'; readonly said: string }
  /** The site keeps its pace. */
  | { readonly type: 'rehearsal/refused'; readonly before: Rehearsal; readonly said: string }
  | { readonly type: 'import/offered'; readonly offer: ImportOffer }
  | { readonly type: 'import/refused'; readonly said: string }
  | { readonly type: 'credentials/key-made'; readonly file: string }
  /** What was pasted is in a file, and the design can name it. */
  | { readonly type: 'credentials/kept'; readonly what: 'pull-secret' | 'ssh-key'; readonly file: string }
  | { readonly type: 'credentials/judged'; readonly problems: readonly Problem[] }
  | { readonly type: 'session/saved'; readonly at: number }
  /** A person has had a moment to see that this is the end. */
  | { readonly type: 'end/rested' }
  | { readonly type: 'session/save-failed'; readonly trouble: Trouble }
  | { readonly type: 'clock/ticked'; readonly now: number; readonly begunAt?: number | null };

/** The inputs of these groups: what stands before the slash ("log" of "log/scroll"). */
export type InputOf<Group extends string> = Extract<Intent | Event, { type: `${Group}/${string}` }>;

/** Whether an input is of one of these groups; a new intent of a group needs no line here. */
export function isOf<Group extends string>(
  input: Intent | Event,
  ...groups: readonly Group[]
): input is InputOf<Group> {
  return groups.some((group) => input.type.startsWith(`${group}/`));
}

/** What the update asks the outside to do. */
export type Effect =
  | { readonly type: 'save' }
  | { readonly type: 'copy'; readonly text: string }
  | { readonly type: 'write-commands'; readonly lines: readonly string[] }
  /** Saves where the cursor is, when it has come to rest. */
  | { readonly type: 'save-place' }
  | { readonly type: 'judge-credentials' }
  | { readonly type: 'make-ssh-key' }
  /** Begins a real installation with these answers in a directory of its own. */
  | { readonly type: 'begin-installation'; readonly dir: string }
  /** Writes a pasted credential into a file of its own. */
  | { readonly type: 'keep-pasted'; readonly what: 'pull-secret' | 'ssh-key'; readonly text: Secret }
  | { readonly type: 'set-pace'; readonly before: Rehearsal; readonly after: Rehearsal }
  /** Reads a file that a person named, and offers its content. */
  | { readonly type: 'import'; readonly path: string }
  /** Writes the secrets of an imported file into files of their own. */
  | { readonly type: 'keep-imported'; readonly path: string }
  | { readonly type: 'look'; readonly step: StepId }
  | { readonly type: 'look-around' }
  | { readonly type: 'rest-at-end' }
  | {
      readonly type: 'run';
      readonly step: StepId;
      readonly action: StepAction;
      readonly subject: string | null;
    }
  | {
      readonly type: 'brief';
      readonly step: StepId;
      readonly action: BriefedAction;
      readonly subject: string | null;
    }
  | { readonly type: 'show'; readonly step: StepId; readonly subject: string }
  | { readonly type: 'diagnose' }
  | { readonly type: 'cancel'; readonly step: StepId }
  | { readonly type: 'leave'; readonly how: Leaving };
