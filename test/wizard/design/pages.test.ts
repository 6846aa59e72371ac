import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { getAt, setAt } from '../../../src/design/paths.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { getActiveForm, getFocusedField } from '../../../src/wizard/design/active-form.ts';
import {
  type Field,
  getFieldHelp,
  listVisibleFields,
  readFieldText,
  writeFieldText,
} from '../../../src/wizard/design/fields.ts';
import { FORMS, nodeFields } from '../../../src/wizard/design/pages/index.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { applyInputs, exampleDocument, typeText, wizardState } from '../../support/wizard-state.ts';

const accept: Intent = { type: 'field/accept' };
const more: Intent = { type: 'field/more' };
const FIELDS: readonly Field[] = Object.values<readonly Field[]>(FORMS).flat();
const findField = (path: string, type?: Field['type']): Field => {
  const found = [...FIELDS, ...nodeFields].find((field) => field.path === path && (!type || field.type === type));
  if (!found) throw new Error(path);
  return found;
};
const openField = (screen: WizardState['screen'], field: string, changes = {}) =>
  applyInputs(wizardState(changes), { type: 'screen/go', screen, field });
const paths = (state: WizardState) => getActiveForm(state)?.fields.map(({ path }) => path) ?? [];
const getFact = (path: string, text: string, changes = {}) =>
  findField(path).formatFacts?.(wizardState(changes).document, text) ?? '';

test.each(['4.5', '4.8', '4.14', '4.18', '5.0', 'nonsense'])(
  'every question has a longer help for OpenShift %s',
  (version) => {
    const document = wizardState({ 'openshift.version': version }).document;
    for (const field of [...FIELDS, ...nodeFields]) {
      const help = getFieldHelp(field, document);
      expect(help.length, field.path).toBeGreaterThan(20);
      expect(help, field.path).not.toMatch(/undefined|\[object/);
      expect(field.words().label.length, field.path).toBeLessThanOrEqual(22);
    }
  },
);

test('the stream of RHCOS is asked from 4.22 on, among the rarely needed questions, and decides the processor level', () => {
  const listPaths = (version: string, areAdvancedFieldsShown: boolean) =>
    listVisibleFields(
      FORMS.cluster,
      wizardState({ 'openshift.version': version }).document,
      areAdvancedFieldsShown,
    ).map(({ path }) => path);
  expect(listPaths('4.21', true)).not.toContain('openshift.osImageStream');
  expect(listPaths('4.22', false)).not.toContain('openshift.osImageStream');
  for (const version of ['4.22', '5.0']) expect(listPaths(version, true)).toContain('openshift.osImageStream');
  const stream = findField('openshift.osImageStream');
  const getDefault = (version: string) => readFieldText(wizardState({ 'openshift.version': version }).document, stream);
  expect([getDefault('4.22'), getDefault('5.0')]).toEqual(['rhel-9', 'rhel-10']);
  const describeCpu = (changes: Record<string, string>) => {
    const vcpu = nodeFields.find(({ path }) => path === 'vcpu');
    return vcpu === undefined ? '' : getFieldHelp(vcpu, wizardState(changes).document);
  };
  expect(describeCpu({ 'openshift.version': '4.12' })).not.toContain('x86-64');
  expect(describeCpu({ 'openshift.version': '4.13' })).toContain('of level x86-64-v2');
  expect(describeCpu({ 'openshift.version': '5.0' })).toContain('of level x86-64-v3');
  expect(describeCpu({ 'openshift.version': '5.0', 'openshift.osImageStream': 'rhel-9' })).toContain('x86-64-v2');
  // SCOS is CentOS Stream CoreOS 9 in 4.19, and 10 from 4.20 on.
  expect(describeCpu({ 'openshift.version': '4.19.0-okd-scos.9' })).toContain('x86-64-v2');
  expect(describeCpu({ 'openshift.version': '4.20.0-okd-scos.3' })).toContain('x86-64-v3');
  expect(describeCpu({ 'openshift.version': '5.0', 'openshift.architecture': 'aarch64' })).not.toContain('x86-64');
});

test('the help is true for the version', () => {
  const help = (path: string, version: string) =>
    getFieldHelp(findField(path), wizardState({ 'openshift.version': version }).document);
  expect(help('networks.type', '4.15')).toContain('the only one in OpenShift 4.15');
  expect(help('networks.type', '4.20.0-okd-scos.3')).toContain('the only one in OKD 4.20');
  expect(help('networks.type', '4.14')).not.toContain('the only one');
  expect(help('topology', '4.7')).toContain('not for 4.7');
  expect(help('topology', '4.8')).not.toContain('not for');
  expect(help('imageDigestSources', '4.13')).toContain('imageContentSources');
  expect(help('imageDigestSources', '4.14')).toContain('imageDigestSources');
  expect(help('imageDigestSources', '4.15')).toContain('`oc adm release mirror`');
  expect(help('imageDigestSources', '4.16')).toContain('oc-mirror v2 copies');
  expect(help('imageDigestSources', '4.20')).not.toContain('release mirror');
  expect(help('imageDigestSources', '4.21')).toContain('the cluster refuses a release without them');
  for (const version of ['4.22', '4.23', '5.0']) {
    expect(help('imageDigestSources', version)).toContain('nodes refuse a release without them');
    expect(help('imageDigestSources', version)).toContain(
      'which leave the signatures out: `oc adm release mirror` `oc image mirror`',
    );
  }
  expect(help('imageDigestSources', '4.22.0-okd-scos.1')).toMatch(
    /prints the pairs: `oc adm release mirror`.*scos-content/,
  );
  expect(help('credentials.pullSecretFile', '4.22.0-okd-scos.1')).toContain('The images of OKD are public');
  expect(help('openshift.osImageStream', '4.22')).toContain('can never be updated');
  expect(help('openshift.osImageStream', '5.0')).toContain('New clusters of 5.0 have RHCOS 10');
  expect(help('fips', '4.16.3')).toContain('refuses to run');
});

test('rarely needed questions: are not asked until they are wanted, and then follow the others', () => {
  const state = wizardState({}, { screen: 'services' });
  expect(paths(state)).toHaveLength(17);
  const shown = applyInputs(state, more);
  expect(paths(shown).slice(0, 17)).toEqual(paths(state));
  expect(getFocusedField(shown)?.isAdvanced).toBe(true);
  expect(paths(applyInputs(shown, more))).toEqual(paths(state));
  expect(shown.document).toEqual(exampleDocument());
});

test('rarely needed questions: Enter through all of them leaves the example as it is', () => {
  for (const screen of ['networks', 'services', 'credentials'] as const) {
    let state = applyInputs(wizardState({}, { screen }), more);
    for (let count = 0; count < 60 && state.screen === screen; count += 1) state = applyInputs(state, accept);
    expect(state.screen).not.toBe(screen);
    expect(state.document).toEqual(exampleDocument());
  }
});

test('rarely needed questions: are shown where one of them is wrong', () => {
  const jumped = applyInputs(wizardState({ 'proxy.httpProxy': 'nonsense' }, { screen: 'review' }), {
    type: 'review/jump',
  });
  expect(getFocusedField(jumped)?.path).toBe('proxy.httpProxy');
  const left = openField('credentials', 'credentials.sshKeyFile', {
    imageDigestSources: [{ source: 'x y', mirrors: ['z'] }],
  });
  const stays = applyInputs(left, accept);
  expect([stays.screen, getFocusedField(stays)?.path]).toEqual(['credentials', 'imageDigestSources']);
});

test('rarely needed questions: one with an answer of the user is shown, until it has its default again', () => {
  const proxied = openField('networks', 'proxy.noProxy', { proxy: { httpProxy: 'http://p:3128', noProxy: '.corp' } });
  expect(paths(proxied).slice(10)).toEqual(['proxy.httpProxy', 'proxy.noProxy']);
  const clear: Intent = { type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } };
  // Cleared, the last question hides itself: Enter goes on to the next page.
  const cleared = applyInputs(proxied, clear, accept);
  expect([cleared.screen, getAt(cleared.document, 'proxy.noProxy')]).toEqual(['nodes', undefined]);
  const back = applyInputs(cleared, { type: 'screen/go', screen: 'networks' });
  expect(paths(back).slice(10)).toEqual(['proxy.httpProxy']);
  const host = getAt(exampleDocument(), 'services.bastion');
  const onBastion = wizardState(
    { 'services.dns.servers': [host], 'services.loadBalancer.servers': [host] },
    { screen: 'services' },
  );
  expect(paths(onBastion).slice(17)).toEqual(['services.layout']);
  for (const [screen, count] of [
    ['cluster', 6],
    ['networks', 10],
    ['services', 17],
    ['credentials', 2],
  ] as const)
    expect(paths(wizardState({}, { screen })), screen).toHaveLength(count);
});

test('rarely needed questions: Ctrl-Z on their page leaves them shown', () => {
  const changed = applyInputs(
    openField('networks', 'networks.machine.0.gateway'),
    ...typeText('172.16.0.1'),
    accept,
    more,
  );
  const undone = applyInputs(changed, { type: 'document/undo' });
  expect(getFocusedField(undone)?.path).toBe('networks.machine.0.gateway');
  expect(paths(undone)).toEqual(paths(changed));
});

test('Ctrl-O is named only for questions that are not always shown', () => {
  const { pages } = catalogue();
  const listLabels = (fields: readonly Field[], isRare: boolean) =>
    fields.filter(({ isAdvanced = false }) => isAdvanced === isRare).map(({ words }) => words().label);
  for (const [id, fields] of [...Object.entries(FORMS), ['nodes', nodeFields]] as const) {
    const page = pages[id as keyof typeof FORMS | 'nodes'];
    for (const topic of 'more' in page ? page.more.split(', ') : [])
      expect(listLabels(fields, false).filter((label) => label.toLowerCase().includes(topic.toLowerCase()))).toEqual(
        [],
      );
  }
  const dir = join(import.meta.dirname, '../../../src/i18n/en');
  const texts = readdirSync(dir, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(dir, name), 'utf8'));
  const rareLabels = [...FIELDS, ...nodeFields]
    .filter(({ isAdvanced }) => isAdvanced)
    .map(({ words }) => words().label);
  const namedLabels = texts.flatMap((text) => [...text.matchAll(/Ctrl-O: ([A-Z][\w ]*)/g)].map(([, label]) => label));
  expect(namedLabels.filter((label) => !rareLabels.includes(label ?? ''))).toEqual([]);
  expect(texts.join('\n').match(/Services page[^.']*StorageClass/g)).toHaveLength(2);
});

test('rarely needed questions: clearing an answer removes the answers that depend on it', () => {
  const clear: Intent = { type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } };
  const two = openField('networks', 'networks.machine.1.cidr', {
    'networks.machine.1': { cidr: '10.1.0.0/24', gateway: '10.1.0.1' },
  });
  expect(getAt(applyInputs(two, clear, accept).document, 'networks.machine')).toEqual([
    { cidr: '172.16.0.0/24', gateway: '172.16.0.254' },
  ]);
  const node = writeFieldText({ name: 'm1' }, findField('bond.name'), 'bond0');
  expect(node).toEqual({ name: 'm1', bond: { name: 'bond0', mode: 'active-backup' } });
  expect(writeFieldText(node, findField('bond.name'), '')).toEqual({ name: 'm1' });
});
test.each([
  ['ns2 172.16.0.103', [{ name: 'ns2', ip: '172.16.0.103' }]],
  ['ns2 172.16.0.103 fd00::103 debian', [{ name: 'ns2', ip: ['172.16.0.103', 'fd00::103'], os: 'debian' }]],
  [
    '172.16.0.103 ns2,, ns3 172.16.0.104',
    [
      { name: 'ns2', ip: '172.16.0.103' },
      { name: 'ns3', ip: '172.16.0.104' },
    ],
  ],
  ['ns2', [{ name: 'ns2', ip: '' }]],
  ['', []],
])('more name servers: "%s"', (text, expected) => {
  const field = findField('services.dns.servers', 'hosts');
  const document = writeFieldText(exampleDocument(), field, text);
  const [first, ...others] = getAt(document, 'services.dns.servers') as unknown[];
  expect(first).toEqual(getAt(exampleDocument(), 'services.dns.servers.0'));
  expect(others).toEqual(expected);
  expect(writeFieldText(document, field, readFieldText(document, field))).toEqual(document);
});

test('with external DNS the DHCP server moves from the name server to the bastion; forwarders stay visible', () => {
  const kind = findField('services.dns.kind', 'choice');
  const external = writeFieldText(exampleDocument(), kind, 'external');
  expect(getAt(external, 'services.dhcp.server')).toBe('bastion');
  expect(getAt(external, 'services.dns.servers')).toEqual(getAt(exampleDocument(), 'services.dns.servers'));
  const services = { screen: 'services' } as const;
  const shown = paths(wizardState({ 'services.dns.kind': 'external' }, services));
  expect(shown).toContain('services.dns.forwarders');
  const bare = paths(wizardState({ 'services.dns.kind': 'external', 'services.dns.forwarders': [] }, services));
  expect(bare).not.toContain('services.dns.forwarders');
  const onBalancer = setAt(exampleDocument(), 'services.dhcp.server', 'lb1');
  expect(getAt(writeFieldText(onBalancer, kind, 'external'), 'services.dhcp.server')).toBe('lb1');
});

test('an error of a second server is shown at its question, not at the first', () => {
  const state = applyInputs(openField('services', 'services.bastion.name'), more);
  const index = paths(state).lastIndexOf('services.dns.servers');
  const atField = applyInputs(
    state,
    ...Array.from({ length: index - 17 }, (): Intent => ({ type: 'field/move', by: 1 })),
  );
  const wrong = applyInputs(atField, ...typeText('ns2 172.16.0.999'), accept);
  expect(wrong.notice).toMatchObject({ kind: 'error', text: expect.stringContaining('172.16.0.999') });
  expect(getFocusedField(wrong)?.type).toBe('hosts');
});

test('mirrors are pairs; those of one source stand together', () => {
  const field = findField('imageDigestSources');
  const text = 'quay.io/a=m1.example.com/a, quay.io/b=m1.example.com/b quay.io/a=m2.example.com/a';
  const document = writeFieldText({}, field, text);
  expect(getAt(document, 'imageDigestSources')).toEqual([
    { source: 'quay.io/a', mirrors: ['m1.example.com/a', 'm2.example.com/a'] },
    { source: 'quay.io/b', mirrors: ['m1.example.com/b'] },
  ]);
  expect(writeFieldText(document, field, readFieldText(document, field))).toEqual(document);
  expect(writeFieldText(document, field, '')).toEqual({});
});

test('defaults of the design are shown, and a missing value leads to its question', () => {
  const state = wizardState({ 'networks.cluster': undefined, topology: undefined });
  expect(readFieldText(state.document, findField('networks.cluster.0.cidr'))).toBe('10.128.0.0/14');
  expect(readFieldText(state.document, findField('topology'))).toBe('standard');
  const jumped = applyInputs(wizardState({ 'networks.machine.0.gateway': undefined }, { screen: 'review' }), {
    type: 'review/jump',
  });
  expect(getFocusedField(jumped)?.path).toBe('networks.machine.0.gateway');
});

test('kernel arguments keep their commas', () => {
  const document = writeFieldText({}, findField('kernelArguments'), 'console=ttyS0,115200  quiet');
  expect(getAt(document, 'kernelArguments')).toEqual(['console=ttyS0,115200', 'quiet']);
  expect(readFieldText(document, findField('kernelArguments'))).toBe('console=ttyS0,115200 quiet');
});

test('an answer with an error is in no fact derived for another', () => {
  const wrong = '9_9';
  const typedFields = FIELDS.filter(({ type }) => ['text', 'number', 'list', 'addresses'].includes(type));
  for (const { path } of typedFields) {
    const document = setAt(exampleDocument(), path, wrong);
    const external = setAt(setAt(document, 'services.loadBalancer.kind', 'external'), path, wrong);
    for (const source of [document, external])
      for (const field of FIELDS)
        expect(field.formatFacts?.(source, readFieldText(source, field)) ?? '', field.path).not.toContain(wrong);
  }
});

test('facts derived from answers', () => {
  expect(getFact('openshift.version', '4.18.11')).toBe('Kubernetes 1.31');
  expect(getFact('networks.machine.0.cidr', '172.16.0.0/26')).toMatch(/^\d+ of 62 free$/);
  expect(getFact('networks.cluster.0.cidr', '10.128.0.0/14')).toBe('512 nodes × 510 pods; 9 planned');
  expect(getFact('networks.cluster.0.hostPrefix', '23')).toBe('510 pods on each node');
  expect(getFact('networks.cluster.0.hostPrefix', '13')).toBe('');
  expect(getFact('cluster.name', 'lab')).toBe('api.lab.example.localdomain');
  expect(getFact('cluster.baseDomain', 'corp.test')).toBe('*.apps.ocp45.corp.test');
  expect(getFact('networks.cluster.0.cidr', '10.128.0.0/21')).toContain('too few for 9');
  expect(getFact('endpoints.api', '172.16.0.111')).toBe('keepalived adds it to lb1');
  expect(getFact('endpoints.ingress', '172.16.0.112')).toBe('own address of lb1');
  expect(getFact('networks.router', '192.168.124.254')).toBe('route to 172.16.0.0/24');
  expect(getFact('networks.router', '192.168.124.254', { 'networks.machine.0.cidr': '999.1.1.1/24' })).toBe('');
  expect(getFact('networks.router', '192.168.124.254', { 'networks.machine.0.cidr': '10.20.30.5/24' })).toBe('');
  expect(getFact('name', 'm1')).toBe('m1.ocp45.example.localdomain');
  expect(getFact('ip', '')).toBe('free: 172.16.0.1');
  expect(getFact('mac', '0050.5696.11C2')).toBe('is 00:50:56:96:11:c2');
  expect(getFact('services.boot.httpPort', '8080')).toBe('http://172.16.0.101:8080/');
  expect(getFact('services.boot.httpPort', '99999')).toBe('');
  expect(getFact('services.boot.httpPort', '0')).toBe('');
  for (const field of [...FIELDS, ...nodeFields]) {
    for (const text of ['', 'nonsense', '4.', '/', '10.0.0.0/99', '::/0', '"']) {
      expect(typeof field.formatFacts?.({}, text), field.path).toMatch(/string|undefined/);
    }
  }
});
