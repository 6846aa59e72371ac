import { eachStep, STEP_IDS } from '../steps/contract.ts';
import type { Document } from './design/document.ts';
import { judged } from './design/undo.ts';
import { UNTOUCHED } from './live/step-run.ts';
import {
  type FormState,
  isStep,
  type Rehearsal,
  SCREEN_IDS,
  type ScreenId,
  screenIndex,
  type WizardState,
} from './state.ts';
import { textFieldOf } from './typing/text-field.ts';

/** The state that the wizard starts with: on the welcome screen, with the answers given so far. */
export function initialState(options: {
  readonly dir: string;
  readonly document: Document;
  /** ms of the clock. */
  readonly now: number;
  /** When the first machine was powered on; null before that. */
  readonly begunAt?: number | null;
  readonly isResumed: boolean;
  readonly rehearsal: Rehearsal | null;
  /** The furthest screen of the last time. */
  readonly reached: ScreenId;
  /** The screens that there are; left out: all. */
  readonly screens?: readonly ScreenId[];
  /** What was saved of the answers besides them; nothing for new ones. */
  readonly kept?: Partial<Pick<WizardState, 'past' | 'future' | 'inForce' | 'isDecided'>>;
}): WizardState {
  const {
    dir,
    document,
    now,
    isResumed,
    rehearsal,
    reached,
    screens = SCREEN_IDS,
    begunAt = null,
    kept = {},
  } = options;
  const untouchedForm: FormState = { focus: 0, editor: textFieldOf(''), made: null, ahead: null };
  const answers = judged(document, kept.inForce ?? null);
  // What was passed in an earlier sitting was done with these answers, as far as anybody knows.
  const passed = STEP_IDS.filter((id) => screens.includes(id) && screenIndex(id) < screenIndex(reached));
  return {
    screen: 'welcome',
    screens,
    ...answers,
    past: kept.past ?? [],
    future: kept.future ?? [],
    isDecided: kept.isDecided ?? isStep(reached),
    followed: {},
    credentialProblems: [],
    welcome: { dir, isResumed, rehearsal, choice: 0, around: null, opens: null },
    forms: { cluster: untouchedForm, networks: untouchedForm, services: untouchedForm, credentials: untouchedForm },
    nodes: { row: 0, sorts: 0, edit: null },
    isMoreShown: false,
    reviewRow: 0,
    reviewTop: 0,
    fromReview: null,
    visit: null,
    doneWith: answers.inForce ? Object.fromEntries(passed.map((id) => [id, answers.inForce?.document])) : {},
    runs: eachStep(() => UNTOUCHED),
    unanswered: null,
    isToFollow: false,
    onward: null,
    overlay: null,
    overlayPast: [],
    notice: null,
    reached: screenIndex(reached),
    savedAt: null,
    saveTrouble: null,
    begunAt,
    now,
    isLeaving: null,
    isJustOver: false,
  };
}
