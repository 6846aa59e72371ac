import { travel } from '../design/update-undo.ts';
import { type Event, type Intent, isOf } from '../intents.ts';
import type { WizardState } from '../state.ts';
import { type Update, unchanged } from '../update-result.ts';
import type { Overlay, OverlayBefore } from './overlay.ts';

const KEPT = 100;

/** Remembers each change that a person makes in what lies over the screen, letters typed one after the other as one. */
export function rememberingOverlay(before: WizardState, input: Intent | Event, made: Update): Update {
  const { state } = made;
  if (state.overlay === before.overlay || input.type === 'overlay/undo') return made;
  const past = pastAfter(before, input, state.overlay);
  return past === state.overlayPast ? made : { ...made, state: { ...state, overlayPast: past } };
}

function pastAfter({ overlay, overlayPast }: WizardState, input: Intent | Event, now: Overlay) {
  if (overlay === null || now?.kind !== overlay.kind) return NONE;
  if (!isOf(input, 'import', 'install', 'palette', 'node') || isAnswer(input)) return overlayPast;
  const isLetter = 'event' in input && input.event.kind === 'char';
  if (isLetter && overlayPast.at(-1)?.isLetter) return overlayPast;
  return [...overlayPast.slice(1 - KEPT), { overlay, isLetter }];
}

const NONE: readonly OverlayBefore[] = [];

/** What comes from outside is no change of a person's, and neither is reading. */
const isAnswer = ({ type }: Intent | Event) => /\/(?:offered|refused|begun|read)$/.test(type);

/** Takes back the last change in what lies over the screen; before the first one, the last change of the answers. */
export function undoneOverlay(state: WizardState): Update {
  const last = state.overlayPast.at(-1);
  if (last !== undefined)
    return unchanged({ ...state, overlay: last.overlay, overlayPast: state.overlayPast.slice(0, -1) });
  return state.overlay?.kind === 'fill' ? travel(state, 'past') : unchanged(state);
}
