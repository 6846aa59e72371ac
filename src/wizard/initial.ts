import { checkDocument } from '../design/parse.ts';
import { eachStep } from '../steps/contract.ts';
import type { Document } from './document.ts';
import { type FormState, type ScreenId, screenIndex, type WizardState } from './state.ts';
import { UNTOUCHED } from './step-run.ts';
import { textFieldOf } from './text-field.ts';

/** The state that the wizard starts with: on the welcome screen, with the answers given so far. */
export function initialState(options: {
  readonly dir: string;
  readonly document: Document;
  /** ms of the clock. */
  readonly now: number;
  readonly isResumed: boolean;
  readonly rehearsal: { readonly speed: number } | null;
  /** The furthest screen of the last time. */
  readonly reached: ScreenId;
}): WizardState {
  const { dir, document, now, isResumed, rehearsal, reached } = options;
  const { design, problems } = checkDocument(document);
  const untouchedForm: FormState = { focus: 0, editor: textFieldOf('') };
  return {
    screen: 'welcome',
    document,
    past: [],
    design,
    problems,
    credentialProblems: [],
    welcome: { dir, isResumed, rehearsal, choice: 0 },
    forms: { cluster: untouchedForm, networks: untouchedForm, services: untouchedForm, credentials: untouchedForm },
    nodes: { row: 0, sorts: 0, edit: null },
    isMoreShown: false,
    reviewRow: 0,
    reviewTop: 0,
    fromReview: null,
    runs: eachStep(() => UNTOUCHED),
    onward: null,
    overlay: null,
    notice: null,
    reached: screenIndex(reached),
    savedAt: null,
    saveTrouble: null,
    now,
    isLeaving: null,
  };
}
