import type { InputOf } from '../intents.ts';
import type { Rehearsal, WizardState } from '../state.ts';
import { editText, type TextFieldState, textFieldOf } from '../typing/text-field.ts';
import { type Update, unchanged } from '../update-result.ts';

/** The speeds that a person goes through, in times of life. Any other may be named on the command line. */
const SPEEDS = [1, 5, 15, 30, 60, 120, 240] as const;

/** The next speed upwards (`by` 1) or downwards (-1); the same at the end. */
export function speedBeside(speed: number, by: 1 | -1): number {
  const next = by > 0 ? SPEEDS.find((one) => one > speed) : SPEEDS.findLast((one) => one < speed);
  return next ?? speed;
}

/** What an input makes of the rehearsal that this is; of a real installation, nothing. */
export function updateRehearsal(state: WizardState, input: InputOf<'rehearsal'>): Update {
  const before = state.welcome.rehearsal;
  if (before === null) return unchanged(state);
  switch (input.type) {
    case 'rehearsal/speed':
      return paced(state, before, { speed: speedBeside(before.speed, input.by), isPaused: false });
    case 'rehearsal/pause':
      return paced(state, before, { ...before, isPaused: !before.isPaused });
    case 'rehearsal/refused':
      return unchanged({ ...withRehearsal(state, input.before), notice: { kind: 'error', text: input.said } });
  }
}

/** What an input makes of the question for the directory of the real installation. */
export function updateInstall(state: WizardState, input: InputOf<'install'>): Update {
  const { overlay } = state;
  if (input.type === 'install/open') {
    const isRehearsal = state.welcome.rehearsal !== null;
    return unchanged(isRehearsal ? asking(state, textFieldOf(besides(state.welcome.dir))) : state);
  }
  if (overlay?.kind !== 'install') return unchanged(state);
  switch (input.type) {
    case 'install/edit':
      return unchanged(asking(state, editText(overlay.editor, input.event)));
    case 'install/enter':
      return { state, effects: [{ type: 'begin-installation', dir: overlay.editor.text.trim() }] };
    case 'install/refused':
      return unchanged(asking(state, overlay.editor, input.said));
    case 'install/begun':
      return {
        state: { ...state, isLeaving: 'install' },
        effects: [{ type: 'save' }, { type: 'leave', how: 'install' }],
      };
  }
}

function asking(state: WizardState, editor: TextFieldState, refusal: string | null = null): WizardState {
  return { ...state, overlay: { kind: 'install', editor, refusal } };
}

/** The usual name of an install directory, beside that of the rehearsal. */
const besides = (dir: string) => dir.replace(/[^/]*\/*$/, 'upi-cluster');

function paced(state: WizardState, before: Rehearsal, after: Rehearsal): Update {
  return { state: withRehearsal(state, after), effects: [{ type: 'set-pace', before, after }] };
}

function withRehearsal(state: WizardState, rehearsal: Rehearsal): WizardState {
  return { ...state, welcome: { ...state.welcome, rehearsal } };
}
