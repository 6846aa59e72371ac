// A cluster that answers with prepared texts over TLS, in its own process. argv: the directory for its files, the
// numbers of nodes, operators and requests, and the current screen of its session. Prints one JSON line when it
// listens. For each input line it prints the number of requests by path. Its objects have realistic sizes.
import '../../support/language.ts';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openWorkingSession } from '../../../src/cli/session/working-session.ts';
import { parseDesign } from '../../../src/design/parse.ts';
import { createAuthority, issueCertificate } from '../../../src/rehearsal/pki.ts';
import { openSession } from '../../../src/session/session.ts';
import { createKeys, forgePem } from '../../support/csr-forge.ts';
import { exampleCredentials } from '../../support/example-credentials.ts';
import { createInfraResponses } from './cluster-infra.ts';
import { createLargeDesign } from './designs.ts';

const [dir = '', nodes = '50', operators = '40', requests = '0', screen = 'operators'] = process.argv.slice(2);
/** At the screen of the infra moves, the cluster is installed and healthy. */
const isInstalled = screen === 'infra';
const DOMAIN = 'ocp45.example.localdomain';
const DAY = 24 * 3600_000;
const now = Date.now();
const since = new Date(now - 600_000).toISOString();

const design = stringify(createLargeDesign(Number(nodes)))
  .replace(/pullSecretFile: .*/, 'pullSecretFile: ./pull-secret.txt')
  .replace(/sshKeyFile: .*/, 'sshKeyFile: ./id.pub');
writeFileSync(join(dir, 'design.yaml'), design);
writeFileSync(join(dir, 'pull-secret.txt'), exampleCredentials.pullSecret);
writeFileSync(join(dir, 'id.pub'), exampleCredentials.sshKey);
const names = (
  createLargeDesign(Number(nodes)) as { nodes: { name: string; role: string; ip: string | string[] }[] }
).nodes
  .filter(({ role }) => role !== 'bootstrap')
  .map(({ name, role, ip }) => ({ name: `${name}.${DOMAIN}`, role, ip: Array.isArray(ip) ? ip[0] : ip }));

const managedFields = [
  {
    manager: 'operator',
    operation: 'Update',
    apiVersion: 'v1',
    time: since,
    fieldsV1: { 'f:status': 'x'.repeat(2000) },
  },
];
const condition = (type: string, status: string, message = '') => ({
  type,
  status,
  reason: 'AsExpected',
  message,
  lastTransitionTime: since,
});
const operatorObjects = Array.from({ length: Number(operators) }, (_, index) => {
  const isOpen = !isInstalled && index % 5 === 0;
  const name = `operator-with-a-name-${index}`;
  return {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name, uid: `uid-${index}`, resourceVersion: '100', creationTimestamp: since, managedFields },
    spec: {},
    status: {
      conditions: [
        condition(
          'Degraded',
          isOpen ? 'True' : 'False',
          isOpen ? `${name}: ${'something is not ready yet, '.repeat(8)}` : '',
        ),
        condition('Progressing', isOpen ? 'True' : 'False'),
        condition('Available', isOpen ? 'False' : 'True', 'All is well'),
        condition('Upgradeable', 'True'),
      ],
      relatedObjects: Array.from({ length: 10 }, (_, n) => ({
        group: '',
        resource: 'namespaces',
        name: `openshift-${index}-${n}`,
      })),
      versions: [{ name: 'operator', version: '4.18.9' }],
    },
  };
});
const nodeObjects = names.map(({ name, ip }, index) => ({
  metadata: {
    name,
    uid: `node-${index}`,
    creationTimestamp: since,
    labels: { 'node-role.kubernetes.io/worker': '', 'kubernetes.io/hostname': name },
    annotations: { 'machineconfiguration.openshift.io/currentConfig': 'rendered-worker-'.padEnd(80, '0') },
    managedFields,
  },
  spec: {},
  status: {
    addresses: [
      { type: 'InternalIP', address: ip },
      { type: 'Hostname', address: name },
    ],
    conditions: [condition('MemoryPressure', 'False'), condition('DiskPressure', 'False'), condition('Ready', 'True')],
    images: Array.from({ length: 50 }, (_, image) => ({
      names: [`quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:${String(image).padStart(64, 'a')}`],
      sizeBytes: 400_000_000 + image,
    })),
  },
}));
const keys = createKeys();
const requestObjects = Array.from({ length: Number(requests) }, (_, index) => {
  const node = names[index % names.length]?.name ?? '';
  const pem = forgePem({ subject: [[['2.5.4.10', 'system:nodes']], [['2.5.4.3', `system:node:${node}`]]], keys });
  return {
    metadata: {
      name: `csr-${index}`,
      uid: `csr-${index}`,
      resourceVersion: '7',
      creationTimestamp: new Date(now - 60_000).toISOString(),
    },
    spec: {
      request: Buffer.from(pem).toString('base64'),
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
      username: 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
      groups: [
        'system:serviceaccounts',
        'system:serviceaccounts:openshift-machine-config-operator',
        'system:authenticated',
      ],
    },
    status: {},
  };
});
const list = (kind: string, apiVersion: string, items: readonly object[]) =>
  JSON.stringify({ kind: `${kind}List`, apiVersion, metadata: { resourceVersion: '100' }, items });
const version = {
  apiVersion: 'config.openshift.io/v1',
  kind: 'ClusterVersion',
  metadata: { name: 'version', managedFields },
  spec: {},
  status: {
    desired: { version: '4.18.9' },
    conditions: [
      condition('Available', isInstalled ? 'True' : 'False'),
      isInstalled
        ? condition('Progressing', 'False', 'Cluster version is 4.18.9')
        : condition('Progressing', 'True', 'Working towards 4.18.9: 640 of 869 done (73% complete)'),
    ],
  },
};
const responses = new Map([
  ['/version', JSON.stringify({ gitVersion: 'v1.31.8' })],
  ['/api/v1/nodes', list('Node', 'v1', nodeObjects)],
  ['/apis/config.openshift.io/v1/clusteroperators', list('ClusterOperator', 'config.openshift.io/v1', operatorObjects)],
  ['/apis/config.openshift.io/v1/clusterversions/version', JSON.stringify(version)],
  [
    '/apis/certificates.k8s.io/v1/certificatesigningrequests',
    list('CertificateSigningRequest', 'certificates.k8s.io/v1', requestObjects),
  ],
  ...(isInstalled ? createInfraResponses(names.filter(({ role }) => role === 'compute').map(({ name }) => name)) : []),
]);
const requestCounts = new Map<string, number>();
const notFound = JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404, reason: 'NotFound' });

const validity = { notBefore: now - DAY, notAfter: now + DAY };
const authority = await createAuthority('kube-apiserver-lb-signer', validity);
const serving = await issueCertificate(authority, {
  commonName: 'api',
  dnsNames: [`api.${DOMAIN}`],
  ...validity,
  usage: 'server',
});
const admin = await issueCertificate(authority, { commonName: 'system:admin', ...validity, usage: 'client' });
const server = createServer(
  { cert: serving.certPem, key: serving.keyPem, ca: authority.certPem, requestCert: true },
  (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    requestCounts.set(path, (requestCounts.get(path) ?? 0) + 1);
    const text = responses.get(path);
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'application/json' });
    response.end(text ?? notFound);
  },
);
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  mkdirSync(join(dir, 'auth'));
  const kubeconfig = join(dir, 'auth', 'kubeconfig');
  writeFileSync(
    kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'admin',
      contexts: [{ name: 'admin', context: { cluster: 'c', user: 'admin' } }],
      clusters: [
        {
          name: 'c',
          cluster: {
            server: `https://127.0.0.1:${port}`,
            'tls-server-name': `api.${DOMAIN}`,
            'certificate-authority-data': base64(authority.certPem),
          },
        },
      ],
      users: [
        {
          name: 'admin',
          user: { 'client-certificate-data': base64(admin.certPem), 'client-key-data': base64(admin.keyPem) },
        },
      ],
    }),
  );
  openWorkingSession(openSession(dir)).update({
    design: parseDesign(design).document,
    place: { screen: screen === 'infra' ? 'infra' : 'operators', field: null },
  });
  process.stdout.write(`${JSON.stringify({ dir, kubeconfig })}\n`);
});
process.stdin.on('data', () => process.stdout.write(`${JSON.stringify(Object.fromEntries(requestCounts))}\n`));
