import type { Problem } from '../design/model.ts';
import type { Page, Plan, Probe, StepId } from '../steps/contract.ts';
import type { Trouble } from '../text/trouble.ts';
import type { ImportOffer } from './importing.ts';
import type { KeyEvent } from './key-event.ts';
import type { ReadingIntent } from './reading.ts';
import type { Leaving, Notice, ScreenId } from './state.ts';
import type { StepAction } from './step-run.ts';

/** What a person (or an answers file, or a test) wants. Imperatives. */
export type Intent =
  /** `field`: the path of the answer to put the cursor on; `notice`: what to keep in mind there. */
  | { readonly type: 'screen/go'; readonly screen: ScreenId; readonly field?: string; readonly notice?: Notice }
  | { readonly type: 'screen/next' }
  | { readonly type: 'screen/back' }
  /** Back to where the person was, through the steps that are done; stops at the first that is not. */
  | { readonly type: 'screen/onward' }
  | { readonly type: 'overlay/open'; readonly overlay: 'help' | 'quit' }
  | { readonly type: 'overlay/close' }
  | { readonly type: 'help/scroll'; readonly by: number; readonly count: number }
  | { readonly type: 'notice/show'; readonly notice: Notice }
  | { readonly type: 'session/quit' }
  /** Leaves although the answers cannot be saved. */
  | { readonly type: 'session/abandon' }
  | { readonly type: 'welcome/move'; readonly by: number; readonly count: number }
  | { readonly type: 'welcome/rehearse' }
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
  /** Undoes the last change of the node table, or the last import. */
  | { readonly type: 'document/undo' }
  /** Makes an SSH key where the design names one that does not exist. */
  | { readonly type: 'credentials/make-key' }
  /** From a named file, or from typed or pasted lines. */
  | { readonly type: 'import/open'; readonly from: 'file' | 'lines' }
  | { readonly type: 'import/paste'; readonly text: string }
  | { readonly type: 'import/edit'; readonly event: KeyEvent }
  | { readonly type: 'import/enter' }
  | { readonly type: 'import/finish' }
  | { readonly type: 'import/move'; readonly by: number }
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
  /** Types into the answer of a question. */
  | { readonly type: 'step/type'; readonly event: KeyEvent }
  | { readonly type: 'step/answer'; readonly isYes: boolean }
  /** Stops what runs; what it has done so far stays. */
  | { readonly type: 'step/cancel' }
  | { readonly type: 'step/look' }
  /** Reading a log. */
  | ReadingIntent
  /** Opens a page about one part of the step. */
  | { readonly type: 'step/show'; readonly subject: string };

/** What happened outside. Past tense. */
export type Event =
  | { readonly type: 'step/looked'; readonly step: StepId; readonly probe: Probe<unknown>; readonly plan: Plan | null }
  | { readonly type: 'step/reported'; readonly step: StepId; readonly line: string }
  /** The page that a person asked for is there. */
  | { readonly type: 'step/shown'; readonly step: StepId; readonly subject: string; readonly page: Page }
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
  | { readonly type: 'notice/shown'; readonly notice: Notice }
  | { readonly type: 'import/offered'; readonly offer: ImportOffer }
  | { readonly type: 'import/refused'; readonly said: string }
  | { readonly type: 'credentials/key-made'; readonly file: string }
  | { readonly type: 'credentials/judged'; readonly problems: readonly Problem[] }
  | { readonly type: 'session/saved'; readonly at: number }
  | { readonly type: 'session/save-failed'; readonly trouble: Trouble }
  | { readonly type: 'clock/ticked'; readonly now: number };

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
  /** Saves where the cursor is, when it has come to rest. */
  | { readonly type: 'save-place' }
  | { readonly type: 'judge-credentials' }
  | { readonly type: 'make-ssh-key' }
  /** Reads a file that a person named, and offers its content. */
  | { readonly type: 'import'; readonly path: string }
  /** Writes the secrets of an imported file into files of their own. */
  | { readonly type: 'keep-imported'; readonly path: string }
  | { readonly type: 'look'; readonly step: StepId }
  | {
      readonly type: 'run';
      readonly step: StepId;
      readonly action: StepAction;
      readonly subject: string | null;
    }
  | { readonly type: 'show'; readonly step: StepId; readonly subject: string }
  | { readonly type: 'cancel'; readonly step: StepId }
  | { readonly type: 'leave'; readonly how: Leaving };
