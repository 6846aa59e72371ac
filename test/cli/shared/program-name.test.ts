import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { getProgramName } from '../../../src/cli/shared/program-name.ts';
import { quoteShellArg } from '../../../src/platform/shell-quoting.ts';

const base = mkdtempSync(join(tmpdir(), 'name-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const script = join(base, 'my checkout/bin/upi-wizard.js');
const node = join(base, 'node');
mkdirSync(join(base, 'my checkout/bin'), { recursive: true });
mkdirSync(join(base, 'path'));
for (const file of [script, node]) {
  writeFileSync(file, '');
  chmodSync(file, 0o755);
}

test.each([
  ['by its file', {}, `${node} '${script}'`],
  [
    'by npm start',
    { npm_package_name: 'upi-wizard', npm_lifecycle_event: 'start' },
    `npm --prefix '${base}/my checkout' start --silent --`,
  ],
  [
    'by npx',
    { npm_package_name: 'upi-wizard', npm_lifecycle_event: 'npx' },
    `npx --prefix '${base}/my checkout' --no-install upi-wizard`,
  ],
  ['by npm of another package', { npm_package_name: 'other', npm_lifecycle_event: 'start' }, `${node} '${script}'`],
])('a printed command begins with the command that started this run: %s', (_how, env, name) => {
  expect(getProgramName([node, script], env)).toBe(name);
});

test('a name that the shell finds is used, if it is this program', () => {
  const path = join(base, 'path');
  const env = { PATH: `/nowhere:${path}` };
  expect(getProgramName([node, script], env)).toBe(`${node} '${script}'`);
  symlinkSync(node, join(path, 'node'));
  expect(getProgramName([node, script], env)).toBe(`node '${script}'`);
  symlinkSync(script, join(path, 'upi-wizard'));
  expect(getProgramName([node, join(path, 'upi-wizard')], env)).toBe('upi-wizard');
});

test('the start script of a package is named, by its name alone if the shell finds it, also below npm', () => {
  const launcher = join(base, 'my package/upi-wizard');
  mkdirSync(join(base, 'my package'));
  writeFileSync(launcher, '', { mode: 0o755 });
  const env = { UPI_WIZARD_LAUNCHER: launcher, npm_package_name: 'upi-wizard', npm_lifecycle_event: 'test' };
  expect(getProgramName([node, script], env)).toBe(`'${launcher}'`);
  expect(getProgramName([node, script], { ...env, PATH: join(base, 'my package') })).toBe('upi-wizard');
});

test('a word of a command is quoted as a shell needs it', () => {
  expect(['/root/upi-cluster', "it's", ''].map(quoteShellArg)).toEqual(['/root/upi-cluster', "'it'\\''s'", "''"]);
});
