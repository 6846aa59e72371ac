import { createHash } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { readBootImages } from '../../../../src/steps/shared/installer/images.ts';
import { exampleSite } from '../../../support/example-design.ts';

const design = exampleSite({ openshift: { version: '4.22', architecture: 'x86_64', osImageStream: null } });
const BUILD = '9.6.20260423-0';
const NAMES = ['live-kernel.x86_64', 'live-initramfs.x86_64.img', 'live-rootfs.x86_64.img'].map(
  (name) => `rhcos-${BUILD}-${name}`,
);
const [KERNEL, INITRAMFS, ROOTFS] = NAMES as [string, string, string];

/** A directory with an installer that describes images, and with these images. */
function createSite(stream: string | null, version = '4.22.3') {
  const dir = mkdtempSync(join(tmpdir(), 'upi-boot-images-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const name of NAMES) writeFileSync(join(dir, name), name);
  if (stream !== null) {
    const program = join(dir, 'openshift-install');
    writeFileSync(join(dir, 'stream.json'), stream);
    const describe = `cat '${join(dir, 'stream.json')}'`;
    const script = `#!/bin/sh\ncase $1 in version) echo 'openshift-install ${version}'; echo 'built from commit abc';; *) ${describe};; esac\n`;
    writeFileSync(program, script);
    chmodSync(program, 0o755);
  }
  return { dir, read: () => readBootImages({ design, programDirectories: [dir], imagesDir: dir }) };
}

function describeImages(): string {
  const image = (name: string) => ({
    location: `https://example.com/${name}`,
    sha256: createHash('sha256').update(name).digest('hex'),
  });
  const pxe = { kernel: image(KERNEL), initramfs: image(INITRAMFS), rootfs: image(ROOTFS) };
  return JSON.stringify({ architectures: { x86_64: { artifacts: { metal: { release: BUILD, formats: { pxe } } } } } });
}

test('the build of the images here, if each is the one that the installer names', async () => {
  const { dir, read } = createSite(describeImages());
  expect(await read()).toEqual({ build: BUILD, release: '4.22.3' });
  writeFileSync(join(dir, ROOTFS), 'another image');
  expect(await read()).toBeNull();
  rmSync(join(dir, ROOTFS));
  expect(await read()).toBeNull();
});

test('nothing without an installer, and with one that describes no images or is of no release', async () => {
  const path = process.env.PATH;
  onTestFinished(() => {
    process.env.PATH = path;
  });
  expect(await createSite('{"architectures": {}}').read()).toBeNull();
  expect(await createSite('no JSON').read()).toBeNull();
  expect(await createSite(describeImages(), 'unreleased-master').read()).toBeNull();
  process.env.PATH = '';
  expect(await createSite(null).read()).toBeNull();
});
