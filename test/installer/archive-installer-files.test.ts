import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { archiveInstallerFiles, inspectInstallDir } from '../../src/installer/install-dir.ts';

let dir: string;
let archiveDir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'upi-aside-'));
  archiveDir = join(dir, '.upi-wizard', 'aside');
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

function createInstallerFiles(): void {
  for (const name of ['auth', 'manifests']) mkdirSync(join(dir, name));
  writeFileSync(join(dir, 'auth', 'kubeconfig'), 'of this run');
  for (const name of ['bootstrap.ign', 'master.ign', 'worker.ign', 'metadata.json', '.openshift_install_state.json'])
    writeFileSync(join(dir, name), '{}');
  writeFileSync(join(dir, '.openshift_install.log'), '');
}

test('all files of the installer are moved; those of the wizard and the programs stay', async () => {
  createInstallerFiles();
  for (const name of ['files', 'images']) mkdirSync(join(dir, name));
  for (const name of ['openshift-install', 'oc', 'design.yaml', 'report.md']) writeFileSync(join(dir, name), '');
  expect((await inspectInstallDir(dir)).state).toBe('mixed');
  const archive = await archiveInstallerFiles(dir, archiveDir);
  expect(archive?.path).toBe(join(archiveDir, '1'));
  expect(readFileSync(join(archiveDir, '1', 'auth', 'kubeconfig'), 'utf8')).toBe('of this run');
  expect(statSync(join(archiveDir, '1')).mode & 0o777).toBe(0o700);
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

test('each archive has its own directory, and an empty directory gives null', async () => {
  expect(await archiveInstallerFiles(dir, archiveDir)).toBeNull();
  createInstallerFiles();
  await archiveInstallerFiles(dir, archiveDir);
  createInstallerFiles();
  expect((await archiveInstallerFiles(dir, archiveDir))?.path).toBe(join(archiveDir, '2'));
  expect(await archiveInstallerFiles(join(dir, 'none'), archiveDir)).toBeNull();
});
