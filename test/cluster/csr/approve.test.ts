import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Cluster } from '../../../src/cluster/api.ts';
import { connect } from '../../../src/cluster/client.ts';
import { type ApproveTarget, approveRequests } from '../../../src/cluster/csr/approve.ts';
import { judgeFresh } from '../../../src/cluster/csr/fresh-lists.ts';
import { takeSnapshot } from '../../../src/cluster/snapshot.ts';
import { type Clock, MINUTE } from '../../../src/ports/clock.ts';
import { clientObject, DOMAIN, NOW, newKeys, testDesign } from '../../support/csr-forge.ts';
import { type KubeServer, type Loose, startKubeServer } from '../../support/kube-server.ts';
import { standingClock } from '../../support/standing-clock.ts';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
let server: KubeServer;
let cluster: Cluster;

/** Time stands still at NOW, except that who sleeps moves it on. */
function heldClock(): Clock {
  let now = NOW;
  return {
    ...standingClock(),
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
  server.afterWrite = (path, object: Loose) => {
    if (path.startsWith(PATH)) object.status.certificate = 'cGVt';
  };
  cluster = await connect({
    kubeconfig: server.kubeconfig,
    reach: () => ({ host: '127.0.0.1', port: server.port }),
    clock: standingClock(),
  });
});
afterEach(() => server.close());

const add = (object: Loose) => server.put(`${PATH}/${object.metadata.name}`, object);
const target = (name: string, extra: Partial<ApproveTarget> = {}): ApproveTarget => ({
  name,
  uid: null,
  isByName: false,
  ...extra,
});
async function approve(targets: ApproveTarget[]) {
  const clock = heldClock();
  const context = { design: testDesign(), bootedSince: null };
  const lines: string[] = [];
  const options = { clock, report: (line: string) => void lines.push(line) };
  const results = await approveRequests(cluster, targets, judgeFresh(context, clock), options);
  expect(lines).toHaveLength(targets.length);
  return results.map(({ name, outcome, detail }) => ({ name, outcome, detail }));
}
const approvals = () => server.writes().filter(({ path }) => path.endsWith('/approval'));

test('approves what is expected, says so in the request, and waits for the certificate', async () => {
  add(clientObject({ name: 'good' }));
  add(clientObject({ name: 'evil', node: 'evil', keys: newKeys() }));
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

test('a request that a newer one of its node has taken the place of is not approved, and that is said', async () => {
  add(clientObject({ name: 'old', createdAt: NOW - 20 * MINUTE }));
  add(clientObject({ name: 'new', keys: newKeys() }));
  expect(await approve([target('old'), target('new')])).toMatchObject([
    {
      name: 'old',
      outcome: 'skipped',
      detail: 'The node sent a newer request; we no longer wait for this one.',
    },
    { name: 'new', outcome: 'issued' },
  ]);
});

test('approved by another in the meantime is success, and nothing is written', async () => {
  add(clientObject({ conditions: [{ type: 'Approved', status: 'True', reason: 'Kubectl' }], certificate: 'cGVt' }));
  expect(await approve([target('csr-c1')])).toMatchObject([
    { outcome: 'issued', detail: 'It is already approved (Kubectl).' },
  ]);
  expect(server.writes()).toHaveLength(0);
});

test('a conflict is read and judged again; a request that was replaced is not approved', async () => {
  add(clientObject());
  let conflicts = 0;
  server.intercept = (request, response) => {
    if (request.method !== 'PUT' || conflicts > 0) return false;
    conflicts += 1;
    response.writeHead(409, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', code: 409, reason: 'Conflict', message: 'changed' }));
    return true;
  };
  expect(await approve([target('csr-c1')])).toMatchObject([{ outcome: 'issued' }]);

  add(clientObject({ name: 'swapped', node: 'w2', keys: newKeys() }));
  conflicts = 0;
  server.intercept = (request, response) => {
    if (request.method !== 'PUT' || conflicts > 0) return false;
    conflicts += 1;
    add(clientObject({ name: 'swapped', uid: 'another', node: 'w2', keys: newKeys() }));
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
  add(clientObject());
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

test('by name a person may choose one of two keys, but not overrule the design', async () => {
  for (const name of ['a', 'b']) add(clientObject({ name, keys: newKeys() }));
  add(clientObject({ name: 'evil', node: 'evil', keys: newKeys() }));
  expect(await approve([target('a')])).toMatchObject([{ outcome: 'skipped' }]);
  expect(await approve([target('a', { isByName: true }), target('evil', { isByName: true })])).toMatchObject([
    { outcome: 'issued' },
    { outcome: 'skipped' },
  ]);
  expect(await approve([target('b')])).toMatchObject([{ outcome: 'skipped' }]);
});

test('an API server that restarts after the approval and refuses us for a moment costs nothing', async () => {
  add(clientObject({ name: 'good' }));
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

test('a request of the same name that is another one is not what was issued', async () => {
  server.afterWrite = (path, object: Loose) => {
    if (path.startsWith(PATH)) Object.assign(object, clientObject({ uid: 'another', certificate: 'cGVt' }));
  };
  add(clientObject());
  expect(await approve([target('csr-c1')])).toMatchObject([{ outcome: 'approved', detail: 'It no longer exists.' }]);
});

test('no certificate in a minute: approved; the signer refuses: failed', async () => {
  server.afterWrite = null;
  add(clientObject());
  expect(await approve([target('csr-c1')])).toMatchObject([{ outcome: 'approved' }]);
  server.afterWrite = (_path, object: Loose) => {
    object.status.conditions.push({
      type: 'Failed',
      status: 'True',
      reason: 'SignerValidationFailure',
      message: 'bad SAN',
    });
  };
  add(clientObject({ name: 'other', node: 'w2', keys: newKeys() }));
  const [result] = await approve([target('other')]);
  expect(result).toEqual({ name: 'other', outcome: 'failed', detail: 'The signer refused it: bad SAN' });
});

describe('many at once', () => {
  const design = testDesign();
  const template = design.nodes.find(({ name }) => name === 'w1');
  const names = Array.from({ length: 60 }, (_, index) => `c${index}`);
  const large = { ...design, nodes: template ? names.map((name) => ({ ...template, name })) : [] };
  const approveAll = async (clock = heldClock()) => {
    for (const name of names) add(clientObject({ name: `csr-${name}`, node: name, keys: newKeys() }));
    const judgeNow = judgeFresh({ design: large, bootedSince: null }, clock);
    const targets = names.map((name) => target(`csr-${name}`));
    return (await approveRequests(cluster, targets, judgeNow, { clock })).map(({ outcome }) => outcome);
  };

  test('never more than eight requests under way, lists included, over connections that stay open', async () => {
    let [underWay, most] = [0, 0];
    server.intercept = (_request, response) => {
      underWay += 1;
      most = Math.max(most, underWay);
      response.on('close', () => {
        underWay -= 1;
      });
      return false;
    };
    expect(await approveAll()).toEqual(names.map(() => 'issued'));
    expect(most).toBe(8);
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

  test('no approval goes by a list that is older than three seconds', async () => {
    let now = NOW;
    let listed = 0;
    const ages: number[] = [];
    const clock: Clock = { ...heldClock(), now: () => now };
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
    // Up to eight are on their way while the clock of this test is moved on by each.
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
  server.afterWrite = (_path, object: Loose) => {
    object.status.certificate = 'cGVt';
  };
  const object = { ...clientObject(), apiVersion: 'certificates.k8s.io/v1beta1' };
  server.put(`${older}/csr-c1`, object);
  expect(await approve([target('csr-c1')])).toMatchObject([{ outcome: 'issued' }]);
  expect(approvals().map(({ path }) => path)).toEqual([`${older}/csr-c1/approval`]);
  expect(approvals()[0]?.body.apiVersion).toBe('certificates.k8s.io/v1beta1');
});

test('neither version: the API says that it has no such thing', async () => {
  await expect(approve([target('csr-c1')])).rejects.toMatchObject({ class: 'absent' });
});

test('a snapshot reads every part, and one that is not there yet does not spoil the others', async () => {
  add(clientObject());
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
    api: { state: 'up', gitVersion: 'v1.31.8', trouble: null },
    operators: null,
    clusterVersion: null,
    bootstrapStatus: 'complete',
    etcdBootstrapMemberRemoved: null,
    consoleHost: null,
    troubles: {},
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
  // What is no name of a host is no address that a person is sent to.
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
    api: { state: 'away', trouble: { code: 'cluster-refused' } },
    nodes: null,
  });
});
