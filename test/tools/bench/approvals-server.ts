// An API server over TLS with 400 pending requests, in its own process. `POST /reset` makes them pending again. `GET
// /measured` returns the time from the first approval to the last, and the largest number of concurrent requests.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createClientObject, createKeys } from '../../support/csr-forge.ts';
import { startKubeServer, writeKubeconfig } from '../../support/kube-server.ts';
import { createLargeDesign } from './designs.ts';

const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const server = await startKubeServer();
const { nodes } = createLargeDesign(400) as { nodes: { name: string; role: string }[] };
const requests = nodes
  .filter(({ role }) => role !== 'bootstrap')
  .map(({ name: node }) =>
    createClientObject({ name: `csr-${node}`, node, keys: createKeys(), createdAt: Date.now() - 60_000 }),
  );
const counters = { puts: 0, first: 0, last: 0, underWay: 0, most: 0 };

function reset() {
  server.objects.clear();
  server.requests.length = 0;
  server.put('/api/v1/nodes/', { apiVersion: 'v1', kind: 'Node', metadata: { name: '' } });
  for (const request of requests) server.put(`${PATH}/${request.metadata.name}`, request);
  Object.assign(counters, { puts: 0, first: 0, last: 0, underWay: 0, most: 0 });
}

server.afterWrite = (path, object) => {
  if (path.startsWith(PATH)) object.status.certificate = 'cGVt';
};
server.intercept = (request: IncomingMessage, response: ServerResponse) => {
  if (request.url === '/reset') {
    reset();
    response.end('{}');
    return true;
  }
  if (request.url === '/measured') {
    response.end(JSON.stringify({ puts: counters.puts, ms: counters.last - counters.first, most: counters.most }));
    return true;
  }
  counters.underWay += 1;
  counters.most = Math.max(counters.most, counters.underWay);
  if (request.method === 'PUT' && counters.puts === 0) counters.first = performance.now();
  response.on('close', () => {
    counters.underWay -= 1;
    if (request.method !== 'PUT') return;
    counters.puts += 1;
    counters.last = performance.now();
  });
  return false;
};

const kubeconfig = writeKubeconfig(server.dir, server.authority.pem, await server.authority.issue('system:admin'), {
  cluster: { server: `https://127.0.0.1:${server.port}`, 'tls-server-name': 'api.ocp45.example.localdomain' },
});
process.stdout.write(`${JSON.stringify({ port: server.port, ca: server.authority.pem, kubeconfig })}\n`);
