import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Cluster } from '../../src/cluster/api.ts';
import { connect } from '../../src/cluster/client.ts';
import { approveRequests } from '../../src/cluster/csr/approve.ts';
import { judgeFresh } from '../../src/cluster/csr/fresh-lists.ts';
import { takeSnapshot } from '../../src/cluster/snapshot.ts';
import type { MoveName } from '../../src/moves/table.ts';
import type { Clock } from '../../src/ports/clock.ts';
import { createApiHandler } from '../../src/rehearsal/api/server.ts';
import { startSigner } from '../../src/rehearsal/api/signer.ts';
import { createStore, type NewObject, type Store } from '../../src/rehearsal/api/store.ts';
import { createRequest } from '../../src/rehearsal/pki.ts';
import { apiPki } from '../support/api-pki.ts';
import { DOMAIN, testDesign } from '../support/csr-forge.ts';
import { addOperators } from '../support/infra-api.ts';
import { writeKubeconfig } from '../support/kube-server.ts';
import { manualClock } from '../support/manual-clock.ts';
import { clusterSite, moveSide, TO_DEFAULTS } from '../support/move-side.ts';
import { standingClock } from '../support/standing-clock.ts';

// The other side of the wire is the API of the rehearsal site: written by others from the same documents, with schemas and
// strict validation, so that a wrong field or path shows here.

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
// Whoever sleeps moves the time on, and the signer with it.
const time = manualClock(Date.now());
const clock: Clock = { ...time, sleep: (ms) => time.advance(ms) };
const design = testDesign();
let store: Store;
let server: Server;
let cluster: Cluster;
let stopSigner: () => void;
let dir: string;

beforeEach(async () => {
  store = createStore({ now: time.now });
  const pki = await apiPki();
  const handler = createApiHandler({
    store,
    clock: time,
    gitVersion: 'v1.31.8',
    authenticate: () => ({ username: 'system:admin', groups: ['system:masters', 'system:authenticated'] }),
    isReady: () => true,
  });
  server = createServer(pki.server, handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  dir = mkdtempSync(join(tmpdir(), 'kube-'));
  const kubeconfig = writeKubeconfig(dir, pki.authority.certPem, pki.admin);
  cluster = await connect({ kubeconfig, reach: () => ({ host: '127.0.0.1', port }), clock: standingClock() });
  stopSigner = startSigner({ store, clock: time, authority: pki.authority });
});
afterEach(async () => {
  stopSigner();
  rmSync(dir, { recursive: true });
  await new Promise((resolve) => server.close(resolve));
});

const add = (resource: string, object: NewObject) => store.create(resource, object);

function addNode(name: string, ip: string): void {
  add('nodes', {
    metadata: { name: `${name}.${DOMAIN}`, labels: { 'node-role.kubernetes.io/worker': '' } },
    spec: {},
    status: {
      addresses: [
        { type: 'InternalIP', address: ip },
        { type: 'Hostname', address: `${name}.${DOMAIN}` },
      ],
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  });
}

test('a request of each wave is judged, approved and issued', async () => {
  addNode('w2', '172.16.0.42');
  const [client, serving] = await Promise.all([
    createRequest({ commonName: `system:node:w1.${DOMAIN}`, organization: 'system:nodes' }),
    createRequest({
      commonName: `system:node:w2.${DOMAIN}`,
      organization: 'system:nodes',
      dnsNames: [`w2.${DOMAIN}`],
      ipAddresses: ['172.16.0.42'],
    }),
  ]);
  const account = 'system:serviceaccounts';
  add(REQUESTS, {
    metadata: { name: 'csr-a' },
    spec: {
      request: Buffer.from(client.requestPem).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
      username: 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
      groups: [account, `${account}:openshift-machine-config-operator`, 'system:authenticated'],
    },
    status: {},
  });
  add(REQUESTS, {
    metadata: { name: 'csr-b' },
    spec: {
      request: Buffer.from(serving.requestPem).toString('base64'),
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
      username: `system:node:w2.${DOMAIN}`,
      groups: ['system:nodes', 'system:authenticated'],
    },
    status: {},
  });
  const judgeNow = judgeFresh({ design, bootedSince: null }, clock);
  const targets = ['csr-a', 'csr-b'].map((name) => ({ name, uid: null, isByName: false }));
  const results = await approveRequests(cluster, targets, judgeNow, { clock });
  expect(results.map(({ outcome, detail }) => [outcome, detail])).toEqual([
    ['issued', 'Certificate issued.'],
    ['issued', 'Certificate issued.'],
  ]);
  const snapshot = await takeSnapshot(cluster, ['nodes', 'requests', 'operators', 'bootstrapStatus'], clock.now());
  expect(snapshot.troubles).toEqual({});
  expect(snapshot.requests?.every(({ isIssued }) => isIssued)).toBe(true);
});

test('the moves write what the schemas of the kinds allow, once, and take it back', async () => {
  for (const [index, name] of ['i1', 'i2', 'i3'].entries()) addNode(name, `172.16.0.3${index + 1}`);
  addOperators(add, '4.18.9');
  const side = (name: MoveName) => moveSide(clusterSite(cluster, design), name);
  const names = ['label', 'pool', 'dns', 'router', 'registry-storage', 'registry', 'monitoring'] as const;
  for (const name of names) {
    expect([name, (await side(name).probe()).state]).toEqual([name, 'needed']);
    await side(name).apply(() => undefined);
    const { state, changes } = await side(name).probe();
    expect([name, state, changes]).toEqual([name, name === 'label' ? 'done' : 'moving', []]);
    const version = store.currentVersion();
    await side(name).apply(() => undefined);
    expect(store.currentVersion()).toBe(version);
  }
  expect((await side('taint').probe()).state).toBe('blocked');
  for (const name of [...names].reverse()) await side(name).undo(() => undefined, TO_DEFAULTS);
  expect(store.get('machineconfigpools.machineconfiguration.openshift.io', null, 'infra')).toBeUndefined();
  for (const name of ['label', 'dns', 'router', 'monitoring'] as const) {
    expect((await side(name).probe()).state).toBe(name === 'label' || name === 'dns' ? 'needed' : 'blocked');
  }
});
