import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApprovalTarget, approveRequests } from '../../src/csr/approve.ts';
import { createReviewer } from '../../src/csr/csr-context.ts';
import type { Cluster } from '../../src/kube/api.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { takeSnapshot } from '../../src/kube/snapshot.ts';
import { type Clock, MINUTE } from '../../src/platform/clock.ts';
import { createClientObject, createKeys, DOMAIN, NOW, testDesign } from '../support/csr-forge.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { type AnyObject, type KubeServer, startKubeServer } from '../support/kube-server.ts';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
let server: KubeServer;
let cluster: Cluster;

/** Creates a clock fixed at NOW that only `sleep` advances. */
function createSleepClock(): Clock {
  let now = NOW;
  return {
    ...createFrozenClock(),
    now: () => now,
    sleep: async (ms) => {
      now += ms;
    },
  };
}

beforeEach(async () => {
  server = await startKubeServer();
  server.put('/api/v1/nodes/', { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } });
  server.put('/api/v1/nodes/m1', { apiVersion: 'v1', kind: 'Node', metadata: { name: `m1.${DOMAIN}` } });
  server.afterWrite = (path, object: AnyObject) => {
    if (path.startsWith(PATH)) object.status.certificate = 'cGVt';
  };
  cluster = await connectCluster({
    kubeconfig: server.kubeconfig,
    resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }),
    clock: createFrozenClock(),
  });
});
afterEach(() => server.close());

const add = (object: AnyObject) => server.put(`${PATH}/${object.metadata.name}`, object);
const target = (name: string, extra: Partial<ApprovalTarget> = {}): ApprovalTarget => ({
  name,
  uid: null,
  isNamedByUser: false,
  ...extra,
});
async function approve(targets: ApprovalTarget[]) {
  const clock = createSleepClock();
  const context = { design: testDesign(), firstPowerOnAt: null };
  const lines: string[] = [];
  const options = { clock, report: (line: string) => void lines.push(line) };
  const results = await approveRequests(cluster, targets, createReviewer(context, clock), options);
  expect(lines).toHaveLength(targets.length);
  return results.map(({ name, outcome, detail }) => ({ name, outcome, detail }));
}
const approvals = () => server.writes().filter(({ path }) => path.endsWith('/approval'));

test('approves what is expected, records that in the request, and waits for the certificate', async () => {
  add(createClientObject({ name: 'good' }));
  add(createClientObject({ name: 'evil', node: 'evil', keys: createKeys() }));
  expect(await approve([target('good'), target('evil'), target('gone')])).toMatchObject([
    { name: 'good', outcome: 'issued' },
    { name: 'evil', outcome: 'skipped', detail: 'No node of the design has this name.' },
    { name: 'gone', outcome: 'skipped' },
  ]);
  expect(approvals()).toHaveLength(1);
  expect(approvals()[0]?.body.metadata.resourceVersion).toBeDefined();
  expect(approvals()[0]?.body.status.conditions).toEqual([
    {
      type: 'Approved',
      status: 'True',
      reason: 'UPIWizardApprove',
      message: `w1.${DOMAIN}: the request matches the design`,
      lastUpdateTime: '2026-11-21T12:00:00Z',
    },
  ]);
});

test('a request that a newer one of its node supersedes is not approved, and the result reports that', async () => {
  add(createClientObject({ name: 'old', createdAt: NOW - 20 * MINUTE }));
  add(createClientObject({ name: 'new', keys: createKeys() }));
  expect(await approve([target('old'), target('new')])).toMatchObject([
    {
      name: 'old',
      outcome: 'skipped',
      detail: 'The node sent a newer request, which replaces this one.',
    },
    { name: 'new', outcome: 'issued' },
  ]);
});

test('the wait for a certificate ends after a minute of sleeps, also while the time of a rehearsal stands still', async () => {
  server.afterWrite = () => undefined;
  add(createClientObject({ name: 'good' }));
  const clock = { ...createFrozenClock(), now: () => NOW, sleep: async () => undefined };
  const controller = new AbortController();
  let reads = 0;
  server.intercept = ({ method }) => {
    reads += method === 'GET' ? 1 : 0;
    if (reads > 100) controller.abort();
    return false;
  };
  const reviewNow = createReviewer({ design: testDesign(), firstPowerOnAt: null }, clock);
  const results = await approveRequests(cluster, [target('good')], reviewNow, { clock, signal: controller.signal });
  expect(results).toMatchObject([
    { outcome: 'approved', detail: expect.stringContaining('not issued within a minute') },
  ]);
});

test('approved by another in the meantime is success, and nothing is written', async () => {
  add(
    createClientObject({ conditions: [{ type: 'Approved', status: 'True', reason: 'Kubectl' }], certificate: 'cGVt' }),
  );
  expect(await approve([target('csr-c1')])).toMatchObject([
    { outcome: 'issued', detail: 'It is already approved (Kubectl).' },
  ]);
  expect(server.writes()).toHaveLength(0);
});

test('after a conflict the request is read and reviewed again; a replaced request is not approved', async () => {
  add(createClientObject());
  let conflicts = 0;
  server.intercept = (request, response) => {
    if (request.method !== 'PUT' || conflicts > 0) return false;
    conflicts += 1;
    response.writeHead(409, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' }));
    return true;
  };
  expect(await approve([target('csr-c1')])).toMatchObject([{ outcome: 'issued' }]);

  add(createClientObject({ name: 'swapped', node: 'w2', keys: createKeys() }));
  conflicts = 0;
  server.intercept = (request, response) => {
    if (request.method !== 'PUT' || conflicts > 0) return false;
    conflicts += 1;
    add(createClientObject({ name: 'swapped', uid: 'another', node: 'w2', keys: createKeys() }));
    response.writeHead(409, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' }));
    return true;
  };
  expect(await approve([target('swapped')])).toMatchObject([
    { outcome: 'failed', detail: expect.stringContaining('replaced') },
  ]);
  expect(server.objects.get(`${PATH}/swapped`).status.conditions).toBeUndefined();
  expect(await approve([target('swapped', { uid: 'what the person saw' })])).toMatchObject([{ outcome: 'failed' }]);
});

test('conflicts without end are given up', async () => {
  add(createClientObject());
  let tries = 0;
  server.intercept = (request, response) => {
    if (request.method !== 'PUT') return false;
    tries += 1;
    response.writeHead(409, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' }));
    return true;
  };
  expect(await approve([target('csr-c1')])).toMatchObject([{ outcome: 'failed' }]);
  expect(tries).toBe(10);
});

test('approval by name may choose one of two keys, but not overrule the design', async () => {
  for (const name of ['a', 'b']) add(createClientObject({ name, keys: createKeys() }));
  add(createClientObject({ name: 'evil', node: 'evil', keys: createKeys() }));
  expect(await approve([target('a')])).toMatchObject([{ outcome: 'skipped' }]);
  expect(await approve([target('a', { isNamedByUser: true }), target('evil', { isNamedByUser: true })])).toMatchObject([
    { outcome: 'issued' },
    { outcome: 'skipped' },
  ]);
  expect(await approve([target('b')])).toMatchObject([{ outcome: 'skipped' }]);
});

test('an API server that restarts after the approval and refuses us for a moment costs nothing', async () => {
  add(createClientObject({ name: 'good' }));
  let refused = 0;
  server.intercept = (request, response) => {
    const isWatched = request.method === 'GET' && approvals().length > 0;
    if (!isWatched || refused === 2) return false;
    refused += 1;
    response.writeHead(401, { 'content-type': 'application/json' }).end('{"kind":"Status","message":"Unauthorized"}');
    return true;
  };
  expect(await approve([target('good')])).toMatchObject([{ outcome: 'issued' }]);
  expect([refused, approvals().length]).toEqual([2, 1]);
});

test('another request of the same name does not count as issued', async () => {
  server.afterWrite = (path, object: AnyObject) => {
    if (path.startsWith(PATH)) Object.assign(object, createClientObject({ uid: 'another', certificate: 'cGVt' }));
  };
  add(createClientObject());
  expect(await approve([target('csr-c1')])).toMatchObject([{ outcome: 'approved', detail: 'It no longer exists.' }]);
});

test('no certificate in a minute: approved; the signer refuses: failed', async () => {
  server.afterWrite = null;
  add(createClientObject());
  expect(await approve([target('csr-c1')])).toMatchObject([{ outcome: 'approved' }]);
  server.afterWrite = (_path, object: AnyObject) => {
    object.status.conditions.push({
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: 'bad SAN',
    });
  };
  add(createClientObject({ name: 'other', node: 'w2', keys: createKeys() }));
  const [result] = await approve([target('other')]);
  expect(result).toEqual({ name: 'other', outcome: 'failed', detail: 'The signer refused it: bad SAN' });
});

describe('many at once', () => {
  const design = testDesign();
  const template = design.nodes.find(({ name }) => name === 'w1');
  const names = Array.from({ length: 60 }, (_, index) => `c${index}`);
  const large = { ...design, nodes: template ? names.map((name) => ({ ...template, name })) : [] };
  const approveAll = async (clock = createSleepClock()) => {
    for (const name of names) add(createClientObject({ name: `csr-${name}`, node: name, keys: createKeys() }));
    const review = createReviewer({ design: large, firstPowerOnAt: null }, clock);
    const targets = names.map((name) => target(`csr-${name}`));
    return (await approveRequests(cluster, targets, review, { clock })).map(({ outcome }) => outcome);
  };

  test('never more than eight requests in progress, lists included, over connections that stay open', async () => {
    let [active, maximum] = [0, 0];
    server.intercept = (_request, response) => {
      active += 1;
      maximum = Math.max(maximum, active);
      response.on('close', () => {
        active -= 1;
      });
      return false;
    };
    expect(await approveAll()).toEqual(names.map(() => 'issued'));
    expect(maximum).toBe(8);
    expect(approvals()).toHaveLength(60);
    // Eight for the approvals, one for each list of requests and of nodes before and after.
    expect(server.connections()).toBeLessThanOrEqual(8 + 4);
  });

  test('a load balancer that reloads leaves connections behind that are closed: nothing is lost', async () => {
    let cut = 0;
    server.intercept = (request) => {
      if (request.method !== 'PUT' || cut >= 12 || approvals().length < 10) return false;
      cut += 1;
      request.socket.destroy();
      return true;
    };
    expect(await approveAll()).toEqual(names.map(() => 'issued'));
    expect(cut).toBe(12);
  });

  test('no approval is based on a list that is older than three seconds', async () => {
    let now = NOW;
    let listed = 0;
    const ages: number[] = [];
    const clock: Clock = { ...createSleepClock(), now: () => now };
    server.intercept = (request) => {
      if (request.method === 'GET' && request.url?.includes('certificatesigningrequests')) listed = now;
      if (request.method === 'PUT') {
        ages.push(now - listed);
        now += 300;
      }
      return false;
    };
    expect(await approveAll(clock)).toEqual(names.map(() => 'issued'));
    expect(ages).toHaveLength(60);
    // Up to eight are in flight while each of them advances the clock of this test.
    expect(Math.max(...ages)).toBeLessThanOrEqual(3000 + 8 * 300);
  });
});

test('OpenShift 4.5 serves its requests in an older version: read, approved and issued as well', async () => {
  const older = PATH.replace('/v1/', '/v1beta1/');
  server.intercept = (request, response) => {
    if (!request.url?.startsWith(PATH)) return false;
    response.writeHead(404, { 'content-type': 'text/plain' }).end('404 page not found\n');
    return true;
  };
  server.afterWrite = (_path, object: AnyObject) => {
    object.status.certificate = 'cGVt';
  };
  const object = { ...createClientObject(), apiVersion: 'certificates.k8s.io/v1beta1' };
  server.put(`${older}/csr-c1`, object);
  expect(await approve([target('csr-c1')])).toMatchObject([{ outcome: 'issued' }]);
  expect(approvals().map(({ path }) => path)).toEqual([`${older}/csr-c1/approval`]);
  expect(approvals()[0]?.body.apiVersion).toBe('certificates.k8s.io/v1beta1');
});

test('an API that serves neither version: the resource is reported as absent', async () => {
  await expect(approve([target('csr-c1')])).rejects.toMatchObject({ class: 'absent' });
});

test('a snapshot reads every part, and a missing part does not affect the others', async () => {
  add(createClientObject());
  server.put('/api/v1/namespaces/kube-system/configmaps/bootstrap', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'bootstrap', namespace: 'kube-system' },
    data: { status: 'complete' },
  });
  const parts = [
    'nodes',
    'requests',
    'operators',
    'clusterVersion',
    'bootstrapStatus',
    'etcdBootstrapMemberRemoved',
  ] as const;
  const early = await takeSnapshot(cluster, parts, NOW);
  expect(early).toMatchObject({
    at: NOW,
    api: { state: 'up', gitVersion: 'v1.31.8', userError: null },
    operators: null,
    clusterVersion: null,
    bootstrapStatus: 'complete',
    etcdBootstrapMemberRemoved: null,
    consoleHost: null,
    userErrors: {},
  });
  expect(early.nodes?.map(({ name }) => name)).toEqual([`m1.${DOMAIN}`]);
  expect(early.requests).toHaveLength(1);

  const condition = (type: string, status: string, message = '') => ({
    type,
    status,
    reason: `${type}Reason`,
    message,
    lastTransitionTime: '2026-11-21T11:00:00Z',
  });
  server.put('/apis/config.openshift.io/v1/clusterversions/version', {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterVersion',
    metadata: { name: 'version' },
    status: {
      desired: { version: '4.18.9' },
      conditions: [
        condition('Available', 'False'),
        condition('Progressing', 'True', 'Working towards 4.18.9: 640 of 869 done (73% complete)'),
      ],
    },
  });
  server.put('/apis/config.openshift.io/v1/clusteroperators/console', {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name: 'console' },
    status: { conditions: [condition('Degraded', 'True', 'no route'), condition('Available', 'False', 'nothing')] },
  });
  server.put('/apis/operator.openshift.io/v1/etcds/cluster', {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'Etcd',
    metadata: { name: 'cluster' },
    status: { conditions: [condition('EtcdBootstrapMemberRemoved', 'True')] },
  });
  server.put('/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console', {
    apiVersion: 'route.openshift.io/v1',
    kind: 'Route',
    metadata: { name: 'console', namespace: 'openshift-console' },
    spec: { host: `console-openshift-console.apps.${DOMAIN}` },
  });
  expect(await takeSnapshot(cluster, [...parts, 'consoleHost'], NOW)).toMatchObject({
    clusterVersion: { version: '4.18.9', available: false, progressing: true, failing: false, done: 640, total: 869 },
    operators: [
      {
        name: 'console',
        available: false,
        degraded: true,
        message: 'no route',
        reason: 'DegradedReason',
        since: Date.UTC(2026, 10, 21, 11),
      },
    ],
    etcdBootstrapMemberRemoved: true,
    consoleHost: `console-openshift-console.apps.${DOMAIN}`,
  });
  // An invalid host name is never shown as the address of the console.
  for (const host of ['x@evil.example', 'a b', `${'long.'.repeat(60)}example`, 'console\u202e']) {
    server.put('/apis/route.openshift.io/v1/namespaces/openshift-console/routes/console', {
      apiVersion: 'route.openshift.io/v1',
      kind: 'Route',
      metadata: { name: 'console', namespace: 'openshift-console' },
      spec: { host },
    });
    expect((await takeSnapshot(cluster, ['consoleHost'], NOW)).consoleHost, host).toBeNull();
  }

  await server.close();
  expect(await takeSnapshot(cluster, parts, NOW)).toMatchObject({
    api: { state: 'away', userError: { code: 'cluster-refused' } },
    nodes: null,
  });
});
