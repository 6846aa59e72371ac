import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  CertificatesV1Api,
  CoreV1Api,
  CustomObjectsApi,
  KubeConfig,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '../../../src/platform/clock.ts';
import { createApiHandler } from '../../../src/rehearsal/api/server.ts';
import { createStore } from '../../../src/rehearsal/api/store.ts';
import { createAuthority, createRequest, issueCertificate } from '../../../src/rehearsal/pki.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
const store = createStore({ now: systemClock.now });
const config = new KubeConfig();
const server = createServer(
  createApiHandler({
    store,
    clock: systemClock,
    gitVersion: 'v1.31.6',
    isAdministrator: () => true,
    isReady: () => true,
  }),
);

beforeAll(async () => {
  const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
  const ca = await createAuthority('kube-apiserver-lb-signer', validity);
  const { certPem, keyPem } = await issueCertificate(ca, {
    commonName: 'api',
    ipAddresses: ['127.0.0.1'],
    usage: 'server',
    ...validity,
  });
  server.setSecureContext({ cert: certPem, key: keyPem });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  config.loadFromOptions({
    clusters: [
      {
        name: 'site',
        server: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
        caData: Buffer.from(ca.certPem).toString('base64'),
      },
    ],
    users: [{ name: 'admin' }],
    contexts: [{ name: 'site', cluster: 'site', user: 'admin' }],
    currentContext: 'site',
  });
  store.create('nodes', { metadata: { name: 'w1' }, spec: {} });
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('lists, patches and reads errors with the official client', async () => {
  const core = config.makeApiClient(CoreV1Api);
  expect((await core.listNode()).items.map(({ metadata }) => metadata?.name)).toEqual(['w1']);
  const patched = await core.patchNode(
    { name: 'w1', body: { metadata: { labels: { a: 'b' } } }, fieldValidation: 'Strict' },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
  expect(patched.metadata?.labels).toEqual({ a: 'b' });
  await expect(core.readNode({ name: 'w9' })).rejects.toMatchObject({ code: 404 });
  await expect(core.patchNode({ name: 'w1', body: { spec: {} } })).rejects.toMatchObject({ code: 400 });
  store.create('clusteroperators.config.openshift.io', { metadata: { name: 'dns' }, spec: {} });
  const custom = config.makeApiClient(CustomObjectsApi);
  const operators = await custom.listClusterCustomObject({
    group: 'config.openshift.io',
    version: 'v1',
    plural: 'clusteroperators',
  });
  expect(operators.items).toMatchObject([{ kind: 'ClusterOperator', metadata: { name: 'dns' } }]);
});

test('approves with the official client', async () => {
  const { requestPem } = await createRequest({ commonName: 'system:node:w1', organization: 'system:nodes' });
  store.create(REQUESTS, {
    metadata: { name: 'csr-1' },
    spec: {
      request: Buffer.from(requestPem).toString('base64'),
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['server auth'],
    },
  });
  const certificates = config.makeApiClient(CertificatesV1Api);
  const request = await certificates.readCertificateSigningRequest({ name: 'csr-1' });
  request.status = {
    ...request.status,
    conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'x', lastUpdateTime: new Date() }],
  };
  const approved = await certificates.replaceCertificateSigningRequestApproval({ name: 'csr-1', body: request });
  expect(approved.status?.conditions?.map(({ type }) => type)).toEqual(['Approved']);
});

test('watches with the official client', async () => {
  const events: string[] = [];
  const watch = new Watch(config);
  const controller = await watch.watch(
    '/api/v1/nodes',
    {},
    (type, object) => events.push(`${type} ${object.metadata.name}`),
    () => events.push('over'),
  );
  await expect.poll(() => events).toEqual(['ADDED w1']);
  store.create('nodes', { metadata: { name: 'w2' } });
  await expect.poll(() => events).toEqual(['ADDED w1', 'ADDED w2']);
  controller.abort();
  await expect.poll(() => events.at(-1)).toBe('over');
});
