import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { exampleDesign } from '../../src/design/example.ts';
import type { Problem } from '../../src/design/model.ts';
import { checkDocument, parseDesign } from '../../src/design/parse.ts';
import { isRecord, valueAt } from '../../src/design/paths.ts';
import { RULES } from '../../src/design/rules/index.ts';
import { designJsonSchema } from '../../src/design/schema.ts';
import fc, { anyCharacter } from '../support/property.ts';
import { dual, dualNodes, ipv6Only } from './cases/case.ts';
import { MACHINE_CASES } from './cases/machines.ts';
import { NETWORK_CASES } from './cases/networks.ts';
import { SERVICE_CASES } from './cases/services.ts';
import { exampleWith, withoutAt, withValueAt } from './support.ts';

// Text that is known to hurt: where files, scripts, YAML, shells or terminals take it for something else.
const HOSTILE = [
  '',
  ' ',
  '*',
  '..',
  '-',
  '~',
  '0x7f.1',
  '0177.0.0.1',
  '2130706433',
  '1.2.3.4\n5.6.7.8',
  '::ffff:1.2.3.4',
  '::',
  '::1/0',
  '0.0.0.0/0',
  '10.0.0.0/-1',
  '10.0.0.0/999999999999',
  'fe80::1%eth0',
  "'; rm -rf / #",
  '$(reboot)',
  '`reboot`',
  '${IFS}',
  '<% throw 1 %>',
  '{{ x }}',
  '\u001b]52;c;AAAA\u0007',
  '\u202e',
  '\u0000',
  '\ud800',
  'a'.repeat(5000),
  '__proto__',
  'constructor',
  'null',
  '4.18\n',
  '9'.repeat(400),
] as const;

const BASES: readonly unknown[] = [
  parse(exampleDesign()),
  parse(exampleDesign({ topology: 'compact' })),
  parse(exampleDesign({ topology: 'single-node', version: '4.8' })),
  exampleWith([...dual, ...dualNodes]),
  exampleWith(ipv6Only),
  ...[...NETWORK_CASES, ...MACHINE_CASES, ...SERVICE_CASES].map(({ bad, topology }) => exampleWith(bad, topology)),
];

const hostile = fc.constantFrom(...HOSTILE);
const anything = fc.oneof(
  hostile,
  fc.string({ unit: anyCharacter, maxLength: 20 }),
  fc.double(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.constant(undefined),
  fc.array(hostile, { maxLength: 3 }),
  fc.dictionary(hostile, hostile, { maxKeys: 3 }),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Every place of a document, blocks and values alike. */
function placesOf(value: unknown, at: readonly PropertyKey[] = []): (readonly PropertyKey[])[] {
  if (!isRecord(value)) return [at];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [at, ...keys.flatMap((key) => placesOf(valueAt(value, [key]), [...at, key]))];
}

const PLACES = BASES.map((base) => placesOf(base));

/** An example with a few of its values replaced or removed. */
const mutated = fc
  .record({
    base: fc.nat(BASES.length - 1),
    changes: fc.array(fc.record({ at: fc.nat(), value: anything, isGone: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ base, changes }) =>
    changes.reduce<unknown>((document, { at, value, isGone }) => {
      const places = PLACES[base] ?? [];
      const place = places[at % places.length] ?? [];
      return isGone ? withoutAt(document, place) : withValueAt(document, place, value);
    }, BASES[base]),
  );

const schema = designJsonSchema();

/** Whether the design file could have something at the path below a place of the schema. */
function isKnown(at: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (!isRecord(at)) return false;
  const choices = Array.isArray(at.anyOf) ? at.anyOf : [at];
  return choices.some((choice) => {
    if (!isRecord(choice)) return false;
    const inner = /^\d+$/.test(key) ? choice.items : isRecord(choice.properties) ? choice.properties[key] : undefined;
    return inner !== undefined && isKnown(inner, rest);
  });
}

/** The path leads to something in the document, or to where the schema would have something and the document has not. */
function isPlace(document: unknown, path: string): boolean {
  if (path === '') return true;
  const keys = path.split('.');
  for (let end = keys.length; end >= 0; end -= 1) {
    if (end > 0 && valueAt(document, keys.slice(0, end)) === undefined) continue;
    return end === keys.length || isKnown(schema, keys);
  }
  return false;
}

function expectGood(problem: Problem, document: unknown) {
  const { path, message, fix, rule, severity } = problem;
  expect(message.trim(), rule).not.toBe('');
  expect(fix.trim(), rule).not.toBe('');
  expect(message + fix).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]|\[object/);
  // A document may hold these words itself, and YAML's .nan, which JSON has no word for.
  const held = `${JSON.stringify(document, (_, value) => (typeof value === 'number' ? String(value) : value))}`;
  for (const slip of ['undefined', 'NaN']) if (!held.includes(slip)) expect(message + fix).not.toContain(slip);
  expect(message.length + fix.length).toBeLessThan(1100);
  expect(rule).toMatch(/^[a-z-]+$/);
  const known = RULES.find(({ id }) => id === rule);
  if (known) expect(severity).toBe(known.severity);
  // Keys may hold dots themselves; what is unknown is named as it is.
  if (rule !== 'unknown-key') expect(isPlace(document, path), `${rule} at ${path}`).toBe(true);
}

test('a place is in the document, or missing in it', () => {
  const places = [
    '',
    'nodes',
    'nodes.0',
    'nodes.0.ip',
    'nodes.0.vlan',
    'proxy.httpProxy',
    'networks.cluster.0.hostPrefix',
  ];
  for (const path of places) expect(isPlace(BASES[0], path), path).toBe(true);
  for (const path of ['node', 'nodes.0.ipp', 'nodes.0.ip.0.x', 'endpoints.0', 'services.dns.server'])
    expect(isPlace(BASES[0], path), path).toBe(false);
});

test('whatever is changed in a design, the rules judge it, at places that there are, in words', () => {
  fc.assert(
    fc.property(mutated, (document) => {
      const { design, problems } = checkDocument(document);
      expect(design === null).toBe(problems.some(({ severity }) => severity === 'error'));
      for (const problem of problems) expectGood(problem, document);
    }),
    { numRuns: 200 },
  );
});

test('any JSON is judged', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (document) => {
      const { design, problems } = checkDocument(document);
      expect(design).toBeNull();
      expect(problems.length).toBeGreaterThan(0);
      for (const problem of problems) expectGood(problem, document);
      expect(parseDesign(JSON.stringify(document)).problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 100 },
  );
});

test('a design that passes passes again as it was written out, with the same words', () => {
  for (const base of BASES) {
    const { problems } = checkDocument(base);
    const again = parseDesign(JSON.stringify(base));
    const told = (list: readonly Problem[]) =>
      list.map(({ rule, path, message }) => `${rule} ${path} ${message}`).sort();
    expect(told(again.problems)).toEqual(told(problems));
  }
});
