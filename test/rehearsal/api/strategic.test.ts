import { describe, expect, test } from 'vitest';
import { kindOf } from '../../../src/rehearsal/api/registry.ts';
import { strategicMerge } from '../../../src/rehearsal/api/strategic.ts';

const pod = (spec: unknown, patch: unknown) =>
  (strategicMerge(kindOf('pods').schema, { spec }, { spec: patch }) as { spec: unknown }).spec;

describe('strategic merge patch', () => {
  const containers = [
    { name: 'a', image: 'a:1', env: [{ name: 'X', value: '1' }] },
    { name: 'b', image: 'b:1' },
  ];

  test('merges containers by name, and their environment by name', () => {
    const patch = {
      containers: [
        { name: 'a', env: [{ name: 'Y', value: '2' }] },
        { name: 'c', image: 'c:1' },
      ],
    };
    expect(pod({ containers }, patch)).toEqual({
      containers: [
        {
          name: 'a',
          image: 'a:1',
          env: [
            { name: 'X', value: '1' },
            { name: 'Y', value: '2' },
          ],
        },
        { name: 'b', image: 'b:1' },
        { name: 'c', image: 'c:1' },
      ],
    });
  });

  test('deletes and replaces by directive', () => {
    expect(pod({ containers }, { containers: [{ name: 'a', $patch: 'delete' }] })).toEqual({
      containers: [containers[1]],
    });
    expect(pod({ containers }, { containers: [{ $patch: 'replace' }, { name: 'z' }] })).toEqual({
      containers: [{ name: 'z' }],
    });
    expect(pod({ containers, nodeName: 'x' }, { $patch: 'replace', nodeName: 'y' })).toEqual({ nodeName: 'y' });
    expect(pod({ nodeSelector: { a: '1' } }, { nodeSelector: null })).toEqual({});
  });

  test('orders by $setElementOrder', () => {
    const patch = {
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
      containers: [{ name: 'b', image: 'b:2' }],
    };
    expect(pod({ containers }, patch)).toEqual({ containers: [{ name: 'b', image: 'b:2' }, containers[0]] });
  });

  test('replaces lists without a merge key: tolerations, and the taints of a node', () => {
    expect(pod({ tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'b' }] })).toEqual({
      tolerations: [{ key: 'b' }],
    });
    const node = strategicMerge(
      kindOf('nodes').schema,
      { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
      { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } },
    );
    expect(node).toEqual({ spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } });
  });

  test('merges conditions by type, and plain values as a set', () => {
    const { schema } = kindOf('nodes');
    const conditions = [{ type: 'Ready', status: 'False', reason: 'x' }];
    expect(
      strategicMerge(
        schema,
        { status: { conditions } },
        { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      ),
    ).toEqual({
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'x' }] },
    });
    const merged = strategicMerge(
      schema,
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a'] } },
    );
    expect(merged).toEqual({ metadata: { finalizers: ['b', 'c'] } });
  });

  test('keeps only what $retainKeys names', () => {
    const { schema } = kindOf('deployments.apps');
    const before = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(strategicMerge(schema, before, patch)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  test('refuses an item without its merge key', () => {
    expect(() => pod({ containers }, { containers: [{ image: 'x' }] })).toThrow(
      'does not contain declared merge key: name',
    );
  });
});
