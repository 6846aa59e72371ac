import { afterEach, beforeEach, expect, test } from 'vitest';
import { finalizeNamespaces } from '../../../src/rehearsal/api/namespace-deletion.ts';
import { type ApiSite, startApiSite } from './api-site.ts';

const MERGE = { 'Content-Type': 'application/merge-patch+json' };
const CONTROLLER = '/apis/operator.openshift.io/v1/namespaces/n/ingresscontrollers/default';
const HOOKS = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const API_SERVICES = '/apis/apiregistration.k8s.io/v1/apiservices';
const namespace = (name: string) => ({
  metadata: { name, labels: { 'kubernetes.io/metadata.name': name } },
  status: { phase: 'Active' },
});

let site: ApiSite;
beforeEach(async () => {
  site = await startApiSite();
  site.store.create('namespaces', namespace('n'));
});
afterEach(() => site.close());

test('scale: what oc reads and patches, and only that', async () => {
  site.store.create('ingresscontrollers.operator.openshift.io', {
    metadata: { name: 'default', namespace: 'n' },
    spec: {},
  });
  const { resources } = (await site.send('GET', '/apis/operator.openshift.io/v1')).body;
  const scale = resources.find(({ name }: { name: string }) => name === 'ingresscontrollers/scale');
  expect(scale).toMatchObject({ group: 'autoscaling', version: 'v1', kind: 'Scale' });
  expect((await site.send('PATCH', `${CONTROLLER}/scale`, { spec: { replicas: 2 } }, MERGE)).body).toMatchObject({
    kind: 'Scale',
    spec: { replicas: 2 },
  });
  expect((await site.send('GET', CONTROLLER)).body.spec).toEqual({ replicas: 2 });
  const read = (await site.send('GET', `${CONTROLLER}/scale`)).body;
  expect((await site.send('PUT', `${CONTROLLER}/scale`, { ...read, spec: { replicas: 3 } })).body.spec.replicas).toBe(
    3,
  );
  expect((await site.send('PATCH', `${CONTROLLER}/scale`, { spec: { replicas: -1 } }, MERGE)).code).toBe(422);
  expect((await site.send('GET', '/api/v1/nodes/x/scale')).code).toBe(404);
});

test('a required webhook without a server: its requests are refused until it answers or is removed', async () => {
  const pods = '/api/v1/namespaces/n/pods';
  const pod = { metadata: { name: 'p' }, spec: { containers: [] } };
  const hook = {
    name: 'validate.example.com',
    clientConfig: { service: { namespace: 'policy', name: 'policy', path: '/v' } },
    rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] }],
    failurePolicy: 'Fail',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
  };
  await site.send('POST', HOOKS, { metadata: { name: 'policy' }, webhooks: [hook] });
  const messagePrefix =
    'Internal error occurred: failed calling webhook "validate.example.com": failed to call webhook: Post "https://policy.policy.svc:443/v?timeout=10s":';
  const post = async () => (await site.send('POST', pods, pod)).body.message;
  expect(await post()).toBe(`${messagePrefix} service "policy" not found`);
  site.store.create('services', { metadata: { name: 'policy', namespace: 'policy' } });
  expect(await post()).toBe(`${messagePrefix} no endpoints available for service "policy"`);
  expect((await site.send('POST', '/api/v1/namespaces/n/configmaps', { metadata: { name: 'c' } })).code).toBe(201);
  const served = { metadata: { name: 'policy', namespace: 'policy' }, subsets: [{ addresses: [{ ip: '10.0.0.1' }] }] };
  site.store.create('endpoints', served);
  expect((await site.send('POST', pods, pod)).code).toBe(201);
  site.store.delete('endpoints', 'policy', 'policy');
  expect((await site.send('POST', pods, { ...pod, metadata: { name: 'q' } })).code).toBe(500);
  expect((await site.send('DELETE', `${HOOKS}/policy`)).code).toBe(200);
  expect((await site.send('POST', pods, { ...pod, metadata: { name: 'q' } })).code).toBe(201);
});

test('an APIService without pods is listed and does not answer; no namespace is deleted until it answers or is removed', async () => {
  const finalize = () => finalizeNamespaces(site.store, site.clock.now());
  const getStatus = async () => (await site.send('GET', '/api/v1/namespaces/n')).body.status;
  const listTrueConditions = async () =>
    (await getStatus()).conditions.filter(({ status }: { status: string }) => status === 'True');
  await site.send('POST', API_SERVICES, {
    metadata: { name: 'v1beta1.metrics.example.com' },
    spec: { group: 'metrics.example.com', version: 'v1beta1', service: { namespace: 'm', name: 'm', port: 443 } },
  });
  site.store.create('configmaps', { metadata: { name: 'kept', namespace: 'n', finalizers: ['example.com/keep'] } });
  site.store.create('configmaps', { metadata: { name: 'goes', namespace: 'n' } });
  const groups = (await site.send('GET', '/apis')).body.groups.map(({ name }: { name: string }) => name);
  expect(groups).toContain('metrics.example.com');
  expect((await site.send('GET', '/apis/metrics.example.com/v1beta1')).code).toBe(503);
  await site.send('DELETE', '/api/v1/namespaces/n');
  finalize();
  expect((await getStatus()).phase).toBe('Terminating');
  expect((await listTrueConditions()).map(({ message }: { message: string }) => message)).toEqual([
    'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.example.com/v1beta1: stale GroupVersion discovery: metrics.example.com/v1beta1',
    'Some resources are remaining: configmaps. has 1 resource instances',
    'Some content in the namespace has finalizers remaining: example.com/keep in 1 resource instances',
  ]);
  await site.send('PATCH', '/api/v1/namespaces/n/configmaps/kept', { metadata: { finalizers: null } }, MERGE);
  finalize();
  expect(await listTrueConditions()).toHaveLength(1);
  await site.send('DELETE', `${API_SERVICES}/v1beta1.metrics.example.com`);
  finalize();
  expect((await site.send('GET', '/api/v1/namespaces/n')).code).toBe(404);
});
