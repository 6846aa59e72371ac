import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { withClusterTarget } from '../../src/cli/shared/cluster-target.ts';
import type { ProcessIo } from '../../src/cli/shared/process-io.ts';
import { createRepeatedProbe } from '../../src/cli/status.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { setAt } from '../../src/design/paths.ts';
import { formatCommandLine } from '../../src/i18n/catalogue.ts';
import { clusterCommands } from '../../src/i18n/en/cluster-commands.ts';
import { computeSha256 } from '../../src/platform/text.ts';
import { getConfigDirectory, rememberDirectory } from '../../src/session/install-directories.ts';
import { openSession } from '../../src/session/session.ts';
import type { SessionState } from '../../src/session/state.ts';
import { openMoveRecords, replaceMoveRecords } from '../../src/steps/shared/moves/move-run.ts';
import { workspace } from '../../src/steps/shared/workspace.ts';
import type { StatusProbe } from '../../src/steps/status.ts';
import { captureCommand } from '../support/run-command.ts';
import { DOMAIN, type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
});
afterEach(() => cluster.close());

const time = z.iso.datetime();
const count = z.number().int().nullable();
const statusSchema = z.strictObject({
  at: time,
  stage: z.string().nullable(),
  api: z.strictObject({ state: z.enum(['up', 'away']), since: time.nullable(), detail: z.string() }),
  clusterVersion: z
    .strictObject({
      version: z.string(),
      available: z.boolean(),
      progressing: z.boolean(),
      failing: z.boolean(),
      done: count,
      total: count,
      message: z.string(),
    })
    .nullable(),
  operators: z
    .array(
      z.strictObject({
        name: z.string(),
        available: z.boolean(),
        progressing: z.boolean(),
        degraded: z.boolean(),
        since: time.nullable(),
        message: z.string(),
      }),
    )
    .nullable(),
  nodes: z.array(
    z.strictObject({ name: z.string(), role: z.string(), ready: z.boolean().nullable(), expected: z.boolean() }),
  ),
  requests: z.strictObject({ expected: count, refused: count, pending: count }),
  infraJob: z.null(),
  machines: z.array(z.strictObject({ name: z.string(), at: time, problems: z.array(z.string()) })).nullable(),
});

const programs = { bootServer: '', executable: '', site: '', standIn: '' };
const runStatus = (...argv: string[]) => captureCommand(['status', ...argv], { cwd: cluster.cwd });
const parseStatus = (text: string) => statusSchema.parse(JSON.parse(text));
const createConditions = (states: Record<string, boolean>, message = '') =>
  Object.entries(states).map(([type, isTrue]) => ({
    type,
    status: isTrue ? 'True' : 'False',
    lastTransitionTime: '2026-01-02T03:04:05Z',
    message,
  }));

function addOperator(name: string, states: { Available: boolean; Progressing: boolean; Degraded: boolean }): void {
  const message = `${name} says\u001b[31m\nso`;
  cluster.add('clusteroperators.config.openshift.io', {
    metadata: { name },
    spec: {},
    status: { conditions: createConditions(states, message) },
  });
}

async function addClusterObjects(): Promise<void> {
  cluster.add('clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: {},
    status: {
      desired: { version: '4.18.9' },
      conditions: createConditions({ Progressing: true }, 'Working towards 4.18.9: 640 of 869 done (73% complete)'),
    },
  });
  addOperator('dns', { Available: true, Progressing: false, Degraded: false });
  addOperator('etcd', { Available: true, Progressing: true, Degraded: false });
  addOperator('ingress', { Available: false, Progressing: true, Degraded: true });
  cluster.addNode('m1', '172.16.0.21', { labels: { 'node-role.kubernetes.io/master': '' } });
  cluster.addNode('w1', '172.16.0.31', { isReady: false });
  cluster.addNode('stranger', '172.16.0.99');
  await cluster.addRequest('csr-w2', 'w2');
  await cluster.addRequest('csr-evil', 'evil');
}

test('the document lists API, version, operators with problems first, nodes of the design, and requests', async () => {
  await addClusterObjects();
  const result = await runStatus(...cluster.fileOptions, '--json');
  expect(result).toMatchObject({ code: 0, stderr: '' });
  const found = parseStatus(result.stdout);
  expect(found.api).toEqual({ state: 'up', since: null, detail: 'v1.31.8' });
  expect(found.clusterVersion).toMatchObject({ version: '4.18.9', progressing: true, done: 640, total: 869 });
  expect(found.operators?.map(({ name }) => name)).toEqual(['ingress', 'etcd', 'dns']);
  expect(found.operators?.[0]).toMatchObject({ degraded: true, available: false, since: '2026-01-02T03:04:05.000Z' });
  expect(found.nodes).toHaveLength(10);
  expect(found.nodes).toContainEqual({ name: `m1.${DOMAIN}`, role: 'control-plane', ready: true, expected: true });
  expect(found.nodes).toContainEqual({ name: `w1.${DOMAIN}`, role: 'compute', ready: false, expected: true });
  expect(found.nodes.at(-1)).toEqual({ name: `stranger.${DOMAIN}`, role: 'worker', ready: true, expected: false });
  expect(found.requests).toEqual({ expected: 1, refused: 1, pending: 2 });
  expect(found.stage).toBe('bootstrap');
});

test('the text fits on one screen and has no control characters from the cluster', async () => {
  await addClusterObjects();
  for (let index = 0; index < 30; index += 1)
    addOperator(`op-${index}`, { Available: false, Progressing: true, Degraded: false });
  const { code, stdout } = await runStatus(...cluster.fileOptions);
  expect(code).toBe(0);
  const lines = stdout.trimEnd().split('\n');
  expect(lines.length).toBeLessThanOrEqual(22);
  expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  expect(stdout).not.toContain('\u001b');
  expect(stdout).toContain('73 % (640 of 869)');
  expect(stdout).toContain('control-plane 1/3');
  expect(stdout).toContain(`not in the design: stranger.${DOMAIN}`);
  expect(stdout).toContain('2 pending: 1 expected, 1 refused');
  expect(lines.findIndex((line) => /ingress +degraded/.test(line))).toBeGreaterThan(0);
  expect(stdout).not.toMatch(/^ +dns /m);
});

test('a node that is Ready and sick or cordoned is named', async () => {
  await addClusterObjects();
  cluster.add('nodes', {
    metadata: { name: `w2.${DOMAIN}`, labels: {} },
    spec: { unschedulable: true },
    status: {
      conditions: [
        { type: 'Ready', status: 'True' },
        { type: 'DiskPressure', status: 'True' },
        { type: 'MemoryPressure', status: 'False' },
      ],
    },
  });
  const { stdout } = await runStatus(...cluster.fileOptions);
  expect(stdout).toContain('Ready, with problems: w2 (DiskPressure, SchedulingDisabled)\n');
});

const readStage = async (...argv: string[]) => parseStatus((await runStatus(...argv, '--json')).stdout).stage;
const createEtcd = (isRemoved: boolean) => ({
  metadata: { name: 'cluster' },
  spec: {},
  status: { conditions: createConditions({ EtcdBootstrapMemberRemoved: isRemoved }) },
});
function completeBootstrap() {
  cluster.add('namespaces', { metadata: { name: 'kube-system' } });
  cluster.add('configmaps', {
    metadata: { name: 'bootstrap', namespace: 'kube-system' },
    data: { status: 'complete' },
  });
}

test('the stage follows what the cluster shows, and what the session knows of the load balancer', async () => {
  completeBootstrap();
  // The bootstrap is complete, but its member is still in etcd. The etcd operator reports nothing until the member has
  // left.
  expect(await readStage(...cluster.fileOptions)).toBe('bootstrap');
  expect(await readStage('--dir', cluster.dir)).toBe('bootstrap');
  cluster.add('etcds.operator.openshift.io', createEtcd(true));
  expect(await readStage(...cluster.fileOptions)).toBe('certificates');
  expect(await readStage('--dir', cluster.dir)).toBe('bootstrap-removal');
});

/** Completes the installation of the cluster. Returns a function that saves the screen at which the session was left. */
function completeInstallation(): (screen: string) => void {
  completeBootstrap();
  cluster.add('etcds.operator.openshift.io', createEtcd(true));
  const conditions = createConditions({ Available: true, Progressing: false });
  cluster.add('clusterversions.config.openshift.io', {
    metadata: { name: 'version' },
    spec: {},
    status: { desired: { version: '4.18.9' }, conditions },
  });
  const session = openSession(cluster.dir);
  const saved = session.load();
  return (screen) => session.save({ ...saved, place: { screen, field: null }, memory: { stage: 'bootstrap-removed' } });
}

test('a lost node of an installed cluster leaves the stage where the session is, and the exit code 0', async () => {
  const save = completeInstallation();
  cluster.addNode('m1', '172.16.0.21', { isReady: false });
  save('operators');
  expect(await readStage('--dir', cluster.dir)).toBe('certificates');
  save('infra');
  expect(await readStage('--dir', cluster.dir)).toBe('infra');
  expect(await runStatus('--dir', cluster.dir)).toMatchObject({ code: 0 });
});

test('EtcdBootstrapMemberRemoved=False keeps the bootstrap stage, whatever else is complete', async () => {
  await addClusterObjects();
  completeBootstrap();
  cluster.add('etcds.operator.openshift.io', createEtcd(false));
  expect(await readStage(...cluster.fileOptions)).toBe('bootstrap');
});

test('an API that answers in part or not at all is reported, with exit code 4; unknown values are null', async () => {
  cluster.intercept = (request, response) => {
    if (!request.url?.includes('clusteroperators')) return false;
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 403, reason: 'Forbidden', message: 'may not list' }));
    return true;
  };
  const half = await runStatus(...cluster.fileOptions, '--json');
  expect(half.code).toBe(4);
  expect(half.stderr).toContain('may not list');
  expect(parseStatus(half.stdout)).toMatchObject({ operators: null, api: { state: 'up' }, requests: { pending: 0 } });
  cluster.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  const away = await runStatus('--dir', cluster.dir, '--json');
  expect(away.code).toBe(4);
  expect(away.stderr).toMatch(/^The connection to the API was closed/);
  const found = parseStatus(away.stdout);
  expect(found).toMatchObject({ stage: 'certificates', operators: null, clusterVersion: null });
  expect(found.api.state).toBe('away');
  expect(found.nodes.every(({ ready, expected }) => ready === null && expected)).toBe(true);
  expect(found.requests).toEqual({ expected: null, refused: null, pending: null });
});

test('an install directory without a kubeconfig has a status: the API is away, with exit code 4', async () => {
  rmSync(join(cluster.dir, 'auth'), { recursive: true });
  const { code, stdout, stderr } = await runStatus('--dir', cluster.dir, '--json');
  expect({ code, state: parseStatus(stdout).api.state }).toEqual({ code: 4, state: 'away' });
  expect(stderr).toContain('auth/kubeconfig');
});

test('before the machines are booted, the next step is named in place of an API that cannot answer', async () => {
  rmSync(join(cluster.dir, 'auth'), { recursive: true });
  const session = openSession(cluster.dir);
  const saved = session.load();
  const save = (screen: string, memory = {}) => session.save({ ...saved, place: { screen, field: null }, memory });
  const { title, remedy } = clusterCommands.notInstalled;
  save('boot');
  for (const argv of [['status'], ['csr', 'list'], ['infra', 'plan']]) {
    const { code, stderr } = await captureCommand([...argv, '--dir', cluster.dir], { cwd: cluster.cwd });
    expect([argv, code]).toEqual([argv, 4]);
    expect(stderr).toContain(`${title}: the next step is Boot.`);
    expect(stderr).toContain(remedy(formatCommandLine('--dir', cluster.dir)));
    expect(stderr).not.toContain('kubeconfig');
  }
  expect((await runStatus('--dir', cluster.dir)).stdout).toBe(
    'Stage        boot the first machines\nAPI          none yet\n',
  );
  // Generate records the first stage.
  save('hosts', { stage: 'install' });
  for (const argv of [['status'], ['csr', 'list'], ['infra', 'plan']]) {
    const { stderr } = await captureCommand([...argv, '--dir', cluster.dir], { cwd: cluster.cwd });
    expect(stderr).toContain(`${title}: the next step is Hosts, and Prepare creates the kubeconfig.`);
    expect(stderr).not.toContain('cannot be used');
  }
  save('boot', { 'powered-on': { m1: Date.now() - 1000 } });
  expect((await runStatus('--dir', cluster.dir)).stderr).toContain('auth/kubeconfig');
});

test('files generated from another design than the saved one are reported, because requests are reviewed by the design', async () => {
  const files = join(cluster.dir, 'files');
  mkdirSync(files);
  const { design } = parseDesign(readFileSync(join(cluster.cwd, 'design.yaml'), 'utf8'));
  const writeManifest = (text: string) =>
    writeFileSync(join(files, 'files.json'), JSON.stringify({ design: computeSha256(text) }));
  writeManifest(JSON.stringify(design));
  expect(await runStatus('--dir', cluster.dir)).toMatchObject({ code: 0, stderr: '' });
  writeManifest('another');
  const { code, stderr } = await runStatus('--dir', cluster.dir);
  expect(code).toBe(0);
  expect(stderr).toContain('not the one that the files');
});

test('exit codes: 2 for wrong usage and unreadable files, 3 for a wrong design, 4 for a missing simulated site', async () => {
  const [, design = '', , kubeconfig = ''] = cluster.fileOptions;
  const wrong: [string[], string][] = [
    [['--nonsense'], 'nonsense'],
    [['extra', ...cluster.fileOptions], 'extra'],
    [['--design', design], 'must be used together'],
    [['--dir', cluster.dir, ...cluster.fileOptions], 'either --dir'],
    [['--design', 'nowhere.yaml', '--kubeconfig', kubeconfig], 'it does not exist'],
    [['--design', design, '--kubeconfig', 'nowhere'], 'nowhere'],
    [['--dir', 'empty'], 'empty does not exist: specify the install directory with --dir'],
    [[], 'upi-cluster'],
  ];
  for (const [argv, message] of wrong) {
    const { code, stdout, stderr } = await runStatus(...argv);
    expect([argv, code, stdout]).toEqual([argv, 2, '']);
    expect(stderr).toContain(message);
  }
  writeFileSync(join(cluster.cwd, 'bad.yaml'), 'kind: ClusterDesign\n');
  expect(await runStatus('--design', 'bad.yaml', '--kubeconfig', kubeconfig)).toMatchObject({ code: 3, stdout: '' });
  const session = openSession(cluster.dir);
  const rehearsal = { siteDir: join(cluster.dir, 'site'), speed: 60, seed: 1, faults: [] };
  session.save({ ...session.load(), rehearsal });
  const result = await runStatus('--dir', cluster.dir);
  expect(result).toMatchObject({ code: 4, stdout: '' });
  expect(result.stderr).toContain('simulated site');
});

test('unknown saved step state is reported on standard error, and nothing depends on it', async () => {
  const session = openSession(cluster.dir);
  session.save({ ...session.load(), memory: { stage: 'bootstrap-removed', 'powered-on': 'yesterday' } });
  const { code, stdout, stderr } = await runStatus('--dir', cluster.dir, '--json');
  expect(code).toBe(0);
  expect(parseStatus(stdout).api.state).toBe('up');
  expect(stderr).toContain('powered-on');
});

test('one stray letter in an answer changes nothing: the last design without errors is used, and that is reported', async () => {
  const session = openSession(cluster.dir);
  const saved = session.load();
  const design = setAt(saved.design, 'openshift.version', '4.18d');
  session.save({ ...saved, design, inForce: saved.design, place: { screen: 'cluster', field: 'openshift.version' } });
  const { code, stdout, stderr } = await runStatus('--dir', cluster.dir, '--json');
  expect(code).toBe(0);
  expect(parseStatus(stdout).nodes.length).toBeGreaterThan(0);
  expect(stderr).toBe(`The answers in ${cluster.dir} have errors: this command uses the last design without errors.\n`);
  session.save({ ...saved, design, inForce: null });
  expect(await runStatus('--dir', cluster.dir)).toMatchObject({ code: 3, stdout: '' });
});

test('the document has the last report of each machine to the boot server; without an install directory there is none', async () => {
  const { design } = openSession(cluster.dir).load() as { readonly design: { readonly nodes: { mac: string }[] } };
  const path = `/machine?mac=${design.nodes[1]?.mac.replaceAll(':', '-')}&cpu=v1`;
  const request = { at: Date.parse('2026-01-02T03:04:05Z'), path, status: 200, client: '172.16.0.21', method: 'GET' };
  const line = JSON.stringify({ ...request, bytes: 0, complete: true });
  writeFileSync(join(cluster.dir, '.upi-wizard/boot-requests.ndjson'), `${line}\n`);
  const { stdout } = await runStatus('--dir', cluster.dir, '--json');
  const problems = ['CPU level x86-64-v1, needs x86-64-v2'];
  expect(parseStatus(stdout).machines).toEqual([{ name: 'm1', at: expect.stringMatching(/^2026-01-02T/), problems }]);
  expect(parseStatus((await runStatus(...cluster.fileOptions, '--json')).stdout).machines).toBeNull();
});

test('without --dir, the install directory that was used last is named, with its cluster', async () => {
  const env = { HOME: cluster.cwd, XDG_CONFIG_HOME: join(cluster.cwd, 'config') };
  rememberDirectory(cluster.dir, getConfigDirectory(env));
  const { code, stdout, stderr } = await captureCommand(['status', '--json'], { cwd: cluster.cwd, env });
  expect(code).toBe(0);
  parseStatus(stdout);
  expect(stderr).toBe(`Cluster ocp45.example.localdomain, install directory ${cluster.dir}\n`);
  expect((await runStatus('--dir', cluster.dir)).stderr).toBe('');
});

test('the line of a job for infra moves is followed by a command that works from any directory', async () => {
  mkdirSync(workspace(cluster.dir).jobsDir, { recursive: true, mode: 0o700 });
  replaceMoveRecords(cluster.dir, {
    ...{ type: 'order', id: '1', at: Date.now(), action: 'apply', subject: null, moves: ['router'], shown: null },
    ...{ toDefaults: false, overwrites: false },
  });
  openMoveRecords(cluster.dir).append([{ type: 'begun' }]);
  // Its program is gone: the machine went down.
  const { stdout } = await runStatus('--dir', cluster.dir);
  expect(stdout).toContain(
    `Infra moves  the job that applied router ended without a result:\n    ${formatCommandLine('infra', 'job', '--dir', cluster.dir)}\n`,
  );
  const userError = { code: 'x', title: 'X', cause: 'y', remedy: 'z' };
  openMoveRecords(cluster.dir).append([{ type: 'end', end: 'failed', userError }]);
  expect((await runStatus('--dir', cluster.dir)).stdout).toContain(
    `Infra moves  the job that applied router failed:\n    ${formatCommandLine('infra', 'job', '--dir', cluster.dir)}\n`,
  );
  // A move that is blocked wrote nothing: it did not fail.
  const blocked = { ...userError, code: 'move-blocked', title: 'move router is blocked' };
  openMoveRecords(cluster.dir).append([{ type: 'end', end: 'failed', userError: blocked }]);
  expect((await runStatus('--dir', cluster.dir)).stdout).toContain(
    `Infra moves  move router is blocked:\n    ${formatCommandLine('infra', 'job', '--dir', cluster.dir)}\n`,
  );
  const save = completeInstallation();
  save('infra');
  const planCommand = `\n    ${formatCommandLine('infra', 'plan', '--dir', cluster.dir)}\n`;
  openMoveRecords(cluster.dir).append([{ type: 'end', end: 'done' }]);
  expect((await runStatus('--dir', cluster.dir)).stdout).toContain(
    `Infra moves  the last job applied all its moves; their states:${planCommand}`,
  );
  openMoveRecords(cluster.dir).append([{ type: 'end', end: 'cancelled' }]);
  expect((await runStatus('--dir', cluster.dir)).stdout).toContain(
    `Infra moves  the last job was stopped; the moves:${planCommand}`,
  );
  save('report');
  expect((await runStatus('--dir', cluster.dir)).stdout).not.toContain('Infra moves');
});

test('the plan of the infra moves names a job that was killed, as long as a move is not done', async () => {
  const runPlan = (...argv: string[]) =>
    captureCommand(['infra', 'plan', '--dir', cluster.dir, ...argv], { cwd: cluster.cwd });
  mkdirSync(workspace(cluster.dir).jobsDir, { recursive: true, mode: 0o700 });
  replaceMoveRecords(cluster.dir, {
    ...{ type: 'order', id: '1', at: Date.now(), action: 'apply', subject: null, moves: ['router'], shown: null },
    ...{ toDefaults: false, overwrites: false },
  });
  openMoveRecords(cluster.dir).append([{ type: 'begun' }]);
  expect((await runPlan()).stderr).toContain(
    'The job that carried out the infra moves ended without a result: it no longer runs, and how it ended was not recorded',
  );
  expect((await runPlan('--only', 'machine-sets')).stderr).not.toContain('ended without a result');
});

test('a watch reads the session again at each probe, and reports a rehearsal site that has stopped', async () => {
  cluster.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  const session = openSession(cluster.dir);
  const saved = session.load();
  const probes: StatusProbe[] = [];
  const io: ProcessIo = {
    ...{ stdout: () => undefined, stderr: () => undefined, env: {}, cwd: cluster.cwd, ask: null },
    ...{ signal: new AbortController().signal, canRedraw: false, columns: 80 },
  };
  await withClusterTarget({ dir: cluster.dir }, io, programs, async (target) => {
    const probe = createRepeatedProbe(target, false);
    const probeAfter = async (change: Partial<SessionState>) => {
      session.save({ ...saved, ...change });
      probes.push(await probe(undefined));
    };
    await probeAfter({});
    const place = { screen: 'report', field: null };
    await probeAfter({ place });
    const rehearsal = { siteDir: join(cluster.dir, 'site'), speed: 60, seed: 1, faults: [] };
    await probeAfter({ place, rehearsal });
    return 0;
  });
  expect(probes.map(({ status }) => status.stage)).toEqual(['certificates', 'report', 'report']);
  expect(probes.map(({ userErrors }) => userErrors.map(({ code }) => code))).toEqual([
    ['cluster-closed'],
    ['cluster-closed'],
    ['site-gone'],
  ]);
});
