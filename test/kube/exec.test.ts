// Commands in containers, over a WebSocket: what a container answers, and what can go wrong on the way.
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ExecRequest } from '../../src/kube/api.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createExecHandler } from '../../src/rehearsal/api/exec.ts';
import { createStore, type Store } from '../../src/rehearsal/api/store.ts';
import { type KubeServer, startKubeServer } from '../support/kube-server.ts';

const COMMAND: ExecRequest = {
  namespace: 'openshift-etcd',
  pod: 'etcd-m1',
  container: 'etcd',
  argv: ['etcdctl', 'member', 'remove', 'a b&c=d'],
};

let api: KubeServer;
let store: Store;
beforeEach(async () => {
  api = await startKubeServer();
  store = createStore({ now: Date.now });
  store.create('pods', {
    metadata: { name: 'etcd-m1', namespace: 'openshift-etcd' },
    spec: { containers: [{ name: 'etcdctl' }, { name: 'etcd' }] },
    status: {},
  });
});
afterEach(() => api.close());

async function exec(request = COMMAND, timeoutMs = 10_000) {
  const cluster = await connectCluster({
    kubeconfig: api.kubeconfig,
    resolveEndpoint: () => ({ host: '127.0.0.1', port: api.port }),
    clock: systemClock,
    timeoutMs,
  });
  return await cluster.exec(request);
}

/** Serves commands as the rehearsal's API does. */
function serveCommands(run: Parameters<typeof createExecHandler>[0]['run'], isAdministrator = () => true): void {
  api.onUpgrade = createExecHandler({ store, isAdministrator, run });
}

/** Serves one connection by hand. */
function serveConnection(talk: (connection: WebSocket) => void): void {
  const server = new WebSocketServer({ noServer: true, handleProtocols: ([first]) => first ?? false });
  api.onUpgrade = (request, socket, head) => server.handleUpgrade(request, socket, head, talk);
}

const frame = (channel: number, text: string) => Buffer.concat([Buffer.from([channel]), Buffer.from(text)]);

test('a command gets its words as they are, and its output and exit code come back', async () => {
  const seen: unknown[] = [];
  serveCommands(({ pod, container, argv }) => {
    seen.push([pod.metadata.name, container, argv]);
    return { stdout: 'Member removed – ok\n', stderr: 'warning\n', exitCode: 0 };
  });
  expect(await exec()).toEqual({ stdout: 'Member removed – ok\n', stderr: 'warning\n', exitCode: 0 });
  expect(seen).toEqual([['etcd-m1', 'etcd', COMMAND.argv]]);
});

test('another exit code than 0 is a result, not an error', async () => {
  serveCommands(() => ({ stdout: '', stderr: 'Error: etcdserver: member not found\n', exitCode: 3 }));
  expect(await exec()).toMatchObject({ stderr: 'Error: etcdserver: member not found\n', exitCode: 3 });
});

test.each([
  ['a pod that does not exist', { pod: 'etcd-m9' }, 'cluster-absent', 'pods "etcd-m9" not found'],
  ['a container that does not exist', { container: 'x' }, 'cluster-invalid', 'container x is not valid'],
])('%s is refused with the words of the API', async (_name, change, code, cause) => {
  serveCommands(() => ({ stdout: '', stderr: '', exitCode: 0 }));
  await expect(exec({ ...COMMAND, ...change })).rejects.toMatchObject({
    userError: { code, cause: expect.stringContaining(cause) },
  });
});

test('a client without permission is refused', async () => {
  serveCommands(
    () => ({ stdout: '', stderr: '', exitCode: 0 }),
    () => false,
  );
  await expect(exec()).rejects.toMatchObject({ userError: { code: 'cluster-unauthorized' } });
});

test.each<[string, (connection: WebSocket) => void]>([
  ['without a status', (connection) => connection.close(1000)],
  [
    'in the middle of the output',
    (connection) => {
      connection.send(frame(1, 'Member'));
      connection.terminate();
    },
  ],
  [
    'with a status that is no JSON',
    (connection) => {
      connection.send(frame(3, 'broken'));
      connection.close(1000);
    },
  ],
  ['with more than 1 MiB', (connection) => connection.send(frame(1, 'x'.repeat(2 * 1024 * 1024)))],
])('a connection that ends %s is an error: the command may have run', async (_name, talk) => {
  serveConnection(talk);
  await expect(exec()).rejects.toMatchObject({ userError: { code: expect.stringMatching(/^cluster-/) } });
});

test('a kubelet that does not answer is reported with the words of the API', async () => {
  serveConnection((connection) => {
    const message = 'error dialing backend: dial tcp 172.16.0.21:10250: connect: no route to host';
    connection.send(frame(3, JSON.stringify({ status: 'Failure', reason: 'InternalError', message })));
    connection.close(1000);
  });
  await expect(exec()).rejects.toMatchObject({
    userError: { cause: expect.stringContaining('172.16.0.21:10250: connect: no route to host') },
  });
});

test.each<[string, (request: IncomingMessage, socket: Duplex) => void]>([
  ['a web page', (_request, socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n<a/>')],
  [
    'a redirect to another host',
    (_request, socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: https://elsewhere/\r\nContent-Length: 0\r\n\r\n'),
  ],
  ['nothing', (_request, socket) => socket.destroy()],
])('%s in place of the API is an error', async (_name, answer) => {
  api.onUpgrade = answer;
  await expect(exec()).rejects.toMatchObject({ userError: { code: expect.stringMatching(/^cluster-/) } });
});

test('a server that never answers is given up after the time limit', async () => {
  api.onUpgrade = () => undefined;
  await expect(exec(COMMAND, 100)).rejects.toMatchObject({ userError: { code: 'cluster-timeout' } });
});
