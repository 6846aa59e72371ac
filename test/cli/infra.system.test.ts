import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import * as z from 'zod';
import { csrCommand } from '../../src/cli/csr.ts';
import { infraCommand } from '../../src/cli/infra.ts';
import { openSaved } from '../../src/cli/session/saved.ts';
import { Interrupted } from '../../src/cli/shared/live-io.ts';
import { exampleDesign } from '../../src/design/example.ts';
import { parseDesign } from '../../src/design/parse.ts';
import { MOVE_NAMES } from '../../src/moves/table.ts';
import { openSession } from '../../src/session/store.ts';
import { live as catalogue } from '../../src/text/en/commands/live.ts';
import { moves } from '../../src/text/en/moves/index.ts';
import { infraWords } from '../../src/text/en/steps/infra.ts';
import { until } from '../rehearsal/site/play.ts';
import { playBootstrap } from '../rehearsal/site/play-install.ts';
import { exampleSite } from '../support/example-design.ts';
import { DOMAIN, type LiveCluster, runLive, startLiveCluster } from '../support/live-cluster.ts';
import { OWN_SETTINGS, ownSettings, SETTINGS } from '../support/owner-settings.ts';

const words = catalogue.infra;
const steps = infraWords.infra;
const planWords = infraWords.savedPlan;
const INFRA_LABEL = 'node-role.kubernetes.io/infra';
let cluster: LiveCluster;
beforeEach(async () => {
  cluster = await startLiveCluster();
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
          whatToDo: z.string(),
        }),
      ),
      restarts: z.array(z.string()),
      outage: z.string().nullable(),
      knownLater: z.array(z.string()),
    }),
  ),
});
type Options = Partial<Parameters<typeof runLive>[2]>;
const infra = (argv: readonly string[], options: Options = {}) =>
  runLive(infraCommand, argv, { cwd: cluster.cwd, ...options });
async function json(argv: readonly string[], options: Options = {}) {
  const ran = await infra([...argv, ...(argv.includes('--dir') ? [] : cluster.files), '--json'], options);
  const { moves } = schema.parse(JSON.parse(ran.stdout));
  return { ...ran, moves, states: Object.fromEntries(moves.map(({ name, state }) => [name, state])) };
}
const labelsOf = (name: string) => cluster.store.get('nodes', null, `${name}.${DOMAIN}`)?.metadata.labels ?? {};
const isLabelled = (name: string) => INFRA_LABEL in labelsOf(name);

test('plan tells every move in order with its changes; the load balancer is for an install directory', async () => {
  const { code, moves, states } = await json(['plan']);
  // There is no registry in this cluster, and the taint waits for it.
  expect(code).toBe(4);
  expect(moves.map(({ name }) => name)).toEqual([...MOVE_NAMES]);
  expect(states).toMatchObject({ label: 'needed', 'lb-add': 'absent', 'lb-final': 'absent', router: 'needed' });
  expect(states).toMatchObject({ registry: 'blocked', taint: 'blocked' });
  expect(moves.find(({ name }) => name === 'lb-add')?.why).toBe(words.noDirectory);
  expect(moves.find(({ name }) => name === 'label')?.changes[0]).toMatchObject({ object: `Node i1.${DOMAIN}` });
  const { stdout } = await infra(['plan', ...cluster.files]);
  expect(stdout).toContain(`~~~ Node i1.${DOMAIN}\n`);
  expect(stdout).toMatch(/^\+ {5}node-role\.kubernetes\.io\/infra: ""$/m);
  expect(isLabelled('i1')).toBe(false);
});

test('plan of a move that only waits, and verify of what is not there, answer no', async () => {
  expect(await json(['plan', '--only', 'taint'])).toMatchObject({ code: 4, states: { taint: 'blocked' } });
  expect(await json(['verify', '--only', 'label'])).toMatchObject({ code: 4, states: { label: 'needed' } });
});

test('apply --yes makes the chosen moves, verify says so, and undo takes them back', async () => {
  const applied = await json(['apply', '--only', 'label', '--yes']);
  expect(applied).toMatchObject({ code: 0, states: { label: 'done' } });
  expect(['i1', 'i2', 'i3'].every(isLabelled)).toBe(true);
  const version = cluster.store.currentVersion();
  expect(await json(['apply', '--only', 'label', '--yes'])).toMatchObject({ code: 0 });
  expect(cluster.store.currentVersion()).toBe(version);
  expect(await json(['verify', '--only', 'label'])).toMatchObject({ code: 0, states: { label: 'done' } });
  expect(await json(['undo', '--only', 'label', '--yes'])).toMatchObject({ code: 0, states: { label: 'needed' } });
  expect(['i1', 'i2', 'i3'].some(isLabelled)).toBe(false);
});

test('apply shows what will change and asks; anything but yes changes nothing', async () => {
  for (const answer of ['n', '', null, 'label']) {
    const declined = await json(['apply', '--only', 'label'], { ask: async () => answer });
    expect(declined).toMatchObject({ code: 4, states: { label: 'needed' } });
    expect(declined.stderr).toContain(`~~~ Node i1.${DOMAIN}`);
    expect(declined.stderr).toContain(words.declined);
  }
  expect(isLabelled('i1')).toBe(false);
  const asked: string[] = [];
  const ask = async (prompt: string) => {
    asked.push(prompt);
    return 'y';
  };
  expect(await json(['apply', '--only', 'label'], { ask })).toMatchObject({ code: 0, states: { label: 'done' } });
  expect(asked).toEqual([words.confirmMoves('label')]);
  expect(await json(['undo', '--only', 'label'], { ask: async () => 'no' })).toMatchObject({
    code: 4,
    states: { label: 'done' },
  });
});

test('what GitOps manages is named, and changed only by who says so', async () => {
  const annotations = { 'argocd.argoproj.io/tracking-id': 'infra:operator.openshift.io/DNS:default' };
  cluster.store.mutate('dnses.operator.openshift.io', null, 'default', (object) => {
    object.metadata.annotations = annotations;
  });
  const planned = await json(['plan', '--only', 'dns']);
  expect(planned.moves[0]?.changes[0]?.managers).toEqual([{ name: 'Argo CD', isGitOps: true }]);
  expect(planned.moves[0]).toMatchObject({
    restarts: [expect.stringContaining('dns-default')],
    outage: expect.any(String),
  });
  const stopped = await json(['apply', '--only', 'dns', '--yes']);
  expect(stopped).toMatchObject({ code: 4, states: { dns: 'needed' } });
  expect(stopped.stderr).toContain(words.gitOps('Argo CD'));
  expect(stopped.stderr).toContain(words.gitOpsStop('DNS default'));
  const asked: string[] = [];
  const ask = async (prompt: string) => {
    asked.push(prompt);
    return asked.length === 1 ? 'y' : 'n';
  };
  expect(await json(['apply', '--only', 'dns'], { ask })).toMatchObject({ code: 4, states: { dns: 'needed' } });
  expect(asked).toEqual([words.confirmMoves('dns'), words.gitOpsAsk('DNS default')]);
});

test('a saved plan is applied as it was saved, once', async () => {
  const file = join(cluster.cwd, 'infra.plan');
  const planned = await json(['plan', '--only', 'label', '--out', file]);
  expect(planned).toMatchObject({ code: 0, stderr: `${words.planSaved(file)}\n` });
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const saved = JSON.parse(readFileSync(file, 'utf8'));
  expect(saved.moves[0].changes[0].about).toEqual({ uid: expect.any(String), resourceVersion: expect.any(String) });
  expect(await json(['plan', '--only', 'label', '--out', file])).toMatchObject({
    code: 4,
    stderr: `${words.planIsThere(file)}\n`,
  });
  expect(await json(['apply', file, '--yes'])).toMatchObject({ code: 0, states: { label: 'done' } });
  const version = cluster.store.currentVersion();
  const again = await json(['apply', file, '--yes']);
  expect(again).toMatchObject({ code: 4, stderr: `${words.planUsed(file, `${file}.used`)}\n` });
  expect(cluster.store.currentVersion()).toBe(version);
  // No to the question leaves the plan for later.
  const other = join(cluster.cwd, 'dns.plan');
  expect(await json(['plan', '--only', 'dns', '--out', other])).toMatchObject({ code: 0 });
  expect(await json(['apply', other], { ask: async () => 'n' })).toMatchObject({ code: 4, states: { dns: 'needed' } });
  expect(existsSync(`${other}.used`)).toBe(false);
});

test('a saved plan is refused when the cluster has moved on, with what moved and who did it', async () => {
  const file = join(cluster.cwd, 'infra.plan');
  expect(await json(['plan', '--only', 'label,dns', '--out', file])).toMatchObject({ code: 0 });
  const time = new Date(Date.now() + 5000).toISOString();
  cluster.store.mutate('dnses.operator.openshift.io', null, 'default', (object) => {
    object.spec = { nodePlacement: { tolerations: [{ key: 'example.com/gpu', operator: 'Exists' }] } };
    const fieldsV1 = { 'f:spec': { 'f:nodePlacement': {} } };
    Object.assign(object.metadata, {
      managedFields: [{ manager: 'kubectl-edit', operation: 'Update', time, fieldsV1 }],
    });
  });
  const refused = await json(['apply', file, '--yes']);
  expect(refused).toMatchObject({ code: 4, states: { label: 'needed', dns: 'needed' } });
  expect(refused.stderr).toContain(`  ${planWords.changed('DNS default', planWords.by('kubectl-edit', time))}\n`);
  expect(refused.stderr).not.toContain('Node i1');
  expect(existsSync(`${file}.used`)).toBe(false);
  writeFileSync(file, readFileSync(file, 'utf8').replace(/"cluster": .*,/, '"cluster": "another",'));
  expect((await json(['apply', file, '--yes'])).stderr).toContain(planWords.otherCluster);
  writeFileSync(file, '{}');
  expect(await infra(['apply', file, '--yes', ...cluster.files])).toMatchObject({ code: 2 });
});

test('a node that was deleted and joined anew is another one than the plan is about', async () => {
  const file = join(cluster.cwd, 'infra.plan');
  expect(await json(['plan', '--only', 'label', '--out', file])).toMatchObject({ code: 0 });
  cluster.store.delete('nodes', null, `i1.${DOMAIN}`);
  cluster.addNode('i1', '172.16.0.41');
  const refused = await json(['apply', file, '--yes']);
  expect(refused).toMatchObject({ code: 4, states: { label: 'needed' } });
  expect(refused.stderr).toContain(planWords.changed(`Node i1.${DOMAIN}`, planWords.anew));
});

test('apply stops at the first move that is blocked; what came before stays done', async () => {
  const { code, states, stderr } = await json(['apply', '--only', 'monitoring,label', '--yes']);
  expect({ code, states }).toEqual({ code: 4, states: { label: 'done', monitoring: 'blocked' } });
  expect(stderr).toContain('Stopped at monitoring');
});

test('apply waits for the running thing, and Ctrl-C ends the wait with 130', async () => {
  const ending = new AbortController();
  cluster.intercept = (request) => {
    // The operator never takes the settings over: the wait would last a quarter of an hour.
    if (request.url?.includes('daemonsets')) setImmediate(() => ending.abort(new Interrupted(130)));
    return false;
  };
  const { code } = await infra(['apply', '--only', 'dns', '--yes', ...cluster.files], { signal: ending.signal });
  expect(code).toBe(130);
  cluster.intercept = null;
  // Written and not there yet is still needed, with nothing left to write.
  const { code: verified, moves } = await json(['verify', '--only', 'dns']);
  expect(verified).toBe(4);
  expect(moves).toMatchObject([{ name: 'dns', state: 'needed', changes: [] }]);
});

test('on an install directory the load balancer moves wait for the bootstrap to be out, and files are diffed', async () => {
  const on = ['--only', 'lb-add', '--dir', cluster.dir];
  const early = await json(['plan', ...on]);
  expect(early).toMatchObject({ code: 4, states: { 'lb-add': 'blocked' } });
  expect(early.moves[0]?.why).toBe(words.bootstrapFirst);
  openSaved(openSession(cluster.dir)).memory.set('stage', 'bootstrap-removed');
  const { code, moves } = await json(['plan', ...on]);
  expect(code).toBe(0);
  expect(moves[0]?.changes[0]?.object).toBe('lb1/etc/haproxy/haproxy.cfg');
  expect(moves[0]?.changes[0]?.after).toContain('server i1 172.16.0.41:443');
  // What keeps the files from being made keeps the move from being made.
  writeFileSync(join(cluster.dir, 'pull-secret.txt'), '{"no": "auths"}');
  expect(await json(['plan', ...on])).toMatchObject({ code: 4, states: { 'lb-add': 'blocked' } });
});

test('lb-add is not taken back while routers run on infra nodes', async () => {
  openSaved(openSession(cluster.dir)).memory.set('stage', 'infra-added');
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
  const undone = await json(['undo', '--only', 'lb-add', '--yes', '--dir', cluster.dir]);
  expect(undone.code).toBe(4);
  expect(undone.stderr).toContain(words.kept('lb-add', moves.each.router.stay([nodeName])));
  expect(undone.stderr).toContain(words.notUndone('lb-add'));
  expect(openSaved(openSession(cluster.dir)).memory.get('stage')).toBe('infra-added');
});

test('a directory that the wizard has open is not changed', async () => {
  const { acquireLock } = await import('../../src/session/lock.ts');
  const lock = await acquireLock(cluster.dir);
  const { code, stdout, stderr } = await infra(['apply', '--only', 'label', '--yes', '--dir', cluster.dir]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toContain(String(process.pid));
  lock.check();
  expect(await json(['plan', '--only', 'label', '--dir', cluster.dir])).toMatchObject({ code: 0 });
  lock.release();
  expect(await json(['apply', '--only', 'label', '--yes', '--dir', cluster.dir])).toMatchObject({ code: 0 });
});

test('wrong usage is 2, an API that is gone is 4', async () => {
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
    const { code, stdout } = await infra([...argv, ...cluster.files]);
    expect([argv, code, stdout]).toEqual([argv, 2, '']);
  }
  cluster.intercept = (_request, response) => {
    response.destroy();
    return true;
  };
  const { code, stdout, stderr } = await infra(['plan', ...cluster.files]);
  expect({ code, stdout }).toEqual({ code: 4, stdout: '' });
  expect(stderr).toMatch(/^The connection to the API was closed/);
});

/** What a cluster on machines of its own does not have. */
const NOT_HERE: readonly string[] = ['machine-sets', 'autoscaler', 'storage', 'logging', 'network-diagnostics'];

test('every move of a running rehearsal is applied and verified, and taken back in reverse', async () => {
  // Faster, fifteen minutes of patience are too short on a busy machine.
  const game = await playBootstrap(exampleSite(), 200);
  try {
    const dir = join(game.dir, 'install');
    mkdirSync(join(dir, '.upi-wizard'), { recursive: true, mode: 0o700 });
    const saved = openSaved(openSession(dir));
    saved.update({
      // Without the role worker, the operators' own placement leads the routers away from the infra nodes.
      design: parseDesign(
        exampleDesign({})
          .replace('keepWorkerRole: true', 'keepWorkerRole: false')
          .replace('noExecute: false', 'noExecute: true')
          .replace('routerReplicas: 3', 'routerReplicas: 3\n  routers: [internal]'),
      ).document,
      rehearsal: { siteDir: game.siteDir, speed: 600, seed: 1, faults: [] },
    });
    saved.memory.set('stage', 'bootstrap-removed');
    expect(await runLive(csrCommand, ['approve', '--follow', '--dir', dir], { cwd: game.dir })).toMatchObject({
      code: 0,
    });
    const isInstalled = async () => {
      const { body } = await game.api('/apis/config.openshift.io/v1/clusterversions/version');
      const conditions: { type: string; status: string }[] = body.status?.conditions ?? [];
      return conditions.some(({ type, status }) => type === 'Available' && status === 'True');
    };
    await until('the installation', isInstalled);
    const all = (state: string) =>
      Object.fromEntries(MOVE_NAMES.map((name) => [name, NOT_HERE.includes(name) ? 'absent' : state]));
    await ownSettings(game.api);
    // All that apply does is shown before, the moves of the load balancer's files too.
    const planned = await json(['plan', '--dir', dir]);
    expect(planned).toMatchObject({ code: 0, states: all('needed') });
    expect(planned.moves.filter(({ changes }) => changes.length === 0).map(({ name }) => name)).toEqual(NOT_HERE);
    const applied = await json(['apply', '--yes', '--dir', dir]);
    expect(applied).toMatchObject({ code: 0, states: all('done') });
    // Nobody noticed: console, canary and API answered all the time, as users ask them.
    const countsOf = ({ stderr }: { readonly stderr: string }) => [
      ...stderr.matchAll(/^(\S+): (\d+) requests .* (\d+) failed(.*)$/gm),
    ];
    const counts = countsOf(applied);
    expect(counts.map(([, move, , failed, why]) => [move, failed, why])).toEqual(
      ['lb-add', 'router', 'lb-final'].map((move) => [move, '0', '']),
    );
    expect(Number(counts[1]?.[2])).toBeGreaterThan(5);
    expect(await json(['verify', '--dir', dir])).toMatchObject({ code: 0, states: all('done') });
    const stable = await json(['verify', '--stable', '5', '--dir', dir]);
    expect(stable).toMatchObject({ code: 0, states: all('done') });
    expect(stable.stderr).toContain(words.stable(5));
    // What the routers stand on does not go back before them.
    const early = await json(['undo', '--only', 'lb-add,label', '--yes', '--dir', dir]);
    expect(early).toMatchObject({ code: 4, states: { label: 'done', 'lb-add': 'done' } });
    expect(early.stderr).toContain(words.kept('lb-add', steps.undoFirst('router')));
    const onLabel = MOVE_NAMES.filter((name) => ![...NOT_HERE, 'label', 'lb-add', 'dns', 'lb-final'].includes(name));
    expect(early.stderr).toContain(words.kept('label', steps.undoFirst(onLabel.toReversed().join(', '))));
    const undone = await json(['undo', '--yes', '--dir', dir]);
    expect(undone.code).toBe(0);
    expect(countsOf(undone).map(([, move, , failed, why]) => [move, failed, why])).toEqual(
      ['lb-final', 'router', 'lb-add'].map((move) => [move, '0', '']),
    );
    expect(Object.values(undone.states).filter((state) => !['needed', 'blocked', 'absent'].includes(state))).toEqual(
      [],
    );
    // The nodes that left the pool "infra" first get the configuration of the pool "worker"; then all is as it was.
    await until('the first plan', async () => {
      const { states } = await json(['plan', '--dir', dir]);
      return Object.values(states).every((state) => state === 'needed' || state === 'absent');
    });
    const order = [...undone.stderr.matchAll(/^undo (.+)$/gm)].map(([, name]) => name);
    expect(order).toEqual(MOVE_NAMES.filter((name) => !NOT_HERE.includes(name)).reverse());
    const { body } = await game.api(SETTINGS);
    expect(body.data['config.yaml']).toBe(OWN_SETTINGS);
  } finally {
    await game.close();
  }
});
