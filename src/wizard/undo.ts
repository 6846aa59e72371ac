import type { Document } from './document.ts';
import { withDocument } from './editing.ts';
import type { WizardState } from './state.ts';

/** One change that can be taken back: the document before and after it. */
export interface Change {
  readonly before: Document;
  readonly after: Document;
}

// Documents share what did not change, so this costs little.
const MOST = 50;

/** The state with a new document; the old one can be gone back to as long as nothing else is changed. */
export function changedDocument(state: WizardState, document: Document): WizardState {
  const past = [...state.past, { before: state.document, after: document }].slice(-MOST);
  return { ...withDocument(state, document), past };
}

/** True while the last change is the last thing that happened to the document. */
export function canUndo(state: Pick<WizardState, 'past' | 'document'>): boolean {
  const last = state.past.at(-1);
  return last !== undefined && last.after === state.document;
}

/** The state before the last change; the same state when it cannot be gone back to. */
export function undone(state: WizardState): WizardState {
  const last = state.past.at(-1);
  if (!last || !canUndo(state)) return state;
  return { ...withDocument(state, last.before), past: state.past.slice(0, -1) };
}
