// The design part of the wizard in the whole application: the result does not depend on how the keys arrive.

import { expect, test } from 'vitest';
import { getAt } from '../../src/design/paths.ts';
import { readNodeDrafts } from '../../src/wizard/design/node-table.ts';
import { mountWizard } from '../support/wizard-app.tsx';
import { wizardState } from '../support/wizard-state.ts';

const ENTER = '\r';
const DOWN = '\u001b[B';
const PAGE_DOWN = '\u001b[6~';
const UP = '\u001b[A';
const RIGHT = '\u001b[C';
const HOME = '\u001b[H';
const CLEAR = '\u0015';
const paste = (text: string) => `\u001b[200~${text}\u001b[201~`;

const SCENARIO = [
  ENTER, // welcome: new installation
  ...[CLEAR, '4.19', ENTER, ENTER, RIGHT, '\u001b[D', ENTER], // version, architecture, topology there and back
  ...[CLEAR, 'prod', ENTER, CLEAR, paste('example.org\n'), ENTER, ENTER], // name, base domain, FIPS
  ...[CLEAR, '172.16.0.0/24', ENTER, CLEAR, '172.16.1.254', ENTER], // machine network, and a gateway outside of it
  ...[CLEAR, '172.16.0.253', ENTER], // corrected
  ...Array.from({ length: 8 }, () => ENTER), // the other networks and the addresses
  ...[DOWN, DOWN, DOWN, DOWN, 'e', CLEAR, 'worker1', ENTER, ENTER, ENTER], // nodes: the fifth is renamed
  // with another MAC address and size
  ...[CLEAR, '00:50:56:aa:bb:cc', ENTER, CLEAR, '8', ENTER, CLEAR, '32', ENTER, ENTER, ENTER],
  ...['c', CLEAR, 'worker9', ENTER, ENTER, CLEAR, '172.16.0.39', ENTER, '00:50:56:aa:bb:dd', ENTER, UP, '\u0007', '\r'], // a copy, help
  ...['\t\t', ENTER, ENTER, ENTER], // its sizes
  ENTER, // on to services
  ...[ENTER, ENTER, ENTER, ENTER, ENTER, ENTER, `${HOME}10.0.0.53, `, ENTER], // a second forwarder in front
  ...[ENTER, ENTER, ENTER, ENTER, ENTER, ENTER, CLEAR, '8081', ENTER], // the port of the boot server
  ...[ENTER, ENTER, ENTER], // time, registry
  ...[CLEAR, '~/secret 日本.json', ENTER, ENTER], // credentials: on to the review
  ...[PAGE_DOWN, PAGE_DOWN],
].join('');

async function pressKeys(...reads: readonly string[]) {
  const app = await mountWizard(wizardState());
  for (const read of reads) await app.press(read);
  const { savedAt: _saved, ...state } = app.store.getState();
  // A word is one input where a terminal sends it at once: its delayed saves are fewer.
  const effects = app.effects.filter(({ type }) => type !== 'save-cursor-position');
  const result = { state, screen: app.screen(), cursor: app.cursor(), effects };
  await app.unmount();
  return result;
}

test('the whole design gives the same result in one write, in pieces of 7 and key by key', async () => {
  const burst = await pressKeys(SCENARIO);
  const { state } = burst;
  const { document } = state;
  expect(state.screen, burst.screen).toBe('review');
  expect(getAt(document, 'openshift.version')).toBe('4.19');
  expect(getAt(document, 'topology')).toBe('standard');
  expect(getAt(document, 'cluster')).toEqual({ name: 'prod', baseDomain: 'example.org' });
  expect(getAt(document, 'networks.machine.0')).toEqual({ cidr: '172.16.0.0/24', gateway: '172.16.0.253' });
  const nodes = readNodeDrafts(state.document);
  expect(nodes).toHaveLength(11);
  expect(nodes[4]).toMatchObject({
    name: 'worker1',
    ip: '172.16.0.31',
    mac: '00:50:56:aa:bb:cc',
    vcpu: 8,
    memoryGiB: 32,
  });
  expect(nodes[5]).toMatchObject({ name: 'worker9', ip: '172.16.0.39', mac: '00:50:56:aa:bb:dd', vcpu: 8 });
  expect(getAt(document, 'services.dns.forwarders')).toEqual(['10.0.0.53', '192.168.124.1']);
  expect(getAt(document, 'services.boot.httpPort')).toBe(8081);
  expect(getAt(document, 'credentials.pullSecretFile')).toBe('~/secret 日本.json');
  expect(state.reviewTop).toBe(22);
  expect(burst.screen).toContain('Design > Review');

  expect(await pressKeys(...(SCENARIO.match(/[\s\S]{1,7}/g) ?? []))).toEqual(burst);
  expect(await pressKeys(...SCENARIO)).toEqual(burst);
});

test('keys that follow Esc in the same read are not swallowed by it', async () => {
  const app = await mountWizard(wizardState({}, { screen: 'networks' }));
  await app.press('\u001b\t');
  await app.press('\u001b[B');
  await app.press('x');
  expect(app.store.getState().screen).toBe('cluster');
  expect(app.lines()[2]).toContain('What you install, and its name.');
  await app.unmount();
});

test('keys after save-and-quit change nothing more', async () => {
  const app = await mountWizard(wizardState({}, { screen: 'cluster' }));
  await app.press('\u00154.20\u0013zzz\r');
  const state = app.store.getState();
  expect(state.leaveReason).toBe('quit');
  expect(getAt(state.document, 'openshift.version')).toBe('4.20');
  expect(app.effects.filter(({ type }) => type === 'leave')).toEqual([{ type: 'leave', reason: 'quit' }]);
  await app.unmount();
});
