import { expect, test } from 'vitest';
import { toSavedQuestion } from '../../../src/cli/session/session-holder.ts';
import { toSavedAnswers, toSavedPlace } from '../../../src/cli/session/working-session.ts';
import { getAt } from '../../../src/design/paths.ts';
import { createFieldPrompt } from '../../../src/plain/questions.ts';
import { getActiveForm, getFocusedField } from '../../../src/wizard/design/active-form.ts';
import { createInitialState } from '../../../src/wizard/initial-state.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import { getOpenPrompt } from '../../../src/wizard/live/step-run.ts';
import { isScreen, type WizardState } from '../../../src/wizard/state.ts';
import type { KeyEvent } from '../../../src/wizard/text-input.ts';
import { findUnfinishedText } from '../../../src/wizard/unfinished-text.ts';
import {
  applyInputs,
  buildProbe,
  getEffects,
  getImport,
  retypeText,
  START,
  typeText,
  wizardState,
} from '../../support/wizard-state.ts';

const openField = (field: string, screen: WizardState['screen'] = 'cluster') =>
  applyInputs(wizardState(), { type: 'screen/go', screen, field });

/** Ends the session as a signal does, and opens the next one with what was saved. */
function resume(state: WizardState): WizardState {
  const saved = JSON.parse(JSON.stringify({ ...toSavedAnswers(state), ...toSavedPlace(state) })) as ReturnType<
    typeof toSavedAnswers
  > &
    ReturnType<typeof toSavedPlace>;
  const { place, unfinished, design } = saved;
  const next = createInitialState({
    dir: '/d',
    document: design,
    now: START,
    isResumed: true,
    rehearsal: null,
    furthestScreen: state.screen,
  });
  const screen = isScreen(place.screen) ? place.screen : 'welcome';
  return applyInputs(
    next,
    { type: 'screen/go', screen, ...(place.field ? { field: place.field } : {}) },
    ...(unfinished ? [{ type: 'session/restore-text', unfinished } as const] : []),
  );
}

const editor = (state: WizardState) => getActiveForm(state)?.form.editor;
const lines = (...keys: readonly string[]): Intent[] =>
  keys.map((text) => ({ type: 'import/edit', event: { kind: 'char', text } as KeyEvent }));

test('a text that was not accepted comes back in its field with its cursor; Enter accepts it, Esc undoes it', () => {
  const typed = applyInputs(openField('cluster.name'), ...retypeText('prod-7'), {
    type: 'field/edit',
    event: { kind: 'key', name: 'left' },
  });
  const again = resume(typed);
  expect(getFocusedField(again)?.path).toBe('cluster.name');
  expect(editor(again)).toEqual({ text: 'prod-7', cursor: 5 });
  expect(getAt(again.document, 'cluster.name')).toBe('ocp45');
  expect(again.notice?.text).toBe(
    'Cluster name: the text that you were typing is back. Enter accepts it, Esc undoes it.',
  );
  expect(getAt(applyInputs(again, { type: 'field/accept' }).document, 'cluster.name')).toBe('prod-7');
  const undone = applyInputs(again, { type: 'document/revert' });
  expect([editor(undone)?.text, getAt(undone.document, 'cluster.name')]).toEqual(['ocp45', 'ocp45']);
  const prompt = createFieldPrompt(again);
  expect(prompt?.kind === 'text' ? prompt.promptText : '').toContain('[prod-7]');
});

test('the form of a node comes back at its field, with the text', () => {
  const typed = applyInputs(openField('nodes.4.mac', 'nodes'), ...retypeText('52:54:00:aa'));
  const again = resume(typed);
  expect(again.nodes.edit?.index).toBe(4);
  expect(getFocusedField(again)?.path).toBe('mac');
  expect(editor(again)?.text).toBe('52:54:00:aa');
});

test('help or another page over the form hides no unfinished text from a save', () => {
  const typed = applyInputs(openField('cluster.name'), ...retypeText('prod-7'), {
    type: 'overlay/open',
    overlay: 'help',
  });
  expect(editor(resume(typed))?.text).toBe('prod-7');
});

test('an accepted text is not unfinished, and neither is an untouched field', () => {
  expect(findUnfinishedText(openField('cluster.name'))).toBeNull();
  expect(
    findUnfinishedText(applyInputs(openField('cluster.name'), ...retypeText('prod-7'), { type: 'field/accept' })),
  ).toBeNull();
});

test('typed lines of an import, also when they are offered, and the name of a file come back', () => {
  const page = wizardState({}, { screen: 'nodes' });
  const text = 'name,role,ip,mac\nw9,compute,172.16.0.99,52:54:00:00:00:99';
  const typed = applyInputs(page, { type: 'import/open', from: 'lines' }, ...lines(...text));
  expect(getImport(resume(typed))).toEqual({ phase: 'lines', lines: text, refusal: null });
  const offered = applyInputs(typed, { type: 'import/finish' });
  expect(getImport(offered)?.phase).toBe('offered');
  expect(getImport(resume(offered))).toEqual({ phase: 'lines', lines: text, refusal: null });
  const file = applyInputs(page, { type: 'import/open', from: 'file' }, ...lines(...'./old.yaml'));
  expect(getImport(resume(file))).toMatchObject({ phase: 'file', editor: { text: './old.yaml', cursor: 10 } });
});

test('the directory of the real installation comes back', () => {
  const report = wizardState({}, { screen: 'report' });
  const rehearsal = { speed: 60, isPaused: false };
  const typed = applyInputs(
    { ...report, welcome: { ...report.welcome, rehearsal } },
    { type: 'install/open' },
    { type: 'install/edit', event: { kind: 'key', name: 'ctrl-u' } },
    { type: 'install/edit', event: { kind: 'paste', text: '/srv/prod' } },
  );
  expect(resume(typed).overlay).toMatchObject({ kind: 'install', editor: { text: '/srv/prod' } });
});

test('a secret is never saved: a login in a URL, a pull secret among typed lines', () => {
  const proxy = applyInputs(openField('cluster.name'), ...typeText('http://me:CanaryPassword@proxy'));
  expect(findUnfinishedText(proxy)).toBeNull();
  const secret = `pullSecret: '{"auths":{"quay.io":{"auth":"Q2FuYXJ5OkNhbmFyeQ=="}}}'`;
  const page = wizardState({}, { screen: 'nodes' });
  expect(findUnfinishedText(applyInputs(page, { type: 'import/open', from: 'lines' }, ...lines(...secret)))).toBeNull();
});

test('a reason comes back with its question, a word that confirms does not', () => {
  const askWith = (words: readonly string[], text: string) =>
    applyInputs(
      wizardState({}, { screen: 'prepare' }),
      { type: 'step/probed', step: 'prepare', probe: buildProbe('needed', {}), plan: null },
      { type: 'step/ask', action: 'override', words },
      { type: 'step/type', event: { kind: 'paste', text } },
    );
  const reason = askWith([], 'the time server is ours');
  const question = toSavedQuestion(reason);
  expect(question?.typed).toBe('the time server is ours');
  const again = applyInputs(
    wizardState({}, { screen: 'prepare' }),
    {
      type: 'step/restore-prompt',
      step: 'prepare',
      prompt: { action: 'override', subject: null, words: [], typed: 'ours' },
    },
    { type: 'step/probed', step: 'prepare', probe: buildProbe('needed', {}), plan: null },
  );
  expect(getOpenPrompt(again.runs.prepare)?.input?.field.text).toBe('ours');
  expect(toSavedQuestion(askWith(['yes'], 'ye'))).not.toHaveProperty('typed');
});

test('every key in a field asks for a save soon: kill -9 loses at most a second', () => {
  expect(getEffects(openField('cluster.name'), typeText('x')[0] as Intent)).toEqual([{ type: 'save-cursor-position' }]);
});

test('every key of a reason, an import and a directory asks for a save soon, too', () => {
  const asked = applyInputs(
    wizardState({}, { screen: 'prepare' }),
    { type: 'step/probed', step: 'prepare', probe: buildProbe('needed', {}), plan: null },
    { type: 'step/ask', action: 'override', words: [] },
  );
  const key = { kind: 'char', text: 'x' } as const;
  expect(getEffects(asked, { type: 'step/type', event: key })).toContainEqual({ type: 'save-cursor-position' });
  const nodes = wizardState({}, { screen: 'nodes' });
  const file = applyInputs(nodes, { type: 'import/open', from: 'file' });
  expect(getEffects(file, { type: 'import/edit', event: key })).toContainEqual({ type: 'save-cursor-position' });
  const pasted = applyInputs(nodes, { type: 'import/open', from: 'lines' });
  const [line] = lines('m1,172.16.0.21');
  expect(getEffects(pasted, line as Intent)).toContainEqual({ type: 'save-cursor-position' });
  const rehearsal = { speed: 60, isPaused: false };
  const install = applyInputs({ ...nodes, welcome: { ...nodes.welcome, rehearsal } }, { type: 'install/open' });
  expect(getEffects(install, { type: 'install/edit', event: key })).toContainEqual({ type: 'save-cursor-position' });
});
