import { expect, onTestFinished, test } from 'vitest';
import { getAt } from '../../../src/design/paths.ts';
import { getActiveForm } from '../../../src/wizard/design/active-form.ts';
import { describeFollowUpOffer } from '../../../src/wizard/design/follow-up.ts';
import { createInitialState } from '../../../src/wizard/initial-state.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { mountWizard } from '../../support/wizard-app.tsx';
import { applyInputs, getEffects, START, typeText, wizardState } from '../../support/wizard-state.ts';

const accept: Intent = { type: 'field/accept' };
const CIDR = 'networks.machine.0.cidr';
const clear: Intent = { type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } };
const replaceText = (text: string): Intent[] => [
  { type: 'field/edit', event: { kind: 'key', name: 'ctrl-e' } },
  clear,
  ...typeText(text),
];
const openField = (path: string, screen: WizardState['screen'] = 'networks', changes = {}) =>
  applyInputs(wizardState(changes), { type: 'screen/go', screen, field: path });

test('another machine network offers to move the addresses, once, and one undo takes all of them back', () => {
  const offered = applyInputs(openField(CIDR), ...replaceText('10.20.30.0/24'), accept);
  const change = { kind: 'network', from: '172.16.0.0/24', to: '10.20.30.0/24' } as const;
  expect(offered.overlay).toMatchObject({ kind: 'follow', change });
  expect(getAt(offered.document, 'nodes.1.ip')).toBe('172.16.0.21');
  const accepted = applyInputs(offered, { type: 'follow/accept' });
  expect(accepted.overlay).toBeNull();
  expect(accepted.design).not.toBeNull();
  expect(getAt(accepted.document, 'nodes.1.ip')).toBe('10.20.30.21');
  // The cursor is on the gateway, which has moved too.
  expect(getActiveForm(accepted)?.form.editor.text).toBe('10.20.30.254');
  // API and ingress have the same address: 16 addresses, and 17 answers, also in the words of the undo.
  expect(describeFollowUpOffer(offered.document, change).question).toBe('Move 17 addresses to 10.20.30.0/24?');
  expect(accepted.notice?.text).toBe('17 answers changed too. Ctrl-Z reverts that.');
  expect(getEffects(offered, { type: 'follow/accept' })).toEqual([{ type: 'save' }]);
  const back = applyInputs(accepted, { type: 'document/undo' });
  expect(back.notice?.text).toMatch(/, and 16 more changes\.$/);
  expect(getAt(back.document, CIDR)).toBe('10.20.30.0/24');
  expect(getAt(back.document, 'nodes.1.ip')).toBe('172.16.0.21');
  expect(back.overlay).toBeNull();
});

test('a wrong network of an earlier session still leads to the offer, once it is corrected', () => {
  const { document, past } = applyInputs(openField(CIDR), ...replaceText('10.44.0.0/99'), accept);
  const resumed = applyInputs(
    createInitialState({
      ...{ dir: '/home/user/upi-cluster', document, now: START, isResumed: true, rehearsal: null },
      ...{ furthestScreen: 'networks', savedParts: { past } },
    }),
    { type: 'screen/go', screen: 'networks', field: CIDR },
  );
  expect(resumed.design).toBeNull();
  const corrected = applyInputs(resumed, ...replaceText('10.44.0.0/16'), accept);
  expect(corrected.overlay).toMatchObject({ kind: 'follow', change: { from: '172.16.0.0/24', to: '10.44.0.0/16' } });
});

test('declining keeps the answers and does not ask again for the same network', () => {
  const declined = applyInputs(openField(CIDR), ...replaceText('10.20.30.0/24'), accept, { type: 'follow/decline' });
  expect(declined.overlay).toBeNull();
  expect(getAt(declined.document, 'nodes.1.ip')).toBe('172.16.0.21');
  expect(applyInputs(declined, { type: 'field/move', by: -1 }, accept).overlay).toBeNull();
});

test('a typing mistake before the new network keeps the offer', () => {
  const mistyped = applyInputs(openField(CIDR), ...replaceText('10.20.30'), accept);
  expect(mistyped.overlay).toBeNull();
  const offered = applyInputs(mistyped, ...replaceText('10.20.30.0/24'), accept);
  expect(offered.overlay).toMatchObject({ kind: 'follow', change: { from: '172.16.0.0/24' } });
  expect(offered.lastValidTexts).toEqual({});
});

test('a network of the other address family keeps the offer, while addresses are in the network before it', () => {
  const slipped = applyInputs(openField(CIDR), ...replaceText('fd00::/64'), accept);
  expect(slipped.overlay).toBeNull();
  const offered = applyInputs(slipped, { type: 'field/move', by: -1 }, ...replaceText('10.1.2.0/24'), accept);
  expect(offered.overlay).toMatchObject({ kind: 'follow', change: { from: '172.16.0.0/24', to: '10.1.2.0/24' } });
  expect(offered.lastValidTexts).toEqual({});
});

test('an address inside a network is no network yet: the offer follows when it is corrected', () => {
  const mistyped = applyInputs(openField(CIDR), ...replaceText('10.20.30.5/24'), accept);
  expect(mistyped.overlay).toBeNull();
  expect(mistyped.notice).toMatchObject({ kind: 'error', text: expect.stringContaining('Write 10.20.30.0/24.') });
  const corrected = applyInputs(mistyped, ...replaceText('10.20.30.0/24'), accept);
  expect(corrected.overlay).toMatchObject({ change: { from: '172.16.0.0/24', to: '10.20.30.0/24' } });
});

test('a network that overlaps another one is refused at its field; the offer follows when they fit', () => {
  const refused = applyInputs(openField(CIDR), ...replaceText('10.130.0.0/24'), accept);
  expect(refused.overlay).toBeNull();
  expect(refused.notice).toMatchObject({ kind: 'error', text: expect.stringContaining('10.128.0.0/14') });
  expect(refused.notice?.context).toMatchObject({ kind: 'invalid-answer', path: CIDR });
  // Another machine network that fits.
  const changed = applyInputs(refused, ...replaceText('10.20.30.0/24'), accept);
  expect(changed.overlay).toMatchObject({ change: { from: '172.16.0.0/24', to: '10.20.30.0/24' } });
  // Or another network for the pods, which is at fault as well.
  const cluster = applyInputs(refused, { type: 'screen/go', screen: 'networks', field: 'networks.cluster.0.cidr' });
  const fitted = applyInputs(cluster, ...replaceText('10.132.0.0/14'), accept);
  expect(fitted.overlay).toMatchObject({ change: { from: '172.16.0.0/24', to: '10.130.0.0/24' } });
  // Declined, it is not offered again.
  const declined = applyInputs(fitted, { type: 'follow/decline' });
  expect(applyInputs(declined, ...replaceText('10.136.0.0/14'), accept).overlay).toBeNull();
});

test.each<Intent>([{ type: 'screen/next' }, { type: 'screen/back' }, { type: 'screen/go', screen: 'review' }])(
  'the offer also appears when the page is left with %j',
  (leave) => {
    const offered = applyInputs(openField(CIDR), ...replaceText('10.20.30.0/24'), leave);
    expect(offered.screen).not.toBe('networks');
    expect(offered.overlay?.kind).toBe('follow');
  },
);

test('a network that holds every address offers nothing', () => {
  expect(applyInputs(openField(CIDR), ...replaceText('172.16.0.0/16'), accept).overlay).toBeNull();
});

test('names follow the cluster name and the base domain, where the design has any', () => {
  const proxy = {
    proxy: { httpProxy: 'http://proxy.example.localdomain:3128', noProxy: '.ocp45.example.localdomain' },
  };
  const named = applyInputs(openField('cluster.name', 'cluster', proxy), ...replaceText('lab'), accept);
  expect(named.overlay).toMatchObject({ change: { kind: 'name' } });
  const accepted = applyInputs(named, { type: 'follow/accept' });
  expect(getAt(accepted.document, 'proxy.noProxy')).toBe('.lab.example.localdomain');
  const moved = applyInputs(accepted, ...replaceText('corp.test'), accept, { type: 'follow/accept' });
  expect(getAt(moved.document, 'proxy')).toEqual({
    httpProxy: 'http://proxy.corp.test:3128',
    noProxy: '.lab.corp.test',
  });
  expect(applyInputs(openField('cluster.name', 'cluster'), ...replaceText('lab'), accept).overlay).toBeNull();
});

const GATEWAY = 'networks.machine.0.gateway';
const toGateway: Intent = { type: 'screen/go', screen: 'networks', field: GATEWAY };

test('a gateway set to the address of a node and corrected offers nothing: no node ever follows a gateway', () => {
  const wrong = applyInputs(openField(GATEWAY), ...replaceText('172.16.0.21'), accept);
  expect(wrong.overlay).toBeNull();
  const corrected = applyInputs(wrong, toGateway, ...replaceText('172.16.0.253'), accept, { type: 'follow/accept' });
  expect(getAt(corrected.document, GATEWAY)).toBe('172.16.0.253');
  expect(getAt(corrected.document, 'nodes.1.ip')).toBe('172.16.0.21');
  expect(corrected.overlay).toBeNull();
});

test('after the wrong gateway is corrected, what had the first gateway is offered', () => {
  const first = openField(GATEWAY, 'networks', { 'services.dns.forwarders': ['172.16.0.254'] });
  const wrong = applyInputs(first, ...replaceText('172.16.0.21'), accept);
  expect(wrong.overlay).toBeNull();
  const corrected = applyInputs(wrong, toGateway, ...replaceText('172.16.0.1'), accept);
  expect(corrected.overlay).toMatchObject({ change: { kind: 'gateway', from: '172.16.0.254', to: '172.16.0.1' } });
  const { document } = applyInputs(corrected, { type: 'follow/accept' });
  expect(getAt(document, 'services.dns.forwarders')).toEqual(['172.16.0.1']);
});

test('a machine network set to that of the company and corrected offers nothing: the servers of the company stay', () => {
  const wrong = applyInputs(openField(CIDR), ...replaceText('192.168.124.0/24'), accept, { type: 'follow/decline' });
  const again: Intent = { type: 'screen/go', screen: 'networks', field: CIDR };
  const back = applyInputs(wrong, again, ...replaceText('172.16.0.0/24'), accept);
  expect(getAt(back.document, CIDR)).toBe('172.16.0.0/24');
  expect(back.overlay).toBeNull();
  expect(getAt(back.document, 'services.time.servers')).toEqual(['192.168.124.1']);
  // Another network is offered for what never followed.
  const other = applyInputs(wrong, again, ...replaceText('10.20.30.0/24'), accept);
  expect(other.overlay).toMatchObject({ change: { from: '172.16.0.0/24', to: '10.20.30.0/24' } });
});

test('the registry of the images never follows a base domain', () => {
  const images = { imageDigestSources: [{ source: 'quay.io/ocp', mirrors: ['mirror.quay.io/ocp'] }] };
  const wrong = applyInputs(openField('cluster.baseDomain', 'cluster', images), ...replaceText('quay.io'), accept);
  const again: Intent = { type: 'screen/go', screen: 'cluster', field: 'cluster.baseDomain' };
  const { document } = applyInputs(wrong, again, ...replaceText('corp.test'), accept, { type: 'follow/accept' });
  expect(getAt(document, 'imageDigestSources.0')).toEqual({ source: 'quay.io/ocp', mirrors: ['mirror.corp.test/ocp'] });
});

test('keys typed ahead are no answer; then Enter leaves what is listed, and y changes it', async () => {
  const app = await mountWizard(openField(CIDR));
  onTestFinished(() => app.unmount());
  await app.press('\u001510.20.30.0/24\r\ry');
  expect(app.store.getState().overlay?.kind).toBe('follow');
  expect(getAt(app.store.getState().document, 'nodes.1.ip')).toBe('172.16.0.21');
  expect(app.screen()).toMatch(/^ y change them \(not yet\)/m);
  expect(app.effects).toContainEqual({ type: 'wait-at-offer' });
  app.store.dispatch({ type: 'follow/noticed' });
  await app.waitUntilDrawn();
  expect(app.screen()).toMatch(/^ y change them {2}Enter leave them/m);
  const offered = app.store.getState();
  for (const key of ['\r', 'n']) {
    await app.setState(offered);
    await app.press(key);
    expect(app.store.getState().overlay).toBeNull();
    expect(getAt(app.store.getState().document, 'nodes.1.ip')).toBe('172.16.0.21');
  }
  await app.setState(offered);
  await app.press('y');
  expect(app.store.getState().overlay).toBeNull();
  expect(getAt(app.store.getState().document, 'nodes.1.ip')).toBe('10.20.30.21');
});

test('a letter that answers no offer is ignored, and the page says which keys answer', async () => {
  const offered = applyInputs(openField(CIDR), ...replaceText('10.20.30.0/24'), accept, { type: 'follow/noticed' });
  for (const size of [
    { cols: 80, rows: 24 },
    { cols: 60, rows: 15 },
  ]) {
    const app = await mountWizard(offered, size);
    expect(app.screen()).not.toContain('Answer this question');
    await app.press('hello');
    expect(app.screen().replace(/\s+/g, ' ')).toContain('Answer this question with y or n');
    expect(app.screen()).toMatch(/y change them {3}n leave them/);
    await app.press('y');
    expect(app.store.getState().overlay).toBeNull();
    expect(app.screen()).not.toContain('Answer this question');
    await app.unmount();
  }
});
