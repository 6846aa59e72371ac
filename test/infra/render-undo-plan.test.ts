import { expect, test } from 'vitest';
import { moves } from '../../src/i18n/en/moves/index.ts';
import { listUndoLines, RECORDED_ONLY_CONSENT, renderUndoPlan } from '../../src/infra/undo/undo-move.ts';

const TOLERATIONS = [
  { key: 'node-role.kubernetes.io/infra', value: 'reserved', effect: 'NoSchedule' },
  { key: 'node-role.kubernetes.io/infra', value: 'reserved', effect: 'NoExecute' },
];

test('a long value that undo changes is shown as a difference in YAML, a short one on one line', () => {
  const field = { state: 'ours' as const, before: null, written: null };
  const fields = [
    { ...field, path: 'spec.replicas', before: '2', current: '3' },
    { ...field, path: 'spec.nodePlacement.tolerations', current: JSON.stringify(TOLERATIONS) },
  ];
  const objects = [{ object: 'IngressController default', state: 'restore' as const, willBeDeleted: false, fields }];
  expect(renderUndoPlan({ kind: 'recorded', move: 'router', objects })).toEqual([
    'IngressController default: is restored',
    '  ~ spec.replicas: 3 -> 2',
    '  ~ spec.nodePlacement.tolerations:',
    '      - - key: node-role.kubernetes.io/infra',
    '      -   value: reserved',
    '      -   effect: NoSchedule',
    '      - - key: node-role.kubernetes.io/infra',
    '      -   value: reserved',
    '      -   effect: NoExecute',
    ...[moves.byName.router.undoLimits ?? []].flat(),
  ]);
});

test('the screen compares the fields of an object as texts, without those that are not set', () => {
  const field = { state: 'ours' as const, written: null };
  const fields = [
    { ...field, path: 'spec.replicas', before: '2', current: '3' },
    { ...field, path: 'spec.tolerations', before: null, current: JSON.stringify(TOLERATIONS.slice(0, 1)) },
  ];
  const objects = [{ object: 'Config cluster', state: 'restore' as const, willBeDeleted: false, fields }];
  expect(listUndoLines({ kind: 'recorded', move: 'router', objects }, RECORDED_ONLY_CONSENT)).toEqual([
    {
      change: {
        object: 'Config cluster',
        what: 'is restored',
        before:
          'spec.replicas: 3\nspec.tolerations:\n  - key: node-role.kubernetes.io/infra\n    value: reserved\n    effect: NoSchedule\n',
        after: 'spec.replicas: 2\n',
      },
    },
  ]);
});
