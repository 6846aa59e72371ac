import { expect, test } from 'vitest';
import { wrapLine } from '../../src/cli/shared/process-io.ts';

test('prose is wrapped with its indent; text to be copied is never broken', () => {
  expect(wrapLine('   Cause: a pool is missing or wrong', 20)).toBe('   Cause: a pool is\n   missing or wrong\n');
  for (const line of [
    '     $ dig @172.16.0.102 api.ocp45.example.localdomain A',
    `     https://docs.example/${'a'.repeat(200)}`,
  ])
    expect(wrapLine(line, 20)).toBe(`${line}\n`);
  expect(wrapLine('see https://docs.example/a or ask', 20).split('\n').length).toBeGreaterThan(2);
});
