import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createScaledClock } from '../../../src/platform/clock.ts';
import type { StepContext } from '../../../src/steps/contract.ts';
import { fetchImages, fetchPrograms } from '../../../src/steps/prepare/actions.ts';
import { gatherFacts } from '../../../src/steps/prepare/facts.ts';
import { prepareStep } from '../../../src/steps/prepare/index.ts';
import { createStepState } from '../../../src/steps/step-state.ts';
import { exampleSite } from '../../support/example-design.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';
import { START } from '../../support/wizard-state.ts';

const IMAGES = {
  'rhcos-418.94.1-0-live-kernel-x86_64': 'kernel',
  'rhcos-418.94.1-0-live-initramfs.x86_64.img': 'initramfs',
  'rhcos-418.94.1-0-live-rootfs.x86_64.img': 'rootfs',
} as const;
const [KERNEL, , ROOTFS] = Object.keys(IMAGES) as [string, string, string];
const INSTALLER = 'openshift-install-linux-4.18.11.tar.gz';
const CLIENT = 'openshift-client-linux-4.18.11.tar.gz';
const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest('hex');

let fixture: StepFixture;
let context: StepContext;
let mirror: string;
let lines: string[];

beforeEach(() => {
  fixture = createStepFixture({ clock: createScaledClock({ real: Date.now(), simulated: START, speed: 60 }) });
  mirror = mkdtempSync(join(tmpdir(), 'upi-mirror-'));
  lines = [];
  context = { ...fixture.context, programDirectories: [fixture.dir] };
  context.stepState.set('mirror', mirror);
});
afterEach(async () => {
  rmSync(mirror, { recursive: true, force: true });
  await fixture.remove();
});

/** Writes what `export downloads` fetches. */
function fillMirror(version = '4.18.11', architecture = 'amd64'): void {
  const pxe = Object.fromEntries(
    Object.entries(IMAGES).map(([name, text]) => [
      text,
      { location: `https://images.example/${name}`, sha256: sha256(text) },
    ]),
  );
  const stream = { architectures: { x86_64: { artifacts: { metal: { release: '418', formats: { pxe } } } } } };
  const installer = `#!/bin/sh
case "$1" in
  version) printf 'openshift-install ${version}\\nrelease architecture ${architecture}\\n' ;;
  coreos) echo '${JSON.stringify(stream)}' ;;
esac
`;
  writeArchive(`openshift-install-linux-${version}.tar.gz`, { 'README.md': 'read', 'openshift-install': installer });
  writeArchive(`openshift-client-linux-${version}.tar.gz`, { oc: '#!/bin/sh\n', kubectl: '#!/bin/sh\n' });
  for (const [name, text] of Object.entries(IMAGES)) writeFileSync(join(mirror, name), text);
  writeSums();
}

function writeArchive(name: string, contents: Readonly<Record<string, string>>): void {
  const source = mkdtempSync(join(tmpdir(), 'upi-archive-'));
  for (const [file, text] of Object.entries(contents)) writeFileSync(join(source, file), text, { mode: 0o755 });
  execFileSync('tar', ['-C', source, '-czf', join(mirror, name), ...Object.keys(contents)]);
  rmSync(source, { recursive: true });
}

function writeSums(): void {
  const archives = readdirSync(mirror).filter((name) => name.endsWith('.tar.gz'));
  const sums = archives.map((name) => `${sha256(readFileSync(join(mirror, name)))}  ${name}\n`);
  writeFileSync(join(mirror, 'sha256sum.txt'), sums.join(''));
}

const describeMirror = () =>
  readdirSync(mirror).map((name) => {
    const { mtimeMs, ctimeMs, size, mode } = lstatSync(join(mirror, name));
    return { name, mtimeMs, ctimeMs, size, mode };
  });

const takeAll = async (within: StepContext = context) => {
  await fetchPrograms(within, (line) => lines.push(line));
  await fetchImages(within, await gatherFacts(within), (line) => lines.push(line));
};

/** Takes everything, and returns the error that ends it. */
async function takeUntilError(): Promise<{ code: string; title: string; cause: string; remedy: string }> {
  const error = await takeAll().then(
    () => null,
    (thrown: unknown) => thrown,
  );
  expect(error).toHaveProperty('userError');
  // Nothing that is not whole has a name, and no temporary file stays.
  const left = readdirSync(fixture.dir, { recursive: true, encoding: 'utf8' });
  expect(left.filter((name) => name.endsWith('.new'))).toEqual([]);
  return (error as { userError: { code: string; title: string; cause: string; remedy: string } }).userError;
}

test('programs and images come from the directory, checked and unpacked; the directory stays as it is', async () => {
  fillMirror();
  const before = describeMirror();
  const plan = await prepareStep.plan(context, await prepareStep.probe(context));
  expect(plan.changes[0]?.what).toBe(`openshift-install and oc 4.18 are taken from ${mirror} and checked`);
  await takeAll();
  expect(describeMirror()).toEqual(before);
  for (const name of ['openshift-install', 'oc']) expect(statSync(join(fixture.dir, name)).mode & 0o777).toBe(0o755);
  expect(existsSync(join(fixture.dir, 'kubectl'))).toBe(false);
  const facts = await gatherFacts(context);
  expect(facts).toMatchObject({
    installer: join(fixture.dir, 'openshift-install'),
    installerVersion: { version: '4.18.11' },
  });
  expect(facts.imageStates.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok']);
  // Files that were generated before the installer was here use the names of the mirror.
  expect(readFileSync(join(context.imagesDir, 'rhcos-live-rootfs.x86_64.img'), 'utf8')).toBe('rootfs');
  expect(lines).toContain(`Reading ${KERNEL} in ${mirror}`);
  expect(lines.join('\n')).not.toContain('no published checksum');
});

test('without --mirror, the directory of the design is read', async () => {
  fillMirror();
  const stepState = createStepState({});
  context = { ...context, stepState, design: { ...context.design, downloadsDir: mirror } };
  await takeAll();
  expect(existsSync(join(fixture.dir, 'openshift-install'))).toBe(true);
});

test('a rehearsal takes a missing image from its own directory, never from the internet', async () => {
  fillMirror();
  await takeAll();
  rmSync(join(context.imagesDir, KERNEL));
  const manualActions = { ...context.manualActions, simulatedDownloadsDir: mirror };
  context = { ...context, manualActions, stepState: createStepState({}) };
  lines = [];
  await fetchImages(context, await gatherFacts(context), (line) => lines.push(line));
  expect(lines).toContain(`Reading ${KERNEL} in ${mirror}`);
  expect(readFileSync(join(context.imagesDir, KERNEL), 'utf8')).toBe('kernel');
  // Without the file, the rehearsal says so and contacts no server.
  rmSync(join(context.imagesDir, KERNEL));
  rmSync(join(mirror, KERNEL));
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-missing' });
});

test('only what is missing or wrong is read; a wrong image stays until the right one is whole', async () => {
  fillMirror();
  await takeAll();
  writeFileSync(join(context.imagesDir, ROOTFS), 'half');
  rmSync(join(mirror, KERNEL));
  lines = [];
  await fetchImages(context, await gatherFacts(context), (line) => lines.push(line));
  expect(lines.filter((line) => line.startsWith('Reading'))).toEqual([`Reading ${ROOTFS} in ${mirror}`]);
  expect(readFileSync(join(context.imagesDir, ROOTFS), 'utf8')).toBe('rootfs');
  writeFileSync(join(context.imagesDir, ROOTFS), 'half');
  writeFileSync(join(mirror, ROOTFS), 'another');
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-checksum' });
  expect(readFileSync(join(context.imagesDir, ROOTFS), 'utf8')).toBe('half');
});

test('programs that are no archives, and images under the names of the directory by version, are taken, too', async () => {
  fillMirror();
  for (const archive of [INSTALLER, CLIENT]) {
    execFileSync('tar', ['-C', mirror, '-xzf', join(mirror, archive)]);
    rmSync(join(mirror, archive));
  }
  for (const [name, text] of Object.entries(IMAGES)) {
    rmSync(join(mirror, name));
    writeFileSync(join(mirror, name.replace('418.94.1-0', '4.18.1-x86_64')), text);
  }
  await takeAll();
  expect((await gatherFacts(context)).imageStates.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok']);
  expect(lines).toContain('openshift-install: no published checksum is known here');
});

test('a missing file is named with its checksum and the command that fetches it', async () => {
  fillMirror();
  rmSync(join(mirror, ROOTFS));
  const other = 'rhcos-418.94.0-0-live-rootfs.x86_64.img';
  expect(await takeUntilError()).toEqual({
    code: 'mirror-missing',
    title: `${ROOTFS} is missing in ${mirror}`,
    cause: `The directory has no other file of this kind; the SHA-256 of the right file is ${sha256('rootfs')}.`,
    remedy: expect.stringMatching(/`[^`]*export downloads`/),
  });
  writeFileSync(join(mirror, other), 'another build');
  expect(await takeUntilError()).toMatchObject({
    code: 'mirror-missing',
    cause: expect.stringContaining(`The directory has ${other}, which is from another build`),
  });
  rmSync(join(mirror, other));
  rmSync(join(mirror, KERNEL));
  rmSync(join(context.imagesDir, KERNEL), { force: true });
  expect(await takeUntilError()).toMatchObject({
    code: 'mirror-missing',
    title: `2 files are missing in ${mirror}`,
    cause: `${KERNEL} (SHA-256 ${sha256('kernel')}), ${ROOTFS} (SHA-256 ${sha256('rootfs')}).`,
  });
  rmSync(join(mirror, INSTALLER));
  rmSync(join(fixture.dir, 'openshift-install'));
  expect(await takeUntilError()).toMatchObject({
    code: 'mirror-missing',
    title: `openshift-install-linux.tar.gz is missing in ${mirror}`,
  });
});

test('a cut or altered file is refused, with both checksums', async () => {
  fillMirror();
  truncateSync(join(mirror, KERNEL), 3);
  expect(await takeUntilError()).toMatchObject({
    code: 'mirror-checksum',
    title: `${KERNEL} in ${mirror} is truncated, damaged or from another build`,
    cause: `Its SHA-256 is ${sha256('ker')}, and the published one is ${sha256('kernel')}.`,
  });
  rmSync(join(fixture.dir, 'openshift-install'));
  truncateSync(join(mirror, INSTALLER), Math.floor(statSync(join(mirror, INSTALLER)).size / 2));
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-checksum' });
  // Without the list, the archive itself shows it.
  rmSync(join(mirror, 'sha256sum.txt'));
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-cut' });
  writeFileSync(join(mirror, INSTALLER), 'no archive');
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-cut' });
  writeFileSync(join(mirror, INSTALLER), gzipSync('no archive in it'));
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-cut' });
  writeArchive(INSTALLER, { 'README.md': 'nothing else' });
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-cut' });
  expect(existsSync(join(fixture.dir, 'openshift-install'))).toBe(false);
});

test('the archive of the design’s version is chosen; another version is named', async () => {
  fillMirror('4.18.9');
  fillMirror('4.18.11');
  fillMirror('4.19.2');
  await fetchPrograms(context, (line) => lines.push(line));
  expect((await gatherFacts(context)).installerVersion?.version).toBe('4.18.11');
  rmSync(join(fixture.dir, 'openshift-install'));
  for (const version of ['4.18.9', '4.18.11']) rmSync(join(mirror, `openshift-install-linux-${version}.tar.gz`));
  expect(await takeUntilError()).toMatchObject({
    code: 'mirror-version',
    cause: 'It is 4.19.2, but the design says 4.18.',
  });
  // The name says one thing, the program another.
  fillMirror('4.19.2');
  execFileSync('mv', [join(mirror, 'openshift-install-linux-4.19.2.tar.gz'), join(mirror, INSTALLER)]);
  writeSums();
  expect(await takeUntilError()).toMatchObject({
    code: 'mirror-version',
    cause: 'It is OpenShift 4.19.2, but the design says 4.18.',
  });
  fillMirror('4.18.11', 'arm64');
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-version', cause: expect.stringContaining('arm64') });
  expect(existsSync(join(fixture.dir, 'openshift-install'))).toBe(false);
});

test('links count inside the directory only; pipes, devices and directories are refused and never waited for', async () => {
  fillMirror();
  execFileSync('mv', [join(mirror, KERNEL), join(mirror, 'kernel')]);
  symlinkSync('kernel', join(mirror, KERNEL));
  await takeAll();
  expect(lstatSync(join(context.imagesDir, KERNEL)).isFile()).toBe(true);
  const outside = join(fixture.dir, 'outside');
  writeFileSync(outside, 'kernel');
  const kinds: readonly (() => void)[] = [
    () => symlinkSync(outside, join(mirror, KERNEL)),
    () => symlinkSync(`../${mirror.split('/').at(-1)}/../${'etc/hostname'}`, join(mirror, KERNEL)),
    () => symlinkSync('nowhere', join(mirror, KERNEL)),
    () => symlinkSync(KERNEL, join(mirror, KERNEL)),
    () => mkdirSync(join(mirror, KERNEL)),
    () => execFileSync('mkfifo', [join(mirror, KERNEL)]),
    ...(process.getuid?.() === 0 ? [() => execFileSync('mknod', [join(mirror, KERNEL), 'c', '1', '5'])] : []),
  ];
  for (const create of kinds) {
    rmSync(join(context.imagesDir, KERNEL), { force: true });
    rmSync(join(mirror, KERNEL), { recursive: true, force: true });
    create();
    expect(await takeUntilError()).toMatchObject({
      code: 'mirror-file-kind',
      title: `${KERNEL} in ${mirror} is not a regular file`,
    });
  }
});

test('hostile names are never paths, and are shown without their control characters', async () => {
  fillMirror();
  rmSync(join(mirror, ROOTFS));
  writeFileSync(join(mirror, 'rhcos-\u001b]0;x\u0007\n-live-rootfs.x86_64.img'), 'x');
  writeFileSync(join(mirror, 'sha256sum-rhcos.txt'), `${sha256('x')}  ../../etc/passwd\n`);
  const { cause } = await takeUntilError();
  expect(cause).toContain('which is from another build');
  expect(cause).not.toMatch(/[\u0000-\u001f\u0007]/);
});

test('an archive with a program outside of its top level, or as a link, does not place it', async () => {
  fillMirror();
  rmSync(join(mirror, 'sha256sum.txt'));
  const source = mkdtempSync(join(tmpdir(), 'upi-archive-'));
  symlinkSync('/bin/true', join(source, 'openshift-install'));
  execFileSync('tar', ['-C', source, '-czf', join(mirror, INSTALLER), 'openshift-install']);
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-cut' });
  rmSync(join(source, 'openshift-install'));
  mkdirSync(join(source, 'bin'));
  writeFileSync(join(source, 'bin', 'openshift-install'), '#!/bin/sh\n');
  execFileSync('tar', ['-C', source, '-czf', join(mirror, INSTALLER), 'bin/openshift-install']);
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-cut' });
  rmSync(source, { recursive: true });
});

test('a directory that is gone is named, and the next run goes on where this one stopped', async () => {
  rmSync(mirror, { recursive: true });
  expect(await takeUntilError()).toMatchObject({ code: 'mirror-unreadable', title: `${mirror} cannot be read` });
  mkdirSync(mirror);
  fillMirror();
  await takeAll();
  expect((await gatherFacts(context)).imageStates.every(({ state }) => state === 'ok')).toBe(true);
});

test('before 4.8 no installer names the images: those of the directory are taken, checked by its list', async () => {
  const design = exampleSite();
  const within = { ...context, design: { ...design, openshift: { ...design.openshift, version: '4.6' } } };
  writeArchive('openshift-install-linux-4.6.1.tar.gz', {
    'openshift-install': '#!/bin/sh\n[ "$1" = version ] && printf "openshift-install 4.6.1\\n"\n',
  });
  writeArchive('openshift-client-linux-4.6.1.tar.gz', { oc: '#!/bin/sh\n' });
  const names = Object.keys(IMAGES).map((name) => name.replace('418.94.1-0', '4.6.1-x86_64'));
  for (const name of names) writeFileSync(join(mirror, name), name);
  writeFileSync(join(mirror, 'sha256sum-rhcos.txt'), names.map((name) => `${sha256(name)}  ${name}\n`).join(''));
  await takeAll(within);
  expect(readdirSync(context.imagesDir).toSorted()).toEqual(names.toSorted());
  writeFileSync(join(mirror, names[0] ?? ''), 'altered');
  rmSync(join(context.imagesDir, names[0] ?? ''));
  const facts = await gatherFacts(within);
  await expect(fetchImages(within, facts, () => undefined)).rejects.toMatchObject({
    userError: { code: 'mirror-checksum' },
  });
});
