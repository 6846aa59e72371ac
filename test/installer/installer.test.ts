import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { checkPointerIgnition, findIgnitionExpiry } from '../../src/installer/ignition.ts';
import {
  addManifests,
  copyInstallConfig,
  inspectInstallDir,
  setMastersSchedulable,
} from '../../src/installer/install-dir.ts';
import {
  buildWaitForArgv,
  createManifests,
  readInstallerVersion,
  readImageStream as readStreamOf,
} from '../../src/installer/openshift-install.ts';
import { findProgram } from '../../src/installer/programs.ts';
import { createAuthority } from '../../src/rehearsal/pki.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'installer-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

/** Creates an `openshift-install` that runs this shell script. */
function createProgram(script: string): string {
  const file = join(dir, 'openshift-install');
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

const readImageStream = (program: string, osImageStream: 'rhel-9' | 'rhel-10' | null = null, version = '5.0') =>
  readStreamOf(program, { version, osImageStream });

test('the version is read as the real program prints it, old and new', async () => {
  const readVersion = (text: string) => readInstallerVersion(createProgram(`cat <<'END'\n${text}\nEND`));
  expect(
    await readVersion(
      './a b/openshift-install 4.18.11\nbuilt from commit 694d\nrelease image quay.io/x@sha256:1\nrelease architecture amd64',
    ),
  ).toEqual({
    version: '4.18.11',
    releaseImage: 'quay.io/x@sha256:1',
    architecture: 'amd64',
  });
  expect(await readVersion('openshift-install 4.5.6\nbuilt from commit 1\nrelease image q')).toMatchObject({
    version: '4.5.6',
    architecture: null,
  });
  // Built from source, by OKD or by the user.
  const sourceBuild =
    'openshift-install unreleased-master-9-g694d\nbuilt from commit 694d\nrelease architecture unknown';
  expect(await readVersion(sourceBuild)).toMatchObject({ version: null, architecture: 'unknown' });
  await expect(readVersion('hello')).rejects.toMatchObject({ userError: { code: 'not-openshift-install' } });
  await expect(readInstallerVersion(join(dir, 'none'))).rejects.toMatchObject({
    userError: { code: 'installer-cannot-run' },
  });
});

test('the stream is handed on as JSON; a version without the command gives null', async () => {
  expect(await readImageStream(createProgram('echo "{\\"stream\\": \\"rhcos-4.18\\"}"'))).toEqual({
    stream: 'rhcos-4.18',
  });
  expect(await readImageStream(createProgram('echo unknown command >&2; exit 1'))).toBeNull();
  await expect(readImageStream(createProgram('echo nope'))).rejects.toMatchObject({
    userError: { code: 'installer-bad-stream' },
  });
});

test('the stream that is not of the version is asked for by name, where the installer has streams', async () => {
  const both = createProgram(`
case "$*" in
  "coreos print-stream-json") echo '{"stream": "rhel-10.2"}' ;;
  "coreos print-stream-json --stream rhel-9") echo '{"stream": "rhel-9.8"}' ;;
  *) echo "Error: unknown flag: --stream" >&2; exit 1 ;;
esac`);
  expect(await readImageStream(both)).toEqual({ stream: 'rhel-10.2' });
  expect(await readImageStream(both, 'rhel-10')).toEqual({ stream: 'rhel-10.2' });
  expect(await readImageStream(both, 'rhel-9')).toEqual({ stream: 'rhel-9.8' });
  // Each is cached for itself.
  expect(await readImageStream(both)).toEqual({ stream: 'rhel-10.2' });
  // Without the option nodes boot the stream of the version, and change to the other.
  expect(await readImageStream(both, 'rhel-10', '4.22')).toEqual({ stream: 'rhel-10.2' });
});

test('the output of a program is cached, and a different program is started', async () => {
  const count = join(dir, 'count');
  const script = (version: string) => `echo x >>'${count}'; echo "{\\"stream\\": \\"${version}\\"}"`;
  const countStarts = () => readFileSync(count, 'utf8').length / 2;
  const first = createProgram(script('rhcos-4.17'));
  expect([await readImageStream(first), await readImageStream(first)]).toEqual(Array(2).fill({ stream: 'rhcos-4.17' }));
  expect(countStarts()).toBe(1);
  expect(await readImageStream(createProgram(`${script('rhcos-4.18')} # another`))).toEqual({ stream: 'rhcos-4.18' });
  expect(countStarts()).toBe(2);
});

test('concurrent callers start the program once, and a failure is not cached', async () => {
  const count = join(dir, 'count');
  const countStarts = () => readFileSync(count, 'utf8').length / 2;
  const first = createProgram(`echo x >>'${count}'; echo '{"stream": "rhcos-4.19"}'`);
  const both = await Promise.all([readImageStream(first), readImageStream(first)]);
  expect(both).toEqual(Array(2).fill({ stream: 'rhcos-4.19' }));
  expect(countStarts()).toBe(1);
  rmSync(count);
  const second = createProgram(`echo x >>'${count}'; test -e '${count}.ok' || exit 1; echo '{"stream": "rhcos-4.20"}'`);
  expect(await Promise.all([readImageStream(second), readImageStream(second)])).toEqual([null, null]);
  expect(countStarts()).toBe(1);
  writeFileSync(`${count}.ok`, '');
  expect(await readImageStream(second)).toEqual({ stream: 'rhcos-4.20' });
  expect(countStarts()).toBe(2);
  rmSync(count);
  const third = createProgram(`echo x >>'${count}'; cat '${count}.version' || echo nothing`);
  await Promise.all([1, 2].map(() => expect(readInstallerVersion(third)).rejects.toMatchObject({ userError: {} })));
  writeFileSync(`${count}.version`, 'openshift-install 4.20.1\n');
  expect(await Promise.all([readInstallerVersion(third), readInstallerVersion(third)])).toMatchObject([
    { version: '4.20.1' },
    { version: '4.20.1' },
  ]);
  expect(countStarts()).toBe(2);
});

test.each([
  [
    3,
    'failed to fetch Master Machines: invalid \\"install-config.yaml\\" file: x',
    'installer-install-config',
    // The title names the file.
    'x',
  ],
  [1, 'invalid \\"install-config.yaml\\" file: baseDomain: Invalid value', 'installer-install-config'],
  [1, 'something else', 'installer-fatal'],
  [5, 'Bootstrap failed to complete: x', 'installer-bootstrap'],
  [8, 'x', 'installer-interrupted'],
])('exit code %i is explained: %s', async (code, message, expected, cause = message.replaceAll('\\"', '"')) => {
  const outcome = await createManifests(createProgram(`echo 'level=fatal msg="${message}"' >&2; exit ${code}`), dir);
  expect(outcome).toMatchObject({ exitCode: code, userError: { code: expected } });
  expect(outcome.userError?.cause).toBe(cause);
});

test('the installer gets its arguments as they are, English messages, and nothing of our environment', async () => {
  process.env.OUR_SECRET = 'x';
  const odd = join(dir, 'a b; $(x)');
  const outcome = await createManifests(
    createProgram('for a; do echo "level=info msg=$a" >&2; done; echo "level=info msg=$LANG$OUR_SECRET" >&2'),
    odd,
  );
  delete process.env.OUR_SECRET;
  expect(outcome.userError).toBeNull();
  expect(outcome.lines.map(({ text }) => text)).toEqual(['create', 'manifests', '--dir', odd, 'C']);
  expect(buildWaitForArgv('/d', 'install-complete')).toEqual([
    'wait-for',
    'install-complete',
    '--dir',
    '/d',
    '--log-level',
    'warn',
  ]);
});

test('a program is found in the given directories first, then in PATH; a file that cannot be executed is skipped', async () => {
  mkdirSync(join(dir, 'openshift-install-dir/oc'), { recursive: true });
  writeFileSync(join(dir, 'plain'), '');
  const executable = createProgram('');
  expect(await findProgram('openshift-install', ['/nowhere', dir], '')).toBe(executable);
  expect(await findProgram('openshift-install', [], `/nowhere:${dir}`)).toBe(executable);
  expect(await findProgram('plain', [dir], '')).toBeNull();
  expect(await findProgram('oc', [join(dir, 'openshift-install-dir')], '')).toBeNull();
});

async function createCertificate(days: number, name: string): Promise<string> {
  const now = Date.now();
  const { certPem } = await createAuthority(name, { notBefore: now, notAfter: now + days * 24 * 3_600_000 });
  return certPem;
}
const toDataUrl = (text: string) => `data:text/plain;charset=utf-8;base64,${Buffer.from(text).toString('base64')}`;
const createBootstrapText = (files: object[]) => JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } });

test('the earliest end of a certificate counts, in every encoding, and only of .crt files', async () => {
  const [day, year] = await Promise.all([createCertificate(1, 'signer'), createCertificate(365, 'root')]);
  const earliest = new X509Certificate(day).validToDate.getTime();
  const zipped = { source: `data:;base64,${gzipSync(day).toString('base64')}`, compression: 'gzip' };
  const percent = { source: `data:,${encodeURIComponent(day)}` };
  const text = createBootstrapText([
    { path: '/opt/tls/root.crt', contents: { source: toDataUrl(year), compression: null } },
    { path: '/opt/tls/signer.crt', contents: zipped },
    { path: '/opt/tls/bundle.crt', contents: { source: toDataUrl(year + day) } },
    { path: '/opt/tls/percent.crt', contents: percent },
    { path: '/opt/tls/other.pem', contents: { source: toDataUrl(day) } },
    { path: '/opt/tls/broken.crt', contents: { source: toDataUrl('no PEM') } },
  ]);
  expect(findIgnitionExpiry(text)).toEqual({
    earliest,
    paths: ['/opt/tls/bundle.crt', '/opt/tls/percent.crt', '/opt/tls/signer.crt'],
  });
  expect(findIgnitionExpiry('{}')).toBeNull();
  expect(findIgnitionExpiry(createBootstrapText([]))).toBeNull();
});

test('a pointer names its Machine Config Server and a CA that bootstrap.ign knows', async () => {
  const [root, other] = await Promise.all([createCertificate(1, 'root'), createCertificate(1, 'other')]);
  const expectedUrl = 'https://api-int.c.b:22623/config/master';
  const createPointer = (source: string, ca: string | null) =>
    JSON.stringify({
      ignition: {
        version: '3.2.0',
        config: { merge: [{ source }] },
        security: { tls: { certificateAuthorities: ca ? [{ source: toDataUrl(ca) }] : [] } },
      },
    });
  const bootstrapIgnition = createBootstrapText([{ path: '/x.crt', contents: { source: toDataUrl(root) } }]);
  const listCodes = (text: string) =>
    checkPointerIgnition(text, { role: 'master', expectedUrl, bootstrapIgnition }).map(({ code }) => code);
  expect(listCodes(createPointer(expectedUrl, root))).toEqual([]);
  expect(listCodes(createPointer('https://api-int.x.y:22623/config/master', root))).toEqual(['ignition-wrong-url']);
  expect(listCodes(createPointer(expectedUrl, null))).toEqual(['ignition-no-authority']);
  expect(listCodes(createPointer(expectedUrl, other))).toEqual(['ignition-foreign-authority']);
  expect(listCodes('not JSON')).toEqual(['ignition-unreadable']);
});

test.each([
  [[], 'empty'],
  [['.upi-wizard', 'files'], 'empty'],
  [['install-config.yaml'], 'config'],
  [['manifests', 'openshift', '.openshift_install_state.json'], 'manifests'],
  [['bootstrap.ign', 'master.ign', 'worker.ign', 'metadata.json'], 'ignition'],
  [['bootstrap.ign'], 'mixed'],
  [['bootstrap.ign', 'master.ign', 'worker.ign', 'manifests'], 'mixed'],
  [['install-config.yaml', '.openshift_install_state.json'], 'mixed'],
])('a directory with %s is %s', async (names, state) => {
  for (const name of names) writeFileSync(join(dir, name), '{}');
  expect(await inspectInstallDir(dir)).toMatchObject({ state, kubeconfig: null, expiresAt: null });
});

test('install-config is written together with a copy, both private; a used directory is refused', async () => {
  const source = join(dir, 'made.yaml');
  writeFileSync(source, 'pullSecret: x\n', { mode: 0o644 });
  const [target, copy] = [join(dir, 'install'), join(dir, 'install/.upi-wizard/install-config.yaml')];
  await copyInstallConfig(source, target, copy);
  for (const file of [copy, join(target, 'install-config.yaml')]) {
    expect(readFileSync(file, 'utf8')).toBe('pullSecret: x\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  rmSync(join(target, 'install-config.yaml'));
  mkdirSync(join(target, 'manifests'));
  await expect(copyInstallConfig(source, target, copy)).rejects.toMatchObject({
    userError: { code: 'install-dir-used' },
  });
  expect(existsSync(join(target, 'install-config.yaml'))).toBe(false);
  await expect(copyInstallConfig(join(dir, 'none'), join(dir, 'x'), copy)).rejects.toMatchObject({
    userError: { code: 'install-config-missing' },
  });
});

test('mastersSchedulable is set where it is, manifests are added to openshift/', async () => {
  await expect(setMastersSchedulable(dir, false)).rejects.toMatchObject({
    userError: { code: 'scheduler-manifest-missing' },
  });
  for (const name of ['manifests', 'openshift']) mkdirSync(join(dir, name));
  const file = join(dir, 'manifests/cluster-scheduler-02-config.yml');
  writeFileSync(
    file,
    'apiVersion: config.openshift.io/v1\nkind: Scheduler\nmetadata:\n  name: cluster\nspec:\n  mastersSchedulable: true\n  policy:\n    name: ""\nstatus: {}\n',
  );
  await setMastersSchedulable(dir, false);
  expect(parse(readFileSync(file, 'utf8'))).toEqual({
    apiVersion: 'config.openshift.io/v1',
    kind: 'Scheduler',
    metadata: { name: 'cluster' },
    spec: { mastersSchedulable: false, policy: { name: '' } },
    status: {},
  });
  await addManifests(dir, [{ name: '99-worker-chrony.yaml', content: 'a: 1\n' }]);
  expect(readFileSync(join(dir, 'openshift/99-worker-chrony.yaml'), 'utf8')).toBe('a: 1\n');
  await expect(addManifests(dir, [{ name: '../x.yaml', content: '' }])).rejects.toThrow(TypeError);
});
