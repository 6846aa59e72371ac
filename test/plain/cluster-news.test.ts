import { expect, test } from 'vitest';
import { faceOf } from '../../screens/app/plain.tsx';
import { NOTHING_TOLD, newsSince } from '../../src/plain/news.ts';
import { catalogue } from '../../src/text/catalogue.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { certificatesView, operatorsView, stepState } from '../screens/views.ts';
import { rawIn } from '../torture/hostile.ts';

/** What is said of the second look after the first. */
function saidOf(first: WizardState, second: WizardState): string {
  const face = faceOf(100);
  const { told } = newsSince(NOTHING_TOLD, first, face);
  return newsSince(told, second, face).lines.join('\n');
}
const words = () => catalogue().plain.cluster;

test('a node that left and one that became Ready are told, once, and not while the API is silent', () => {
  const nodes = certificatesView.nodes.map((node) => ({ ...node, isReady: node.name !== 'w1' }));
  const after = nodes.map((node) => ({ ...node, isReady: node.name !== 'm1' }));
  const look = (view: unknown) => stepState('certificates', 'waiting', { view });
  const first = look({ ...certificatesView, nodes });
  const second = look({ ...certificatesView, nodes: after });
  const said = saidOf(first, second);
  expect(said).toContain(words().notReady('m1'));
  expect(said).toContain(words().ready('w1'));
  expect(said).not.toContain('m2');
  expect(saidOf(second, second)).toBe('');
  const silent = look({ ...certificatesView, nodes: after, apiDetail: 'no answer' });
  expect(saidOf(first, silent)).not.toContain(words().notReady('m1'));
});

test('an operator that fell ill, one that recovered and one that is gone are told, with what they say and nothing that draws', () => {
  const [ill, well, gone] = ['dns', 'etcd', 'old'];
  const [sample] = operatorsView.operators;
  if (sample === undefined) throw new Error('there is no operator');
  const operator = (name: string | undefined, state: (typeof sample)['state'], message = '') => ({
    ...sample,
    name: name ?? '',
    state,
    message,
  });
  const look = (operators: readonly (typeof sample)[]) =>
    stepState('operators', 'waiting', { view: { ...operatorsView, operators } });
  const first = look([operator(ill, 'fine'), operator(well, 'degraded'), operator(gone, 'fine')]);
  const message = 'pods are \u001b[2J\u202e gone';
  const second = look([operator(ill, 'degraded', message), operator(well, 'fine')]);
  const said = saidOf(first, second);
  expect(said).toMatch(/The operator dns is degraded now: pods are .* gone/);
  expect(said).toContain(words().well('etcd'));
  expect(said).toContain(words().gone('old'));
  expect(rawIn(said)).toBeNull();
  // Progress is no illness.
  expect(saidOf(first, look([operator(ill, 'progressing'), operator(well, 'degraded'), operator(gone, 'fine')]))).toBe(
    '',
  );
});
