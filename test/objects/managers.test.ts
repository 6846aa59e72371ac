import { expect, test } from 'vitest';
import { gitOpsOf, managersOf, parseWithManagers, pathsOf } from '../../src/objects/managers.ts';
import type { KubeObject } from '../../src/objects/object.ts';

const entry = (manager: string, fieldsV1: object, rest: object = {}) => ({
  manager,
  operation: 'Update',
  time: '2026-11-01T10:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...rest,
});
const read = (managedFields: readonly object[], metadata: object = {}) =>
  parseWithManagers(
    JSON.stringify({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', managedFields, ...metadata }, spec: {} }),
  ) as KubeObject;
const names = (object: KubeObject, ...paths: string[]) =>
  managersOf(
    object,
    paths.map((path) => path.split(' ')),
  ).map(({ name }) => name);

test('who manages a field, a part of it, or the whole that it is in', () => {
  const object = read([
    entry('kubectl-edit', { 'f:spec': { 'f:nodePlacement': { 'f:tolerations': {} } } }),
    entry('argocd-controller', { 'f:spec': { 'f:replicas': {} } }, { time: '2026-11-02T10:00:00Z' }),
    entry('ingress-operator', { 'f:status': { 'f:replicas': {} } }, { subresource: 'status' }),
    entry('whole', { 'f:data': {} }),
  ]);
  expect(names(object, 'spec nodePlacement tolerations')).toEqual(['kubectl-edit']);
  expect(names(object, 'spec nodePlacement')).toEqual(['kubectl-edit']);
  expect(names(object, 'spec replicas', 'spec nodePlacement')).toEqual(['argocd-controller', 'kubectl-edit']);
  expect(names(object, 'data config.yaml')).toEqual(['whole']);
  expect(names(object, 'status replicas', 'spec nodeSelector')).toEqual([]);
  expect(managersOf(object, [['spec', 'replicas']])[0]?.at).toBe(Date.UTC(2026, 10, 2, 10));
});

test('the fields of a patch, those that it takes out too', () => {
  expect(pathsOf({ spec: { a: null, b: [1, 2], c: {} } })).toEqual([
    ['spec', 'a'],
    ['spec', 'b'],
    ['spec', 'c'],
  ]);
});

test('GitOps is known by its manager, its label or its annotation', () => {
  expect(gitOpsOf(read([entry('argocd-controller', {})]))).toEqual(['Argo CD']);
  expect(gitOpsOf(read([], { labels: { 'kustomize.toolkit.fluxcd.io/name': 'infra' } }))).toEqual(['Flux']);
  expect(gitOpsOf(read([], { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }))).toEqual(['Argo CD']);
  expect(gitOpsOf(read([entry('config-policy-controller', {})]))).toEqual(['Red Hat ACM']);
  expect(gitOpsOf(read([], { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }))).toEqual(['Helm']);
  expect(gitOpsOf(read([entry('kubectl-edit', {})], { labels: { 'app.kubernetes.io/managed-by': 'us' } }))).toEqual([]);
});

test('what the API sends of managers is made safe, and may be anything', () => {
  const object = read([entry('a\u001b[31mb', { 'f:spec': {} }), { manager: 7, fieldsV1: 'x' }]);
  expect(names(object, 'spec x')).toEqual([expect.not.stringContaining('\u001b')]);
  expect(managersOf({ ...object, metadata: { name: 'x' } }, [['spec']])).toEqual([]);
});
