import { expect, test } from 'vitest';
import { getMultilineString, getString, listConditions } from '../../src/openshift/object.ts';
import { parseClusterOperator } from '../../src/openshift/operator.ts';
import {
  checkAndNormalizeList,
  checkAndNormalizeObject,
  parseSafely,
  sanitizeJson,
} from '../../src/openshift/safe-json.ts';
import fc from '../support/property.ts';

const node = { apiVersion: 'v1', kind: 'Node', metadata: { name: 'a', labels: { l: '' }, creationTimestamp: null } };
const withMetadata = (overrides: object) => ({ ...node, metadata: { name: 'a', ...overrides } });

test.each<[string, unknown, string | null]>([
  ['an object', node, null],
  ['an item of a list', { metadata: { name: 'a' }, spec: {}, status: {}, data: { k: 'v' }, items: 1 }, null],
  ['unknown fields', { ...node, metadata: { name: 'a', more: [1] }, more: 1 }, null],
  ['nothing', null, ''],
  ['a list', [], ''],
  ['no metadata', { kind: 'Node' }, 'metadata'],
  ['metadata that are a list', { metadata: [] }, 'metadata'],
  ['no name', { metadata: {} }, 'metadata.name'],
  ['an empty name', { metadata: { name: '' } }, 'metadata.name'],
  ['a name that is a number', { metadata: { name: 1 } }, 'metadata.name'],
  ['a uid that is a number', withMetadata({ uid: 1 }), 'metadata.uid'],
  ['nulls', { ...withMetadata({ resourceVersion: null, labels: null }), spec: null, status: null, data: null }, null],
  ['a name that is null', { metadata: { name: null } }, 'metadata.name'],
  ['a generation that is text', withMetadata({ generation: '1' }), 'metadata.generation'],
  ['a time that is a number', withMetadata({ creationTimestamp: 1 }), 'metadata.creationTimestamp'],
  ['labels that are a list', withMetadata({ labels: [] }), 'metadata.labels'],
  ['a label that is a number', withMetadata({ labels: { a: 1 } }), 'metadata.labels'],
  ['a kind that is none', { ...node, kind: 1 }, 'kind'],
  ['a spec that is text', { ...node, spec: '' }, 'spec'],
  ['a status that is a list', { ...node, status: [] }, 'status'],
  ['data that are no texts', { ...node, data: { a: {} } }, 'data'],
])('%s', (_name, value, wrong) => {
  expect(checkAndNormalizeObject(value)).toBe(wrong);
});

test('a null field counts as absent', () => {
  const object = { metadata: { name: 'a', labels: null, uid: 'u' }, spec: null, status: {} };
  expect(checkAndNormalizeObject(object)).toBeNull();
  expect(object).toEqual({ metadata: { name: 'a', uid: 'u' }, status: {} });
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
  expect(checkAndNormalizeList(value)).toBe(wrong);
});

test.each([
  ['escape sequences', { message: '\u001b[2Jgone' }, { message: '\ufffdgone' }],
  ['a direction', { message: 'a\u202eb' }, { message: 'a\ufffdb' }],
  ['an invisible character as it is', { message: 'a\u200bb' }, { message: 'a\ufffdb' }],
  ['a lone surrogate', { message: '\ud800' }, { message: '\ufffd' }],
  ['DEL', { message: '\u007f' }, { message: '\ufffd' }],
  ['a CR', { message: 'a\rb' }, { message: 'a\ufffdb' }],
  ['backspaces', { message: 'a\bb\fc' }, { message: 'a\ufffdb\ufffdc' }],
  ['keys', { 'a\u001bb': 1 }, { 'a\ufffd': 1 }],
])('%s in an answer become marks, escaped or not', (_name, value, safe) => {
  const json = JSON.stringify(value);
  expect(parseSafely(json)).toEqual(safe);
  const escaped = json.replace(
    /[^ -~]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
  expect(parseSafely(escaped)).toEqual(safe);
});

test('plain text stays as it is; managed fields and prototypes are dropped', () => {
  const managedFields = [{ manager: 'x' }];
  const item = { metadata: { name: 'a', managedFields }, message: 'a\tb\n"c" \\d <&>' };
  const list = { kind: 'List', metadata: { managedFields }, items: [item, { metadata: null }, 1] };
  const safeMetadata = { name: 'a' };
  const expected = { ...list, metadata: {}, items: [{ ...item, metadata: safeMetadata }, { metadata: null }, 1] };
  const json = JSON.stringify(list).replace('<', '\\u003c').replace('&', '\\u0026');
  expect(parseSafely(json)).toEqual(expected);
  expect(parseSafely(json.replace('a\\tb', 'ä'))).toEqual({
    ...expected,
    items: [{ ...item, message: item.message.replace('a\tb', 'ä'), metadata: safeMetadata }, { metadata: null }, 1],
  });
  expect(parseSafely('{"__proto__":{"isAdmin":true},"a":1}')).toEqual({ a: 1 });
  expect(parseSafely('{"\\u005f_proto__":{"isAdmin":true},"a":1}')).toEqual({ a: 1 });
});

test('a text that is too long is cut', () => {
  const { message } = parseSafely(JSON.stringify({ message: 'x'.repeat(2_000_000) })) as { message: string };
  expect(message).toHaveLength(1_500_001);
});

test('text that needs no sanitizing equals its sanitized copy', () => {
  fc.assert(
    fc.property(fc.json(), fc.boolean(), (json, isEscaped) => {
      const text = isEscaped ? json.replace(/</g, '\\u003c') : json;
      expect(parseSafely(text)).toEqual(sanitizeJson(JSON.parse(text)));
    }),
  );
});

test('text from the API is folded into one line, except for readers that show lines', () => {
  const hostile = 'it works\n[Available] True\tno';
  const object = {
    apiVersion: 'v1',
    kind: 'ClusterOperator',
    metadata: { name: 'dns\nAll is well', namespace: 'a\nb' },
    status: { phase: hostile, conditions: [{ type: 'Degraded', status: 'True', reason: hostile, message: hostile }] },
  };
  expect(checkAndNormalizeObject(object)).toBeNull();
  const shown = 'it works [Available] True no';
  expect(object.metadata).toEqual({ name: 'dns All is well', namespace: 'a b' });
  expect(getString(object.status, 'phase')).toBe(shown);
  expect(getMultilineString(object.status, 'phase')).toBe(hostile);
  expect(listConditions(object)[0]).toMatchObject({ reason: shown, message: shown });
  const operator = parseClusterOperator(object);
  expect(operator).toMatchObject({ name: 'dns All is well', reason: shown, message: shown });
  expect(operator.conditions[0]?.message).toBe(hostile);
});
