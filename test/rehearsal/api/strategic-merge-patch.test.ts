import { describe, expect, test } from 'vitest';
import { applyStrategicMergePatch } from '../../../src/rehearsal/api/patch.ts';

const mergePodSpec = (spec: unknown, patch: unknown) =>
  (applyStrategicMergePatch({ spec }, { spec: patch }) as { spec: unknown }).spec;

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
    expect(mergePodSpec({ containers }, patch)).toEqual({
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
    expect(mergePodSpec({ containers }, { containers: [{ name: 'a', $patch: 'delete' }] })).toEqual({
      containers: [containers[1]],
    });
    expect(mergePodSpec({ containers }, { containers: [{ $patch: 'replace' }, { name: 'z' }] })).toEqual({
      containers: [{ name: 'z' }],
    });
    expect(mergePodSpec({ containers, nodeName: 'x' }, { $patch: 'replace', nodeName: 'y' })).toEqual({
      nodeName: 'y',
    });
    expect(mergePodSpec({ nodeSelector: { a: '1' } }, { nodeSelector: null })).toEqual({});
  });

  test('orders by $setElementOrder', () => {
    const patch = {
      '$setElementOrder/containers': [{ name: 'b' }, { name: 'a' }],
      containers: [{ name: 'b', image: 'b:2' }],
    };
    expect(mergePodSpec({ containers }, patch)).toEqual({ containers: [{ name: 'b', image: 'b:2' }, containers[0]] });
  });

  test('replaces lists without a merge key: tolerations, and the taints of a node', () => {
    expect(mergePodSpec({ tolerations: [{ key: 'a' }] }, { tolerations: [{ key: 'b' }] })).toEqual({
      tolerations: [{ key: 'b' }],
    });
    const node = applyStrategicMergePatch(
      { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } },
      { spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } },
    );
    expect(node).toEqual({ spec: { taints: [{ key: 'a', effect: 'NoExecute' }] } });
  });

  test('merges conditions by type, and plain values as a set', () => {
    const conditions = [{ type: 'Ready', status: 'False', reason: 'x' }];
    expect(
      applyStrategicMergePatch(
        { status: { conditions } },
        { status: { conditions: [{ type: 'Ready', status: 'True' }] } },
      ),
    ).toEqual({
      status: { conditions: [{ type: 'Ready', status: 'True', reason: 'x' }] },
    });
    const merged = applyStrategicMergePatch(
      { metadata: { finalizers: ['a', 'b'] } },
      { metadata: { finalizers: ['c'], '$deleteFromPrimitiveList/finalizers': ['a'] } },
    );
    expect(merged).toEqual({ metadata: { finalizers: ['b', 'c'] } });
  });

  test('keeps only what $retainKeys names', () => {
    const before = { spec: { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1 } } } };
    const patch = { spec: { strategy: { $retainKeys: ['type'], type: 'Recreate' } } };
    expect(applyStrategicMergePatch(before, patch)).toEqual({ spec: { strategy: { type: 'Recreate' } } });
  });

  test('refuses an item without its merge key', () => {
    expect(() => mergePodSpec({ containers }, { containers: [{ image: 'x' }] })).toThrow(
      'does not contain declared merge key: name',
    );
  });
});
