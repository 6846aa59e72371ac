import { existsSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { moveInitramfsAside } from '../../src/rehearsal/site/files.ts';
import { deriveReleaseMetadata } from '../../src/rehearsal/site/release-metadata.ts';

test('an initramfs that was moved back to its place is not moved aside again', () => {
  const images = mkdtempSync(join(tmpdir(), 'upi-aside-'));
  onTestFinished(() => rmSync(images, { recursive: true, force: true }));
  const paths = { images, movedAside: join(images, 'moved-aside') };
  const { rhcos } = deriveReleaseMetadata('4.18', 'x86_64');
  const file = join(images, rhcos.initramfs);
  writeFileSync(file, 'initramfs');
  moveInitramfsAside(paths, rhcos);
  expect(existsSync(file)).toBe(false);
  renameSync(join(paths.movedAside, rhcos.initramfs), file);
  moveInitramfsAside(paths, rhcos);
  expect(existsSync(file)).toBe(true);
});
