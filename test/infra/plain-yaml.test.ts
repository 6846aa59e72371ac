import { expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type MonitoringSettings, mergeMonitoring } from '../../src/infra/moves/monitoring.ts';
import { formatPlainYaml } from '../../src/infra/shared/yaml.ts';

const TEXTS = [
  '',
  'a',
  'infra',
  'node-role.kubernetes.io/infra',
  'Yes',
  'null',
  '4.18',
  '1e3',
  'x y',
  '- a',
  'a: b',
  '#',
  'a\n',
];
const BLOCKS = [
  'a:\n  b: c\n',
  'a\n\nb\n',
  'a\n\n',
  '\na\n',
  ' a\nb\n',
  'a \nb\n',
  'a\nb',
  'a\r\nb\n',
  'a\t\nb\n',
  '\n',
  '# own\nk: "v"\n',
];
const OTHERS = [0, 3, -1, 1.5, -0, 1e21, true, false, null, [], {}, [[]], [['a']], [{}], [{ a: [] }], undefined];
const KEYS = ['a', 'matchLabels', 'node-role.kubernetes.io/infra', 'config.yaml', 'on', '1', 'a b', ''];

const stringifyWithLibrary = (value: unknown) => stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });

test('agrees with the library on all values it supports, and supports everything that moves write', () => {
  let seed = 11;
  const pick = <T>(from: readonly T[]): T | undefined => {
    seed = (seed * 48271) % 2147483647;
    return from[seed % from.length];
  };
  const createRandomValue = (depth: number): unknown => {
    const size = [0, 1, 2, 3].slice(0, pick([1, 2, 3, 4]) ?? 1);
    if (depth === 0) return pick<unknown>([...TEXTS, ...BLOCKS, ...OTHERS]);
    return pick([true, false]) === true
      ? size.map(() => createRandomValue(depth - 1))
      : Object.fromEntries(
          size.map(() => [pick(KEYS.slice(0, pick([3, 4, KEYS.length]))), createRandomValue(depth - 1)]),
        );
  };
  let supportedCount = 0;
  const leaves = [...TEXTS, ...BLOCKS, ...OTHERS].flatMap((leaf) => [
    { a: leaf },
    { a: [leaf] },
    { a: { b: leaf, c: [{ d: leaf, e: leaf }] } },
  ]);
  for (const value of [
    ...leaves,
    ...Array.from({ length: 3000 }, (_, index) => ({ spec: createRandomValue(1 + (index % 3)) })),
  ]) {
    const text = formatPlainYaml(value);
    if (text === null) continue;
    supportedCount += 1;
    expect(text, JSON.stringify(value)).toBe(stringifyWithLibrary(value));
  }
  expect(supportedCount).toBeGreaterThan(200);
  const toleration = { key: 'node-role.kubernetes.io/infra', value: 'reserved', effect: 'NoSchedule' };
  for (const value of [
    {
      spec: {
        replicas: 3,
        nodePlacement: { nodeSelector: { matchLabels: { [toleration.key]: '' } }, tolerations: [toleration] },
      },
    },
    { data: { 'config.yaml': '# own\nprometheusK8s:\n  retention: 7d\n' } },
  ])
    expect(formatPlainYaml(value)).toBe(stringifyWithLibrary(value));
});

test('new monitoring settings equal those that the library adds below a comment, without the comment', () => {
  const settings: MonitoringSettings = {
    keys: ['prometheusK8s', 'alertmanagerMain'],
    nodeSelector: { 'node-role.kubernetes.io/infra': '' },
    mergeTolerations: () => [{ key: 'node-role.kubernetes.io/infra', value: 'reserved', effect: 'NoSchedule' }],
    volumes: [
      { key: 'prometheusK8s', spec: { storageClassName: 'fast', resources: { requests: { storage: 'x40Gi' } } } },
      { key: 'other', spec: { storageClassName: 'fast', resources: {} } },
    ],
  };
  const [fresh, commented] = ['', '#\n'].map((text) => mergeMonitoring(text, settings));
  const getText = (merged: typeof fresh) => (merged && 'text' in merged ? merged.text : '');
  expect(getText(fresh)).toContain('volumeClaimTemplate');
  expect(getText(commented).replace(/^#\n+/, '')).toBe(getText(fresh));
});
