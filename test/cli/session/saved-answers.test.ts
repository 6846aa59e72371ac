import { expect, test } from 'vitest';
import { getDesignInForce, updateAnswers } from '../../../src/cli/session/design-in-force.ts';
import {
  getFurthestScreen,
  restoreAnswers,
  toSavedAnswers,
  toSavedPlace,
} from '../../../src/cli/session/working-session.ts';
import { getAt } from '../../../src/design/paths.ts';
import { freshState, type SessionState } from '../../../src/session/state.ts';
import { createInitialState } from '../../../src/wizard/initial-state.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { applyInputs, exampleDocument, retypeText, START, wizardState } from '../../support/wizard-state.ts';

const accept: Intent = { type: 'field/accept' };
const undo: Intent = { type: 'document/undo' };
const toSavedSession = (state: WizardState): SessionState =>
  JSON.parse(JSON.stringify({ ...freshState, ...toSavedAnswers(state), ...toSavedPlace(state) }));

/** Restores the state from a saved session, as a new process does. */
function resumeState(state: WizardState, saved = toSavedSession(state)): WizardState {
  const { design } = saved;
  const options = { dir: '/d', document: design, now: START, isResumed: true, rehearsal: null } as const;
  return createInitialState({ ...options, furthestScreen: state.screen, savedParts: restoreAnswers(saved) });
}

const changeVersion = (text: string) =>
  applyInputs(
    wizardState({}, { screen: 'generate' }),
    { type: 'screen/go', screen: 'cluster' },
    ...retypeText(text),
    accept,
  );

test('undo and redo still work after the wizard was closed and opened again', () => {
  const lastState = applyInputs(
    changeVersion('4.19'),
    ...retypeText('aarch64'),
    { type: 'screen/go', screen: 'nodes' },
    { type: 'node/delete' },
  );
  const resumedState = resumeState(lastState);
  const undoneState = applyInputs(resumedState, undo, undo, undo);
  expect(undoneState.document).toEqual(exampleDocument());
  expect(undoneState.notice?.text).toBe('Undone: Cluster > OpenShift version 4.18 (was 4.19).');
  const again = resumeState(undoneState);
  const redo: Intent = { type: 'document/redo' };
  expect(applyInputs(again, redo, redo, redo).document).toEqual(lastState.document);
});

test('changes that do not begin at the saved answers are left out', () => {
  const saved = { ...toSavedSession(changeVersion('4.19')), design: exampleDocument() };
  expect(restoreAnswers(saved)).toMatchObject({ past: [], future: [] });
  expect(restoreAnswers({ ...toSavedSession(changeVersion('4.19')), changes: null })).toMatchObject({
    past: [],
    future: [],
  });
});

test('while an answer is wrong, the last valid design stays in effect: here, after a restart, and for commands', () => {
  const wrong = changeVersion('4.18d');
  expect([wrong.design, wrong.inForce?.design.openshift.version]).toEqual([null, '4.18']);
  const saved = toSavedSession(wrong);
  expect([getAt(saved.design, 'openshift.version'), getAt(saved.inForce, 'openshift.version')]).toEqual([
    '4.18d',
    '4.18',
  ]);
  expect(resumeState(wrong).inForce?.design).toEqual(wrong.inForce?.design);
  expect(getDesignInForce(saved)).toMatchObject({ isLastValid: true, design: { openshift: { version: '4.18' } } });
  const right = applyInputs(wrong, undo);
  expect([toSavedSession(right).inForce, right.inForce?.document]).toEqual([null, right.document]);
});

test('an error never puts an undecided design into effect, such as the example behind an incomplete import', () => {
  const wrong = applyInputs(wizardState({}, { screen: 'cluster' }), ...retypeText('4.18d'), accept);
  expect([wrong.inForce, toSavedSession(wrong).inForce]).toEqual([null, null]);
  expect(getDesignInForce(toSavedSession(wrong))).toMatchObject({ isLastValid: false, design: null });
});

test('answers that are changed without the wizard keep the last valid design too', () => {
  const good = { ...freshState, design: exampleDocument() };
  const wrong = updateAnswers(good, { kind: 'ClusterDesign' });
  expect(wrong.inForce).toEqual(good.design);
  expect(updateAnswers({ ...good, ...wrong }, {}).inForce).toEqual(good.design);
});

test('a user who only reads the design from a step resumes at the step, with the furthest screen', () => {
  const reviewState = applyInputs(wizardState({}, { screen: 'boot' }), { type: 'screen/go', screen: 'review' });
  expect(toSavedSession(reviewState)).toMatchObject({ place: { screen: 'boot', field: null }, reached: 'boot' });
  const unlockedState = applyInputs(reviewState, { type: 'document/unlock' });
  expect([toSavedSession(unlockedState).place.screen, getFurthestScreen(toSavedSession(unlockedState))]).toEqual([
    'review',
    'boot',
  ]);
  expect(getFurthestScreen({ ...freshState, place: { screen: 'gone', field: null }, reached: 'later' })).toBe(
    'welcome',
  );
});
