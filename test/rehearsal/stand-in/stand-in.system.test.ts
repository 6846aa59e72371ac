import { spawn } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderExampleDesign } from '../../../src/design/example.ts';
import { parseDesign } from '../../../src/design/parse.ts';
import { HOUR, systemClock } from '../../../src/platform/clock.ts';
import { getSitePaths } from '../../../src/rehearsal/site/files.ts';
import { prepareSite } from '../../../src/rehearsal/site/site.ts';
import { decodeDataUrl, parseIgnition } from '../../../src/rehearsal/world/machines/bring-up.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';
import { createExampleDesign } from '../../support/example-document.ts';
import { getBuiltProgram } from '../../support/rehearsal-run.ts';

const CONFIG = generateFileText(exampleSite(), 'bastion/root/upi-wizard/install-config.yaml');
const SPEED = 600;
let root = '';
let dir = '';

/** Real time (ms) at which the clock of the site started. */
let startedAt = 0;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'upi-stand-in-'));
  dir = join(root, 'install');
  mkdirSync(dir);
  prepareSiteDir('4.18');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

/** Creates the directory of a site that does not run, with the files that the stand-in needs. */
function prepareSiteDir(version: string): void {
  const design = exampleSite({ openshift: { version, architecture: 'x86_64', osImageStream: null } });
  const standInProgram = getBuiltProgram('stand-in');
  const config = { design, speed: SPEED, seed: 1, faults: [], standInProgram };
  const paths = getSitePaths(join(root, 'site'));
  mkdirSync(paths.dir, { recursive: true });
  writeFileSync(paths.config, JSON.stringify(config));
  startedAt = systemClock.now();
  writeFileSync(paths.clock, JSON.stringify({ real: startedAt, simulated: startedAt, speed: SPEED }));
  writeFileSync(
    paths.dial,
    JSON.stringify({ hosts: { 'api.ocp45.example.localdomain': '127.0.0.1' }, lowPortShift: 0 }),
  );
  prepareSite(config, paths);
}

function run(words: readonly string[], onStarted?: (kill: () => void) => void) {
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((done) => {
    const child = spawn(join(root, 'site/bin/openshift-install'), words);
    let [stdout, stderr] = ['', ''];
    child.stdout.on('data', (chunk) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      if (stderr.includes('Waiting up to')) onStarted?.(() => child.kill('SIGINT'));
    });
    child.on('close', (code) => done({ code, stdout, stderr }));
  });
}

test('create manifests and ignition-configs print, consume and leave the same as the real program', async () => {
  writeFileSync(join(dir, 'install-config.yaml'), CONFIG);
  const manifests = await run(['create', 'manifests', '--dir', dir]);
  expect(manifests).toMatchObject({ code: 0, stdout: '' });
  expect(manifests.stderr.trimEnd().split('\n')).toEqual([
    'level=info msg=Consuming Install Config from target directory',
    'level=warning msg=Making control-plane schedulable by setting MastersSchedulable to true for Scheduler cluster settings',
    `level=info msg=Manifests created in: ${dir}/manifests and ${dir}/openshift`,
  ]);
  expect(existsSync(join(dir, 'install-config.yaml'))).toBe(false);
  const scheduler = join(dir, 'manifests/cluster-scheduler-02-config.yml');
  expect(parse(readFileSync(scheduler, 'utf8')).spec.mastersSchedulable).toBe(true);
  const ignition = await run(['create', 'ignition-configs', '--dir', dir]);
  expect(ignition.code).toBe(0);
  expect(ignition.stderr).toContain(`level=info msg=Ignition-Configs created in: ${dir} and ${dir}/auth`);
  expect(readdirSync(dir).sort()).toEqual([
    '.openshift_install.log',
    '.openshift_install_state.json',
    'auth',
    'bootstrap.ign',
    'master.ign',
    'metadata.json',
    'worker.ign',
  ]);
  const pointer = JSON.parse(readFileSync(join(dir, 'master.ign'), 'utf8'));
  expect(pointer.ignition.config.merge[0].source).toBe('https://api-int.ocp45.example.localdomain:22623/config/master');
  const { storage } = JSON.parse(readFileSync(join(dir, 'bootstrap.ign'), 'utf8'));
  const expiryTimes = storage.files
    .filter(({ path }: { path: string }) => path.endsWith('.crt'))
    .map(({ contents }: { contents: { source: string } }) => {
      return new X509Certificate(decodeDataUrl(contents.source)).validToDate.getTime();
    });
  // 24 hours after creation. The creation took SPEED times as long in the time of the site.
  const earliest = Math.min(...expiryTimes);
  expect(earliest).toBeGreaterThan(startedAt + 23.9 * HOUR);
  expect(earliest).toBeLessThanOrEqual(startedAt + (systemClock.now() - startedAt) * SPEED + 24 * HOUR);
  const before = readFileSync(join(dir, 'bootstrap.ign'), 'utf8');
  rmSync(join(dir, 'bootstrap.ign'));
  expect((await run(['create', 'ignition-configs', '--dir', dir])).code).toBe(0);
  expect(readFileSync(join(dir, 'bootstrap.ign'), 'utf8')).toBe(before);
});

test('an arbiter has an ignition file of its own from 4.22 on; earlier versions refuse it on this platform', async () => {
  const design = createExampleDesign('arbiter');
  const config = generateFileText(design, 'bastion/root/upi-wizard/install-config.yaml');
  writeFileSync(join(dir, 'install-config.yaml'), config);
  const refused = await run(['create', 'manifests', '--dir', dir]);
  expect(refused.code).toBe(3);
  expect(refused.stderr).toContain('arbiter.platform: Unsupported value: "none": supported values: "baremetal"');
  prepareSiteDir('4.22');
  expect((await run(['create', 'manifests', '--dir', dir])).code).toBe(0);
  const { status } = parse(readFileSync(join(dir, 'manifests/cluster-infrastructure-02-config.yml'), 'utf8'));
  expect(status).toMatchObject({
    controlPlaneTopology: 'HighlyAvailableArbiter',
    infrastructureTopology: 'HighlyAvailable',
  });
  expect((await run(['create', 'ignition-configs', '--dir', dir])).code).toBe(0);
  expect(parseIgnition(readFileSync(join(dir, 'arbiter.ign'), 'utf8'))).toMatchObject({
    kind: 'pointer',
    url: 'https://api-int.ocp45.example.localdomain:22623/config/arbiter',
  });
});

test.each([
  ['name: "arbiter"', 'name: "third"', 'arbiter.name: Unsupported value: "third"'],
  ['replicas: 1', 'replicas: 0', 'number of arbiter replicas must be positive'],
  ['replicas: 2', 'replicas: 1', 'number of controlPlane replicas must be at least 2'],
])('an arbiter with %s changed to %s is refused', async (from, to, message) => {
  prepareSiteDir('4.22');
  const config = generateFileText(createExampleDesign('arbiter'), 'bastion/root/upi-wizard/install-config.yaml');
  writeFileSync(join(dir, 'install-config.yaml'), config.replace(from, to));
  const { code, stderr } = await run(['create', 'manifests', '--dir', dir]);
  expect([code, stderr]).toEqual([3, expect.stringContaining(message)]);
});

test('a rejected install-config is one error and exit code 3', async () => {
  writeFileSync(join(dir, 'install-config.yaml'), CONFIG.replace('172.16.0.0/24', '172.16.0.0/99'));
  const { code, stderr } = await run(['create', 'manifests', '--dir', dir]);
  expect(code).toBe(3);
  expect(stderr).toContain(
    'failed to create install config: invalid "install-config.yaml" file: networking.machineNetwork[0].cidr: Invalid value: "172.16.0.0/99"',
  );
});

test('wait-for fails at once without a kubeconfig, and with exit code 5 when the API does not answer in time', async () => {
  const missing = await run(['wait-for', 'bootstrap-complete', '--dir', dir]);
  expect(missing.code).toBe(1);
  expect(missing.stderr).toContain('level=fatal msg=loading kubeconfig:');
  writeFileSync(join(dir, 'install-config.yaml'), CONFIG);
  await run(['create', 'ignition-configs', '--dir', dir]);
  const late = await run(['wait-for', 'bootstrap-complete', '--dir', dir, '--log-level', 'debug']);
  expect(late.code).toBe(5);
  expect(late.stderr).toMatch(
    /Still waiting for the Kubernetes API: Get "https:\/\/api\.ocp45\.example\.localdomain:6443\/version": dial tcp/,
  );
  expect(late.stderr).toContain('level=error msg=Failed waiting for Kubernetes API.');
  const log = readFileSync(join(dir, '.openshift_install.log'), 'utf8');
  expect(log).toMatch(
    /^time="\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ" level=info msg="Consuming Install Config from target directory"$/m,
  );
});

test('an interrupt ends with exit code 8 and a message', async () => {
  writeFileSync(join(dir, 'install-config.yaml'), CONFIG);
  await run(['create', 'ignition-configs', '--dir', dir]);
  const { code, stderr } = await run(['wait-for', 'install-complete', '--dir', dir], (kill) => kill());
  expect(stderr).toContain('level=warning msg=Received interrupt signal');
  expect(code).toBe(8);
});

test('version and the stream of images match the images of the site', async () => {
  expect((await run(['version'])).stdout).toContain('openshift-install 4.18.11\n');
  const { stdout } = await run(['coreos', 'print-stream-json']);
  const { pxe } = JSON.parse(stdout).architectures.x86_64.artifacts.metal.formats;
  const name = pxe.kernel.location.split('/').at(-1);
  expect(name).toBe('rhcos-418.94.202410090804-0-live-kernel-x86_64');
  expect(readdirSync(join(root, 'site/images'))).toContain(name);
  prepareSiteDir('4.5');
  const old = await run(['coreos', 'print-stream-json']);
  expect(old.code).toBe(1);
  expect(old.stderr).toContain('unknown command "coreos"');
});

test('create single-node-ignition-config leaves one ignition for the live system, and needs a disk to install to', async () => {
  const { design } = parseDesign(renderExampleDesign({ topology: 'single-node' }));
  if (!design) throw new Error('the example is wrong');
  const config = generateFileText(design, 'bastion/root/upi-wizard/install-config.yaml');
  writeFileSync(join(dir, 'install-config.yaml'), config);
  const result = await run(['create', 'single-node-ignition-config', '--dir', dir]);
  expect(result.code, result.stderr).toBe(0);
  expect(readdirSync(dir)).toEqual(
    expect.arrayContaining(['auth', 'bootstrap-in-place-for-live-iso.ign', 'worker.ign']),
  );
  expect(existsSync(join(dir, 'bootstrap.ign'))).toBe(false);
  expect(existsSync(join(dir, 'master.ign'))).toBe(false);
  const ignition = readFileSync(join(dir, 'bootstrap-in-place-for-live-iso.ign'), 'utf8');
  expect(parseIgnition(ignition)).toMatchObject({ kind: 'bootstrap', isInPlace: true });

  rmSync(dir, { recursive: true });
  mkdirSync(dir);
  writeFileSync(join(dir, 'install-config.yaml'), CONFIG);
  const refused = await run(['create', 'single-node-ignition-config', '--dir', dir]);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain('bootstrapInPlace');
});
