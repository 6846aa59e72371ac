import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { openWorkingSession } from '../../src/cli/session/working-session.ts';
import { InterruptedError } from '../../src/cli/shared/process-io.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { clusterCommands as catalogue } from '../../src/i18n/en/cluster-commands.ts';
import { moves } from '../../src/i18n/en/moves/index.ts';
import { infraWords } from '../../src/i18n/en/steps/infra.ts';
import { MOVE_NAMES } from '../../src/infra/moves.ts';
import { openSession } from '../../src/session/session.ts';
import { waitUntil } from '../rehearsal/site/play.ts';
import { bootstrapSimulatedCluster } from '../rehearsal/site/play-install.ts';
import { exampleSite } from '../support/example-design.ts';
import { createOwnerSettings, MONITORING_CONFIG, OWNER_CONFIG } from '../support/owner-settings.ts';
import { captureCommand } from '../support/run-command.ts';
import { DOMAIN, type SimulatedCluster, startSimulatedCluster } from '../support/simulated-cluster.ts';

const words = catalogue.infra;
const steps = infraWords.infra;
const planWords = infraWords.savedPlan;
const INFRA_LABEL = 'node-role.kubernetes.io/infra';
let cluster: SimulatedCluster;
beforeEach(async () => {
  cluster = await startSimulatedCluster();
  for (const [index, name] of ['i1', 'i2', 'i3'].entries()) cluster.addNode(name, `172.16.0.4${index + 1}`);
  cluster.add('dnses.operator.openshift.io', { metadata: { name: 'default' }, spec: {} });
  cluster.add('ingresscontrollers.operator.openshift.io', {
    metadata: { name: 'default', namespace: 'openshift-ingress-operator' },
    spec: {},
  });
});
afterEach(() => cluster.close());

const change = z.strictObject({
  object: z.string(),
  before: z.string().nullable(),
  after: z.string().nullable(),
  managers: z.array(z.strictObject({ name: z.string(), isGitOps: z.boolean() })),
});
const schema = z.strictObject({
  moves: z.array(
    z.strictObject({
      name: z.enum(MOVE_NAMES),
      state: z.enum(['done', 'needed', 'blocked', 'absent', 'failed']),
      why: z.string().min(1),
      changes: z.array(change),
      preflight: z.array(
        z.strictObject({
          code: z.string(),
          state: z.enum(['ok', 'failed', 'pending', 'unknown']),
          severity: z.enum(['fatal', 'warning', 'note']),
          subject: z.string().nullable(),
          title: z.string(),
          cause: z.string(),
          remedy: z.string(),
        }),
      ),
      restarts: z.array(z.string()),
      outage: z.string().nullable(),
      knownLater: z.array(z.string()),
    }),
  ),
  // No wizard runs here, and only it starts the job.
  job: z.null(),
});
type Options = Partial<Parameters<typeof captureCommand>[1]>;
const runInfra = (argv: readonly string[], options: Options = {}) =>
  captureCommand(['infra', ...argv], { cwd: cluster.cwd, ...options });
async function runJson(argv: readonly string[], options: Options = {}) {
  const result = await runInfra([...argv, ...(argv.includes('--dir') ? [] : cluster.fileOptions), '--json'], options);
  const { moves } = schema.parse(JSON.parse(result.stdout));
  return { ...result, moves, states: Object.fromEntries(moves.map(({ name, state }) => [name, state])) };
}
const getLabels = (name: string) => cluster.store.get('nodes', null, `${name}.${DOMAIN}`)?.metadata.labels ?? {};
const isLabelled = (name: string) => INFRA_LABEL in getLabels(name);

test('plan shows every move in order with its changes; the load balancer is for an install directory', async () => {
  const { code, moves, states } = await runJson(['plan']);
  // There is no registry in this cluster, and the taint waits for it.
  expect(code).toBe(4);
  expect(moves.map(({ name }) => name)).toEqual([...MOVE_NAMES]);
  expect(states).toMatchObject({ label: 'needed', 'lb-add': 'absent', 'lb-final': 'absent', router: 'needed' });
  expect(states).toMatchObject({ registry: 'blocked', taint: 'blocked' });
  expect(moves.find(({ name }) => name === 'lb-add')?.why).toBe(words.noDirectory);
  expect(moves.find(({ name }) => name === 'label')?.changes[0]).toMatchObject({ object: `Node i1.${DOMAIN}` });
  const { stdout } = await runInfra(['plan', ...cluster.fileOptions]);
  expect(stdout).toContain(`~~~ Node i1.${DOMAIN}\n`);
  expect(stdout).toMatch(/^\+ {5}node-role\.kubernetes\.io\/infra: ""$/m);
  expect(isLabelled('i1')).toBe(false);
});

test('a plan with nothing to apply is not saved, and such a plan is refused and not marked as used', async () => {
  const file = join(cluster.cwd, 'plan.json');
  const blocked = await runJson(['plan', '--only', 'taint', '--out', file]);
  expect(blocked).toMatchObject({ code: 4, states: { taint: 'blocked' } });
  expect(blocked.stderr).toContain(`${words.planEmpty(file)}\n  taint: ${blocked.moves[0]?.why}`);
  expect(existsSync(file)).toBe(false);
  expect(await runJson(['plan', '--only', 'label', '--out', file])).toMatchObject({ code: 0 });
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), moves: [] }));
  const applied = await runInfra(['apply', file, '--yes', ...cluster.fileOptions]);
  expect(applied).toMatchObject({ code: 4, stdout: '', stderr: `${words.planNothing(file)}\n` });
  expect(existsSync(`${file}.used`)).toBe(false);
  expect(await runJson(['apply', '--only', 'label', '--yes'])).toMatchObject({ code: 0 });
  const other = join(cluster.cwd, 'other.json');
  const done = await runJson(['plan', '--only', 'label', '--out', other]);
  expect(done).toMatchObject({ code: 4, states: { label: 'done' } });
  expect(existsSync(other)).toBe(false);
});

test('plan of a blocked move, and verify of a move that is not applied, exit with 4', async () => {
  expect(await runJson(['plan', '--only', 'taint'])).toMatchObject({ code: 4, states: { taint: 'blocked' } });
  expect(await runJson(['verify', '--only', 'label'])).toMatchObject({ code: 4, states: { label: 'needed' } });
  const { stdout } = await runInfra(['verify', '--only', 'label', ...cluster.fileOptions]);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('Not done: label.');
});

test('apply --yes applies the chosen moves, verify confirms them, and undo reverts them', async () => {
  const applied = await runJson(['apply', '--only', 'label', '--yes']);
  expect(applied).toMatchObject({ code: 0, states: { label: 'done' } });
  expect(['i1', 'i2', 'i3'].every(isLabelled)).toBe(true);
  const version = cluster.store.getCurrentVersion();
  expect(await runJson(['apply', '--only', 'label', '--yes'])).toMatchObject({ code: 0 });
  expect(cluster.store.getCurrentVersion()).toBe(version);
  expect(await runJson(['verify', '--only', 'label'])).toMatchObject({ code: 0, states: { label: 'done' } });
  const { stdout } = await runInfra(['verify', '--only', 'label', ...cluster.fileOptions]);
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('Verified: the move is done.');
  expect(await runJson(['undo', '--only', 'label', '--yes'])).toMatchObject({ code: 0, states: { label: 'needed' } });
  expect(['i1', 'i2', 'i3'].some(isLabelled)).toBe(false);
});

test('apply shows what will change and asks; anything but yes changes nothing', async () => {
  for (const answer of ['n', '', null, 'label']) {
    const declined = await runJson(['apply', '--only', 'label'], { ask: async () => answer });
    expect(declined).toMatchObject({ code: 4, states: { label: 'needed' } });
    expect(declined.stderr).toContain(`~~~ Node i1.${DOMAIN}`);
    expect(declined.stderr).toContain(words.declined);
  }
  expect(isLabelled('i1')).toBe(false);
  const prompts: string[] = [];
  const ask = async (prompt: string) => {
    prompts.push(prompt);
    return 'y';
  };
  expect(await runJson(['apply', '--only', 'label'], { ask })).toMatchObject({ code: 0, states: { label: 'done' } });
  expect(prompts).toEqual([words.confirmMoves('label')]);
  expect(await runJson(['undo', '--only', 'label'], { ask: async () => 'no' })).toMatchObject({
    code: 4,
    states: { label: 'done' },
  });
});

test('objects that GitOps manages are named, and changed only after a confirmation', async () => {
  const annotations = { 'argocd.argoproj.io/tracking-id': 'infra:operator.openshift.io/DNS:default' };
  cluster.store.mutate('dnses.operator.openshift.io', null, 'default', (object) => {
    object.metadata.annotations = annotations;
  });
  const planned = await runJson(['plan', '--only', 'dns']);
  expect(planned.moves[0]?.changes[0]?.managers).toEqual([{ name: 'Argo CD', isGitOps: true }]);
  expect(planned.moves[0]).toMatchObject({
    restarts: [expect.stringContaining('dns-default')],
    outage: expect.any(String),
  });
  const stopped = await runJson(['apply', '--only', 'dns', '--yes']);
  expect(stopped).toMatchObject({ code: 4, states: { dns: 'needed' } });
  expect(stopped.stderr).toContain(words.gitOps('Argo CD'));
  expect(stopped.stderr).toContain(words.gitOpsRefusal('DNS default'));
  const prompts: string[] = [];
  const ask = async (prompt: string) => {
    prompts.push(prompt);
    return prompts.length === 1 ? 'y' : 'n';
  };
  expect(await runJson(['apply', '--only', 'dns'], { ask })).toMatchObject({ code: 4, states: { dns: 'needed' } });
  expect(prompts).toEqual([words.confirmMoves('dns'), words.gitOpsPrompt('DNS default')]);
});

test('a saved plan is applied as it was saved, once', async () => {
  const file = join(cluster.cwd, 'infra.plan');
  const planned = await runJson(['plan', '--only', 'label', '--out', file]);
  const applyCommand = `upi-wizard infra apply ${file} ${cluster.fileOptions.join(' ')}`;
  expect(planned).toMatchObject({ code: 0, stderr: `${words.planSaved(file, applyCommand)}\n` });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  expect(saved.moves[0].changes[0].about).toEqual({ uid: expect.any(String), resourceVersion: expect.any(String) });
  expect(await runJson(['plan', '--only', 'label', '--out', file])).toMatchObject({
    code: 4,
    stderr: `${words.planExists(file)}\n`,
  });
  expect(await runJson(['apply', file, '--yes'])).toMatchObject({ code: 0, states: { label: 'done' } });
  const version = cluster.store.getCurrentVersion();
  const again = await runJson(['apply', file, '--yes']);
  expect(again).toMatchObject({ code: 4, stderr: `${words.planUsed(file, `${file}.used`)}\n` });
  expect(cluster.store.getCurrentVersion()).toBe(version);
  // A plan that was declined can still be used later.
  const other = join(cluster.cwd, 'dns.plan');
  expect(await runJson(['plan', '--only', 'dns', '--out', other])).toMatchObject({ code: 0 });
  expect(await runJson(['apply', other], { ask: async () => 'n' })).toMatchObject({
    code: 4,
    states: { dns: 'needed' },
  });
  expect(existsSync(`${other}.used`)).toBe(false);
});

test('a saved plan is refused when the cluster has changed, with the changed object, its field manager and the time', async () => {
  const file = join(cluster.cwd, 'infra.plan');
  expect(await runJson(['plan', '--only', 'label,dns', '--out', file])).toMatchObject({ code: 0 });
  const time = new Date(Date.now() + 5000).toISOString();
  cluster.store.mutate('dnses.operator.openshift.io', null, 'default', (object) => {
    object.spec = { nodePlacement: { tolerations: [{ key: 'example.com/gpu', operator: 'Exists' }] } };
    const fieldsV1 = { 'f:spec': { 'f:nodePlacement': {} } };
    Object.assign(object.metadata, {
      managedFields: [{ manager: 'kubectl-edit', operation: 'Update', time, fieldsV1 }],
    });
  });
  const refused = await runJson(['apply', file, '--yes']);
  expect(refused).toMatchObject({ code: 4, states: { label: 'needed', dns: 'needed' } });
  expect(refused.stderr).toContain(
    `  ${planWords.changed('DNS default', planWords.writtenBy('kubectl-edit', time))}\n`,
  );
  expect(refused.stderr).not.toContain('Node i1');
  expect(existsSync(`${file}.used`)).toBe(false);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"cluster": .*,/, '"cluster": "another",'));
  expect((await runJson(['apply', file, '--yes'])).stderr).toContain(planWords.otherCluster);
  writeFileSync(file, '{}');
  expect(await runInfra(['apply', file, '--yes', ...cluster.fileOptions])).toMatchObject({ code: 2 });
});

test('a node that was deleted and joined again is not the node of the plan', async () => {
  const file = join(cluster.cwd, 'infra.plan');
  expect(await runJson(['plan', '--only', 'label', '--out', file])).toMatchObject({ code: 0 });
  cluster.store.delete('nodes', null, `i1.${DOMAIN}`);
  cluster.addNode('i1', '172.16.0.41');
  const refused = await runJson(['apply', file, '--yes']);
  expect(refused).toMatchObject({ code: 4, states: { label: 'needed' } });
  expect(refused.stderr).toContain(planWords.changed(`Node i1.${DOMAIN}`, planWords.recreated));
});

test('apply stops at the first move that is blocked; what came before stays done', async () => {
  const { code, states, stderr } = await runJson(['apply', '--only', 'monitoring,label', '--yes']);
  expect({ code, states }).toEqual({ code: 4, states: { label: 'done', monitoring: 'blocked' } });
  expect(stderr).toMatch(/^Not now: monitoring: blocked: \S/m);
  expect(stderr).toContain('Stopped at monitoring');
});

test('apply waits for the rollout, and Ctrl-C ends the wait with 130', async () => {
  const controller = new AbortController();
  cluster.intercept = (request) => {
    // The operator never applies the settings: the wait would last a quarter of an hour.
    if (request.url?.includes('daemonsets')) setImmediate(() => controller.abort(new InterruptedError(130)));
    return false;
  };
  const { code } = await runInfra(['apply', '--only', 'dns', '--yes', ...cluster.fileOptions], {
    signal: controller.signal,
  });
  expect(code).toBe(130);
  cluster.intercept = null;
  // A setting that is written but not rolled out is still needed, with nothing left to write.
  const { code: verified, moves } = await runJson(['verify', '--only', 'dns']);
  expect(verified).toBe(4);
  expect(moves).toMatchObject([{ name: 'dns', state: 'needed', changes: [] }]);
});

test('on an install directory the load balancer moves wait until the bootstrap is removed, and files are diffed', async () => {
  const options = ['--only', 'lb-add', '--dir', cluster.dir];
  const early = await runJson(['plan', ...options]);
  expect(early).toMatchObject({ code: 4, states: { 'lb-add': 'blocked' } });
  expect(early.moves[0]?.why).toBe(words.bootstrapFirst);
  openWorkingSession(openSession(cluster.dir)).stepState.set('stage', 'bootstrap-removed');
  const { code, moves } = await runJson(['plan', ...options]);
  expect(code).toBe(0);
  expect(moves[0]?.changes[0]?.object).toBe('lb1/etc/haproxy/haproxy.cfg');
  expect(moves[0]?.changes[0]?.after).toContain('server i1 172.16.0.41:443');
  // An error that prevents the files from being generated also blocks the move.
  writeFileSync(join(cluster.dir, 'pull-secret.txt'), '{"no": "auths"}');
  expect(await runJson(['plan', ...options])).toMatchObject({ code: 4, states: { 'lb-add': 'blocked' } });
});

test('lb-add is not undone while routers run on infra nodes', async () => {
  openWorkingSession(openSession(cluster.dir)).stepState.set('stage', 'infra-added');
  cluster.add('namespaces', { metadata: { name: 'openshift-ingress' } });
  const template = { spec: { nodeSelector: { 'node-role.kubernetes.io/worker': '' } } };
  cluster.add('deployments.apps', {
    metadata: { name: 'router-default', namespace: 'openshift-ingress' },
    spec: { replicas: 1, template },
    status: { observedGeneration: 1, updatedReplicas: 1, replicas: 1, availableReplicas: 1 },
  });
  const nodeName = `i2.${DOMAIN}`;
  cluster.add('pods', {
    metadata: { name: 'router-default-7d4b9c-x2x9p', namespace: 'openshift-ingress' },
    spec: { nodeName },
    status: { phase: 'Running' },
  });
  const undone = await runJson(['undo', '--only', 'lb-add', '--yes', '--dir', cluster.dir]);
  expect(undone.code).toBe(4);
  expect(undone.stderr).toContain(words.undoBlocked('lb-add', moves.byName.router.routersRemain([nodeName])));
  expect(undone.stderr).toContain(words.notUndone('lb-add'));
  expect(openWorkingSession(openSession(cluster.dir)).stepState.get('stage')).toBe('infra-added');
});

test('a directory that the wizard has open is not changed', async () => {
  const { acquireLock } = await import('../../src/session/lock.ts');
  const lock = await acquireLock(cluster.dir);
  const { code, stdout, stderr } = await runInfra(['apply', '--only', 'label', '--yes', '--dir', cluster.dir]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain(String(process.pid));
  lock.assertHeld();
  expect(await runJson(['plan', '--only', 'label', '--dir', cluster.dir])).toMatchObject({ code: 0 });
  lock.release();
  expect(await runJson(['apply', '--only', 'label', '--yes', '--dir', cluster.dir])).toMatchObject({ code: 0 });
});

test('wrong usage has exit code 2, a lost API 4', async () => {
  const wrong = [
    [],
    ['move'],
    ['plan', 'label'],
    ['plan', '--only', 'label,nonsense'],
    ['plan', '--only', ''],
    ['apply'],
    ['undo', '--only', 'label'],
    ['verify', '--out', 'x'],
    ['apply', 'x', '--only', 'label', '--yes'],
    ['apply', 'no-such-plan', '--yes'],
  ];
  for (const argv of wrong) {
    const { code, stdout } = await runInfra([...argv, ...cluster.fileOptions]);
    expect([argv, code, stdout]).toEqual([argv, 2, '']);
  }
  cluster.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  const { code, stdout, stderr } = await runInfra(['plan', ...cluster.fileOptions]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toMatch(/^The connection to the API was closed/);
});

/** Moves that do not apply to this user-provisioned cluster. */
const ABSENT_MOVES: readonly string[] = [
  'machine-sets',
  'autoscaler',
  'storage',
  'logging',
  'network-diagnostics',
  'boot-image-record',
];

test('every move of a running rehearsal is applied and verified, and undone in reverse order', async () => {
  // At a higher speed, a timeout of fifteen minutes is too short on a busy machine.
  const rehearsal = await bootstrapSimulatedCluster(exampleSite(), 200);
  try {
    const dir = join(rehearsal.dir, 'install');
    mkdirSync(join(dir, '.upi-wizard'), { recursive: true, mode: 0o700 });
    const saved = openWorkingSession(openSession(dir));
    saved.update({
      // Without the worker role, the default placement of the operators moves the routers off the infra nodes.
      design: parseDesign(
        renderExampleDesign({})
          .replace('keepWorkerRole: true', 'keepWorkerRole: false')
          .replace('noExecute: false', 'noExecute: true')
          .replace('routerReplicas: 3', 'routerReplicas: 3\n  routers: [internal]'),
      ).document,
      rehearsal: { siteDir: rehearsal.siteDir, speed: 600, seed: 1, faults: [] },
    });
    saved.stepState.set('stage', 'bootstrap-removed');
    expect(await captureCommand(['csr', 'approve', '--follow', '--dir', dir], { cwd: rehearsal.dir })).toMatchObject({
      code: 0,
    });
    const isInstalled = async () => {
      const { body } = await rehearsal.api('/apis/config.openshift.io/v1/clusterversions/version');
      const conditions: { type: string; status: string }[] = body.status?.conditions ?? [];
      return conditions.some(({ type, status }) => type === 'Available' && status === 'True');
    };
    await waitUntil('the installation', isInstalled);
    const expectedStates = (state: string) =>
      Object.fromEntries(MOVE_NAMES.map((name) => [name, ABSENT_MOVES.includes(name) ? 'absent' : state]));
    await createOwnerSettings(rehearsal.api);
    // The plan shows everything that apply does, including the moves of the load balancer files.
    const planned = await runJson(['plan', '--dir', dir]);
    expect(planned).toMatchObject({ code: 0, states: expectedStates('needed') });
    expect(planned.moves.filter(({ changes }) => changes.length === 0).map(({ name }) => name)).toEqual(ABSENT_MOVES);
    // A command that waits for the cluster makes a paused clock run again.
    await rehearsal.site.setSpeed(0);
    const applied = await runJson(['apply', '--yes', '--dir', dir]);
    expect(applied).toMatchObject({ code: 0, states: expectedStates('done') });
    // No outage: console, canary and API answered all the requests that a user would send.
    const parseCounts = ({ stderr }: { readonly stderr: string }) => [
      ...stderr.matchAll(
        /^\d\d:\d\d (\S+): (\d+) of (\d+) requests failed during the move \(console, canary, API\)(.*)$/gm,
      ),
    ];
    const counts = parseCounts(applied);
    expect(counts.map(([, move, failed, , why]) => [move, failed, why])).toEqual(
      ['lb-add', 'router', 'lb-final'].map((move) => [move, '0', '']),
    );
    expect(Number(counts[1]?.[3])).toBeGreaterThan(5);
    expect(await runJson(['verify', '--dir', dir])).toMatchObject({ code: 0, states: expectedStates('done') });
    const stable = await runJson(['verify', '--stable', '5', '--dir', dir]);
    expect(stable).toMatchObject({ code: 0, states: expectedStates('done') });
    expect(stable.stderr).toContain(words.stable(5));
    // It has its own closing line, which is about the whole time.
    const verified = await runInfra(['verify', '--stable', '1', '--dir', dir]);
    expect(verified.stderr).toContain(words.stable(1));
    expect(verified.stdout).not.toContain('Verified');
    // Moves that the routers depend on are not undone before the routers.
    const early = await runJson(['undo', '--only', 'lb-add,label', '--yes', '--dir', dir]);
    expect(early).toMatchObject({ code: 4, states: { label: 'done', 'lb-add': 'done' } });
    expect(early.stderr).toContain(words.undoBlocked('lb-add', steps.undoFirst('router')));
    const dependents = MOVE_NAMES.filter(
      (name) => ![...ABSENT_MOVES, 'label', 'lb-add', 'dns', 'lb-final'].includes(name),
    );
    expect(early.stderr).toContain(words.undoBlocked('label', steps.undoFirst(dependents.toReversed().join(', '))));
    expect(early.stderr).toMatch(
      /^To undo them with the moves that depend on them: \S+ infra undo --only label,.*lb-add,.*taint,lb-final --dir \S+$/m,
    );
    // On a terminal, one yes undoes the moves that depend on the named one, too.
    const prompts: string[] = [];
    const undoMonitoring = (answer: string) =>
      runInfra(['undo', '--only', 'monitoring', '--dir', dir], {
        ask: async (question) => {
          prompts.push(question);
          return answer;
        },
      });
    const declined = await undoMonitoring('no');
    expect(declined.code).toBe(4);
    expect(declined.stderr).toContain('taint depends on monitoring and is in place: it is undone first.\n');
    expect(await undoMonitoring('yes')).toMatchObject({ code: 0 });
    expect(prompts).toEqual([words.confirmUndo('taint, monitoring'), words.confirmUndo('taint, monitoring')]);
    expect(await runJson(['verify', '--only', 'monitoring,taint', '--dir', dir])).toMatchObject({
      states: { monitoring: 'needed', taint: 'needed' },
    });
    const reapplied = await runJson(['apply', '--only', 'monitoring,taint', '--yes', '--dir', dir]);
    expect(reapplied).toMatchObject({ code: 0, states: { monitoring: 'done', taint: 'done' } });
    const undone = await runJson(['undo', '--yes', '--dir', dir]);
    expect(undone.code).toBe(0);
    expect(parseCounts(undone).map(([, move, failed, , why]) => [move, failed, why])).toEqual(
      ['lb-final', 'router', 'lb-add'].map((move) => [move, '0', '']),
    );
    expect(Object.values(undone.states).filter((state) => !['needed', 'blocked', 'absent'].includes(state))).toEqual(
      [],
    );
    // The nodes that left the pool "infra" first get the configuration of the pool "worker"; then the plan is the first
    // one again.
    await waitUntil('the first plan', async () => {
      const { states } = await runJson(['plan', '--dir', dir]);
      return Object.values(states).every((state) => state === 'needed' || state === 'absent');
    });
    const order = [...undone.stderr.matchAll(/^\d\d:\d\d undo (.+)$/gm)].map(([, name]) => name);
    expect(order).toEqual(MOVE_NAMES.filter((name) => !ABSENT_MOVES.includes(name)).reverse());
    const { body } = await rehearsal.api(MONITORING_CONFIG);
    expect(body.data['config.yaml']).toBe(OWNER_CONFIG);
  } finally {
    await rehearsal.close();
  }
});
