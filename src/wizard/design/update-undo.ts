import { catalogue } from '../../i18n/catalogue.ts';
import { type Event, getIntentRules, type Intent } from '../intents.ts';
import { listMatches, NO_FILTER } from '../list-filter.ts';
import { goTo } from '../navigation.ts';
import type { Overlay, OverlayUndoEntry } from '../overlays/overlay.ts';
import { getPageRules, type Notice, type WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { enterForm, focusField, getActiveForm, getFocusedField } from './active-form.ts';
import { type ChangedField, describeChangedFields, listChangedFields } from './changed-fields.ts';
import { readFieldText } from './fields.ts';
import { readNodeDrafts } from './node-table.ts';
import { moveInHistory } from './undo.ts';
import { acceptAnswer } from './update-form.ts';

const words = () => catalogue().pages.undo;

/**
 * Undoes the last change of the answers, or redoes the last undone one, and shows the changed answer on its page. The
 * text under the cursor is accepted first, as the latest change.
 */
export function undoOrRedo(state: WizardState, direction: 'past' | 'future'): Update {
  const acceptedState = acceptAnswer(state).state;
  const restoredState = moveInHistory(acceptedState, direction);
  if (restoredState === null) {
    const text = direction === 'past' ? words().nothingToUndo : words().nothingToRedo;
    return withoutEffects({ ...acceptedState, notice: { kind: 'info', text } });
  }
  const changedFields = listChangedFields(acceptedState.document, restoredState.document);
  const description = describeChangedFields(changedFields);
  const notice: Notice = {
    kind: 'info',
    text: direction === 'past' ? words().undoNotice(description) : words().redoNotice(description),
  };
  return showAnswer(restoredState, changedFields[0], notice);
}

/** Puts the cursor on the changed answer: at its field, in the open form of its node, or in the row of the node. */
function showAnswer(state: WizardState, answer: ChangedField | undefined, notice: Notice): Update {
  const page = answer?.page ?? state.screen;
  const path = answer?.path;
  const { edit } = state.nodes;
  const isOpenNode = edit !== null && state.screen === page && path?.startsWith(`nodes.${edit.index}.`);
  if (isOpenNode === true) return { state: { ...enterForm(state, path), notice }, effects: [{ type: 'save' }] };
  // After an undo on the review, Enter returns to the review.
  const correctionPath = getPageRules(state.screen).listsProblems
    ? (path ?? null)
    : state.screen === page
      ? state.correctionPath
      : null;
  const nodePath = path?.replace(/^(nodes\.\d+)\..*/, '$1');
  const nextUpdate = goTo({ ...state, nodes: { ...state.nodes, edit: null } }, page, nodePath, notice);
  const filter =
    state.screen === page && isShownByFilter(nextUpdate.state, state.nodes.filter.query)
      ? state.nodes.filter
      : NO_FILTER;
  return {
    ...nextUpdate,
    state: { ...nextUpdate.state, correctionPath, nodes: { ...nextUpdate.state.nodes, filter } },
  };
}

/** Whether a filter of the node table shows the selected node: the undo then keeps the filter. */
function isShownByFilter(state: WizardState, query: string): boolean {
  const node = readNodeDrafts(state.document)[state.nodes.row];
  return node !== undefined && listMatches([Object.values(node).flat().join(' ')], query).length > 0;
}

/**
 * Whether Esc reverts the field instead of leaving the page: its answer has changed since the cursor entered the field.
 */
export function canRevertField(state: WizardState): boolean {
  const activeForm = getActiveForm(state);
  const field = getFocusedField(state);
  if (!activeForm || !field) return false;
  const { editor, change, typeAhead } = activeForm.form;
  return (
    typeAhead !== null ||
    editor.text !== readFieldText(activeForm.part, field) ||
    (change !== null && state.past.at(-1) === change)
  );
}

/**
 * Reverts the field under the cursor to the answer that it had when the cursor entered it. Redo restores the typed
 * text.
 */
export function revertField(state: WizardState): Update {
  const acceptedState = acceptAnswer(state).state;
  const form = getActiveForm(acceptedState)?.form;
  if (form === undefined) return withoutEffects(state);
  const hasChange = form.change !== null && acceptedState.past.at(-1) === form.change;
  return hasChange
    ? undoOrRedo(acceptedState, 'past')
    : withoutEffects({ ...focusField(acceptedState, form.focus), notice: null });
}

const MAX_ENTRIES = 100;

/** Records each change that the user makes in an overlay. Letters typed in a row are one change. */
export function recordOverlayChange(previousState: WizardState, input: Intent | Event, result: Update): Update {
  const { state } = result;
  if (state.overlay === previousState.overlay || input.type === 'overlay/undo') return result;
  const undoStack = deriveUndoStack(previousState, input, state.overlay);
  return undoStack === state.overlayUndoStack
    ? result
    : { ...result, state: { ...state, overlayUndoStack: undoStack } };
}

function deriveUndoStack({ overlay, overlayUndoStack }: WizardState, input: Intent | Event, currentOverlay: Overlay) {
  if (overlay === null || currentOverlay?.kind !== overlay.kind) return EMPTY_UNDO_STACK;
  if (!getIntentRules(input).isOverlayChange) return overlayUndoStack;
  const isLetter = 'event' in input && input.event.kind === 'char';
  if (isLetter && overlayUndoStack.at(-1)?.isLetter) return overlayUndoStack;
  return [...overlayUndoStack.slice(1 - MAX_ENTRIES), { overlay, isLetter }];
}

const EMPTY_UNDO_STACK: readonly OverlayUndoEntry[] = [];

/**
 * Undoes the last change in the overlay. If there is none in the fill overlay, undoes the last change of the answers.
 */
export function undoOverlay(state: WizardState): Update {
  const lastEntry = state.overlayUndoStack.at(-1);
  if (lastEntry !== undefined)
    return withoutEffects({
      ...state,
      overlay: lastEntry.overlay,
      overlayUndoStack: state.overlayUndoStack.slice(0, -1),
    });
  return state.overlay?.kind === 'fill' ? undoOrRedo(state, 'past') : withoutEffects(state);
}
