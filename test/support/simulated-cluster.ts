import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openWorkingSession } from '../../src/cli/session/working-session.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { parseYamlText } from '../../src/design/yaml.ts';
import { createScaledClock, systemClock } from '../../src/platform/clock.ts';
import { startCsrSigner } from '../../src/rehearsal/api/csr.ts';
import type { NewObject } from '../../src/rehearsal/api/objects.ts';
import { createApiHandler } from '../../src/rehearsal/api/server.ts';
import { createStore, type Store } from '../../src/rehearsal/api/store.ts';
import { createRequest } from '../../src/rehearsal/pki.ts';
import { openSession } from '../../src/session/session.ts';
import { getApiPki } from './api-pki.ts';
import { exampleCredentials } from './example-design.ts';
import { writeKubeconfig } from './kube-server.ts';

export const DOMAIN = 'ocp45.example.localdomain';
const CSR_RESOURCE = 'certificatesigningrequests.certificates.k8s.io';

export interface SimulatedCluster {
  readonly cwd: string;
  readonly store: Store;
  /** The options of a command that name the design and the kubeconfig. */
  readonly fileOptions: readonly string[];
  /** An install directory with the same cluster and a saved session. */
  readonly dir: string;
  /** Handles a request in place of the API; false passes it on to the API. */
  intercept: ((request: IncomingMessage, response: ServerResponse) => boolean) | null;
  add(resource: string, object: NewObject): void;
  addNode(name: string, ip: string, extra?: { labels?: Record<string, string>; isReady?: boolean }): void;
  /** Adds a CSR of a node: to join, or with an address for its serving certificate. */
  addRequest(name: string, node: string, ip?: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts the API of the rehearsal site over TLS with its signer, and writes the files that refer to it. */
export async function startSimulatedCluster(pki?: Awaited<ReturnType<typeof getApiPki>>): Promise<SimulatedCluster> {
  const cwd = mkdtempSync(join(tmpdir(), 'upi-live-'));
  const signerClock = createScaledClock({ real: Date.now(), simulated: Date.now(), speed: 60 });
  const store = createStore({ now: systemClock.now });
  const { authority, server: serverTls, admin } = pki ?? (await getApiPki());
  const handler = createApiHandler({
    store,
    clock: systemClock,
    gitVersion: 'v1.31.8',
    isAdministrator: () => true,
    isReady: () => true,
  });
  const server = createServer(serverTls, (request, response) => {
    if (!cluster.intercept?.(request, response)) handler(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const kubeconfig = writeKubeconfig(cwd, authority.certPem, admin, {
    cluster: { server: `https://127.0.0.1:${port}`, 'tls-server-name': `api.${DOMAIN}` },
  });
  const stopSigner = startCsrSigner({ store, clock: signerClock, authority });
  const text = renderExampleDesign({})
    .replace(/pullSecretFile: .*/, 'pullSecretFile: ./pull-secret.txt')
    .replace(/sshKeyFile: .*/, 'sshKeyFile: ./id.pub');
  writeFileSync(join(cwd, 'design.yaml'), text);
  const dir = join(cwd, 'install');
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(dir, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(dir, path), content, { mode: 0o600 });
  };
  write('auth/kubeconfig', readFileSync(kubeconfig, 'utf8'));
  write('pull-secret.txt', exampleCredentials.pullSecret);
  write('id.pub', exampleCredentials.sshKey);
  openWorkingSession(openSession(dir)).update({
    design: parseYamlText(text).document,
    place: { screen: 'certificates', field: null },
  });
  const cluster: SimulatedCluster = {
    cwd,
    store,
    fileOptions: ['--design', 'design.yaml', '--kubeconfig', kubeconfig],
    dir,
    intercept: null,
    add: (resource, object) => void store.create(resource, object),
    addNode(name, ip, { labels = { 'node-role.kubernetes.io/worker': '' }, isReady = true } = {}) {
      const addresses = [
        { type: 'InternalIP', address: ip },
        { type: 'Hostname', address: `${name}.${DOMAIN}` },
      ];
      const conditions = [{ type: 'Ready', status: isReady ? 'True' : 'False' }];
      store.create('nodes', {
        metadata: { name: `${name}.${DOMAIN}`, labels },
        spec: {},
        status: { addresses, conditions },
      });
    },
    async addRequest(name, node, ip) {
      const commonName = `system:node:${node}.${DOMAIN}`;
      const sans = ip === undefined ? {} : { dnsNames: [`${node}.${DOMAIN}`], ipAddresses: [ip] };
      const { requestPem } = await createRequest({ commonName, organization: 'system:nodes', ...sans });
      const serviceAccounts = 'system:serviceaccounts';
      const sender =
        ip === undefined
          ? {
              username: 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
              groups: [serviceAccounts, `${serviceAccounts}:openshift-machine-config-operator`, 'system:authenticated'],
            }
          : { username: commonName, groups: ['system:nodes', 'system:authenticated'] };
      store.create(CSR_RESOURCE, {
        metadata: { name },
        spec: {
          request: Buffer.from(requestPem).toString('base64'),
          signerName: `kubernetes.io/${ip === undefined ? 'kube-apiserver-client-kubelet' : 'kubelet-serving'}`,
          usages: ['digital signature', ip === undefined ? 'client auth' : 'server auth'],
          ...sender,
        },
        status: {},
      });
    },
    async close() {
      stopSigner();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      rmSync(cwd, { recursive: true, force: true });
    },
  };
  return cluster;
}
