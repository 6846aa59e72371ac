import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { shellWord } from '../../src/text/shell.ts';

test.each([
  '/home/user/upi-cluster',
  '/tmp/日本語',
  "/tmp/it's mine",
  '/tmp/$(id) `id` "x"',
  '',
  '/tmp/a\nb',
  '~x',
  '!!',
])('a shell reads %j back as it was', (text) => {
  const { stdout } = spawnSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' });
  expect(stdout).toBe(text);
});

test('a plain path is not quoted', () => {
  expect(shellWord('/home/user/upi-cluster')).toBe('/home/user/upi-cluster');
});
