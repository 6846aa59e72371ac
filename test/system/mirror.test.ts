import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { lstatSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { renderExampleDesign } from '../../src/design/example.ts';
import { getImageBytes, listImageNames } from '../../src/rehearsal/site/files.ts';
import { deriveReleaseMetadata } from '../../src/rehearsal/site/release-metadata.ts';
import { testWith } from '../support/programs.ts';
import {
  createExampleAnswers,
  createSandbox,
  FAST_SPEED,
  getBuiltProgram,
  startProgram,
  wizardExecutable,
} from '../support/rehearsal-run.ts';

// A whole rehearsal without any network but the loopback: everything that Prepare needs comes from a directory.

const sandbox = createSandbox();
afterAll(sandbox.remove);
const test = testWith('unshare', 'ip', 'tar');

/** Writes the downloads of a rehearsal in `dir`: its stand-in for openshift-install, oc, and the images. */
function writeMirror(mirror: string, dir: string, version = '4.18.0'): void {
  mkdirSync(mirror);
  const pack = (archive: string, program: string, text: string) => {
    const source = mkdtempSync(join(sandbox.path, 'archive-'));
    writeFileSync(join(source, program), text, { mode: 0o755 });
    execFileSync('tar', ['-C', source, '-czf', join(mirror, archive), program]);
  };
  const standIn = `exec '${process.execPath}' '${getBuiltProgram('stand-in')}' '${join(dir, '.upi-wizard/site')}' "$@"`;
  pack(`openshift-install-linux-${version}.tar.gz`, 'openshift-install', `#!/bin/sh\n${standIn}\n`);
  pack(`openshift-client-linux-${version}.tar.gz`, 'oc', '#!/bin/sh\n');
  const archives = readdirSync(mirror).map((name) => {
    const sum = createHash('sha256')
      .update(readFileSync(join(mirror, name)))
      .digest('hex');
    return `${sum}  ${name}\n`;
  });
  writeFileSync(join(mirror, 'sha256sum.txt'), archives.join(''));
  for (const name of listImageNames(deriveReleaseMetadata(version, 'x86_64').rhcos))
    writeFileSync(join(mirror, name), getImageBytes(name));
}

const describeFiles = (dir: string) =>
  readdirSync(dir).map((name) => {
    const { mtimeMs, ctimeMs, size } = lstatSync(join(dir, name));
    return { name, mtimeMs, ctimeMs, size };
  });

/** Runs the built program in a network of its own, which has only the loopback. */
const runAlone = (...argv: readonly string[]) =>
  startProgram(
    'unshare',
    ['-rn', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh', process.execPath, wizardExecutable, ...argv],
    { sandbox },
  ).exit;

const answers = sandbox.file('site.yaml', createExampleAnswers());
const rehearse = (dir: string, mirror: string, design = answers) =>
  runAlone('rehearse', '--answers', design, '--plain', '--speed', String(FAST_SPEED), '--dir', dir, '--mirror', mirror);

test('a rehearsal installs from a directory, with the network unshared, and writes nothing there', async () => {
  const [dir, mirror] = [sandbox.dir('rehearsal'), sandbox.dir('usb')];
  writeMirror(mirror, dir);
  const before = describeFiles(mirror);
  const { code, stdout, stderr } = await rehearse(dir, mirror);
  expect({ code, stderr: code === 0 ? '' : stderr, stdout: code === 0 ? '' : stdout }).toMatchObject({ code: 0 });
  expect(stderr).toContain(`Prepare takes openshift-install, oc and the images from ${mirror}.`);
  expect(stdout).toContain(`openshift-install and oc 4.18 are taken from ${mirror} and checked`);
  expect(describeFiles(mirror)).toEqual(before);
  const site = join(dir, '.upi-wizard/site');
  expect(readdirSync(join(site, 'bin')).toSorted()).toEqual(['oc', 'openshift-install']);
});

test('a rehearsal of OKD does the same, with the images of CentOS Stream CoreOS', async () => {
  const [dir, mirror] = [sandbox.dir('rehearsal-okd'), sandbox.dir('usb-okd')];
  const version = '4.20.0-okd-scos.3';
  writeMirror(mirror, dir, version);
  const before = describeFiles(mirror);
  const design = sandbox.file('okd.yaml', renderExampleDesign({ version }));
  const { code, stdout, stderr } = await rehearse(dir, mirror, design);
  expect({ code, stderr: code === 0 ? '' : stderr, stdout: code === 0 ? '' : stdout }).toMatchObject({ code: 0 });
  expect(stdout).toContain(`openshift-install and oc ${version} are taken from ${mirror} and checked`);
  expect(before.map(({ name }) => name)).toContainEqual(expect.stringMatching(/^scos-.*live-rootfs/));
  expect(describeFiles(mirror)).toEqual(before);
});

test('a directory without the root file system ends it with the name, the checksum and the way to fetch it', async () => {
  const [dir, mirror] = [sandbox.dir('rehearsal-cut'), sandbox.dir('usb-cut')];
  writeMirror(mirror, dir);
  const { rootfs } = deriveReleaseMetadata('4.18', 'x86_64').rhcos;
  if (rootfs === null) throw new Error('4.18 has a root file system');
  rmSync(join(mirror, rootfs));
  const { code, stdout } = await rehearse(dir, mirror);
  expect(code).toBe(4);
  const sum = createHash('sha256').update(getImageBytes(rootfs)).digest('hex');
  const text = stdout.replace(/\s+/g, ' ');
  expect(text).toContain(`${rootfs} is missing in ${mirror}`);
  expect(text.replaceAll(' ', '')).toContain(sum);
  expect(text).toContain('export downloads');
});

test('a directory that does not exist is wrong usage', async () => {
  const { code, stderr } = await rehearse(sandbox.dir('rehearsal-none'), sandbox.dir('nowhere'));
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`--mirror: ${sandbox.dir('nowhere')}`) });
});
