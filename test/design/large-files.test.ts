// Very large files: the time to read each must grow linearly with its length. A comparison or copy of each item with
// all others would take hours and exceed the test's time limit.
import { expect, test } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';

const MANY = 10_000;
const repeatText = (each: (index: number) => string) =>
  Array.from({ length: MANY }, (_, index) => each(index)).join('');
const example = renderExampleDesign({});
const lines = example.split('\n').length - 1;

test('each of many unknown keys is reported with its position', () => {
  const { problems } = parseDesign(`${example}${repeatText((index) => `k${index}: 1\n`)}`);
  const unknown = problems.filter(({ rule }) => rule === 'unknown-key');
  expect(unknown).toHaveLength(MANY);
  expect(unknown.at(-1)).toMatchObject({ path: `k${MANY - 1}`, line: lines + MANY, column: 1 });
});

test('many wrong values of a list are reported with their paths', () => {
  const { problems } = parseDesign(
    example.replace(/company:[\s\S]*?(?=\n {2}router)/, `company: [${repeatText(() => '1,')}]`),
  );
  const wrong = problems.filter(({ path }) => path.startsWith('networks.company.'));
  expect(wrong.length).toBeGreaterThanOrEqual(MANY);
});

test('a key that repeats many times is reported a few times', () => {
  const { problems } = parseDesign(`${example}${repeatText(() => 'k: 1\n')}`);
  expect(problems.map(({ rule, line }) => [rule, line])).toEqual(
    [2, 3, 4, 5, 6].map((nth) => ['duplicate-key', lines + nth]),
  );
});

test.each(['[', '{a: ', '- '])('nesting by %j beyond the stack is a syntax problem', (open) => {
  const close = { '[': ']', '{a: ': '}' }[open] ?? '';
  const text = `${example}x:\n  ${open.repeat(MANY)}1${close.repeat(MANY)}\n`;
  expect(new Set(parseDesign(text).problems.map(({ rule }) => rule))).toEqual(new Set(['syntax']));
});
