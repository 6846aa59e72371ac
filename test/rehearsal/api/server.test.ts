import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type ApiSite, startApiSite } from './api-site.ts';

const INGRESS = '/apis/operator.openshift.io/v1/namespaces/default/ingresscontrollers';
const MERGE = { 'Content-Type': 'application/merge-patch+json' };

let site: ApiSite;
beforeEach(async () => {
  site = await startApiSite();
  site.store.create('nodes', { metadata: { name: 'w1', labels: { a: '1' } }, spec: {}, status: { phase: 'x' } });
  site.store.create('nodes', { metadata: { name: 'w2', labels: { a: '2' } }, spec: {} });
});
afterEach(() => site.close());

describe('about itself', () => {
  test('serves its version and health without a login, and nothing else', async () => {
    site.isAdministrator = false;
    expect((await site.send('GET', '/version')).body).toMatchObject({ major: '1', minor: '31', gitVersion: 'v1.31.6' });
    expect(await site.send('GET', '/readyz')).toMatchObject({ code: 200, body: 'ok' });
    expect(await site.send('GET', '/api/v1/nodes')).toMatchObject({
      code: 401,
      body: { kind: 'Status', status: 'Failure', reason: 'Unauthorized', message: 'Unauthorized', code: 401 },
    });
    site.isReady = false;
    for (const path of ['/readyz', '/healthz', '/livez']) expect((await site.send('GET', path)).code).toBe(503);
  });

  test('lists groups and resources', async () => {
    expect((await site.send('GET', '/api')).body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    const groups = (await site.send('GET', '/apis')).body.groups.map(({ name }: { name: string }) => name);
    expect(groups).toContain('config.openshift.io');
    expect(groups).toContain('certificates.k8s.io');
    const { resources } = (await site.send('GET', '/apis/certificates.k8s.io/v1')).body;
    expect(resources.map(({ name }: { name: string }) => name)).toEqual([
      'certificatesigningrequests',
      'certificatesigningrequests/status',
      'certificatesigningrequests/approval',
    ]);
    expect((await site.send('GET', '/apis/config.openshift.io')).body.preferredVersion.version).toBe('v1');
    expect((await site.send('GET', '/openapi/v2')).headers.get('content-type')).toContain('openapi.spec.v2');
  });

  test('does not know other paths', async () => {
    for (const path of [
      '/apis/machine.openshift.io/v1/machines',
      '/nothing',
      '/api/v1/nodes/w1/proxy',
      '/api/v1/namespaces/default/nodes',
      '/api/v1/%zz',
    ]) {
      expect(await site.send('GET', path), path).toMatchObject({
        code: 404,
        body: { reason: 'NotFound', message: 'the server could not find the requested resource' },
      });
    }
    expect((await site.send('DELETE', '/api/v1/nodes')).code).toBe(405);
  });

  test('carries the time of its clock', async () => {
    const { headers } = await site.send('GET', '/version');
    expect(Math.abs(Date.parse(headers.get('date') ?? '') - site.clock.now())).toBeLessThan(5000);
  });
});

describe('reading', () => {
  test('lists with selectors, and items of built-in kinds have no kind', async () => {
    const names = async (query: string) => {
      const { body } = await site.send('GET', `/api/v1/nodes?${query}`);
      expect(body).toMatchObject({ kind: 'NodeList', apiVersion: 'v1', metadata: { resourceVersion: '3' } });
      return body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
    };
    expect(await names('')).toEqual(['w1', 'w2']);
    expect(await names('labelSelector=a%3D1')).toEqual(['w1']);
    expect(await names('labelSelector=a%20notin%20(1),!b')).toEqual(['w2']);
    expect(await names('labelSelector=a%20in%20(1,2),a!=1')).toEqual(['w2']);
    expect(await names('fieldSelector=metadata.name%3Dw2')).toEqual(['w2']);
    expect((await site.send('GET', '/api/v1/nodes')).body.items[0]).not.toHaveProperty('kind');
    expect((await site.send('GET', '/api/v1/nodes/w1')).body).toMatchObject({ kind: 'Node', apiVersion: 'v1' });
    expect((await site.send('GET', '/api/v1/nodes?fieldSelector=spec.x%3D1')).code).toBe(400);
  });

  test('prints tables', async () => {
    const accept = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
    const { body } = await site.send('GET', '/api/v1/nodes', undefined, accept);
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1', metadata: { resourceVersion: '3' } });
    expect(body.rows[0].cells.slice(0, 3)).toEqual(['w1', 'Unknown', '<none>']);
    expect(body.rows[0].object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'w1' } });
    expect(
      (await site.send('GET', '/api/v1/nodes', undefined, { Accept: 'application/vnd.kubernetes.protobuf' })).code,
    ).toBe(406);
  });

  test('the time of a list grows with its length, and not faster', async () => {
    const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
    const addRequests = (from: number, to: number) => {
      for (let index = from; index < to; index += 1)
        site.store.create('certificatesigningrequests.certificates.k8s.io', {
          metadata: { name: `csr-${index}` },
          spec: { request: 'x'.repeat(600), signerName: 'kubernetes.io/kubelet-serving', usages: ['server auth'] },
        });
    };
    // CPU time of this process: other load on the machine only adds to it, and the least of several counts.
    const measureList = async () => {
      const times: number[] = [];
      for (let run = 0; run < 8; run += 1) {
        const start = process.cpuUsage();
        await site.send('GET', path);
        const { user, system } = process.cpuUsage(start);
        times.push(user + system);
      }
      return Math.min(...times);
    };
    addRequests(0, 250);
    await measureList();
    const short = await measureList();
    addRequests(250, 1000);
    expect((await site.send('GET', path)).body.items).toHaveLength(1000);
    expect((await measureList()) / short).toBeLessThan(10);
  });
});

describe('writing', () => {
  test('creates, and refuses an existing object or a missing namespace', async () => {
    const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { a: '1' } };
    const created = await site.send('POST', '/api/v1/namespaces/default/configmaps', map);
    expect(created).toMatchObject({ code: 201, body: { kind: 'ConfigMap', metadata: { namespace: 'default' } } });
    expect(await site.send('POST', '/api/v1/namespaces/default/configmaps', map)).toMatchObject({
      code: 409,
      body: { reason: 'AlreadyExists', message: 'configmaps "m" already exists' },
    });
    expect(await site.send('POST', '/api/v1/namespaces/none/configmaps', map)).toMatchObject({
      code: 404,
      body: { message: 'namespaces "none" not found' },
    });
    const yaml = 'metadata:\n  name: from-yaml\ndata: {b: "2"}\n';
    expect(
      (await site.send('POST', '/api/v1/namespaces/default/configmaps', yaml, { 'Content-Type': 'application/yaml' }))
        .code,
    ).toBe(201);
  });

  test('refuses an update of what changed meanwhile', async () => {
    const { body } = await site.send('GET', '/api/v1/nodes/w1');
    expect((await site.send('PUT', '/api/v1/nodes/w1', { ...body, spec: { unschedulable: true } })).code).toBe(200);
    const late = await site.send('PUT', '/api/v1/nodes/w1', { ...body, spec: {} });
    expect(late).toMatchObject({
      code: 409,
      body: {
        reason: 'Conflict',
        details: { name: 'w1', kind: 'nodes' },
        message:
          'Operation cannot be fulfilled on nodes "w1": the object has been modified; please apply your changes to the latest version and try again',
      },
    });
    const patch = { metadata: { resourceVersion: body.metadata.resourceVersion, labels: { b: '2' } } };
    expect((await site.send('PATCH', '/api/v1/nodes/w1', patch, MERGE)).code).toBe(409);
    expect((await site.send('PUT', '/api/v1/nodes/w9', { metadata: { name: 'w9' } })).body.message).toBe(
      'nodes "w9" not found',
    );
  });

  test('status and specification change through their own endpoints', async () => {
    site.store.create('clusteroperators.config.openshift.io', { metadata: { name: 'dns' }, spec: {} });
    const path = '/apis/config.openshift.io/v1/clusteroperators/dns';
    const both = { metadata: { labels: { a: 'b' } }, status: { extension: 1 } };
    expect((await site.send('PATCH', path, both, MERGE)).body).not.toHaveProperty('status');
    expect(
      (await site.send('PATCH', `${path}/status`, { ...both, metadata: { labels: { a: 'c' } } }, MERGE)).body,
    ).toMatchObject({
      metadata: { labels: { a: 'b' } },
      status: { extension: 1 },
    });
    const taints = { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] }, status: { phase: 'y' } };
    expect((await site.send('PATCH', '/api/v1/nodes/w1', taints, MERGE)).body).toMatchObject({
      spec: { taints: [{ key: 'a' }] },
      status: { phase: 'x' },
    });
  });

  test('a dry run returns the result, and changes nothing', async () => {
    const before = site.store.getCurrentVersion();
    const patched = await site.send('PATCH', '/api/v1/nodes/w1?dryRun=All', { spec: { unschedulable: true } }, MERGE);
    expect(patched).toMatchObject({
      code: 200,
      body: { spec: { unschedulable: true }, metadata: { resourceVersion: '2' } },
    });
    const map = { metadata: { name: 'm' } };
    expect((await site.send('POST', '/api/v1/namespaces/default/configmaps?dryRun=All', map)).code).toBe(201);
    expect((await site.send('DELETE', '/api/v1/nodes/w1?dryRun=All')).code).toBe(200);
    expect((await site.send('PUT', '/api/v1/nodes/w1?dryRun=All', { metadata: { name: 'w1' }, spec: {} })).code).toBe(
      200,
    );
    expect((await site.send('PATCH', '/api/v1/nodes/w1?dryRun=Some', {}, MERGE)).code).toBe(400);
    expect(site.store.getCurrentVersion()).toBe(before);
  });

  test('unknown fields: strict refuses, warn warns, ignore drops', async () => {
    site.store.create('ingresscontrollers.operator.openshift.io', {
      metadata: { name: 'default', namespace: 'default' },
      spec: { replicas: 2 },
    });
    const wrong = { spec: { nodePlacment: {} } };
    const strict = await site.send('PATCH', `${INGRESS}/default?fieldValidation=Strict`, wrong, MERGE);
    expect(strict.code).toBe(422);
    expect(strict.body.message).toContain('strict decoding error: unknown field "spec.nodePlacment"');
    const put = { ...site.store.get('ingresscontrollers.operator.openshift.io', 'default', 'default'), ...wrong };
    expect(await site.send('PUT', `${INGRESS}/default?fieldValidation=Strict`, put)).toMatchObject({
      code: 400,
      body: {
        message:
          'IngressController in version "v1" cannot be handled as a IngressController: strict decoding error: unknown field "spec.nodePlacment"',
      },
    });
    const warned = await site.send('PATCH', `${INGRESS}/default`, wrong, MERGE);
    expect(warned.headers.get('warning')).toBe('299 - "unknown field \\"spec.nodePlacment\\""');
    expect(warned.body.spec).toEqual({ replicas: 2 });
    const ignored = await site.send('PATCH', `${INGRESS}/default?fieldValidation=Ignore`, wrong, MERGE);
    expect(ignored.headers.get('warning')).toBeNull();
    expect(
      await site.send('POST', '/api/v1/namespaces/default/configmaps?fieldValidation=Strict', {
        metadata: { name: 'm' },
        dat: {},
      }),
    ).toMatchObject({
      code: 400,
      body: {
        reason: 'BadRequest',
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "dat"',
      },
    });
  });

  test('the field that old documentation gives for the registry does not exist', async () => {
    site.store.create('configs.imageregistry.operator.openshift.io', {
      metadata: { name: 'cluster' },
      spec: { replicas: 1 },
    });
    const path = '/apis/imageregistry.operator.openshift.io/v1/configs/cluster';
    const patch = { spec: { nodePlacement: {}, nodeSelector: { a: '' } } };
    expect((await site.send('PATCH', path, patch, MERGE)).body.spec).toEqual({ replicas: 1, nodeSelector: { a: '' } });
  });

  test('refuses wrong types and values as Kubernetes words it', async () => {
    site.store.create('ingresscontrollers.operator.openshift.io', {
      metadata: { name: 'default', namespace: 'default' },
      spec: {},
    });
    expect(await site.send('PATCH', `${INGRESS}/default`, { spec: { replicas: '3' } }, MERGE)).toMatchObject({
      code: 422,
      body: {
        reason: 'Invalid',
        message:
          'IngressController.operator.openshift.io "default" is invalid: spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"',
        details: { group: 'operator.openshift.io', kind: 'IngressController', causes: [{ field: 'spec.replicas' }] },
      },
    });
    const labels = { metadata: { labels: { a: 'b!' } } };
    expect((await site.send('PATCH', '/api/v1/nodes/w1', labels, MERGE)).body.message).toContain(
      'Node "w1" is invalid: metadata.labels: Invalid value: "b!": a valid label must be an empty string or consist of',
    );
    const taints = { spec: { taints: [{ key: 'a', effect: 'Never' }] } };
    expect((await site.send('PATCH', '/api/v1/nodes/w1', taints, MERGE)).body.message).toBe(
      'Node "w1" is invalid: metadata.taints[0].effect: Unsupported value: "Never": supported values: "NoExecute", "NoSchedule", "PreferNoSchedule"',
    );
  });

  test('applies on the server: creates, then merges', async () => {
    const path = '/api/v1/namespaces/default/configmaps/m?fieldManager=ours';
    const apply = { 'Content-Type': 'application/apply-patch+yaml' };
    const first = await site.send(
      'PATCH',
      path,
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: m}\ndata: {a: "1"}\n',
      apply,
    );
    expect(first).toMatchObject({ code: 201, body: { data: { a: '1' } } });
    const second = await site.send(
      'PATCH',
      path,
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' }, data: { b: '2' } },
      apply,
    );
    expect(second).toMatchObject({
      code: 200,
      body: { data: { a: '1', b: '2' } },
    });
  });

  test('patches of the wrong kind are refused', async () => {
    site.store.create('ingresscontrollers.operator.openshift.io', {
      metadata: { name: 'default', namespace: 'default' },
      spec: {},
    });
    const strategic = { 'Content-Type': 'application/strategic-merge-patch+json' };
    expect((await site.send('PATCH', `${INGRESS}/default`, {}, strategic)).code).toBe(415);
    expect((await site.send('PATCH', '/api/v1/nodes/w1', {}, { 'Content-Type': 'application/json' })).code).toBe(415);
    const json = { 'Content-Type': 'application/json-patch+json' };
    expect((await site.send('PATCH', '/api/v1/nodes/w1', { spec: {} }, json)).code).toBe(400);
    const test = [{ op: 'test', path: '/metadata/labels/a', value: 'other' }];
    expect((await site.send('PATCH', '/api/v1/nodes/w1', test, json)).code).toBe(422);
    expect((await site.send('PATCH', '/api/v1/nodes/w1', '{', MERGE)).code).toBe(400);
    const rename = { metadata: { name: 'w7' } };
    expect((await site.send('PATCH', '/api/v1/nodes/w1', rename, MERGE)).body.message).toContain('field is immutable');
  });

  test('deletes, with preconditions, after finalizers, and a namespace with its content', async () => {
    const wrong = { preconditions: { uid: 'other' } };
    expect((await site.send('DELETE', '/api/v1/nodes/w1', wrong)).code).toBe(409);
    expect((await site.send('DELETE', '/api/v1/nodes/w1')).body).toMatchObject({
      status: 'Success',
      details: { name: 'w1', kind: 'nodes' },
    });
    expect((await site.send('DELETE', '/api/v1/nodes/w1')).body.message).toBe('nodes "w1" not found');
    site.store.create('configmaps', { metadata: { name: 'held', namespace: 'default', finalizers: ['a/b'] } });
    const path = '/api/v1/namespaces/default/configmaps/held';
    expect((await site.send('DELETE', path)).body.metadata.deletionTimestamp).toBeTypeOf('string');
    await site.send('PATCH', path, { metadata: { finalizers: null } }, MERGE);
    expect((await site.send('GET', path)).code).toBe(404);
    site.store.create('configmaps', { metadata: { name: 'inside', namespace: 'default' } });
    await site.send('DELETE', '/api/v1/namespaces/default');
    expect(site.store.list('configmaps')).toEqual([]);
  });

  test('refuses a body that is too large', async () => {
    const data = { metadata: { name: 'big' }, data: { a: 'x'.repeat(3 * 1024 * 1024) } };
    expect((await site.send('POST', '/api/v1/namespaces/default/configmaps', data)).code).toBe(413);
  });
});
