import { expect, test } from 'vitest';
import { type Finding, problems } from '../../src/diagnosis/finding.ts';
import { check, checkRules, judge, type Rule } from '../../src/diagnosis/rule.ts';

const WORDS = {
  height: { title: 'it is high enough', wrong: 'it is too low', remedy: 'Raise it.' },
  colour: { title: 'it is green', wrong: 'it is not green', remedy: 'Paint it.', unseen: 'it is dark' },
};
const height = check('height', 'fatal', (metres: number) => ({
  state: metres > 2 ? 'ok' : 'failed',
  detail: `${metres} m`,
}));
const colour = check('colour', 'warning', () => ({ state: 'unknown', subject: 'door' }));
const none = check('none', 'warning', () => null);
const seen = (metres: number) =>
  judge(
    checkRules([height, colour, none], () => ({ ...WORDS, none: WORDS.height })),
    metres,
  );

test('a check says what is so, what is wrong and what cannot be seen, in the words of its code', () => {
  expect(seen(3)).toMatchObject([
    { code: 'height', state: 'ok', subject: null, title: 'it is high enough', cause: '3 m' },
    { code: 'colour', state: 'unknown', subject: 'door', title: 'door: it is green', cause: 'it is dark' },
  ]);
  expect(seen(1)[0]).toMatchObject({
    state: 'failed',
    severity: 'fatal',
    title: 'it is too low',
    whatToDo: 'Raise it.',
  });
});

test('what is wrong is told, the fatal first; what is only not known is not', () => {
  const of = (code: string, state: Finding['state'], severity: Finding['severity']): Finding => ({
    ...{ code, state, severity },
    ...{ subject: null, title: '', cause: '', whatToDo: '' },
  });
  const all = [
    of('a', 'failed', 'warning'),
    of('b', 'unknown', 'fatal'),
    of('c', 'failed', 'fatal'),
    of('d', 'ok', 'fatal'),
  ];
  expect(problems(all).map(({ code }) => code)).toEqual(['c', 'a']);
});

test('a rule that finds something says that it failed, with its own severity unless it has another for the case', () => {
  const rule: Rule<readonly string[]> = {
    code: 'noise',
    severity: 'warning',
    judge: (noises) =>
      noises.map((title) => ({ title, cause: '', whatToDo: '', ...(title === 'bang' ? { severity: 'fatal' } : {}) })),
  };
  expect(judge([rule], [])).toEqual([]);
  expect(judge([rule], ['creak', 'bang']).map(({ state, severity }) => `${state} ${severity}`)).toEqual([
    'failed warning',
    'failed fatal',
  ]);
});
