import { expect, test } from 'vitest';
import { moves } from '../../src/i18n/en/moves/index.ts';
import { renderUndoPlan } from '../../src/infra/undo/render-undo-plan.ts';

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
