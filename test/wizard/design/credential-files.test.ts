import { expect, test } from 'vitest';
import type { Problem } from '../../../src/design/model.ts';
import { focusedField } from '../../../src/wizard/design/editing.ts';
import { after, effectsOf, wizardState } from '../../support/wizard-state.ts';

const onPage = () =>
  after(wizardState(), { type: 'screen/go', screen: 'credentials', field: 'credentials.pullSecretFile' });
const wrong: Problem = {
  path: 'credentials.pullSecretFile',
  severity: 'error',
  rule: 'pull-secret',
  message: 'The pull secret is not JSON',
  fix: 'Download it again.',
  line: 0,
  column: 0,
};
const judged = (...problems: readonly Problem[]) => ({ type: 'credentials/judged', problems }) as const;

test('Enter and Tab read the files again, also where no answer changed', () => {
  expect(effectsOf(onPage(), { type: 'field/accept' })).toContainEqual({ type: 'judge-credentials' });
  expect(effectsOf(onPage(), { type: 'field/move', by: 1 })).toContainEqual({ type: 'judge-credentials' });
});

test('a file that was corrected meanwhile lets Enter go on', () => {
  const held = after(onPage(), judged(wrong), { type: 'field/accept' });
  expect(focusedField(held)?.path).toBe('credentials.pullSecretFile');
  expect(held.notice?.kind).toBe('error');
  const same = after(held, judged(wrong));
  expect([focusedField(same)?.path, same.notice]).toEqual(['credentials.pullSecretFile', held.notice]);
  const corrected = after(held, judged());
  expect([focusedField(corrected)?.path, corrected.notice]).toEqual(['credentials.sshKeyFile', null]);
  // Also by way of another mistake.
  const later = after(held, judged({ ...wrong, message: 'The pull secret is empty' }), judged());
  expect([focusedField(later)?.path, later.notice]).toEqual(['credentials.sshKeyFile', null]);
});

test('files that are judged while nobody pressed Enter move nothing', () => {
  const state = after(onPage(), judged(wrong), judged());
  expect(focusedField(state)?.path).toBe('credentials.pullSecretFile');
});
