import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { inspectInstallDir } from '../../src/installer/install-dir.ts';
import { setAside } from '../../src/installer/set-aside.ts';

let dir: string;
let to: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-aside-'));
  to = join(dir, '.upi-wizard', 'aside');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function leave(): void {
  for (const name of ['auth', 'manifests']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'auth', 'kubeconfig'), 'of this run');
  for (const name of ['bootstrap.ign', 'master.ign', 'worker.ign', 'metadata.json', '.openshift_install_state.json'])
    writeFileSync(join(dir, name), '{}');
  writeFileSync(join(dir, '.openshift_install.log'), '');
}

test('all that the installer left is moved, what is ours and the programs stay', async () => {
  leave();
  for (const name of ['files', 'images']) mkdirSync(join(dir, name));
  for (const name of ['openshift-install', 'oc', 'design.yaml', 'report.md']) writeFileSync(join(dir, name), '');
  expect((await inspectInstallDir(dir)).state).toBe('mixed');
  const moved = await setAside(dir, to);
  expect(moved?.path).toBe(join(to, '1'));
  expect(readFileSync(join(to, '1', 'auth', 'kubeconfig'), 'utf8')).toBe('of this run');
  expect(statSync(join(to, '1')).mode & 0o777).toBe(0o700);
  expect((await inspectInstallDir(dir)).state).toBe('empty');
  expect(readdirSync(dir).sort()).toEqual([
    '.upi-wizard',
    'design.yaml',
    'files',
    'images',
    'oc',
    'openshift-install',
    'report.md',
  ]);
});

test('each time has a directory of its own, and nothing is nothing', async () => {
  expect(await setAside(dir, to)).toBeNull();
  leave();
  await setAside(dir, to);
  leave();
  expect((await setAside(dir, to))?.path).toBe(join(to, '2'));
  expect(await setAside(join(dir, 'none'), to)).toBeNull();
});
