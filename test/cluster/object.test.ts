import { expect, test } from 'vitest';
import { wrongField, wrongFieldOfList } from '../../src/cluster/object.ts';

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', labels: { l: '' }, creationTimestamp: null } };
const withMetadata = (over: object) => ({ ...node, metadata: { name: 'a', ...over } });

test.each<[string, unknown, string | null]>([
  ['an object', node, null],
  ['an item of a list', { metadata: { name: 'a' }, spec: {}, status: {}, data: { k: 'v' }, items: 1 }, null],
  ['fields that nobody knows', { ...node, metadata: { name: 'a', more: [1] }, more: 1 }, null],
  ['nothing', null, ''],
  ['a list', [], ''],
  ['no metadata', { kind: 'Node' }, 'metadata'],
  ['metadata that are a list', { metadata: [] }, 'metadata'],
  ['no name', { metadata: {} }, 'metadata.name'],
  ['an empty name', { metadata: { name: '' } }, 'metadata.name'],
  ['a name that is a number', { metadata: { name: 1 } }, 'metadata.name'],
  ['a uid that is a number', withMetadata({ uid: 1 }), 'metadata.uid'],
  ['no resourceVersion where it is null', withMetadata({ resourceVersion: null }), 'metadata.resourceVersion'],
  ['a generation that is text', withMetadata({ generation: '1' }), 'metadata.generation'],
  ['a time that is a number', withMetadata({ creationTimestamp: 1 }), 'metadata.creationTimestamp'],
  ['labels that are a list', withMetadata({ labels: [] }), 'metadata.labels'],
  ['a label that is a number', withMetadata({ labels: { a: 1 } }), 'metadata.labels'],
  ['a kind that is none', { ...node, kind: 1 }, 'kind'],
  ['a spec that is text', { ...node, spec: '' }, 'spec'],
  ['a status that is a list', { ...node, status: [] }, 'status'],
  ['data that are no texts', { ...node, data: { a: {} } }, 'data'],
])('%s', (_name, value, wrong) => {
  expect(wrongField(value)).toBe(wrong);
});

test.each<[string, unknown, string | null]>([
  ['none', { apiVersion: 'v1', items: [] }, null],
  ['none, as Go writes it', { apiVersion: 'v1', metadata: {}, items: null }, null],
  ['two', { apiVersion: 'v1', items: [node, node] }, null],
  ['no version', { items: [] }, 'apiVersion'],
  ['no items', { apiVersion: 'v1' }, 'items'],
  ['items by name', { apiVersion: 'v1', items: {} }, 'items'],
  ['metadata that are text', { apiVersion: 'v1', metadata: '', items: [] }, 'metadata'],
  ['an item that is null', { apiVersion: 'v1', items: [node, null] }, 'items.1'],
  ['an item without a name', { apiVersion: 'v1', items: [node, { metadata: {} }] }, 'items.1.metadata.name'],
  ['text', '', ''],
])('a list: %s', (_name, value, wrong) => {
  expect(wrongFieldOfList(value)).toBe(wrong);
});
