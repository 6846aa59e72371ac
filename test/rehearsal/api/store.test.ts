import { describe, expect, test } from 'vitest';
import { StatusError } from '../../../src/rehearsal/api/status.ts';
import { createStore, type StoreEvent } from '../../../src/rehearsal/api/store.ts';
import { findSchemaViolations } from './api-site.ts';

const START = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

function catchStatusError(action: () => unknown): StatusError {
  try {
    action();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('nothing was thrown');
}

test('findSchemaViolations finds fields that do not fit the schema of a kind', () => {
  const store = createStore({ now: () => START });
  store.create('nodes', { metadata: { name: 'w1' }, spec: { unschedulable: 'yes', taint: [] } });
  store.create('configmaps', { metadata: { name: 'fits', namespace: 'default' }, data: { a: '1' } });
  expect(findSchemaViolations(store)).toEqual([
    'nodes w1: unknown field "spec.taint"',
    'nodes w1: spec.unschedulable: Invalid value: "string": spec.unschedulable in body must be of type boolean: "string"',
  ]);
});

describe('store', () => {
  test('gives a new object its identity', () => {
    const store = createStore({ now: () => START });
    const node = store.create('nodes', { metadata: { name: 'w1' }, spec: {} });
    expect(node).toMatchObject({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: 'w1', creationTimestamp: '2026-01-02T03:04:05Z', resourceVersion: '1' },
    });
    expect(node.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(node.metadata.generation).toBeUndefined();
    expect(store.get('nodes', null, 'w1')).toBe(node);
  });

  test('names an object after generateName', () => {
    const store = createStore({ now: () => START });
    const request = store.create('certificatesigningrequests.certificates.k8s.io', {
      metadata: { generateName: 'csr-' },
    });
    expect(request.metadata.name).toMatch(/^csr-[a-z0-9]{5}$/);
  });

  test('refuses a second object of the same name, but not in another namespace', () => {
    const store = createStore({ now: () => START });
    store.create('configmaps', { metadata: { name: 'a', namespace: 'one' } });
    store.create('configmaps', { metadata: { name: 'a', namespace: 'two' } });
    const error = catchStatusError(() => store.create('configmaps', { metadata: { name: 'a', namespace: 'one' } }));
    expect(error).toMatchObject({ code: 409, reason: 'AlreadyExists', message: 'configmaps "a" already exists' });
    expect(store.list('configmaps', 'one')).toHaveLength(1);
    expect(store.list('configmaps')).toHaveLength(2);
  });

  test('refuses an update of an object that changed meanwhile, as Kubernetes words it', () => {
    const store = createStore({ now: () => START });
    const read = store.create('nodes', { metadata: { name: 'w1' }, spec: {} });
    store.mutate('nodes', null, 'w1', (node) => {
      node.metadata.labels = { a: 'b' };
    });
    const error = catchStatusError(() => store.update('nodes', { ...read, spec: { unschedulable: true } }));
    expect(error.message).toBe(
      'Operation cannot be fulfilled on nodes "w1": the object has been modified; please apply your changes to the latest version and try again',
    );
    expect(error).toMatchObject({ code: 409, reason: 'Conflict', details: { name: 'w1', kind: 'nodes' } });
  });

  test('counts generations of the specification only, and only where Kubernetes does', () => {
    const store = createStore({ now: () => START });
    store.create('clusteroperators.config.openshift.io', { metadata: { name: 'dns' }, spec: {} });
    const change = (status: unknown, spec: unknown) =>
      store.mutate('clusteroperators.config.openshift.io', null, 'dns', (object) =>
        Object.assign(object, { status, spec }),
      );
    expect(change({ versions: [] }, {})?.metadata.generation).toBe(1);
    expect(change({ versions: [] }, { x: 1 })?.metadata.generation).toBe(2);
  });

  test('emits no event without a change, and all others in order even when listeners change objects', () => {
    const store = createStore({ now: () => START });
    const events: StoreEvent[] = [];
    store.subscribe(({ type, object }) => {
      if (type === 'ADDED')
        store.mutate('pods', 'ns', object.metadata.name, (pod) => Object.assign(pod, { status: { phase: 'Pending' } }));
    });
    const stop = store.subscribe((event) => events.push(event));
    const pod = store.create('pods', { metadata: { name: 'p', namespace: 'ns' } });
    store.mutate('pods', 'ns', 'p', (same) => Object.assign(same, { status: { phase: 'Pending' } }));
    expect(store.delete('pods', 'ns', 'p')).toBe(true);
    expect(store.delete('pods', 'ns', 'p')).toBe(false);
    stop();
    store.create('pods', { metadata: { name: 'unseen', namespace: 'ns' } });
    expect(events.map(({ type, object }) => `${type} ${object.metadata.resourceVersion}`)).toEqual([
      'ADDED 1',
      'MODIFIED 2',
      'DELETED 3',
    ]);
    expect(pod.status).toBeUndefined();
  });

  test('returns objects that cannot be changed by accident', () => {
    const store = createStore({ now: () => START });
    const input = { metadata: { name: 'w1', labels: { a: '1' } }, spec: {} };
    const node = store.create('nodes', input);
    input.metadata.labels.a = '2';
    expect(node.metadata.labels).toEqual({ a: '1' });
    expect(() => Object.assign(node.metadata.labels ?? {}, { a: '3' })).toThrow(TypeError);
  });

  test('is restored from its dump, through JSON, and continues its versions', () => {
    const store = createStore({ now: () => START });
    const node = store.create('nodes', { metadata: { name: 'w1' }, spec: {} });
    store.create('pods', { metadata: { name: 'p', namespace: 'ns' } });
    store.delete('pods', 'ns', 'p');
    const restored = createStore({ now: () => START });
    expect(store.dumpText()).toBe(JSON.stringify(store.dump()));
    restored.load(JSON.parse(store.dumpText()));
    expect(restored.get('nodes', null, 'w1')).toEqual(node);
    expect(restored.list('pods')).toEqual([]);
    expect(restored.create('nodes', { metadata: { name: 'w2' } }).metadata.resourceVersion).toBe('4');
    expect(() => restored.load({ objects: {} })).toThrow('not a dump');
  });

  test('does not know what is not in the registry', () => {
    const store = createStore({ now: () => START });
    expect(() => store.list('machines')).toThrow('no such resource: machines');
  });
});
