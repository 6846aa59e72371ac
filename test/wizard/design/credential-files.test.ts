import { expect, test } from 'vitest';
import type { Problem } from '../../../src/design/model.ts';
import { getFocusedField } from '../../../src/wizard/design/active-form.ts';
import { applyInputs, getEffects, wizardState } from '../../support/wizard-state.ts';

const onPage = () =>
  applyInputs(wizardState(), { type: 'screen/go', screen: 'credentials', field: 'credentials.pullSecretFile' });
const wrong: Problem = {
  path: 'credentials.pullSecretFile',
  severity: 'error',
  rule: 'pull-secret',
  message: 'The pull secret is not JSON',
  fix: 'Download it again.',
  line: 0,
  column: 0,
};
const checkEvent = (...problems: readonly Problem[]) => ({ type: 'credentials/reviewed', problems }) as const;

test('Enter and Tab read the files again, also where no answer changed', () => {
  expect(getEffects(onPage(), { type: 'field/accept' })).toContainEqual({ type: 'review-credentials' });
  expect(getEffects(onPage(), { type: 'field/move', by: 1 })).toContainEqual({ type: 'review-credentials' });
});

test('a file that was corrected meanwhile lets Enter continue', () => {
  const refused = applyInputs(onPage(), checkEvent(wrong), { type: 'field/accept' });
  expect(getFocusedField(refused)?.path).toBe('credentials.pullSecretFile');
  expect(refused.notice?.kind).toBe('error');
  const same = applyInputs(refused, checkEvent(wrong));
  expect([getFocusedField(same)?.path, same.notice]).toEqual(['credentials.pullSecretFile', refused.notice]);
  const corrected = applyInputs(refused, checkEvent());
  expect([getFocusedField(corrected)?.path, corrected.notice]).toEqual(['credentials.sshKeyFile', null]);
  // Also after another error.
  const later = applyInputs(refused, checkEvent({ ...wrong, message: 'The pull secret is empty' }), checkEvent());
  expect([getFocusedField(later)?.path, later.notice]).toEqual(['credentials.sshKeyFile', null]);
});

const missing: Problem = {
  ...wrong,
  severity: 'warning',
  rule: 'pull-secret-missing',
  message: 'The file does not exist',
};
const enterName = () =>
  applyInputs(onPage(), { type: 'field/edit', event: { kind: 'char', text: '/tmp' } }, { type: 'field/accept' });

test('Enter at a new file name stays where the file is a directory or missing', () => {
  const refused = applyInputs(enterName(), checkEvent(wrong));
  expect(getFocusedField(refused)?.path).toBe('credentials.pullSecretFile');
  expect(refused.notice).toMatchObject({ kind: 'error', text: expect.stringContaining('not JSON') });
  const warned = applyInputs(enterName(), checkEvent(missing));
  expect(getFocusedField(warned)?.path).toBe('credentials.pullSecretFile');
  expect(warned.notice?.text).toBe('Correct the path, or press Enter to keep it: the file can be copied there later.');
  expect(getFocusedField(applyInputs(warned, { type: 'field/accept' }))?.path).toBe('credentials.sshKeyFile');
});

test('Enter at a new file name goes on when the file is read, and a faster key reaches the next field', () => {
  const read = applyInputs(enterName(), checkEvent());
  expect([getFocusedField(read)?.path, read.notice]).toEqual(['credentials.sshKeyFile', null]);
  const typed = applyInputs(enterName(), { type: 'field/edit', event: { kind: 'char', text: 'x' } });
  expect(getFocusedField(typed)?.path).toBe('credentials.sshKeyFile');
  expect(typed.forms.credentials.editor.text).toBe('x');
});

test('a check result without Enter moves nothing', () => {
  const state = applyInputs(onPage(), checkEvent(wrong), checkEvent());
  expect(getFocusedField(state)?.path).toBe('credentials.pullSecretFile');
});
