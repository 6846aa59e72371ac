import { expect, test } from 'vitest';
import { type DesignDocument, getAt, setAt } from '../../../src/design/paths.ts';
import { getActiveForm, getFocusedField } from '../../../src/wizard/design/active-form.ts';
import { type Field, readFieldText, writeFieldText } from '../../../src/wizard/design/fields.ts';
import { FORMS, nodeFields } from '../../../src/wizard/design/pages/index.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import {
  applyInputs,
  exampleDocument,
  getEffects,
  retypeText,
  typeText,
  wizardState,
} from '../../support/wizard-state.ts';

const accept: Intent = { type: 'field/accept' };
const words = { label: 'Question', reason: 'Why it is asked.', help: '' };
const describeFocus = (state: WizardState) => `${state.screen} ${getFocusedField(state)?.path ?? '-'}`;
const openField = (screen: WizardState['screen'], field: string, changes = {}) =>
  applyInputs(wizardState(changes), { type: 'screen/go', screen, field });

test('Enter all the way through a page leaves the example as it is and leads to the next page', () => {
  let state = wizardState({}, { screen: 'cluster' });
  const passed: string[] = [];
  while (state.screen === 'cluster') {
    passed.push(getFocusedField(state)?.path ?? '');
    state = applyInputs(state, accept);
  }
  const asked = FORMS.cluster.filter(({ isAdvanced = false }) => !isAdvanced);
  expect(passed).toEqual(asked.map(({ path }) => path));
  expect(describeFocus(state)).toBe('networks networks.machine.0.cidr');
  expect(state.document).toEqual(exampleDocument());
  expect(state.notice).toBeNull();
});

test('a gateway with the address of a node is one problem, shown at both fields, and stays until it is corrected', () => {
  const before = openField('networks', 'networks.machine.0.gateway');
  const wrong = applyInputs(before, ...retypeText('172.16.0.21'), accept);
  expect(describeFocus(wrong)).toBe('networks networks.machine.0.gateway');
  expect(wrong.problems.map(({ path, otherPath }) => [path, otherPath])).toEqual([
    ['nodes.1.ip', 'networks.machine.0.gateway'],
  ]);
  expect(wrong.notice?.text).toContain('172.16.0.21 is the gateway, and the address of m1');
  const corrected = applyInputs(wrong, ...retypeText('172.16.0.254'), accept);
  expect(describeFocus(corrected)).not.toBe(describeFocus(wrong));
});

test('every page leads to the one that follows it', () => {
  const screenAfter = (screen: 'cluster' | 'networks' | 'services' | 'credentials') => {
    const state = wizardState({}, { screen });
    const count = getActiveForm(state)?.fields.length ?? 0;
    return applyInputs(state, ...Array.from({ length: count }, () => accept)).screen;
  };
  expect([
    screenAfter('cluster'),
    screenAfter('networks'),
    screenAfter('services'),
    screenAfter('credentials'),
  ]).toEqual(['networks', 'nodes', 'credentials', 'review']);
});

test('a wrong answer stays in the field with the cursor, and shows the error and its remedy', () => {
  const before = openField('networks', 'networks.machine.0.gateway');
  const wrong = applyInputs(before, ...retypeText('172.16.1.254'), accept);
  expect(describeFocus(wrong)).toBe('networks networks.machine.0.gateway');
  expect(getAt(wrong.document, 'networks.machine.0.gateway')).toBe('172.16.1.254');
  const problem = wrong.problems.find(({ path }) => path === 'networks.machine.0.gateway');
  expect(problem?.severity).toBe('error');
  expect(problem?.fix).not.toBe('');
  expect(wrong.notice).toMatchObject({ kind: 'error', text: `${problem?.message}. ${problem?.fix}` });
  expect(wrong.design).toBeNull();
  const fixed = applyInputs(wrong, ...retypeText('172.16.0.254'), accept);
  expect(describeFocus(fixed)).toBe('networks networks.cluster.0.cidr');
  expect(fixed.notice).toBeNull();
  expect(fixed.design).not.toBeNull();
});

test('Tab leaves a wrong answer and its message, and Enter at the end of the page returns to that answer', () => {
  let state = applyInputs(openField('networks', 'networks.machine.0.gateway'), ...typeText('nonsense'), accept);
  state = applyInputs(state, { type: 'field/move', by: 1 });
  expect(describeFocus(state)).toBe('networks networks.cluster.0.cidr');
  expect(state.notice).toBeNull();
  state = applyInputs(state, { type: 'screen/go', screen: 'networks', field: 'endpoints.ingress' }, accept);
  expect(describeFocus(state)).toBe('networks networks.machine.0.gateway');
  expect(state.notice?.text).toContain('One answer needs a fix');
});

test('a wrong answer does not block its neighbours', () => {
  const state = openField('networks', 'networks.machine.0.cidr', { 'networks.machine.0.gateway': 'nonsense' });
  expect(describeFocus(applyInputs(state, accept))).toBe('networks networks.machine.0.gateway');
});

test('the cursor stops at the first and the last field, as in a list', () => {
  const first = wizardState({}, { screen: 'cluster' });
  expect(describeFocus(applyInputs(first, { type: 'field/move', by: -1 }))).toBe('cluster openshift.version');
  const last = applyInputs(first, { type: 'field/move', by: 10 });
  expect(describeFocus(last)).toBe('cluster fips');
  expect(describeFocus(applyInputs(last, { type: 'field/move', by: 1 }))).toBe('cluster fips');
});

test.each<[string, Intent]>([
  ['Esc', { type: 'screen/back' }],
  ['save and quit', { type: 'session/quit' }],
  ['going elsewhere', { type: 'screen/go', screen: 'review' }],
])('%s accepts the text under the cursor and saves it', (_name, leave) => {
  const state = applyInputs(openField('cluster', 'cluster.name'), ...retypeText('ocp46'));
  const effects = getEffects(state, leave);
  expect(getAt(applyInputs(state, leave).document, 'cluster.name')).toBe('ocp46');
  expect(effects[0]).toEqual({ type: 'save' });
});

test('an untouched field is not written', () => {
  const document = { ...(exampleDocument() as object), openshift: { version: 4.18 } };
  const state = applyInputs(wizardState(), { type: 'screen/go', screen: 'cluster' });
  const odd = applyInputs({ ...state, document }, { type: 'screen/go', screen: 'cluster' }, { type: 'screen/back' });
  expect(odd.document).toBe(document);
});

test.each<[Field['type'], string, unknown]>([
  ['text', '  a b ', 'a b'],
  ['number', '23', 23],
  ['number', '-1', '-1'],
  ['number', 'many', 'many'],
  ['number', '1.5', '1.5'],
  ['flag', 'true', true],
  ['flag', 'false', false],
  ['flag', 'perhaps', 'perhaps'],
  ['list', '10.0.0.0/8, 192.168.0.0/16', ['10.0.0.0/8', '192.168.0.0/16']],
  ['list', '10.0.0.1 10.0.0.2,,10.0.0.3', ['10.0.0.1', '10.0.0.2', '10.0.0.3']],
  ['list', '10.0.0.1', ['10.0.0.1']],
  ['addresses', '172.16.0.1', '172.16.0.1'],
  ['addresses', '172.16.0.1, fd00::1', ['172.16.0.1', 'fd00::1']],
  ['addresses', '', ''],
])('a %s field parses "%s" as %j', (type, text, expected) => {
  const document = writeFieldText({}, { path: 'a.b', type, words: () => words }, text);
  expect(getAt(document, 'a.b')).toEqual(expected);
});

test('an optional answer that is emptied is removed from the document, a required one stays empty', () => {
  const field: Field = { path: 'a.b', type: 'text', words: () => words };
  expect(writeFieldText({ a: { b: 'x', c: 1 } }, { ...field, isOptional: true }, ' ')).toEqual({ a: { c: 1 } });
  expect(writeFieldText({ a: { b: 'x', c: 1 } }, field, ' ')).toEqual({ a: { b: '', c: 1 } });
});

test('every field of every page gives back what it was given', () => {
  const document = exampleDocument();
  for (const field of Object.values(FORMS).flat()) {
    const text = readFieldText(document, field);
    if ((getAt(document, field.path) ?? '') === '') continue;
    expect(getAt(writeFieldText(document, field, text), field.path), field.path).toEqual(getAt(document, field.path));
  }
});

test('a choice moves within its values, and typing does not change it', () => {
  const state = openField('cluster', 'topology');
  const text = (input: WizardState) => input.forms.cluster.editor.text;
  expect(text(applyInputs(state, { type: 'choice/move', by: 1 }))).toBe('compact');
  expect(text(applyInputs(state, { type: 'choice/move', by: 1 }, { type: 'choice/move', by: 9 }))).toBe(
    'single-node-bootstrap',
  );
  expect(text(applyInputs(state, { type: 'choice/move', by: -1 }))).toBe('standard');
  expect(text(applyInputs(state, ...typeText('zzz')))).toBe('standard');
  expect(
    getAt(applyInputs(openField('cluster', 'fips'), { type: 'choice/move', by: 1 }, accept).document, 'fips'),
  ).toBe(true);
});

test('questions appear and go with the answers they depend on', () => {
  const paths = (state: WizardState) => getActiveForm(state)?.fields.map(({ path }) => path) ?? [];
  const state = openField('services', 'services.dhcp.kind');
  expect(paths(state)).toContain('services.dhcp.server');
  const none = applyInputs(state, { type: 'choice/move', by: 2 }, accept);
  expect(getAt(none.document, 'services.dhcp.kind')).toBe('none');
  expect(paths(none)).not.toContain('services.dhcp.server');
  expect(describeFocus(none)).toBe('services services.loadBalancer.kind');
});

test('from the review p leads to the page and the field of the first problem', () => {
  const jump = (changes: Record<string, unknown>) =>
    applyInputs(wizardState(changes, { screen: 'review' }), { type: 'review/jump' });
  expect(describeFocus(jump({ 'endpoints.api': 'nonsense' }))).toBe('networks endpoints.api');
  expect(describeFocus(jump({ 'services.boot.httpPort': 70000 }))).toBe('services services.boot.httpPort');
  const node = jump({ 'nodes.3.mac': 'nonsense' });
  expect([node.screen, node.nodes.row]).toEqual(['nodes', 3]);
  expect(jump({ nodes: [] }).screen).toBe('nodes');
  expect(jump({ 'services.dns.servers': [] }).screen).toBe('services');
  expect(describeFocus(jump({ 'networks.machine': [] }))).toBe('networks networks.machine.0.cidr');
  const fine = wizardState({}, { screen: 'review' });
  if (fine.problems.length === 0) expect(applyInputs(fine, { type: 'review/jump' })).toBe(fine);
});

test('a document keeps the order of its keys, and missing parents are made', () => {
  const document: DesignDocument = { a: 1, b: { c: 2 }, d: 3 };
  expect(JSON.stringify(setAt(document, 'b.c', 9))).toBe('{"a":1,"b":{"c":9},"d":3}');
  expect(setAt({}, 'x.0.y', 'z')).toEqual({ x: [{ y: 'z' }] });
  expect(setAt({ x: [1, 2, 3] }, 'x.1', undefined)).toEqual({ x: [1, 3] });
  expect(document).toEqual({ a: 1, b: { c: 2 }, d: 3 });
});

const paste = (text: string): Intent => ({ type: 'field/edit', event: { kind: 'paste', text } });
const editorText = (state: WizardState) => getActiveForm(state)?.form.editor.text;

test('a list takes all lines of a paste; a single value takes its first line, and that is reported', () => {
  const list = applyInputs(
    openField('services', 'services.dns.forwarders'),
    ...retypeText(''),
    paste('10.0.0.53,\n10.0.0.54\n'),
  );
  expect([editorText(list), list.notice]).toEqual(['10.0.0.53, 10.0.0.54', null]);
  const one = applyInputs(openField('cluster', 'cluster.name'), ...retypeText(''), paste('prod\ntest\nmore\n'));
  expect(editorText(one)).toBe('prod');
  expect(one.notice).toMatchObject({ kind: 'warning', text: expect.stringContaining('2 lines were left out') });
  expect(applyInputs(one, ...typeText('x')).notice).toBeNull();
  expect(applyInputs(openField('cluster', 'cluster.name'), ...retypeText(''), paste('prod\n')).notice).toBeNull();
});

test('a paste loses colours and what cannot be shown, and that is reported', () => {
  const state = applyInputs(
    openField('cluster', 'cluster.name'),
    ...retypeText(''),
    paste('\u001b[31mprod\ufffd\u0007'),
  );
  expect(editorText(state)).toBe('prod');
  expect(state.notice?.text).toContain('were removed');
});

test('a paste longer than any answer is truncated, and that is reported', () => {
  const state = applyInputs(openField('cluster', 'cluster.name'), ...retypeText(''), paste('a'.repeat(5000)));
  expect(editorText(state)).toHaveLength(1000);
  expect(state.notice?.text).toContain('1000 characters');
});

test('letters find an option of a choice and say so; Backspace and Esc take them back, and a paste is refused', () => {
  const key = (name: 'backspace'): Intent => ({ type: 'field/edit', event: { kind: 'key', name } });
  const found = applyInputs(openField('cluster', 'topology'), ...typeText('Co'));
  expect([editorText(found), getActiveForm(found)?.form.typeAhead?.letters]).toEqual(['compact', 'Co']);
  const none = applyInputs(found, ...typeText('x'));
  expect(found.notice?.text).toBe('"Co" chooses compact. Esc undoes it.');
  // A word that is no option was meant for another field.
  expect([editorText(none), getActiveForm(none)?.form.typeAhead?.letters]).toEqual(['standard', 'Cox']);
  expect(none.notice?.text).toContain('No option begins with "Cox": the answer stays standard.');
  expect(editorText(applyInputs(none, ...typeText('compact')))).toBe('standard');
  expect(editorText(applyInputs(none, key('backspace')))).toBe('compact');
  expect(editorText(applyInputs(found, key('backspace')))).toBe('compact');
  expect(editorText(applyInputs(found, key('backspace'), key('backspace')))).toBe('standard');
  expect(editorText(applyInputs(found, { type: 'document/revert' }))).toBe('standard');
  expect(getAt(applyInputs(found, accept).document, 'topology')).toBe('compact');
  const pasted = applyInputs(openField('cluster', 'topology'), paste('compact'));
  expect(editorText(pasted)).toBe('standard');
  expect(pasted.notice?.text).toContain('Right and Left');
});

test('a question of yes or no is shown, chosen and taken back in these words; the document keeps true and false', () => {
  const asked = openField('cluster', 'fips');
  const yes = applyInputs(asked, ...typeText('y'), accept);
  expect(getAt(yes.document, 'fips')).toBe(true);
  expect(applyInputs(yes, { type: 'document/undo' }).notice?.text).toContain('FIPS mode no (was yes)');
});

test('an empty answer is reported as missing; a long one is quoted by its beginning, so that the remedy is visible', () => {
  const clear: Intent = { type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } };
  const empty = applyInputs(openField('cluster', 'cluster.name'), clear, accept);
  expect(empty.notice?.text).toMatch(/^There is no answer yet\. /);
  const long = applyInputs(openField('cluster', 'cluster.name'), ...retypeText('X'.repeat(300)), accept);
  expect(long.notice?.text.length).toBeLessThan(250);
  expect(long.notice?.text).toContain('X…"');
});

test('another topology reports the changes of the nodes', () => {
  const choose = (by: number): Intent => ({ type: 'choice/move', by });
  const compact = applyInputs(openField('cluster', 'topology'), choose(1), accept);
  expect(compact.notice).toMatchObject({
    kind: 'info',
    text: expect.stringContaining('the compact example (4 nodes)'),
  });
  expect(applyInputs(compact, accept).notice).toBeNull();
  const own = applyInputs(openField('cluster', 'topology', { 'nodes.4.mac': '00:50:56:00:00:99' }), choose(1), accept);
  expect(own.notice).toMatchObject({
    kind: 'warning',
    text: expect.stringContaining('Your 10 nodes stay as they are'),
  });
  // The nodes are fixed on their own page: the pages before it stay open.
  expect(applyInputs(own, accept, accept, accept).screen).toBe('networks');
  const back = applyInputs(own, { type: 'field/move', by: -1 }, choose(-1), accept);
  expect(back.document).toEqual(openField('cluster', 'topology', { 'nodes.4.mac': '00:50:56:00:00:99' }).document);
});

test('invalid names are not shown as derived facts', () => {
  const facts = (path: string, text: string) =>
    FORMS.cluster.find((field) => field.path === path)?.formatFacts?.(exampleDocument(), text);
  expect(facts('cluster.baseDomain', 'example.org')).toContain('*.apps.ocp45.example.org');
  expect(
    ['a..b', 'example.', 'Example.org', 'ex ample', '10.0.0.1'].map((text) => facts('cluster.baseDomain', text)),
  ).toEqual(['', '', '', '', '']);
  expect(facts('cluster.name', 'Prod!')).toBe('');
});

test('a dot at the end of the base domain is left out, and a wrong cluster name names its wrong characters', () => {
  const open = (field: string) => applyInputs(wizardState(), { type: 'screen/go', screen: 'cluster', field });
  const domain = applyInputs(open('cluster.baseDomain'), ...retypeText('corp.test.'), accept);
  expect(getAt(domain.document, 'cluster.baseDomain')).toBe('corp.test');
  expect(domain.problems.filter(({ path }) => path.startsWith('cluster'))).toEqual([]);
  const getNotice = (name: string) => applyInputs(open('cluster.name'), ...retypeText(name), accept).notice?.text;
  expect(getNotice('Prod_P7')).toMatch(
    /^"Prod_P7" cannot be the name of a cluster: "P" and "_" are not allowed\. Use /,
  );
  expect(getNotice('-prod')).toMatch(/^"-prod" cannot be the name of a cluster\. Use /);
});

test('no reason for a question shows the name of another site', () => {
  for (const { words: getWords, path } of [...Object.values(FORMS).flat(), ...nodeFields])
    expect(getWords().reason, path).not.toMatch(/ocp45|localdomain/);
});
