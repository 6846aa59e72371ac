import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { findInstaller } from '../../../../src/steps/shared/installer/images.ts';
import { exampleSite } from '../../../support/example-design.ts';

test('a cluster in FIPS mode uses the FIPS build of the installer from 4.16 on, if there is one', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'upi-find-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const add = (name: string) => {
    writeFileSync(join(dir, name), '');
    chmodSync(join(dir, name), 0o755);
  };
  const findName = async (fips: boolean, version = '4.18') => {
    const design = {
      ...exampleSite(),
      fips,
      openshift: { version, architecture: 'x86_64' as const, osImageStream: null },
    };
    return (await findInstaller({ design, programDirectories: [dir] }))?.slice(dir.length + 1);
  };
  add('openshift-install');
  expect([await findName(false), await findName(true)]).toEqual(['openshift-install', 'openshift-install']);
  add('openshift-install-fips');
  expect([await findName(false), await findName(true)]).toEqual(['openshift-install', 'openshift-install-fips']);
  expect(await findName(true, '4.15')).toBe('openshift-install');
});
