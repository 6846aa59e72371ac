import { expect, test } from 'vitest';
import { designInForce, nextAnswers } from '../../../src/cli/session/in-force.ts';
import { furthest, keptAnswers, savedAnswers, savedPlace } from '../../../src/cli/session/saved-answers.ts';
import { freshState, type SessionState } from '../../../src/session/store.ts';
import { getAt } from '../../../src/wizard/design/document.ts';
import { initialState } from '../../../src/wizard/initial.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { after, exampleDocument, retyped, START, wizardState } from '../../support/wizard-state.ts';

const accept: Intent = { type: 'field/accept' };
const undo: Intent = { type: 'document/undo' };
const session = (state: WizardState): SessionState =>
  JSON.parse(JSON.stringify({ ...freshState, ...savedAnswers(state), ...savedPlace(state) }));

/** Leaves, and comes back as another process does. */
function resumed(state: WizardState, saved = session(state)): WizardState {
  const { design } = saved;
  const options = { dir: '/d', document: design, now: START, isResumed: true, rehearsal: null } as const;
  return initialState({ ...options, reached: state.screen, kept: keptAnswers(saved) });
}

const changed = (text: string) =>
  after(wizardState({}, { screen: 'generate' }), { type: 'screen/go', screen: 'cluster' }, ...retyped(text), accept);

test('undo and redo go on after leaving and coming back', () => {
  const left = after(
    changed('4.19'),
    ...retyped('aarch64'),
    { type: 'screen/go', screen: 'nodes' },
    { type: 'node/delete' },
  );
  const back = resumed(left);
  const undone = after(back, undo, undo, undo);
  expect(undone.document).toEqual(exampleDocument());
  expect(undone.notice?.text).toBe('Took back: Cluster > OpenShift version 4.18 (was 4.19).');
  const again = resumed(undone);
  const redo: Intent = { type: 'document/redo' };
  expect(after(again, redo, redo, redo).document).toEqual(left.document);
});

test('changes that do not begin at the saved answers are left out', () => {
  const saved = { ...session(changed('4.19')), design: exampleDocument() };
  expect(keptAnswers(saved)).toMatchObject({ past: [], future: [] });
  expect(keptAnswers({ ...session(changed('4.19')), changes: null })).toMatchObject({ past: [], future: [] });
});

test('while an answer is wrong, what was decided before stays in force: here, after coming back, and for commands', () => {
  const wrong = changed('4.18d');
  expect([wrong.design, wrong.inForce?.design.openshift.version]).toEqual([null, '4.18']);
  const saved = session(wrong);
  expect([getAt(saved.design, 'openshift.version'), getAt(saved.inForce, 'openshift.version')]).toEqual([
    '4.18d',
    '4.18',
  ]);
  expect(resumed(wrong).inForce?.design).toEqual(wrong.inForce?.design);
  expect(designInForce(saved)).toMatchObject({ isLastGood: true, design: { openshift: { version: '4.18' } } });
  const right = after(wrong, undo);
  expect([session(right).inForce, right.inForce?.document]).toEqual([null, right.document]);
});

test('what was never decided comes into force by no error: not the example behind an incomplete import', () => {
  const wrong = after(wizardState({}, { screen: 'cluster' }), ...retyped('4.18d'), accept);
  expect([wrong.inForce, session(wrong).inForce]).toEqual([null, null]);
  expect(designInForce(session(wrong))).toMatchObject({ isLastGood: false, design: null });
});

test('answers that were typed without the wizard keep the last good ones too', () => {
  const good = { ...freshState, design: exampleDocument() };
  const wrong = nextAnswers(good, { kind: 'ClusterDesign' });
  expect(wrong.inForce).toEqual(good.design);
  expect(nextAnswers({ ...good, ...wrong }, {}).inForce).toEqual(good.design);
});

test('who only reads the design from a step goes on at the step, with everything that was reached', () => {
  const looking = after(wizardState({}, { screen: 'boot' }), { type: 'screen/go', screen: 'review' });
  expect(session(looking)).toMatchObject({ place: { screen: 'boot', field: null }, reached: 'boot' });
  const editing = after(looking, { type: 'document/unlock' });
  expect([session(editing).place.screen, furthest(session(editing))]).toEqual(['review', 'boot']);
  expect(furthest({ ...freshState, place: { screen: 'gone', field: null }, reached: 'later' })).toBe('welcome');
});
