import { execFile, spawn, spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { startCsrSigner } from '../../src/rehearsal/api/csr.ts';
import { createApiHandler } from '../../src/rehearsal/api/server.ts';
import { createStore, type Store } from '../../src/rehearsal/api/store.ts';
import { createAuthority, createRequest, issueCertificate } from '../../src/rehearsal/pki.ts';

const isInstalled = spawnSync('kubectl', ['version', '--client']).status === 0;
const isSkipped = !isInstalled && process.env.UPI_WIZARD_REQUIRE_SYSTEM !== '1';

const ADDRESS = '127.66.20.1';
const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';

interface KubectlResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

let dir = '';
let server: Server;
let store: Store;
let stopSigner: () => void;

function kubectl(...args: readonly string[]): Promise<KubectlResult> {
  return kubectlWithInput('', ...args);
}

function kubectlWithInput(stdin: string, ...args: readonly string[]): Promise<KubectlResult> {
  return new Promise((resolve) => {
    const child = execFile(
      'kubectl',
      ['--kubeconfig', join(dir, 'kubeconfig'), '--cache-dir', join(dir, 'cache'), ...args],
      (error, stdout, stderr) => resolve({ code: error ? Number(error.code ?? 1) : 0, stdout, stderr }),
    );
    child.stdin?.end(stdin);
  });
}

async function expectKubectl(...args: readonly string[]): Promise<string> {
  const result = await kubectl(...args);
  expect(result, args.join(' ')).toMatchObject({ code: 0, stderr: '' });
  return result.stdout;
}

function splitColumns(table: string): string[][] {
  return table
    .trimEnd()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/));
}

function createObjects(): void {
  store.create('namespaces', { metadata: { name: 'default' }, status: { phase: 'Active' } });
  for (const name of ['m1', 'w1', 'w2']) {
    const role = name === 'm1' ? 'master' : 'worker';
    store.create('nodes', {
      metadata: { name, labels: { [`node-role.kubernetes.io/${role}`]: '' } },
      spec: {},
      status: {
        conditions: [{ type: 'Ready', status: name === 'w2' ? 'False' : 'True' }],
        nodeInfo: { kubeletVersion: 'v1.31.6' },
        addresses: [{ type: 'InternalIP', address: '172.16.0.31' }],
      },
    });
  }
  store.create('clusteroperators.config.openshift.io', {
    metadata: { name: 'dns' },
    spec: {},
    status: {
      versions: [{ name: 'operator', version: '4.18.11' }],
      conditions: [
        { type: 'Available', status: 'True', lastTransitionTime: new Date(Date.now() - 300_500).toISOString() },
        { type: 'Progressing', status: 'False' },
        { type: 'Degraded', status: 'True', message: 'DNS is not well' },
      ],
    },
  });
  store.create('ingresscontrollers.operator.openshift.io', {
    metadata: { name: 'default', namespace: 'default' },
    spec: { replicas: 2 },
  });
  store.create('deployments.apps', {
    metadata: { name: 'router', namespace: 'default' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'router' } },
      template: {
        metadata: { labels: { app: 'router' } },
        spec: {
          containers: [
            { name: 'router', image: 'router:1' },
            { name: 'logs', image: 'logs:1' },
          ],
        },
      },
    },
  });
}

describe.skipIf(isSkipped)('Debian kubectl against the API server of the rehearsal', () => {
  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), 'upi-kubectl-'));
    const validity = { notBefore: Date.now() - 60_000, notAfter: Date.now() + 3_600_000 };
    const ca = await createAuthority('kube-apiserver-lb-signer', validity);
    const serving = await issueCertificate(ca, {
      commonName: 'api',
      ipAddresses: [ADDRESS],
      usage: 'server',
      ...validity,
    });
    const admin = await issueCertificate(ca, {
      commonName: 'system:admin',
      organization: 'system:masters',
      usage: 'client',
      ...validity,
    });
    store = createStore({ now: systemClock.now });
    createObjects();
    stopSigner = startCsrSigner({ store, clock: systemClock, authority: ca });
    const handler = createApiHandler({
      store,
      clock: systemClock,
      gitVersion: 'v1.31.6',
      isReady: () => true,
      isAdministrator: (request) => (request.socket as TLSSocket).authorized,
    });
    const tls = {
      cert: serving.certPem,
      key: serving.keyPem,
      ca: ca.certPem,
      requestCert: true,
      rejectUnauthorized: false,
    };
    server = createServer(tls, handler);
    await new Promise<void>((resolve) => server.listen(0, ADDRESS, resolve));
    const { port } = server.address() as AddressInfo;
    const base64 = (text: string) => Buffer.from(text).toString('base64');
    const kubeconfig = {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'admin',
      clusters: [
        {
          name: 'site',
          cluster: { server: `https://${ADDRESS}:${port}`, 'certificate-authority-data': base64(ca.certPem) },
        },
      ],
      contexts: [{ name: 'admin', context: { cluster: 'site', user: 'admin' } }],
      users: [
        {
          name: 'admin',
          user: { 'client-certificate-data': base64(admin.certPem), 'client-key-data': base64(admin.keyPem) },
        },
      ],
    };
    await writeFile(join(dir, 'kubeconfig'), JSON.stringify(kubeconfig), { mode: 0o600 });
  });

  afterAll(async () => {
    stopSigner?.();
    server?.closeAllConnections();
    server?.close();
    await rm(dir, { recursive: true, force: true });
  });

  test('reports its version and its resources', async () => {
    expect(await expectKubectl('version', '--short')).toContain('Server Version: v1.31.6');
    const resources = await expectKubectl('api-resources', '-o', 'name');
    expect(resources).toContain('clusteroperators.config.openshift.io');
    expect(resources).toContain('machineconfigpools.machineconfiguration.openshift.io');
    expect(resources.split('\n')).toContain('nodes');
    expect(await expectKubectl('get', '--raw', '/readyz')).toBe('ok');
  });

  test('gets nodes and cluster operators as tables', async () => {
    const nodes = splitColumns(await expectKubectl('get', 'nodes'));
    expect(nodes[0]).toEqual(['NAME', 'STATUS', 'ROLES', 'AGE', 'VERSION']);
    expect(nodes.slice(1).map(([name, status, roles, , version]) => [name, status, roles, version])).toEqual([
      ['m1', 'Ready', 'master', 'v1.31.6'],
      ['w1', 'Ready', 'worker', 'v1.31.6'],
      ['w2', 'NotReady', 'worker', 'v1.31.6'],
    ]);
    expect(await expectKubectl('get', 'no', '-o', 'wide')).toContain('172.16.0.31');
    expect(await expectKubectl('get', 'no', '-l', 'node-role.kubernetes.io/master', '-o', 'name')).toBe('node/m1\n');
    const [head, dns] = splitColumns(await expectKubectl('get', 'clusteroperators'));
    expect(head).toEqual(['NAME', 'VERSION', 'AVAILABLE', 'PROGRESSING', 'DEGRADED', 'SINCE', 'MESSAGE']);
    expect(dns).toEqual(['dns', '4.18.11', 'True', 'False', 'True', expect.stringMatching(/^5m/), 'DNS is not well']);
    expect(await expectKubectl('get', 'co', 'dns', '-o', 'jsonpath={.status.versions[0].version}')).toBe('4.18.11');
    expect(JSON.parse(await expectKubectl('get', 'nodes', '-o', 'json')).items[0]).toMatchObject({
      kind: 'Node',
      apiVersion: 'v1',
    });
  });

  test('reports missing objects and unknown resources', async () => {
    expect(await kubectl('get', 'node', 'w9')).toMatchObject({
      code: 1,
      stderr: 'Error from server (NotFound): nodes "w9" not found\n',
    });
    expect((await kubectl('get', 'gadgets')).stderr).toBe(
      'error: the server doesn\'t have a resource type "gadgets"\n',
    );
  });

  test('watches', async () => {
    const child = spawn('kubectl', ['--kubeconfig', join(dir, 'kubeconfig'), 'get', 'node', 'm1', '-w', '-o', 'wide']);
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
    try {
      await expect.poll(() => output).toMatch(/m1 +Ready +master/);
      // It prints the result of its get and skips the first objects of its watch. A change before that appears with the
      // next one.
      let changes = 0;
      const change = () => {
        changes += 1;
        store.mutate('nodes', null, 'm1', (node) => {
          node.spec = { unschedulable: true };
          node.metadata.annotations = { ...node.metadata.annotations, changes: String(changes) };
        });
        return output;
      };
      await expect.poll(change).toMatch(/m1 +Ready,SchedulingDisabled +master/);
    } finally {
      child.kill();
    }
    expect(await expectKubectl('uncordon', 'm1')).toBe('node/m1 uncordoned\n');
    expect(store.get('nodes', null, 'm1')?.spec).toEqual({});
  });

  test('labels', async () => {
    expect(await expectKubectl('label', 'node', 'w1', 'node-role.kubernetes.io/infra=')).toBe('node/w1 labeled\n');
    expect(store.get('nodes', null, 'w1')?.metadata.labels).toHaveProperty(['node-role.kubernetes.io/infra'], '');
    expect(splitColumns(await expectKubectl('get', 'node', 'w1'))[1]?.[2]).toBe('infra,worker');
    expect(await expectKubectl('label', 'node', 'w1', 'node-role.kubernetes.io/infra-')).toBe('node/w1 labeled\n');
    expect((await kubectl('label', 'node', 'w1', 'a=b!')).code).toBe(1);
  });

  test('adds and removes taints, also two of the same key', async () => {
    const key = 'node-role.kubernetes.io/infra';
    await expectKubectl('taint', 'nodes', 'w1', `${key}=reserved:NoSchedule`, `${key}=reserved:NoExecute`);
    const taints = [
      { key, value: 'reserved', effect: 'NoSchedule' },
      { key, value: 'reserved', effect: 'NoExecute' },
    ];
    const getSpec = () => store.get('nodes', null, 'w1')?.spec as { taints?: { effect: string }[] };
    expect(getSpec().taints?.toSorted((a, b) => (a.effect < b.effect ? 1 : -1))).toEqual(taints);
    await expectKubectl('taint', 'nodes', 'w1', `${key}:NoExecute-`);
    expect(getSpec().taints).toEqual(taints.slice(0, 1));
    await expectKubectl('taint', 'nodes', 'w1', `${key}-`);
    expect(getSpec().taints ?? []).toEqual([]);
  });

  test('patches in three ways', async () => {
    const resource = 'ingresscontroller.operator.openshift.io/default';
    await expectKubectl(
      'patch',
      resource,
      '--type=merge',
      '-p',
      '{"spec":{"replicas":3,"nodePlacement":{"nodeSelector":{"matchLabels":{"a":""}}}}}',
    );
    await expectKubectl('patch', resource, '--type=json', '-p', '[{"op":"replace","path":"/spec/replicas","value":2}]');
    expect(store.get('ingresscontrollers.operator.openshift.io', 'default', 'default')).toMatchObject({
      metadata: { generation: 3 },
      spec: { replicas: 2, nodePlacement: { nodeSelector: { matchLabels: { a: '' } } } },
    });
    const strategic = '{"spec":{"template":{"spec":{"containers":[{"name":"logs","image":"logs:2"}]}}}}';
    await expectKubectl('patch', 'deployment', 'router', '-p', strategic);
    expect(store.get('deployments.apps', 'default', 'router')).toMatchObject({
      spec: {
        template: {
          spec: {
            containers: [
              { name: 'router', image: 'router:1' },
              { name: 'logs', image: 'logs:2' },
            ],
          },
        },
      },
    });
    expect((await kubectl('patch', resource, '-p', '{}', '--type=strategic')).code).toBe(1);
    expect((await kubectl('patch', resource, '--type=merge', '-p', '{"spec":{"replicas":"many"}}')).stderr).toContain(
      'The IngressController "default" is invalid: spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
    );
  });

  test('a server dry run writes nothing', async () => {
    const before = store.getCurrentVersion();
    const patch = '{"metadata":{"labels":{"tried":"out"}}}';
    const output = await expectKubectl(
      'patch',
      'node',
      'w2',
      '--type=merge',
      '-p',
      patch,
      '--dry-run=server',
      '-o',
      'json',
    );
    expect(JSON.parse(output).metadata.labels).toHaveProperty('tried', 'out');
    expect(await expectKubectl('create', 'configmap', 'tried', '--dry-run=server')).toBe(
      'configmap/tried created (server dry run)\n',
    );
    expect(store.getCurrentVersion()).toBe(before);
  });

  test('creates, applies and deletes a configmap', async () => {
    expect(await expectKubectl('create', 'configmap', 'made', '--from-literal=a=1')).toBe('configmap/made created\n');
    expect(await kubectl('create', 'configmap', 'made')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('(AlreadyExists): configmaps "made" already exists'),
    });
    const manifest = (value: string) =>
      `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: applied\ndata:\n  ${value}\n`;
    expect((await kubectlWithInput(manifest('a: "1"'), 'apply', '-f', '-')).stdout).toBe('configmap/applied created\n');
    expect((await kubectlWithInput(manifest('b: "2"'), 'apply', '-f', '-')).stdout).toBe(
      'configmap/applied configured\n',
    );
    expect((await kubectlWithInput(manifest('b: "2"'), 'apply', '-f', '-')).stdout).toBe(
      'configmap/applied unchanged\n',
    );
    expect(store.get('configmaps', 'default', 'applied')?.data).toEqual({ b: '2' });
    const serverSide = await kubectlWithInput(
      manifest('c: "3"'),
      'apply',
      '--server-side',
      '--force-conflicts',
      '-f',
      '-',
    );
    expect(serverSide).toMatchObject({ code: 0, stdout: 'configmap/applied serverside-applied\n' });
    expect(store.get('configmaps', 'default', 'applied')?.data).toEqual({ b: '2', c: '3' });
    expect(await expectKubectl('delete', 'configmap', 'applied')).toBe('configmap "applied" deleted\n');
    expect(store.get('configmaps', 'default', 'applied')).toBeUndefined();
  });

  test('approves a request, which is then issued', async () => {
    const { requestPem } = await createRequest({ commonName: 'system:node:w3', organization: 'system:nodes' });
    store.create(REQUESTS, {
      metadata: { name: 'csr-w3' },
      spec: {
        request: Buffer.from(requestPem).toString('base64'),
        signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
        usages: ['digital signature', 'client auth'],
        username: 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
      },
    });
    expect(await expectKubectl('get', 'csr')).toContain('Pending');
    expect(await expectKubectl('certificate', 'approve', 'csr-w3')).toBe(
      'certificatesigningrequest.certificates.k8s.io/csr-w3 approved\n',
    );
    await expect.poll(() => kubectl('get', 'csr', 'csr-w3').then(({ stdout }) => stdout)).toContain('Approved,Issued');
    expect((await kubectl('certificate', 'deny', 'csr-w3')).stderr).toContain(
      'certificate signing request "csr-w3" is already Approved',
    );
  });
});
