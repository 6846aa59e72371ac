import { type Difference, differenceOf, withDifference } from '../../design/differences.ts';
import { checkDocument } from '../../design/parse.ts';
import type { WizardState } from '../state.ts';
import type { Document } from './document.ts';

/** So many changes are kept at least; twice as many before the oldest go, all at once: saving a long list anew costs. */
const KEPT = 100;

type Judged = Pick<WizardState, 'document' | 'design' | 'problems' | 'inForce'>;

/**
 * What a document makes of the state.
 * @param inForce the last answers without errors: they stay in force while the new ones have some
 */
export function judged(document: Document, inForce: WizardState['inForce']): Judged {
  const { design, problems } = checkDocument(document);
  return { document, design, problems, inForce: design === null ? inForce : { document, design } };
}

/** Nothing works with answers that were never decided: an import that lacks some must not bring back the example. */
const lastGood = ({ isDecided, inForce }: WizardState) => (isDecided ? inForce : null);

/**
 * The state with another document: every change of the answers goes through here, so that all can be taken back.
 * @param made the change that this one carries on, where it is still the last: both are one
 */
export function changedDocument(state: WizardState, document: Document, made: Difference | null = null): WizardState {
  const carriesOn = made !== null && state.past.at(-1) === made;
  const past = carriesOn ? state.past.slice(0, -1) : state.past;
  const back = differenceOf(document, carriesOn ? withDifference(state.document, made) : state.document);
  if (back === null) return { ...state, ...judged(document, lastGood(state)), past };
  return { ...state, ...judged(document, lastGood(state)), past: bounded([...past, back]), future: [] };
}

/** The state before the last change, or after the change that was taken back last; null where there is none. */
export function travelled(state: WizardState, to: 'past' | 'future'): WizardState | null {
  const change = state[to].at(-1);
  if (change === undefined) return null;
  const document = withDifference(state.document, change);
  const [from, rest] = [to === 'past' ? 'future' : 'past', state[to].slice(0, -1)] as const;
  const way = differenceOf(document, state.document);
  return {
    ...state,
    ...judged(document, lastGood(state)),
    [to]: rest,
    [from]: way === null ? state[from] : bounded([...state[from], way]),
  };
}

function bounded(changes: readonly Difference[]): readonly Difference[] {
  return changes.length > 2 * KEPT ? changes.slice(-KEPT) : changes;
}
