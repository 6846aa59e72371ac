import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { resolveImageNames } from '../../../../src/steps/shared/installer/images.ts';
import { exampleSite } from '../../../support/example-design.ts';

const oldDesign = exampleSite({ openshift: { version: '4.5', architecture: 'x86_64', osImageStream: null } });

function createDirectory(...files: readonly string[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'upi-images-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const file of files) writeFileSync(join(dir, file), '');
  return dir;
}

test('without an installer that names them, the images have the names of the downloaded files', async () => {
  const imagesDir = createDirectory(
    'rhcos-4.5.6-x86_64-installer-kernel-x86_64',
    'rhcos-4.5.6-x86_64-installer-initramfs.x86_64.img',
    'rhcos-4.5.6-x86_64-metal.x86_64.raw.gz',
  );
  expect(await resolveImageNames({ design: oldDesign, programDirectories: [], imagesDir })).toMatchObject({
    kernel: 'rhcos-4.5.6-x86_64-installer-kernel-x86_64',
    initramfs: 'rhcos-4.5.6-x86_64-installer-initramfs.x86_64.img',
    rootfs: null,
    metal: 'rhcos-4.5.6-x86_64-metal.x86_64.raw.gz',
  });
});

test('with no candidate, or with two, the images have their names on the mirror', async () => {
  const imagesDir = createDirectory('rhcos-4.5.6-installer-kernel-x86_64', 'rhcos-4.5.2-installer-kernel-x86_64');
  expect((await resolveImageNames({ design: oldDesign, programDirectories: [], imagesDir })).kernel).toBe(
    'rhcos-installer-kernel-x86_64',
  );
});
