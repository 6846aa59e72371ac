import { expect, test } from 'vitest';
import { listFailuresByCause } from '../../src/checks/causes/explain.ts';
import { createCheckFactory, type Finding, runChecks } from '../../src/checks/check.ts';

const TEXTS = {
  height: { title: 'it is high enough', wrong: 'it is too low', remedy: 'Raise it.' },
  colour: { title: 'it is green', wrong: 'it is not green', remedy: 'Paint it.', unknown: 'it is dark' },
};
const check = createCheckFactory<number>('start');
const height = check('height', 'fatal', (metres) => ({
  state: metres > 2 ? 'ok' : 'failed',
  evidence: [`${metres} m`],
}));
const colour = check('colour', 'warning', () => [{ state: 'unknown', subject: 'door' }]);
const none = check('none', 'warning', () => null);
const evaluateChecks = (metres: number) => runChecks([height, colour, none], metres, { ...TEXTS, none: TEXTS.height });

test('a check reports ok, failed and unknown with the texts of its code', () => {
  expect(evaluateChecks(3)).toMatchObject([
    { code: 'height', state: 'ok', subject: null, title: 'it is high enough', cause: '3 m' },
    { code: 'colour', state: 'unknown', subject: 'door', title: 'door: it is green', cause: 'it is dark' },
  ]);
  expect(evaluateChecks(1)[0]).toMatchObject({
    state: 'failed',
    severity: 'fatal',
    title: 'it is too low',
    remedy: 'Raise it.',
  });
});

test('failed findings are problems, the fatal ones first; unknown ones are not', () => {
  const createFinding = (code: string, state: Finding['state'], severity: Finding['severity']): Finding => ({
    ...{ code, state, severity },
    ...{ subject: null, title: '', cause: '', remedy: '' },
  });
  const findings = [
    createFinding('a', 'failed', 'warning'),
    createFinding('b', 'unknown', 'fatal'),
    createFinding('c', 'failed', 'fatal'),
    createFinding('d', 'ok', 'fatal'),
  ];
  expect(listFailuresByCause(findings).map(({ code }) => code)).toEqual(['c', 'a']);
});

test('a result may have its own texts and severity, and several pieces of evidence', () => {
  const noise = createCheckFactory<readonly string[]>('start')('noise', 'warning', (noises) =>
    noises.map((title) => ({
      state: 'failed',
      title,
      evidence: ['at night', 'at noon'],
      remedy: '',
      ...(title === 'bang' ? { severity: 'fatal' } : {}),
    })),
  );
  expect(runChecks([noise], [])).toEqual([]);
  expect(runChecks([noise], ['creak', 'bang'])).toMatchObject([
    { code: 'noise', title: 'creak', cause: 'at night; at noon', severity: 'warning' },
    { code: 'noise', title: 'bang', severity: 'fatal' },
  ]);
});
