import { catalogue } from '../text/catalogue.ts';
import type { Trouble } from '../text/trouble.ts';
import { setAt } from './document.ts';
import { enterForm, withDocument } from './editing.ts';
import { updateImport } from './importing.ts';
import { type Event, type Intent, isOf } from './intents.ts';
import { goBy, goOnward, goTo } from './navigate.ts';
import { isStep, type WizardState } from './state.ts';
import { acceptAnswer, updateForm } from './update-form.ts';
import { undoChange, updateNodes } from './update-nodes.ts';
import { type Update, unchanged } from './update-result.ts';
import { updateReview } from './update-review.ts';
import { updateStep } from './update-step.ts';

/**
 * What an intent or an event makes of the state, and the effects that it asks for. Pure and quick: it runs once per
 * key, and its result decides what the next key of the same burst means.
 */
export function update(state: WizardState, input: Intent | Event): Update {
  if (!LEAVING.has(input.type)) return withPlace(state, input, judge(state, input));
  // Nothing typed is lost: the text under the cursor becomes the answer before the cursor leaves it.
  const accepted = acceptAnswer(state);
  const left = judge(accepted.state, input);
  return { state: left.state, effects: [...accepted.effects, ...left.effects] };
}

/** Saves a cursor that moved on too, and cheaply: losing one line takes nobody back to an older field. */
function withPlace(before: WizardState, input: Intent | Event, update: Update): Update {
  const isMove = MOVING.has(input.type) && update.state !== before;
  if (!isMove || update.effects.some(({ type }) => type === 'save')) return update;
  return { ...update, effects: [...update.effects, { type: 'save-place' }] };
}

/** Intents that move the cursor and change no answer. */
const MOVING: ReadonlySet<(Intent | Event)['type']> = new Set(['field/move', 'node/edit']);

/** Intents that leave the field under the cursor. */
const LEAVING: ReadonlySet<(Intent | Event)['type']> = new Set([
  'screen/go',
  'screen/next',
  'screen/back',
  'screen/onward',
  'node/close',
  'session/quit',
  'welcome/rehearse',
  'credentials/make-key',
]);

function judge(state: WizardState, input: Intent | Event): Update {
  if (isOf(input, 'field', 'choice')) return updateForm(state, input);
  if (isOf(input, 'review')) return updateReview(state, input);
  if (isOf(input, 'node')) return updateNodes(state, input);
  if (isOf(input, 'import')) return updateImport(state, input);
  if (isOf(input, 'step', 'row', 'log')) return updateStep(state, input);
  switch (input.type) {
    case 'screen/go':
      return goThere(state, input);
    case 'screen/next':
      return state.fromReview === null ? goBy(state, 1) : goTo(state, 'review');
    case 'screen/back':
      return state.fromReview === null ? goBy(state, -1) : goTo(state, 'review');
    case 'screen/onward':
      return goOnward(state);
    case 'overlay/open':
      return unchanged({ ...state, overlay: input.overlay === 'help' ? { kind: 'help', top: 0 } : { kind: 'quit' } });
    case 'overlay/close':
      return unchanged({ ...state, overlay: null });
    case 'help/scroll': {
      const { overlay } = state;
      if (overlay?.kind !== 'help' && overlay?.kind !== 'page') return unchanged(state);
      const top = Math.max(0, Math.min(overlay.top + input.by, input.count - 1));
      return unchanged({ ...state, overlay: { ...overlay, top } });
    }
    case 'notice/show':
    case 'notice/shown':
      return unchanged({ ...state, notice: input.notice });
    case 'session/quit': {
      // Only Ctrl-C asks first: a shell that waits for us has to see that a person pressed it.
      const how = state.overlay?.kind === 'quit' ? 'interrupt' : 'quit';
      return { state: { ...state, isLeaving: how }, effects: [{ type: 'save' }, { type: 'leave', how }] };
    }
    case 'session/abandon':
      return { state: { ...state, isLeaving: 'unsaved' }, effects: [{ type: 'leave', how: 'unsaved' }] };
    case 'welcome/move': {
      const choice = Math.min(Math.max(state.welcome.choice + input.by, 0), input.count - 1);
      return unchanged({ ...state, welcome: { ...state.welcome, choice } });
    }
    case 'welcome/rehearse':
      return { state: { ...state, isLeaving: 'rehearse' }, effects: [{ type: 'leave', how: 'rehearse' }] };
    case 'document/undo':
      return undoChange(state);
    case 'credentials/make-key':
      return { state: { ...state, notice: null }, effects: [{ type: 'make-ssh-key' }] };
    case 'credentials/key-made':
      return keyMade(state, input.file);
    case 'credentials/judged':
      return unchanged({ ...state, credentialProblems: input.problems });
    case 'session/saved':
      return unchanged({ ...state, savedAt: input.at, saveTrouble: null });
    case 'session/save-failed':
      return unchanged(keptUnsaved(state, input.trouble));
    case 'clock/ticked':
      return unchanged({ ...state, now: input.now });
  }
}

/** A person who comes from a step to correct an answer goes on to the review, which shows what follows from it. */
function goThere(state: WizardState, intent: Extract<Intent, { type: 'screen/go' }>): Update {
  const { screen, field, notice } = intent;
  const gone = goTo(state, screen, field, notice);
  const isRepair = isStep(state.screen) && !isStep(screen) && screen !== 'review';
  return isRepair ? { ...gone, state: { ...gone.state, fromReview: field ?? screen } } : gone;
}

/** The design names the new key, wherever the cursor is. */
function keyMade(state: WizardState, file: string): Update {
  const named = withDocument(state, setAt(state.document, 'credentials.sshKeyFile', file));
  const focused = named.screen === 'credentials' ? enterForm(named) : named;
  return {
    state: { ...focused, notice: { kind: 'info', text: catalogue().steps.sshKey.made(file) } },
    effects: [{ type: 'save' }, { type: 'judge-credentials' }],
  };
}

/** Keeps the answers here, says so, and cancels leaving: a person who leaves now has to know what that costs. */
function keptUnsaved(state: WizardState, trouble: Trouble): WizardState {
  const kept: WizardState = { ...state, saveTrouble: trouble };
  if (state.isLeaving !== null) return { ...kept, isLeaving: null, overlay: { kind: 'unsaved' } };
  return { ...kept, notice: { kind: 'error', text: catalogue().screens.unsaved.notice(trouble.cause) } };
}
