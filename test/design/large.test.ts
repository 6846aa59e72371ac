// Files that no person writes: each is read in time that grows with its length. (What compares or copies each with all others
// takes hours for these, and ends as what hangs.)
import { expect, test } from 'vitest';
import { exampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';

const MANY = 10_000;
const keys = (each: (index: number) => string) => Array.from({ length: MANY }, (_, index) => each(index)).join('');
const example = exampleDesign({});
const lines = example.split('\n').length - 1;

test('each of many unknown keys is told of where it stands', () => {
  const { problems } = parseDesign(`${example}${keys((index) => `k${index}: 1\n`)}`);
  const unknown = problems.filter(({ rule }) => rule === 'unknown-key');
  expect(unknown).toHaveLength(MANY);
  expect(unknown.at(-1)).toMatchObject({ path: `k${MANY - 1}`, line: lines + MANY, column: 1 });
});

test('many wrong values of a list are told of where they stand', () => {
  const { problems } = parseDesign(
    example.replace(/company:[\s\S]*?(?=\n {2}router)/, `company: [${keys(() => '1,')}]`),
  );
  const wrong = problems.filter(({ path }) => path.startsWith('networks.company.'));
  expect(wrong.length).toBeGreaterThanOrEqual(MANY);
});

test('a key that comes again and again is told of a few times', () => {
  const { problems } = parseDesign(`${example}${keys(() => 'k: 1\n')}`);
  expect(problems.map(({ rule, line }) => [rule, line])).toEqual(
    [2, 3, 4, 5, 6].map((nth) => ['duplicate-key', lines + nth]),
  );
});

test.each(['[', '{a: ', '- '])('nesting by %j that no stack holds is told as such', (open) => {
  const close = { '[': ']', '{a: ': '}' }[open] ?? '';
  const text = `${example}x:\n  ${open.repeat(MANY)}1${close.repeat(MANY)}\n`;
  expect(new Set(parseDesign(text).problems.map(({ rule }) => rule))).toEqual(new Set(['syntax']));
});
