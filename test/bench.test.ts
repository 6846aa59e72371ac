import { expect, test } from 'vitest';
import { checkTarget, computeSpread, formatTable } from './tools/bench/statistics.ts';

test('minimum, median and 95th percentile of the samples', () => {
  const samples = Array.from({ length: 100 }, (_, index) => 100 - index);
  expect(computeSpread(samples)).toEqual({ min: 1, median: 50, p95: 95 });
  expect(() => computeSpread([])).toThrow('nothing was measured');
  expect(() => computeSpread([1, Number.NaN])).toThrow('nothing was measured');
});

test('a target limits the ratio or the value', () => {
  const line = { row: 'r', value: 30, unit: 'ms', reference: { what: 'hello', value: 20 } };
  expect(checkTarget(line)).toBe('');
  expect(checkTarget({ ...line, target: { of: 'ratio', most: 1.5 } })).toBe('ok');
  expect(checkTarget({ ...line, target: { of: 'ratio', most: 1.4 } })).toBe('over');
  expect(checkTarget({ ...line, target: { of: 'value', most: 29 } })).toBe('over');
});

test('the table names value, reference, ratio and target', () => {
  const text = formatTable([
    { row: 'a', value: 30, unit: 'ms', reference: { what: 'hello', value: 20 }, target: { of: 'ratio', most: 1.4 } },
  ]);
  expect(text.split('\n')[1]).toMatch(/^a\s+30\.0 ms\s+20\.0 ms \(hello\)\s+1\.50x\s+<= 1\.4x\s+over$/);
});
