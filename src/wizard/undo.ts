import type { Document } from './document.ts';
import { withDocument } from './editing.ts';
import type { WizardState } from './state.ts';

/** One change that undo can take back: the document before and after it. */
export interface Change {
  readonly before: Document;
  readonly after: Document;
}

// Documents share what did not change, so this costs little.
const MOST = 50;

/** The state with a new document; undo leads back to the old one as long as nothing else changes. */
export function changedDocument(state: WizardState, document: Document): WizardState {
  const past = [...state.past, { before: state.document, after: document }].slice(-MOST);
  return { ...withDocument(state, document), past };
}

/** True while nothing has changed the document since the last change. */
export function canUndo(state: Pick<WizardState, 'past' | 'document'>): boolean {
  const last = state.past.at(-1);
  return last !== undefined && last.after === state.document;
}

/** The state before the last change; the same state when there is no way back. */
export function undone(state: WizardState): WizardState {
  const last = state.past.at(-1);
  if (!last || !canUndo(state)) return state;
  return { ...withDocument(state, last.before), past: state.past.slice(0, -1) };
}
