import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { approveRequests } from '../../src/csr/approve.ts';
import { createReviewer } from '../../src/csr/csr-context.ts';
import type { MoveName } from '../../src/infra/moves.ts';
import type { Cluster } from '../../src/kube/api.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { takeSnapshot } from '../../src/kube/snapshot.ts';
import type { Clock } from '../../src/platform/clock.ts';
import { startCsrSigner } from '../../src/rehearsal/api/csr.ts';
import type { NewObject } from '../../src/rehearsal/api/objects.ts';
import { createApiHandler } from '../../src/rehearsal/api/server.ts';
import { createStore, type Store } from '../../src/rehearsal/api/store.ts';
import { createRequest } from '../../src/rehearsal/pki.ts';
import { getApiPki } from '../support/api-pki.ts';
import { DOMAIN, testDesign } from '../support/csr-forge.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { addClusterObjects } from '../support/infra-api.ts';
import { writeKubeconfig } from '../support/kube-server.ts';
import { manualClock } from '../support/manual-clock.ts';
import { createInfraContextFor, createMoveExecutor, TO_DEFAULTS } from '../support/move-executor.ts';

// The server is the API of the rehearsal site. It was written independently from the same documents, with schemas and
// strict validation, so that a wrong field or path shows here.

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
// `sleep` advances the time, and the signer with it.
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
  const pki = await getApiPki();
  const handler = createApiHandler({
    store,
    clock: time,
    gitVersion: 'v1.31.8',
    isAdministrator: () => true,
    isReady: () => true,
  });
  server = createServer(pki.server, handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  dir = mkdtempSync(join(tmpdir(), 'kube-'));
  const kubeconfig = writeKubeconfig(dir, pki.authority.certPem, pki.admin);
  cluster = await connectCluster({
    kubeconfig,
    resolveEndpoint: () => ({ host: '127.0.0.1', port }),
    clock: createFrozenClock(),
  });
  stopSigner = startCsrSigner({ store, clock: time, authority: pki.authority });
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

test('a client request and a serving request are reviewed, approved and issued', async () => {
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
  const review = createReviewer({ design, firstPowerOnAt: null }, clock);
  const targets = ['csr-a', 'csr-b'].map((name) => ({ name, uid: null, isNamedByUser: false }));
  const results = await approveRequests(cluster, targets, review, { clock });
  expect(results.map(({ outcome, detail }) => [outcome, detail])).toEqual([
    ['issued', 'Certificate issued.'],
    ['issued', 'Certificate issued.'],
  ]);
  const snapshot = await takeSnapshot(cluster, ['nodes', 'requests', 'operators', 'bootstrapStatus'], clock.now());
  expect(snapshot.userErrors).toEqual({});
  expect(snapshot.requests?.every(({ isIssued }) => isIssued)).toBe(true);
});

test('infra moves write what the schemas of the kinds allow, once, and undo it', async () => {
  for (const [index, name] of ['i1', 'i2', 'i3'].entries()) addNode(name, `172.16.0.3${index + 1}`);
  addClusterObjects(add, '4.18.9');
  const getExecutor = (name: MoveName) => createMoveExecutor(createInfraContextFor(cluster, design), name);
  const names = ['label', 'pool', 'dns', 'router', 'registry-storage', 'registry', 'monitoring'] as const;
  for (const name of names) {
    expect([name, (await getExecutor(name).probe()).state]).toEqual([name, 'needed']);
    await getExecutor(name).apply();
    const { state, changes } = await getExecutor(name).probe();
    expect([name, state, changes]).toEqual([name, name === 'label' ? 'done' : 'moving', []]);
    const version = store.getCurrentVersion();
    await getExecutor(name).apply();
    expect(store.getCurrentVersion()).toBe(version);
  }
  expect((await getExecutor('taint').probe()).state).toBe('blocked');
  for (const name of [...names].reverse()) await getExecutor(name).undo(TO_DEFAULTS);
  expect(store.get('machineconfigpools.machineconfiguration.openshift.io', null, 'infra')).toBeUndefined();
  for (const name of ['label', 'dns', 'router', 'monitoring'] as const) {
    expect((await getExecutor(name).probe()).state).toBe(name === 'label' || name === 'dns' ? 'needed' : 'blocked');
  }
});
