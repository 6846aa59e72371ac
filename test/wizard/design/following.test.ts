import { expect, test } from 'vitest';
import { getAt } from '../../../src/wizard/design/document.ts';
import { editingOf } from '../../../src/wizard/design/editing.ts';
import type { Intent } from '../../../src/wizard/intents.ts';
import type { WizardState } from '../../../src/wizard/state.ts';
import { after, effectsOf, typed, wizardState } from '../../support/wizard-state.ts';

const accept: Intent = { type: 'field/accept' };
const CIDR = 'networks.machine.0.cidr';
const clear: Intent = { type: 'field/edit', event: { kind: 'key', name: 'ctrl-u' } };
const write = (text: string): Intent[] => [
  { type: 'field/edit', event: { kind: 'key', name: 'ctrl-e' } },
  clear,
  ...typed(text),
];
const on = (path: string, screen: WizardState['screen'] = 'networks', changes = {}) =>
  after(wizardState(changes), { type: 'screen/go', screen, field: path });

test('another machine network offers to move the addresses, once, and one undo takes all of them back', () => {
  const offered = after(on(CIDR), ...write('10.20.30.0/24'), accept);
  expect(offered.overlay).toMatchObject({ kind: 'follow', change: { from: '172.16.0.0/24', to: '10.20.30.0/24' } });
  expect(getAt(offered.document, 'nodes.1.ip')).toBe('172.16.0.21');
  const taken = after(offered, { type: 'follow/accept' });
  expect(taken.overlay).toBeNull();
  expect(taken.design).not.toBeNull();
  expect(getAt(taken.document, 'nodes.1.ip')).toBe('10.20.30.21');
  // The cursor is on the gateway, which has moved too.
  expect(editingOf(taken)?.form.editor.text).toBe('10.20.30.254');
  expect(taken.notice?.text).toContain('16');
  expect(effectsOf(offered, { type: 'follow/accept' })).toEqual([{ type: 'save' }]);
  const back = after(taken, { type: 'document/undo' });
  expect(getAt(back.document, CIDR)).toBe('10.20.30.0/24');
  expect(getAt(back.document, 'nodes.1.ip')).toBe('172.16.0.21');
  expect(back.overlay).toBeNull();
});

test('who declines keeps the answers, and is not asked again for the same network', () => {
  const declined = after(on(CIDR), ...write('10.20.30.0/24'), accept, { type: 'follow/decline' });
  expect(declined.overlay).toBeNull();
  expect(getAt(declined.document, 'nodes.1.ip')).toBe('172.16.0.21');
  expect(after(declined, { type: 'field/move', by: -1 }, accept).overlay).toBeNull();
});

test('a slip on the way to the new network does not cost the offer', () => {
  const slipped = after(on(CIDR), ...write('10.20.30'), accept);
  expect(slipped.overlay).toBeNull();
  const offered = after(slipped, ...write('10.20.30.0/24'), accept);
  expect(offered.overlay).toMatchObject({ kind: 'follow', change: { from: '172.16.0.0/24' } });
  expect(offered.followed).toEqual({});
});

test.each<Intent>([{ type: 'screen/next' }, { type: 'screen/back' }, { type: 'screen/go', screen: 'review' }])(
  'the offer also meets a person who leaves the page with %j',
  (leave) => {
    const offered = after(on(CIDR), ...write('10.20.30.0/24'), leave);
    expect(offered.screen).not.toBe('networks');
    expect(offered.overlay?.kind).toBe('follow');
  },
);

test('a network that holds every address offers nothing', () => {
  expect(after(on(CIDR), ...write('172.16.0.0/16'), accept).overlay).toBeNull();
});

test('names follow the cluster name and the base domain, where the design has any', () => {
  const proxy = {
    proxy: { httpProxy: 'http://proxy.example.localdomain:3128', noProxy: '.ocp45.example.localdomain' },
  };
  const named = after(on('cluster.name', 'cluster', proxy), ...write('lab'), accept);
  expect(named.overlay).toMatchObject({ change: { kind: 'name' } });
  const taken = after(named, { type: 'follow/accept' });
  expect(getAt(taken.document, 'proxy.noProxy')).toBe('.lab.example.localdomain');
  const moved = after(taken, ...write('corp.test'), accept, { type: 'follow/accept' });
  expect(getAt(moved.document, 'proxy')).toEqual({
    httpProxy: 'http://proxy.corp.test:3128',
    noProxy: '.lab.corp.test',
  });
  expect(after(on('cluster.name', 'cluster'), ...write('lab'), accept).overlay).toBeNull();
});
