import { expect, test } from 'vitest';
import { describeChange, type Edit } from '../../src/infra/edit.ts';

const node = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'i1', labels: { 'kubernetes.io/os': 'linux' } },
  spec: { taints: [] },
};
const edit: Edit = {
  kind: 'Node',
  name: 'i1',
  namespace: null,
  patch: () => ({ metadata: { labels: { 'node-role.kubernetes.io/infra': '' } } }),
} as Edit;

test('a change that only adds a key to a map shows no empty map that seems to be lost', () => {
  expect(describeChange(edit, node as never)).toMatchObject({
    before: '',
    after: 'metadata:\n  labels:\n    node-role.kubernetes.io/infra: ""\n',
  });
});

test('an existing value of the same key is shown, and so is an empty list', () => {
  const labelled = { ...node, metadata: { ...node.metadata, labels: { 'node-role.kubernetes.io/infra': 'old' } } };
  expect(describeChange(edit, labelled as never)?.before).toBe(
    'metadata:\n  labels:\n    node-role.kubernetes.io/infra: old\n',
  );
  const taints: Edit = { ...edit, patch: () => ({ spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } }) } as Edit;
  expect(describeChange(taints, node as never)?.before).toBe('spec:\n  taints: []\n');
});
