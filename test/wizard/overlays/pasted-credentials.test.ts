import { inspect } from 'node:util';
import { expect, test } from 'vitest';
import { getAt } from '../../../src/design/paths.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { update } from '../../../src/wizard/update.ts';
import { exampleCredentials } from '../../support/example-credentials.ts';
import { applyInputs, getEffects, typeText, wizardState } from '../../support/wizard-state.ts';

const { pullSecret, sshKey } = exampleCredentials;
const CANARY = 'dXNlcjpwYXNz';
const paste = (text: string): Intent => ({ type: 'field/edit', event: { kind: 'paste', text } });
const openField = (screen: WizardState['screen'], field: string) =>
  applyInputs(wizardState(), { type: 'screen/go', screen, field });
const openPullSecret = () => openField('credentials', 'credentials.pullSecretFile');

test.each([
  ['pull-secret', 'credentials.pullSecretFile', pullSecret],
  ['pull-secret', 'credentials.pullSecretFile', '{ "something": "else" }'],
  ['ssh-key', 'credentials.sshKeyFile', sshKey],
] as const)('a pasted %s goes into a file and never into the state', (credential, field, text) => {
  const before = openField('credentials', field);
  const { state, effects } = update(before, paste(text));
  expect(effects).toMatchObject([{ type: 'save-pasted', credential }]);
  expect(state.document).toBe(before.document);
  expect(state.forms).toBe(before.forms);
  expect(JSON.stringify(effects) + inspect(effects, { depth: 9 })).not.toContain(text.slice(3, 20));
});

test('a saved credential is named in the design, as one change that undo reverts', () => {
  const saved = applyInputs(openPullSecret(), {
    type: 'credentials/saved',
    credential: 'pull-secret',
    file: './.upi-wizard/pull-secret.json',
  });
  expect(getAt(saved.document, 'credentials.pullSecretFile')).toBe('./.upi-wizard/pull-secret.json');
  expect(saved.notice?.text).toContain('./.upi-wizard/pull-secret.json');
  const back = applyInputs(saved, { type: 'document/undo' });
  expect(getAt(back.document, 'credentials.pullSecretFile')).toBe('./pull-secret.txt');
  expect(getEffects(openPullSecret(), { type: 'credentials/saved', credential: 'ssh-key', file: 'x' })).toEqual([
    { type: 'save' },
    { type: 'review-credentials' },
  ]);
});

const PRIVATE = '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n';
test.each([
  ['a pull secret in another field', openField('cluster', 'cluster.name'), paste(pullSecret)],
  ['a pull secret in the field of the key', openField('credentials', 'credentials.sshKeyFile'), paste(pullSecret)],
  ['a pull secret cut short', openField('cluster', 'cluster.name'), paste(pullSecret.slice(0, 40))],
  ['a private key', openField('credentials', 'credentials.sshKeyFile'), paste(PRIVATE)],
  [
    'a pull secret on the table of nodes',
    wizardState({}, { screen: 'nodes' }),
    { type: 'import/paste', text: pullSecret },
  ],
] as const)('%s is refused with a message, and nothing of it stays', (_what, before, input: Intent) => {
  const { state, effects } = update(before, input);
  expect(state.notice).toMatchObject({ kind: 'error' });
  expect({ ...state, notice: null }).toEqual({ ...before, notice: null });
  expect(effects).toEqual([]);
});

test('a refused pull secret names the page where it belongs, and on that page the field', () => {
  const refuse = (state: WizardState) => applyInputs(state, paste(pullSecret)).notice?.text ?? '';
  expect(refuse(openField('cluster', 'cluster.name'))).toContain('on the Credentials page');
  const text = refuse(openField('credentials', 'credentials.sshKeyFile'));
  expect(text).toContain('paste it into the field Pull secret file');
  expect(text).not.toContain('Credentials page');
});

test.each(['file', 'lines'] as const)('a pull secret pasted into an import from %s is refused there', (from) => {
  const open = applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'import/open', from });
  const state = applyInputs(open, { type: 'import/edit', event: { kind: 'paste', text: pullSecret } });
  expect(state.overlay).toMatchObject({
    kind: 'import',
    importState: { phase: from, refusal: expect.stringContaining('pull secret') },
  });
  expect(JSON.stringify(state)).not.toContain(CANARY);
});

test('a paste that a terminal sends as keys leaves nothing of the secret in the field', () => {
  const state = applyInputs(openPullSecret(), ...typeText(pullSecret.replaceAll('\n', '')));
  expect(JSON.stringify(state)).not.toMatch(/auths|dXNl/);
  expect(state.notice?.kind).toBe('error');
  // The wording of the refusal does not matter.
  const [brace, ...rest] = typeText(pullSecret.replaceAll('\n', ''));
  const begun = applyInputs(openPullSecret(), ...(brace ? [brace] : []));
  const reworded = begun.notice && { ...begun.notice, text: 'in another language' };
  expect(JSON.stringify(applyInputs({ ...begun, notice: reworded }, ...rest))).not.toMatch(/auths|dXNl/);
  // The next key that is no text ends the refusal.
  const afterMove = applyInputs(state, { type: 'field/move', by: 1 }, { type: 'field/move', by: -1 }, ...typeText('x'));
  expect(JSON.stringify(afterMove.forms.credentials)).toContain('x');
});
