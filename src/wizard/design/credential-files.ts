import type { Problem } from '../../design/model.ts';
import type { Event, Intent } from '../intents.ts';
import { filterErrors, type WizardState } from '../state.ts';
import { type Update, withoutEffects } from '../update-result.ts';
import { getFocusedField, listActiveFieldProblems } from './active-form.ts';
import { updateForm } from './update-form.ts';

/** Inputs that check the files of the page Credentials again. */
const RECHECK_INPUTS: ReadonlySet<(Intent | Event)['type']> = new Set(['field/accept', 'field/move']);

/** The files may have changed since the last check, whatever their names are: Enter and Tab read them again. */
export function recheckCredentialFiles(before: WizardState, input: Intent | Event, update: Update): Update {
  const mustRecheck = before.screen === 'credentials' && before.overlay === null && RECHECK_INPUTS.has(input.type);
  if (!mustRecheck || update.effects.some(({ type }) => type === 'review-credentials')) return update;
  return { ...update, effects: [...update.effects, { type: 'review-credentials' }] };
}

/**
 * Stores the current problems of the files. If they prevented Enter on a field that is valid now, continues with it.
 */
export function updateCredentialProblems(state: WizardState, problems: readonly Problem[]): Update {
  // A message about files that are valid by now is outdated.
  const isResolved = filterErrors(state.credentialProblems).length > 0 && filterErrors(problems).length === 0;
  const isOutdated = state.screen === 'credentials' && isResolved && state.notice?.kind === 'error';
  const next: WizardState = { ...state, credentialProblems: problems, notice: isOutdated ? null : state.notice };
  const field = getFocusedField(state);
  if (state.screen !== 'credentials' || state.overlay !== null || field === null) return withoutEffects(next);
  const about = state.notice?.about;
  const isEnterRefused = about?.what === 'held' && about.path === field.path;
  if (!isEnterRefused || filterErrors(listActiveFieldProblems(next, field)).length > 0) return withoutEffects(next);
  return updateForm({ ...next, notice: null }, { type: 'field/accept' });
}
