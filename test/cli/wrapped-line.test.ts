import { expect, test } from 'vitest';
import { wrappedLine } from '../../src/cli/shared/live-io.ts';

test('prose is wrapped below its start; what is copied is never broken', () => {
  expect(wrappedLine('   Cause: a pool is missing or wrong', 20)).toBe('   Cause: a pool is\n   missing or wrong\n');
  for (const copied of [
    '     $ dig @172.16.0.102 api.ocp45.example.localdomain A',
    `     https://docs.example/${'a'.repeat(200)}`,
  ])
    expect(wrappedLine(copied, 20)).toBe(`${copied}\n`);
  expect(wrappedLine('see https://docs.example/a or ask', 20).split('\n').length).toBeGreaterThan(2);
});
