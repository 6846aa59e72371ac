import { expect, test } from 'vitest';
import { check, checkRules, evaluateRules, type Finding, listProblems, type Rule } from '../../src/checks/check.ts';

const TEXTS = {
  height: { title: 'it is high enough', wrong: 'it is too low', remedy: 'Raise it.' },
  colour: { title: 'it is green', wrong: 'it is not green', remedy: 'Paint it.', unseen: 'it is dark' },
};
const height = check('height', 'fatal', (metres: number) => ({
  state: metres > 2 ? 'ok' : 'failed',
  detail: `${metres} m`,
}));
const colour = check('colour', 'warning', () => ({ state: 'unknown', subject: 'door' }));
const none = check('none', 'warning', () => null);
const evaluateChecks = (metres: number) =>
  evaluateRules(
    checkRules([height, colour, none], () => ({ ...TEXTS, none: TEXTS.height })),
    metres,
  );

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
  expect(listProblems(findings).map(({ code }) => code)).toEqual(['c', 'a']);
});

test('a rule with a finding is failed, with its own severity unless it has another for the case', () => {
  const rule: Rule<readonly string[]> = {
    code: 'noise',
    severity: 'warning',
    evaluate: (noises) =>
      noises.map((title) => ({ title, cause: '', remedy: '', ...(title === 'bang' ? { severity: 'fatal' } : {}) })),
  };
  expect(evaluateRules([rule], [])).toEqual([]);
  expect(evaluateRules([rule], ['creak', 'bang']).map(({ state, severity }) => `${state} ${severity}`)).toEqual([
    'failed warning',
    'failed fatal',
  ]);
});
