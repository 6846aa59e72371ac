import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { imageNames } from '../../../../src/steps/shared/installer/images.ts';
import { exampleSite } from '../../../support/example-design.ts';

const old = exampleSite({ openshift: { version: '4.5', architecture: 'x86_64' } });

function directory(...files: readonly string[]): string {
  const dir = mkdtempSync(join(tmpdir(), 'upi-images-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const file of files) writeFileSync(join(dir, file), '');
  return dir;
}

test('without an installer that knows them, the images are called as they were downloaded', async () => {
  const imagesDir = directory(
    'rhcos-4.5.6-x86_64-installer-kernel-x86_64',
    'rhcos-4.5.6-x86_64-installer-initramfs.x86_64.img',
    'rhcos-4.5.6-x86_64-metal.x86_64.raw.gz',
  );
  expect(await imageNames({ design: old, programPath: [], imagesDir })).toMatchObject({
    kernel: 'rhcos-4.5.6-x86_64-installer-kernel-x86_64',
    initramfs: 'rhcos-4.5.6-x86_64-installer-initramfs.x86_64.img',
    rootfs: null,
    metal: 'rhcos-4.5.6-x86_64-metal.x86_64.raw.gz',
  });
});

test('with none, or with two that could be meant, they are called as on the mirror', async () => {
  const imagesDir = directory('rhcos-4.5.6-installer-kernel-x86_64', 'rhcos-4.5.2-installer-kernel-x86_64');
  expect((await imageNames({ design: old, programPath: [], imagesDir })).kernel).toBe('rhcos-installer-kernel-x86_64');
});
