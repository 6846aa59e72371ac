import { expect, test } from 'vitest';
import {
  listGitOpsProducts,
  listManagersOfFields,
  listPatchPaths,
  parseWithManagers,
} from '../../src/openshift/field-managers.ts';
import type { KubeObject } from '../../src/openshift/object.ts';

const entry = (manager: string, fieldsV1: object, rest: object = {}) => ({
  manager,
  operation: 'Update',
  time: '2026-11-01T10:00:00Z',
  fieldsType: 'FieldsV1',
  fieldsV1,
  ...rest,
});
const parseObject = (managedFields: readonly object[], metadata: object = {}) =>
  parseWithManagers(
    JSON.stringify({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', managedFields, ...metadata }, spec: {} }),
  ) as KubeObject;
const listManagerNames = (object: KubeObject, ...paths: string[]) =>
  listManagersOfFields(
    object,
    paths.map((path) => path.split(' ')),
  ).map(({ name }) => name);

test('finds the managers of a field, of a part of it, or of its parent', () => {
  const object = parseObject([
    entry('kubectl-edit', { 'f:spec': { 'f:nodePlacement': { 'f:tolerations': {} } } }),
    entry('argocd-controller', { 'f:spec': { 'f:replicas': {} } }, { time: '2026-11-02T10:00:00Z' }),
    entry('ingress-operator', { 'f:status': { 'f:replicas': {} } }, { subresource: 'status' }),
    entry('whole', { 'f:data': {} }),
  ]);
  expect(listManagerNames(object, 'spec nodePlacement tolerations')).toEqual(['kubectl-edit']);
  expect(listManagerNames(object, 'spec nodePlacement')).toEqual(['kubectl-edit']);
  expect(listManagerNames(object, 'spec replicas', 'spec nodePlacement')).toEqual([
    'argocd-controller',
    'kubectl-edit',
  ]);
  expect(listManagerNames(object, 'data config.yaml')).toEqual(['whole']);
  expect(listManagerNames(object, 'status replicas', 'spec nodeSelector')).toEqual([]);
  expect(listManagersOfFields(object, [['spec', 'replicas']])[0]?.lastWriteAt).toBe(Date.UTC(2026, 10, 2, 10));
});

test('lists the fields of a patch, including those that it removes', () => {
  expect(listPatchPaths({ spec: { a: null, b: [1, 2], c: {} } })).toEqual([
    ['spec', 'a'],
    ['spec', 'b'],
    ['spec', 'c'],
  ]);
});

test('GitOps is known by its manager, its label or its annotation', () => {
  expect(listGitOpsProducts(parseObject([entry('argocd-controller', {})]))).toEqual(['Argo CD']);
  expect(listGitOpsProducts(parseObject([], { labels: { 'kustomize.toolkit.fluxcd.io/name': 'infra' } }))).toEqual([
    'Flux',
  ]);
  expect(listGitOpsProducts(parseObject([], { annotations: { 'argocd.argoproj.io/tracking-id': 'x' } }))).toEqual([
    'Argo CD',
  ]);
  expect(listGitOpsProducts(parseObject([entry('config-policy-controller', {})]))).toEqual(['Red Hat ACM']);
  expect(listGitOpsProducts(parseObject([], { labels: { 'app.kubernetes.io/managed-by': 'Helm' } }))).toEqual(['Helm']);
  expect(
    listGitOpsProducts(parseObject([entry('kubectl-edit', {})], { labels: { 'app.kubernetes.io/managed-by': 'us' } })),
  ).toEqual([]);
});

test('field managers from the API are sanitized, and may be malformed', () => {
  const object = parseObject([entry('a\u001b[31mb', { 'f:spec': {} }), { manager: 7, fieldsV1: 'x' }]);
  expect(listManagerNames(object, 'spec x')).toEqual([expect.not.stringContaining('\u001b')]);
  expect(listManagersOfFields({ ...object, metadata: { name: 'x' } }, [['spec']])).toEqual([]);
});
