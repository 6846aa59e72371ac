import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { renderExampleDesign } from '../../src/design/example.ts';
import type { Problem } from '../../src/design/model.ts';
import { checkDocument, parseDesign } from '../../src/design/parse.ts';
import { getAt, isObjectOrList, setAt } from '../../src/design/paths.ts';
import { DESIGN_RULES } from '../../src/design/rules/index.ts';
import { createDesignJsonSchema } from '../../src/design/schema.ts';
import fc, { anyCharacter } from '../support/property.ts';
import { dualStack, dualStackNodes, ipv6Only } from './cases/case.ts';
import { MACHINE_CASES } from './cases/machines.ts';
import { NETWORK_CASES } from './cases/networks.ts';
import { SERVICE_CASES } from './cases/services.ts';
import { exampleWith } from './support.ts';

// Texts known to cause damage: files, scripts, YAML, shells or terminals misread them.
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
  parse(renderExampleDesign()),
  parse(renderExampleDesign({ topology: 'compact' })),
  parse(renderExampleDesign({ topology: 'arbiter' })),
  parse(renderExampleDesign({ topology: 'fencing' })),
  parse(renderExampleDesign({ topology: 'single-node-bootstrap' })),
  parse(renderExampleDesign({ topology: 'single-node', version: '4.8' })),
  exampleWith([...dualStack, ...dualStackNodes]),
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

/** Lists every path of a document, those of blocks and of values. */
function listPaths(value: unknown, prefix: readonly PropertyKey[] = []): (readonly PropertyKey[])[] {
  if (!isObjectOrList(value)) return [prefix];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [prefix, ...keys.flatMap((key) => listPaths(getAt(value, [key]), [...prefix, key]))];
}

const PATHS = BASES.map((base) => listPaths(base));

/** An example with a few of its values replaced or removed. */
const mutatedDocument = fc
  .record({
    base: fc.nat(BASES.length - 1),
    changes: fc.array(fc.record({ at: fc.nat(), value: anything, isGone: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ base, changes }) =>
    changes.reduce<unknown>((document, { at, value, isGone }) => {
      const paths = PATHS[base] ?? [];
      const path = paths[at % paths.length] ?? [];
      return setAt(document, path, isGone ? undefined : value);
    }, BASES[base]),
  );

const schema = createDesignJsonSchema();

/** Whether the schema knows the path below one of its nodes. */
function isKnown(schemaNode: unknown, path: readonly string[]): boolean {
  const [key, ...rest] = path;
  if (key === undefined) return true;
  if (!isObjectOrList(schemaNode)) return false;
  const choices = Array.isArray(schemaNode.anyOf) ? schemaNode.anyOf : [schemaNode];
  return choices.some((choice) => {
    if (!isObjectOrList(choice)) return false;
    const inner = /^\d+$/.test(key)
      ? choice.items
      : isObjectOrList(choice.properties)
        ? choice.properties[key]
        : undefined;
    return inner !== undefined && isKnown(inner, rest);
  });
}

/** Whether the path exists in the document, or the schema knows it and the document lacks it. */
function isValidPath(document: unknown, path: string): boolean {
  if (path === '') return true;
  const keys = path.split('.');
  for (let end = keys.length; end >= 0; end -= 1) {
    if (end > 0 && getAt(document, keys.slice(0, end)) === undefined) continue;
    return end === keys.length || isKnown(schema, keys);
  }
  return false;
}

function expectValidProblem(problem: Problem, document: unknown) {
  const { path, message, fix, rule, severity } = problem;
  expect(message.trim(), rule).not.toBe('');
  expect(fix.trim(), rule).not.toBe('');
  expect(message + fix).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202a-\u202e]|\[object/);
  // The document may contain these words, and YAML's .nan, which JSON cannot represent.
  const documentText = `${JSON.stringify(document, (_, value) => (typeof value === 'number' ? String(value) : value))}`;
  for (const word of ['undefined', 'NaN']) if (!documentText.includes(word)) expect(message + fix).not.toContain(word);
  expect(message.length + fix.length).toBeLessThan(1100);
  expect(rule).toMatch(/^[a-z-]+$/);
  const definition = DESIGN_RULES.find(({ id }) => id === rule);
  if (definition) expect(severity).toBe(definition.severity);
  // Keys may contain dots. An unknown key is reported by its own name.
  if (rule !== 'unknown-key') expect(isValidPath(document, path), `${rule} at ${path}`).toBe(true);
}

test('a valid path is in the document, or missing in it', () => {
  const paths = [
    '',
    'nodes',
    'nodes.0',
    'nodes.0.ip',
    'nodes.0.vlan',
    'proxy.httpProxy',
    'networks.cluster.0.hostPrefix',
  ];
  for (const path of paths) expect(isValidPath(BASES[0], path), path).toBe(true);
  for (const path of ['node', 'nodes.0.ipp', 'nodes.0.ip.0.x', 'endpoints.0', 'services.dns.server'])
    expect(isValidPath(BASES[0], path), path).toBe(false);
});

test('the rules report every changed design with valid paths and messages', () => {
  fc.assert(
    fc.property(mutatedDocument, (document) => {
      const { design, problems } = checkDocument(document);
      expect(design === null).toBe(problems.some(({ severity }) => severity === 'error'));
      for (const problem of problems) expectValidProblem(problem, document);
    }),
    { numRuns: 200 },
  );
});

test('any JSON is validated', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), (document) => {
      const { design, problems } = checkDocument(document);
      expect(design).toBeNull();
      expect(problems.length).toBeGreaterThan(0);
      for (const problem of problems) expectValidProblem(problem, document);
      expect(parseDesign(JSON.stringify(document)).problems.length).toBeGreaterThan(0);
    }),
    { numRuns: 100 },
  );
});

test('a design gives the same problems after it is written and read again', () => {
  for (const base of BASES) {
    const { problems } = checkDocument(base);
    const reparsed = parseDesign(JSON.stringify(base));
    const formatProblems = (list: readonly Problem[]) =>
      list.map(({ rule, path, message }) => `${rule} ${path} ${message}`).sort();
    expect(formatProblems(reparsed.problems)).toEqual(formatProblems(problems));
  }
});
