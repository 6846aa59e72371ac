import type { Problem } from '../../design/model.ts';
import type { Event, Intent } from '../intents.ts';
import { errorsOf, type WizardState } from '../state.ts';
import { type Update, unchanged } from '../update-result.ts';
import { focusedField, problemsBeside } from './editing.ts';
import { updateForm } from './update-form.ts';

/** Inputs that look at the page Credentials anew. */
const LOOKING: ReadonlySet<(Intent | Event)['type']> = new Set(['field/accept', 'field/move']);

/** The files may have become others since the last look, whatever their names are: Enter and Tab read them again. */
export function withFilesRead(before: WizardState, input: Intent | Event, update: Update): Update {
  const isLook = before.screen === 'credentials' && before.overlay === null && LOOKING.has(input.type);
  if (!isLook || update.effects.some(({ type }) => type === 'judge-credentials')) return update;
  return { ...update, effects: [...update.effects, { type: 'judge-credentials' }] };
}

/** What the files are like now. Where Enter was held up by one that is right by now, it goes on. */
export function filesJudged(state: WizardState, problems: readonly Problem[]): Update {
  // What was said of files that are right by now is no news any more.
  const isRight = errorsOf(state.credentialProblems).length > 0 && errorsOf(problems).length === 0;
  const isSaid = state.screen === 'credentials' && isRight && state.notice?.kind === 'error';
  const next: WizardState = { ...state, credentialProblems: problems, notice: isSaid ? null : state.notice };
  const field = focusedField(state);
  if (state.screen !== 'credentials' || state.overlay !== null || field === null) return unchanged(next);
  const about = state.notice?.about;
  const isHeld = about?.what === 'held' && about.path === field.path;
  if (!isHeld || errorsOf(problemsBeside(next, field)).length > 0) return unchanged(next);
  return updateForm({ ...next, notice: null }, { type: 'field/accept' });
}
