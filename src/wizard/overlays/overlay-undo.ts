import { undoOrRedo } from '../design/update-undo.ts';
import { type Event, type Intent, isInputInGroup } from '../intents.ts';
import type { WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import type { Overlay, OverlayUndoEntry } from './overlay.ts';

const MAX_ENTRIES = 100;

/** Records each change that the user makes in an overlay. Letters typed in a row are one change. */
export function recordOverlayChange(before: WizardState, input: Intent | Event, result: Update): Update {
  const { state } = result;
  if (state.overlay === before.overlay || input.type === 'overlay/undo') return result;
  const undoStack = nextUndoStack(before, input, state.overlay);
  return undoStack === state.overlayUndoStack
    ? result
    : { ...result, state: { ...state, overlayUndoStack: undoStack } };
}

function nextUndoStack({ overlay, overlayUndoStack }: WizardState, input: Intent | Event, current: Overlay) {
  if (overlay === null || current?.kind !== overlay.kind) return NONE;
  if (!isInputInGroup(input, 'import', 'install', 'palette', 'node') || isNoUserChange(input)) return overlayUndoStack;
  const isLetter = 'event' in input && input.event.kind === 'char';
  if (isLetter && overlayUndoStack.at(-1)?.isLetter) return overlayUndoStack;
  return [...overlayUndoStack.slice(1 - MAX_ENTRIES), { overlay, isLetter }];
}

const NONE: readonly OverlayUndoEntry[] = [];

/** Results from outside, and scrolling, are no changes of the user. */
const isNoUserChange = ({ type }: Intent | Event) => /\/(?:offered|refused|begun|read)$/.test(type);

/**
 * Undoes the last change in the overlay. If there is none in the fill overlay, undoes the last change of the answers.
 */
export function undoOverlay(state: WizardState): Update {
  const last = state.overlayUndoStack.at(-1);
  if (last !== undefined)
    return withoutEffects({ ...state, overlay: last.overlay, overlayUndoStack: state.overlayUndoStack.slice(0, -1) });
  return state.overlay?.kind === 'fill' ? undoOrRedo(state, 'past') : withoutEffects(state);
}
