import { expect, test } from 'vitest';
import { createScreenTextModel } from '../../screens/app/plain.ts';
import type { Finding } from '../../src/checks/check.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { describeChanges, NOTHING_REPORTED } from '../../src/plain/state-changes.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { certificatesView, operatorsView, stepState } from '../screens/views.ts';
import { findUnsafeText } from '../torture/hostile.ts';

/** Returns the lines about the second probe after those of the first. */
function reportSecond(first: WizardState, second: WizardState): string {
  const model = createScreenTextModel(100);
  const { reportedState } = describeChanges(NOTHING_REPORTED, first, model);
  return describeChanges(reportedState, second, model).lines.join('\n');
}
const words = () => catalogue().plain.cluster;

test('a node that lost Ready and one that became Ready are reported once, and not while the API is silent', () => {
  const nodes = certificatesView.nodes.map((node) => ({ ...node, isReady: node.name !== 'w1' }));
  const after = nodes.map((node) => ({ ...node, isReady: node.name !== 'm1' }));
  const createState = (view: unknown) => stepState('certificates', 'waiting', { view });
  const first = createState({ ...certificatesView, nodes });
  const second = createState({ ...certificatesView, nodes: after });
  const report = reportSecond(first, second);
  expect(report).toContain(words().notReady('m1'));
  expect(report).toContain(words().ready('w1'));
  expect(report).not.toContain('m2');
  expect(reportSecond(second, second)).toBe('');
  const silent = createState({ ...certificatesView, nodes: after, apiDetail: 'no answer' });
  expect(reportSecond(first, silent)).not.toContain(words().notReady('m1'));
});

test('operators that degrade, recover or disappear are reported with their message, without control characters', () => {
  const [degradedName, recoveredName, removedName] = ['dns', 'etcd', 'old'];
  const [sample] = operatorsView.operators;
  if (sample === undefined) throw new Error('there is no operator');
  const operator = (name: string | undefined, state: (typeof sample)['state'], message = '') => ({
    ...sample,
    name: name ?? '',
    state,
    message,
  });
  const createState = (operators: readonly (typeof sample)[]) =>
    stepState('operators', 'waiting', { view: { ...operatorsView, operators } });
  const first = createState([
    operator(degradedName, 'fine'),
    operator(recoveredName, 'degraded'),
    operator(removedName, 'fine'),
  ]);
  const message = 'pods are \u001b[2J\u202e gone';
  const second = createState([operator(degradedName, 'degraded', message), operator(recoveredName, 'fine')]);
  const report = reportSecond(first, second);
  expect(report).toMatch(/The operator dns is degraded now: pods are .* gone/);
  expect(report).toContain(words().healthy('etcd'));
  expect(report).toContain(words().removed('old'));
  expect(findUnsafeText(report)).toBeNull();
  // Progressing is not reported.
  expect(
    reportSecond(
      first,
      createState([
        operator(degradedName, 'progressing'),
        operator(recoveredName, 'degraded'),
        operator(removedName, 'fine'),
      ]),
    ),
  ).toBe('');
});

test('a finding is printed once while it lasts, and again when it changed or has returned', () => {
  const createFinding = (cause: string): Finding => ({
    code: 'boot-silent',
    state: 'failed',
    severity: 'fatal',
    subject: 'm3',
    title: 'm3 has sent no request',
    cause,
    remedy: 'Check power and cables.',
  });
  const createWaiting = (minutes: string) => createFinding(`in ${minutes} it got no address`);
  const model = createScreenTextModel(100);
  const printed: number[] = [];
  let reported = NOTHING_REPORTED;
  for (const findings of [
    [createWaiting('58 min')],
    [createWaiting('59 min')],
    [createWaiting('1 h 0 min')],
    [createFinding('its DHCP server is down')],
    [createWaiting('1 h 2 min')],
    [],
    [createWaiting('1 h 3 min')],
  ]) {
    const changes = describeChanges(reported, stepState('boot', 'waiting', { findings }), model);
    printed.push(changes.lines.filter((line) => line.includes('m3 has sent no request')).length);
    reported = changes.reportedState;
  }
  expect(printed).toEqual([1, 0, 0, 1, 0, 0, 1]);
});
