import { createHash } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { createScaledClock } from '../../../src/platform/clock.ts';
import { generateStep } from '../../../src/steps/generate.ts';
import { prepareStep } from '../../../src/steps/prepare/index.ts';
import { readPowerOnTimes } from '../../../src/steps/shared/machines/node-facts.ts';
import { workspace } from '../../../src/steps/shared/workspace.ts';
import { createAuthority, startKubeServer } from '../../support/kube-server.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';
import { START } from '../../support/wizard-state.ts';

const DAY = 86_400_000;
const images = { kernel: 'k', initramfs: 'i', rootfs: 'r' };
const imageFile = (kind: string) => `rhcos-418-live-${kind}`;
let fixture: StepFixture;

beforeEach(() => {
  // With this clock a simulated minute takes a second: the wait for a boot server that cannot start is short.
  fixture = createStepFixture({ clock: createScaledClock({ real: Date.now(), simulated: START, speed: 60 }) });
});
afterEach(() => fixture.remove());

/**
 * Adds a program with the output and the files of openshift-install.
 * @param options `ignition` is the content of its bootstrap.ign
 */
function addInstaller(options: {
  readonly architecture?: string;
  readonly version?: string;
  readonly ignition?: string;
}) {
  const { architecture = 'amd64', version = '4.18.11', ignition = '{}' } = options;
  const pxe = Object.fromEntries(
    Object.entries(images).map(([kind, text]) => [
      kind,
      { location: `https://example.com/${imageFile(kind)}`, sha256: createHash('sha256').update(text).digest('hex') },
    ]),
  );
  const stream = { architectures: { x86_64: { artifacts: { metal: { release: '418', formats: { pxe } } } } } };
  const bin = join(fixture.dir, 'bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'stream.json'), JSON.stringify(stream));
  writeFileSync(join(bin, 'bootstrap.ign'), ignition);
  const program = join(bin, 'openshift-install');
  writeFileSync(
    program,
    `#!/bin/sh
set -e
here="$(dirname "$0")"
case "$1 $2" in
  "version ") printf 'openshift-install ${version}\\nrelease architecture ${architecture}\\n' ;;
  "coreos print-stream-json") cat "$here/stream.json" ;;
  "create manifests") rm "$4/install-config.yaml"; mkdir "$4/manifests" "$4/openshift"; echo '{}' >"$4/.openshift_install_state.json"
    printf 'kind: Scheduler\\nspec:\\n  mastersSchedulable: true\\n' >"$4/manifests/cluster-scheduler-02-config.yml" ;;
  "create ignition-configs") rm -r "$4/manifests" "$4/openshift"; mkdir "$4/auth"
    cp "$here/bootstrap.ign" "$4/bootstrap.ign"; echo '{}' >"$4/master.ign"; echo '{}' >"$4/worker.ign"; echo c >"$4/auth/kubeconfig" ;;
esac
`,
  );
  chmodSync(program, 0o755);
  return { ...fixture.context, programDirectories: [bin] };
}

function writeImages(contents: Readonly<Record<string, string>> = images): void {
  const { imagesDir } = fixture.context;
  mkdirSync(imagesDir, { recursive: true });
  for (const [kind, text] of Object.entries(contents)) writeFileSync(join(imagesDir, imageFile(kind)), text);
}

async function createIgnition(to: Date): Promise<string> {
  const { cert } = await (await createAuthority()).issue('x', { from: new Date(to.getTime() - DAY), to });
  const source = `data:text/plain;base64,${Buffer.from(cert).toString('base64')}`;
  return JSON.stringify({
    ignition: { version: '3.2.0' },
    storage: { files: [{ path: '/opt/openshift/tls/x.crt', contents: { source } }] },
  });
}

test('a missing installer is offered for download, after a confirmation', async () => {
  const probe = await prepareStep.probe(fixture.context);
  expect(probe.state).toBe('needed');
  expect(probe.findings.map(({ code }) => code)).toContain('installer-missing');
  const plan = await prepareStep.plan(fixture.context, probe);
  expect(plan.isDangerous).toBe(true);
  expect(plan.changes[0]?.what).toContain('openshift-install and oc 4.18');
});

test('a detail begins with what it says: a narrow window cuts the path at its end', async () => {
  const context = addInstaller({});
  const { view } = await prepareStep.probe(context);
  const findDetail = (itemId: string) => view.items.find(({ id }) => id === itemId)?.detail;
  expect(findDetail('installer')).toMatch(/^4\.18\.11 \/.*\/openshift-install$/);
  expect(findDetail('directory')).toBe(`nothing of the installer yet in ${context.dir}`);
});

test('a rehearsal needs no oc: Prepare agrees with the welcome page', async () => {
  for (const [hostsDir, expected] of [
    [null, { state: 'pending', detail: 'not found (needed from Bootstrap on)' }],
    [fixture.context.dir, { state: 'ok', detail: 'not found (a rehearsal needs none)' }],
  ] as const) {
    const { view } = await prepareStep.probe({ ...fixture.context, hostsDir });
    expect(view.items.find(({ id }) => id === 'oc')).toMatchObject(expected);
  }
});

test('an installer of another version or for another architecture blocks Prepare', async () => {
  writeImages();
  for (const [wrong, code] of [
    [{ version: '4.17.3' }, 'installer-version'],
    [{ architecture: 'arm64' }, 'installer-architecture'],
  ] as const) {
    const { state, findings } = await prepareStep.probe(addInstaller(wrong));
    expect([state, findings[0]?.code]).toEqual(['blocked', code]);
  }
  expect((await prepareStep.probe(addInstaller({ architecture: 'multi' }))).state).toBe('needed');
  const unknown = await prepareStep.probe(addInstaller({ architecture: 'unknown' }));
  expect(unknown).toMatchObject({ state: 'needed', findings: [{ code: 'installer-architecture-unknown' }] });
});

test('an image whose checksum is not that of the installer is reported, and fetched again', async () => {
  writeImages({ ...images, rootfs: 'half' });
  const context = addInstaller({});
  const probe = await prepareStep.probe(context);
  expect(probe).toMatchObject({ state: 'needed', findings: [{ code: 'images-wrong', cause: imageFile('rootfs') }] });
  expect(probe.view.items.find(({ id }) => id === 'images')?.state).toBe('failed');
  expect((await prepareStep.plan(context, probe)).changes[0]?.object).toBe('images/');
  writeImages();
  expect((await prepareStep.probe(context)).view.items.find(({ id }) => id === 'images')).toMatchObject({
    state: 'ok',
    detail: expect.stringContaining('3 with the checksums'),
  });
});

test('while Prepare creates the files, unfinished ones are no trace of other runs', async () => {
  writeImages();
  fixture.write('manifests/x.yaml', 'x');
  fixture.write('master.ign', '{}');
  const probeDirectory = async () =>
    (await prepareStep.probe(addInstaller({}))).view.items.find(({ id }) => id === 'directory');
  expect(await probeDirectory()).toMatchObject({
    state: 'failed',
    detail: expect.stringContaining('files of several installer runs'),
  });
  fixture.context.probeCache.isCreatingIgnition = true;
  expect(await probeDirectory()).toMatchObject({ state: 'pending' });
});

test('expired files are moved aside, new ones are made, and every machine boots again', async () => {
  writeImages();
  const context = addInstaller({ ignition: await createIgnition(new Date(START + DAY)) });
  await generateStep.apply(context, () => undefined);
  const { dir, archiveDir } = workspace(context.dir);
  for (const [name, text] of [
    ['bootstrap.ign', await createIgnition(new Date(START - DAY))],
    ['master.ign', '{}'],
    ['worker.ign', '{}'],
    ['.openshift_install_state.json', '{"old":true}'],
    ['auth/kubeconfig', 'old'],
  ] as const)
    fixture.write(name, text);
  fixture.facts['powered-on'] = { bs: START - DAY, m1: START - DAY };
  fixture.facts['bootstrap-progress'] = { stages: {}, changedAt: START, signature: 'x' };

  const probe = await prepareStep.probe(context);
  expect(probe).toMatchObject({ state: 'needed', findings: [{ code: 'ignition-expired', severity: 'warning' }] });
  const plan = await prepareStep.plan(context, probe);
  expect(plan.isDangerous).toBe(true);
  expect(plan.changes.map(({ what }) => what).join(' ')).toContain('boots from the network again');

  // The boot server cannot start here; it is the last action.
  await prepareStep.apply(context, () => undefined).catch(() => undefined);
  expect(readFileSync(join(archiveDir, '1', 'auth/kubeconfig'), 'utf8')).toBe('old');
  expect(readFileSync(join(archiveDir, '1', '.openshift_install_state.json'), 'utf8')).toContain('old');
  expect(readFileSync(join(dir, 'bootstrap.ign'), 'utf8')).toBe(readFileSync(join(dir, 'bin/bootstrap.ign'), 'utf8'));
  expect(existsSync(join(dir, 'install-config.yaml'))).toBe(false);
  expect(readPowerOnTimes(context)).toEqual({});
  const after = await prepareStep.probe(context);
  expect(after.findings).toEqual([]);
  expect(after.view.items.find(({ id }) => id === 'expiry')).toMatchObject({
    state: 'ok',
    detail: expect.stringMatching(/^23 h \d+ min$/),
  });
});

test('an API that only restarts is probed again before anything is moved: a cluster that comes back keeps its files', async () => {
  const server = await startKubeServer();
  onTestFinished(() => server.close());
  const { clock } = fixture.context;
  const otherWorld = createStepFixture({ clock, resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }) });
  onTestFinished(() => otherWorld.remove());
  await fixture.remove();
  fixture = otherWorld;
  writeImages();
  const context = addInstaller({});
  await generateStep.apply(context, () => undefined);
  for (const [name, text] of [
    ['bootstrap.ign', await createIgnition(new Date(START - DAY))],
    ['master.ign', '{}'],
    ['worker.ign', '{}'],
    ['auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8')],
  ] as const)
    fixture.write(name, text);
  let requests = 0;
  server.intercept = (_request, response) => {
    requests += 1;
    // Two probes get no answer; a server that starts is busy at first.
    if (requests <= 2) response.destroy();
    else response.writeHead(503, { 'content-type': 'text/plain' }).end('starting');
    return true;
  };
  await expect(prepareStep.apply(context, () => undefined)).rejects.toMatchObject({
    userError: { code: 'install-dir-alive' },
  });
  expect(existsSync(workspace(context.dir).archiveDir)).toBe(false);
  expect(existsSync(join(context.dir, 'bootstrap.ign'))).toBe(true);
  expect((await prepareStep.probe(context)).findings).toMatchObject([{ code: 'ignition-expired', severity: 'note' }]);
});

test('restarted and stopped in the middle: no machine counts as booted with the new files', async () => {
  writeImages();
  const context = addInstaller({ ignition: await createIgnition(new Date(START + DAY)) });
  await generateStep.apply(context, () => undefined);
  fixture.write('master.ign', 'left over');
  fixture.write('.upi-wizard/worker.ign', 'of the cluster before');
  fixture.write('.upi-wizard/aside', 'no directory: nothing can be moved there');
  fixture.facts['powered-on'] = { bs: START - DAY };
  await expect(prepareStep.apply(context, () => undefined)).rejects.toThrow();
  expect(readPowerOnTimes(context)).toEqual({});
  expect(existsSync(workspace(context.dir).clusterIgnitionFile('worker'))).toBe(false);
  expect(await prepareStep.probe(context)).toMatchObject({ state: 'needed', findings: [{ code: 'install-dir-used' }] });
});

test('files from before a design change are reported, and created again', async () => {
  writeImages();
  const context = addInstaller({ ignition: await createIgnition(new Date(START + DAY)) });
  await generateStep.apply(context, () => undefined);
  await prepareStep.apply(context, () => undefined).catch(() => undefined);
  expect((await prepareStep.probe(context)).findings).toEqual([]);
  const changed = { ...context, design: { ...context.design, fips: true } };
  await generateStep.apply(changed, () => undefined);
  const probe = await prepareStep.probe(context);
  expect(probe).toMatchObject({ state: 'needed', findings: [{ code: 'install-config-changed', severity: 'warning' }] });
  expect(probe.summary).toContain('the design changed');
  expect((await prepareStep.plan(context, probe)).isDangerous).toBe(true);
  await prepareStep.apply(context, () => undefined).catch(() => undefined);
  expect((await prepareStep.probe(context)).findings).toEqual([]);
  expect(readdirSync(join(workspace(context.dir).archiveDir, '1'))).toContain('bootstrap.ign');
});

test('a pull secret without a login for the release blocks Prepare, and a corrected one leads to Generate first', async () => {
  writeImages();
  const context = addInstaller({ ignition: await createIgnition(new Date(START + DAY)) });
  const file = context.credentials.pullSecretFile ?? '';
  const validText = readFileSync(file, 'utf8');
  const { auths } = JSON.parse(validText) as { auths: Record<string, unknown> };
  writeFileSync(file, JSON.stringify({ auths: { 'registry.redhat.io': auths['quay.io'] } }));
  await generateStep.apply(context, () => undefined);
  const blocked = await prepareStep.probe(context);
  expect(blocked).toMatchObject({
    state: 'blocked',
    overridableChecks: [{ code: 'pull-secret', cause: file }],
    view: { phases: [{ phase: 'start', failedFindings: [{ code: 'pull-secret', severity: 'fatal' }] }] },
  });
  await expect(prepareStep.apply(context, () => undefined)).rejects.toMatchObject({
    userError: { cause: expect.stringContaining('quay.io') },
  });
  writeFileSync(file, validText);
  const outdated = await prepareStep.probe(context);
  expect(outdated).toMatchObject({
    state: 'blocked',
    findings: [{ code: 'install-config-changed', severity: 'fatal' }],
  });
  expect(outdated.findings[0]?.remedy).toContain('Run Generate first');
  await generateStep.apply(context, () => undefined);
  expect((await prepareStep.probe(context)).state).toBe('needed');
});

test('files of more than one run are moved aside as well; nothing is deleted', async () => {
  writeImages();
  const context = addInstaller({ ignition: await createIgnition(new Date(START + DAY)) });
  await generateStep.apply(context, () => undefined);
  fixture.write('master.ign', 'left over');
  expect(await prepareStep.probe(context)).toMatchObject({ state: 'needed', findings: [{ code: 'install-dir-used' }] });
  await prepareStep.apply(context, () => undefined).catch(() => undefined);
  const { dir, archiveDir } = workspace(context.dir);
  expect(readdirSync(join(archiveDir, '1'))).toEqual(['master.ign']);
  expect(readFileSync(join(dir, 'master.ign'), 'utf8')).toBe('{}\n');
});

test('twelve hours before the files expire there is a warning', async () => {
  writeImages();
  const context = addInstaller({});
  for (const [name, text] of [
    ['bootstrap.ign', await createIgnition(new Date(START + DAY / 3))],
    ['master.ign', '{}'],
    ['worker.ign', '{}'],
  ] as const)
    fixture.write(name, text);
  expect((await prepareStep.probe(context)).findings).toMatchObject([
    { code: 'ignition-expires', severity: 'warning', title: expect.stringMatching(/[78] h \d+ min/) },
  ]);
});

test('another web server on the port is used, and checked for every file that machines will request', async () => {
  const files = new Map<string, number>([['/boot.ipxe', 10]]);
  const server = createServer((request, response) => {
    const isIgnition = request.url?.startsWith('/ignition/') ?? false;
    const size = files.get(request.url ?? '');
    response.writeHead(size === undefined ? 404 : isIgnition ? 403 : 200, { 'content-length': size ?? 0 }).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await fixture.remove();
  const resolveEndpoint = (_host: string, requestedPort: number) => ({
    host: '127.0.0.1',
    port: requestedPort === 8080 ? port : 1,
  });
  fixture = createStepFixture({ resolveEndpoint });
  writeImages();
  const context = addInstaller({});
  for (const name of ['bootstrap.ign', 'master.ign', 'worker.ign']) fixture.write(name, '{}');

  const first = await prepareStep.probe(context);
  expect(first).toMatchObject({ state: 'blocked', findings: [{ code: 'boot-files-missing' }] });
  const [missing] = first.findings;
  for (const path of ['/ipxe/00-50-56-96-11-c2.ipxe', `/images/${imageFile('rootfs')}`, '/ignition/master.ign'])
    expect(missing?.cause).toContain(path);
  expect(missing?.remedy).toContain('restorecon -R /var/www');

  for (const node of context.design.nodes) files.set(`/ipxe/${node.mac.replaceAll(':', '-')}.ipxe`, 1);
  for (const role of ['bootstrap', 'master', 'worker']) files.set(`/ignition/${role}.ign`, 2);
  for (const kind of Object.keys(images)) files.set(`/images/${imageFile(kind)}`, 1);
  expect(await prepareStep.probe(context)).toMatchObject({ state: 'done', findings: [] });
  // A truncated copy.
  files.set(`/images/${imageFile('rootfs')}`, 0);
  expect((await prepareStep.probe(context)).findings[0]?.cause).toContain('has 0 bytes, but the image here has 1');
});

test('one probe sends another web server one request', async () => {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(200).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await fixture.remove();
  fixture = createStepFixture({
    resolveEndpoint: (_host, requestedPort) => ({ host: '127.0.0.1', port: requestedPort === 8080 ? port : 1 }),
  });
  const { view } = await prepareStep.probe(addInstaller({}));
  expect(view.items.find(({ id }) => id === 'server')).toMatchObject({ state: 'ok' });
  expect(requests).toEqual(['HEAD /boot.ipxe']);
});
