import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderExampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { openSession } from '../../src/session/session.ts';
import { freshState } from '../../src/session/state.ts';
import { captureCommand } from '../support/run-command.ts';

const MIRROR = 'https://mirror.openshift.com/pub/openshift-v4';
let cwd: string;
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'upi-downloads-'));
});
afterEach(() => rmSync(cwd, { recursive: true, force: true }));

const writeDesign = (version: string, change = (text: string) => text) =>
  writeFileSync(join(cwd, 'site.yaml'), change(renderExampleDesign({ version })));
const run = (...argv: readonly string[]) => captureCommand(['export', 'downloads', ...argv], { cwd });
const list = async () => JSON.parse((await run('site.yaml', '--json')).stdout);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

/** Puts an openshift-install beside the design, where the wizard looks for it. */
function addInstaller(version: string, prefix = 'rhcos') {
  const image = (name: string) => ({ location: `https://images.example/${prefix}-1-${name}`, sha256: sha256(name) });
  const pxe = {
    kernel: image('live-kernel.x86_64'),
    initramfs: image('live-initramfs.x86_64.img'),
    rootfs: image('live-rootfs.x86_64.img'),
  };
  const architectures = { x86_64: { artifacts: { metal: { release: '1', formats: { pxe } } } } };
  writeFileSync(join(cwd, 'stream.json'), JSON.stringify({ stream: `${prefix}-4.20`, architectures }));
  const program = join(cwd, 'openshift-install');
  writeFileSync(
    program,
    `#!/bin/sh\ncase "$1" in version) printf 'openshift-install ${version}\\nrelease architecture amd64\\n' ;; coreos) cat '${cwd}/stream.json' ;; esac\n`,
  );
  chmodSync(program, 0o755);
}

test('without openshift-install the mirror is named, and what is not known in one sentence', async () => {
  writeDesign('4.18');
  const { files, unknown, ...release } = await list();
  expect(release).toEqual({ version: '4.18', architecture: 'x86_64', stream: null });
  expect(unknown).toMatch(/^No openshift-install 4\.18 was found here/);
  const clients = `${MIRROR}/x86_64/clients/ocp/stable-4.18`;
  const rhcos = `${MIRROR}/x86_64/dependencies/rhcos/4.18/latest`;
  const createListed = (kind: string, base: string, name: string) => ({
    ...{ kind, name, url: `${base}/${name}`, sha256: null, checksums: `${base}/sha256sum.txt`, size: null },
  });
  expect(files).toEqual([
    createListed('installer', clients, 'openshift-install-linux.tar.gz'),
    createListed('client', clients, 'openshift-client-linux.tar.gz'),
    createListed('kernel', rhcos, 'rhcos-live-kernel-x86_64'),
    createListed('initramfs', rhcos, 'rhcos-live-initramfs.x86_64.img'),
    createListed('rootfs', rhcos, 'rhcos-live-rootfs.x86_64.img'),
  ]);
  const script = await run('site.yaml');
  expect(script).toMatchObject({ code: 0, stderr: '' });
  expect(script.stdout.replace(/\n# /g, ' ')).toContain(unknown);
});

test('an openshift-install of the version names the exact release, the images and their checksums', async () => {
  writeDesign('4.20');
  addInstaller('4.20.3');
  mkdirSync(join(cwd, 'images'));
  writeFileSync(join(cwd, 'images', 'rhcos-1-live-kernel.x86_64'), 'live-kernel.x86_64');
  writeFileSync(join(cwd, 'images', 'rhcos-1-live-rootfs.x86_64.img'), 'cut');
  const { files, ...release } = await list();
  expect(release).toEqual({ version: '4.20.3', architecture: 'x86_64', stream: 'rhcos-4.20', unknown: null });
  expect(files.map(({ url }: { url: string }) => url)).toEqual([
    `${MIRROR}/x86_64/clients/ocp/4.20.3/openshift-install-linux-4.20.3.tar.gz`,
    `${MIRROR}/x86_64/clients/ocp/4.20.3/openshift-client-linux-4.20.3.tar.gz`,
    'https://images.example/rhcos-1-live-kernel.x86_64',
    'https://images.example/rhcos-1-live-initramfs.x86_64.img',
    'https://images.example/rhcos-1-live-rootfs.x86_64.img',
  ]);
  // The size of a file is known if the right one is here.
  expect(files.slice(2)).toMatchObject([
    { sha256: sha256('live-kernel.x86_64'), checksums: null, size: 'live-kernel.x86_64'.length },
    { size: null },
    { size: null },
  ]);
});

test('an openshift-install of another version says nothing about this one', async () => {
  writeDesign('4.18');
  addInstaller('4.20.3');
  expect(await list()).toMatchObject({ version: '4.18', stream: null, unknown: expect.stringContaining('4.18') });
});

test('an openshift-install of OKD says nothing about OpenShift', async () => {
  writeDesign('4.20');
  addInstaller('4.20.0-okd-scos.3', 'scos');
  expect(await list()).toMatchObject({ version: '4.20', stream: null, unknown: expect.stringContaining('4.20') });
});

test('without openshift-install no image of OKD is guessed', async () => {
  writeDesign('4.20.0-okd-scos.3');
  const { files, unknown } = await list();
  expect(files.map(({ kind }: { kind: string }) => kind)).toEqual(['installer', 'client']);
  expect(unknown).toMatch(/^No openshift-install 4\.20\.0-okd-scos\.3 was found here/);
  const { stdout } = await run('site.yaml');
  expect(stdout.replace(/\n# /g, ' ')).toContain(unknown);
  expect(stdout).toContain('files to install OKD 4.20.0-okd-scos.3');
  expect(stdout).not.toMatch(/rhcos|mirror\.openshift\.com|gpg/);
});

test('OKD has its own place for the programs, and its own channels for oc-mirror', async () => {
  writeDesign('4.20.0-okd-scos.3');
  addInstaller('4.20.0-okd-scos.3', 'scos');
  const { files, version, stream } = await list();
  expect({ version, stream }).toEqual({ version: '4.20.0-okd-scos.3', stream: 'scos-4.20' });
  expect(files[0].url).toBe(
    'https://github.com/okd-project/okd/releases/download/4.20.0-okd-scos.3/openshift-install-linux-4.20.0-okd-scos.3.tar.gz',
  );
  expect(files[2].name).toBe('scos-1-live-kernel.x86_64');
});

test.each([
  ['4.20.0-okd-scos.3', 'stable-4-scos'],
  ['4.21.0-okd-scos.ec.9', 'next-4-scos'],
])('the image set of OKD %s names the release in %s, and the key of its signature', async (version, channel) => {
  writeDesign(version);
  const { code, stdout } = await run('site.yaml', '--imageset');
  expect(code).toBe(0);
  expect(parse(stdout).mirror).toEqual({
    platform: {
      architectures: ['amd64'],
      channels: [{ name: channel, type: 'okd', minVersion: version, maxVersion: version }],
    },
  });
  expect(stdout).toMatch(/OCP_SIGNATURE_VERIFICATION_PK=FILE[\s\S]*OCP_SIGNATURE_URL=https:/);
});

test('a cluster in FIPS mode gets its own installer; versions before 4.6 get the disk image', async () => {
  writeDesign('4.18.11', (text) => text.replace('fips: false', 'fips: true'));
  expect((await list()).files[0].name).toBe('openshift-install-rhel9-amd64.tar.gz');
  writeDesign('4.5');
  const { files, unknown } = await list();
  expect(unknown).toBeNull();
  expect(files.map(({ kind }: { kind: string }) => kind)).toEqual([
    'installer',
    'client',
    'kernel',
    'initramfs',
    'metal',
  ]);
});

test.each([
  ['4.18.11', { minVersion: '4.18.11', maxVersion: '4.18.11' }],
  ['4.18', {}],
])('the image set of %s holds its channel, its architecture and the graph', async (version, range) => {
  writeDesign(version);
  const { code, stdout } = await run('site.yaml', '--imageset');
  expect(code).toBe(0);
  expect(parse(stdout)).toEqual({
    apiVersion: 'mirror.openshift.io/v2alpha1',
    kind: 'ImageSetConfiguration',
    mirror: {
      platform: {
        architectures: ['amd64'],
        channels: [{ name: 'stable-4.18', type: 'ocp', ...range }],
        graph: true,
      },
    },
  });
});

test('the design comes from a file or from a session, and nothing is written', async () => {
  writeDesign('4.18');
  const dir = join(cwd, 'upi-cluster');
  openSession(dir).save({
    ...freshState,
    design: parseDesign(renderExampleDesign({ version: '4.19' })).document,
    place: { screen: 'prepare', field: null },
    rehearsal: { siteDir: join(dir, '.upi-wizard/site'), seed: 1, speed: 60, faults: [] },
  });
  const before = readdirSync(cwd, { recursive: true });
  expect(JSON.parse((await run('--dir', dir, '--json')).stdout).version).toBe('4.19');
  expect(await run('site.yaml', '--dir', dir)).toMatchObject({ code: 2 });
  expect(await run('site.yaml', '--json', '--imageset')).toMatchObject({ code: 2 });
  expect(await run('missing.yaml')).toMatchObject({ code: 2 });
  writeDesign('4.18', (text) => text.replace('172.16.0.254', 'wrong'));
  expect(await run('site.yaml')).toMatchObject({ code: 3, stdout: '' });
  expect(readdirSync(cwd, { recursive: true })).toEqual(before);
});
