import { catalogue } from '../text/catalogue.ts';
import type { Trouble } from '../text/trouble.ts';
import { comingToEnd } from './at-end.ts';
import { filesJudged, withFilesRead } from './design/credential-files.ts';
import { setAt } from './design/document.ts';
import { enterForm } from './design/editing.ts';
import { offeringToFollow, updateFollowing } from './design/following.ts';
import { changedDocument } from './design/undo.ts';
import { acceptAnswer, updateForm } from './design/update-form.ts';
import { updateNodes } from './design/update-nodes.ts';
import { updateReview } from './design/update-review.ts';
import { takeBack, travel } from './design/update-undo.ts';
import { type Event, type Intent, isOf } from './intents.ts';
import { updateInstall, updateRehearsal } from './live/rehearsing.ts';
import { updateStep } from './live/update-step.ts';
import { goBack, goNext, goOnward, goTo } from './navigate.ts';
import { updateImport } from './overlays/importing.ts';
import { rememberingOverlay, undoneOverlay } from './overlays/overlay-past.ts';
import { updatePalette, updateRail } from './overlays/palette.ts';
import { pastedKept, updatePasted } from './overlays/pasting.ts';
import { isReadOnly, isStep, type Leaving, type WizardState } from './state.ts';
import { type Update, unchanged } from './update-result.ts';
import { updateWelcome } from './welcoming.ts';

/**
 * What an intent or an event makes of the state, and the effects that it asks for. Pure and quick: it runs once per
 * key, and its result decides what the next key of the same burst means.
 */
export function update(state: WizardState, input: Intent | Event): Update {
  if (isChanging(input) && isReadOnly(state))
    return unchanged({ ...state, notice: { kind: 'warning', text: catalogue().pages.visit.readOnly } });
  const made = withFilesRead(state, input, updated(state, input));
  const offered = isOf(input, ...ANSWERING) ? offeringToFollow(state, made) : made;
  return comingToEnd(state, rememberingOverlay(state, input, offered));
}

/** Whether an intent of a person may change an answer; on a page that a step led to, it needs leave. */
export function isChanging({ type }: Intent | Event): boolean {
  return CHANGING.has(type);
}

const CHANGING: ReadonlySet<(Intent | Event)['type']> = new Set([
  ...(['field/edit', 'choice/move', 'credentials/make-key'] as const),
  ...(['node/add', 'node/duplicate', 'node/delete', 'node/sort', 'node/fill-open', 'node/fill'] as const),
  ...(['import/open', 'import/paste', 'document/undo', 'document/redo'] as const),
]);

/** The subject of the page that says what is wrong. */
const DIAGNOSIS = 'diagnosis';

/** Groups of inputs by which one answer changes: others may follow it. */
const ANSWERING = ['field', 'screen', 'node'] as const;

function updated(state: WizardState, input: Intent | Event): Update {
  const pasted = updatePasted(state, input);
  if (pasted !== null) return pasted;
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
  'session/yield',
  'welcome/rehearse',
  'welcome/new',
  'welcome/open',
  'credentials/make-key',
]);

function judge(state: WizardState, input: Intent | Event): Update {
  if (isOf(input, 'field', 'choice')) return updateForm(state, input);
  if (isOf(input, 'review')) return updateReview(state, input);
  if (isOf(input, 'node')) return updateNodes(state, input);
  if (isOf(input, 'welcome')) return updateWelcome(state, input);
  if (isOf(input, 'import')) return updateImport(state, input);
  if (isOf(input, 'rehearsal')) return updateRehearsal(state, input);
  if (isOf(input, 'follow')) return updateFollowing(state, input);
  if (isOf(input, 'install')) return updateInstall(state, input);
  if (isOf(input, 'rail')) return updateRail(state, input);
  if (input.type === 'palette/take') return update({ ...state, overlay: null }, input.intent);
  if (isOf(input, 'palette')) return updatePalette(state, input);
  if (isOf(input, 'step', 'row', 'log')) return updateStep(state, input);
  switch (input.type) {
    case 'screen/go':
      return goThere(state, input);
    case 'screen/next':
      return goNext(state);
    case 'screen/back':
      return goBack(state);
    case 'screen/onward':
      return goOnward(state);
    case 'overlay/open':
      return unchanged({ ...state, overlay: input.overlay === 'help' ? { kind: 'help', top: 0 } : { kind: 'quit' } });
    case 'overlay/show':
      return unchanged({ ...state, overlay: { kind: 'page', subject: '', shown: input.page, top: 0 } });
    case 'overlay/undo':
      return undoneOverlay(state);
    case 'diagnosis/open':
      return {
        state: { ...state, notice: null, overlay: { kind: 'page', subject: DIAGNOSIS, shown: null, top: 0 } },
        effects: [{ type: 'diagnose' }],
      };
    case 'diagnosis/made':
      // The person closed it before it was there.
      return unchanged(
        state.overlay?.kind === 'page' && state.overlay.subject === DIAGNOSIS
          ? { ...state, overlay: { ...state.overlay, shown: input.page } }
          : state,
      );
    case 'overlay/close':
      return unchanged({ ...state, overlay: null });
    case 'help/scroll': {
      const { overlay } = state;
      if (overlay?.kind !== 'help' && overlay?.kind !== 'page') return unchanged(state);
      const top = Math.max(0, Math.min(overlay.top + input.by, input.count - 1));
      return unchanged({ ...state, overlay: { ...overlay, top } });
    }
    case 'commands/copy':
      return copied(state, input.commands);
    case 'commands/write':
      return { state: { ...state, notice: null }, effects: [{ type: 'write-commands', lines: input.lines }] };
    case 'cell/copy': {
      const notice = { kind: 'info', text: catalogue().screens.step.copiedCell(input.text) } as const;
      return { state: { ...state, notice }, effects: [{ type: 'copy', text: input.text }] };
    }
    case 'notice/show':
    case 'notice/shown':
      return unchanged({ ...state, notice: input.notice });
    case 'session/quit': {
      // Only Ctrl-C asks first: a shell that waits for us has to see that a person pressed it.
      const how = state.overlay?.kind === 'quit' ? 'interrupt' : 'quit';
      return leaving(state, how);
    }
    case 'session/abandon':
      return { state: { ...state, isLeaving: 'unsaved' }, effects: [{ type: 'leave', how: 'unsaved' }] };
    case 'session/yield':
      return leaving(state, input.how);
    case 'session/lose':
      return { state: { ...state, isLeaving: 'lost' }, effects: [{ type: 'leave', how: 'lost' }] };
    case 'document/unlock':
      return unchanged({
        ...state,
        visit: state.visit && { ...state.visit, isEditing: true },
        notice: { kind: 'info', text: catalogue().pages.visit.unlocked },
      });
    case 'document/undo':
      return travel(state, 'past');
    case 'document/redo':
      return travel(state, 'future');
    case 'document/take-back':
      return takeBack(state);
    case 'credentials/make-key':
      return { state: { ...state, notice: null }, effects: [{ type: 'make-ssh-key' }] };
    case 'credentials/key-made':
      return keyMade(state, input.file);
    case 'credentials/kept':
      return pastedKept(state, input.what, input.file);
    case 'credentials/judged':
      return filesJudged(state, input.problems);
    case 'session/saved':
      return unchanged({ ...state, savedAt: input.at, saveTrouble: null });
    case 'session/save-failed':
      return unchanged(keptUnsaved(state, input.trouble));
    case 'end/rested':
      return unchanged({ ...state, isJustOver: false });
    case 'clock/ticked':
      return unchanged({ ...state, now: input.now, begunAt: input.begunAt ?? state.begunAt });
  }
}

/** Only the terminal knows whether it took them: the sentence says where to look. */
function copied(state: WizardState, commands: readonly string[]): Update {
  const [one = null, ...more] = commands;
  const text = catalogue().screens.step.copied(commands.length, more.length > 0 ? null : one);
  const notice = { kind: 'info', text } as const;
  return { state: { ...state, notice }, effects: [{ type: 'copy', text: `${commands.join('\n')}\n` }] };
}

function leaving(state: WizardState, how: Leaving): Update {
  return { state: { ...state, isLeaving: how }, effects: [{ type: 'save' }, { type: 'leave', how }] };
}

/** A person who comes from a step to correct an answer goes on to the review, which shows what follows from it. */
function goThere(state: WizardState, intent: Extract<Intent, { type: 'screen/go' }>): Update {
  const { screen, field, notice } = intent;
  const gone = goTo(state, screen, field, notice);
  const isRepair = isStep(state.screen) && !isStep(screen) && screen !== 'review';
  if (!isRepair) return gone;
  // Who is led to one answer has said what is to change.
  const visit = gone.state.visit && { ...gone.state.visit, isEditing: field !== undefined };
  return { ...gone, state: { ...gone.state, fromReview: field ?? screen, visit } };
}

/** The design names the new key, wherever the cursor is. */
function keyMade(state: WizardState, file: string): Update {
  const named = changedDocument(state, setAt(state.document, 'credentials.sshKeyFile', file));
  const focused = named.screen === 'credentials' ? enterForm(named) : named;
  return {
    state: { ...focused, notice: { kind: 'info', text: catalogue().steps.sshKey.made(file) } },
    effects: [{ type: 'save' }, { type: 'judge-credentials' }],
  };
}

/** Keeps the answers here, says so, and cancels leaving: a person who leaves now has to know what that costs. */
function keptUnsaved(state: WizardState, trouble: Trouble): WizardState {
  const kept: WizardState = { ...state, saveTrouble: trouble };
  const isOurWish = state.isLeaving !== 'taken-over' && state.isLeaving !== 'detached';
  if (state.isLeaving !== null && isOurWish) return { ...kept, isLeaving: null, overlay: { kind: 'unsaved' } };
  return {
    ...kept,
    isLeaving: null,
    notice: { kind: 'error', text: catalogue().screens.unsaved.notice(trouble.cause) },
  };
}
