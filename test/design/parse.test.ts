import { expect, test } from 'vitest';
import { TOPOLOGIES, type Topology } from '../../src/design/choices.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { checkDocument, parseDesign } from '../../src/design/parse.ts';
import fc, { anyCharacter } from '../support/property.ts';
import { exampleWith } from './support.ts';

test.each(TOPOLOGIES)('the %s example has no problems', (topology) => {
  const version = topology === 'arbiter' || topology === 'fencing' ? '4.22' : '4.16';
  const { design, problems } = parseDesign(renderExampleDesign({ topology, version }));
  expect(problems).toEqual([]);
  expect(design?.topology).toBe(topology);
  expect(design?.openshift.version).toBe(version);
});

test('the example is the site of the procedure', () => {
  const { design } = parseDesign(renderExampleDesign());
  expect(design?.nodes.map(({ name, ip }) => `${name} ${ip}`)).toEqual([
    'bs 172.16.0.11',
    'm1 172.16.0.21',
    'm2 172.16.0.22',
    'm3 172.16.0.23',
    'w1 172.16.0.31',
    'w2 172.16.0.32',
    'w3 172.16.0.33',
    'i1 172.16.0.41',
    'i2 172.16.0.42',
    'i3 172.16.0.43',
  ]);
  expect(design?.endpoints).toEqual({ api: ['172.16.0.111'], apiInt: ['172.16.0.110'], ingress: ['172.16.0.111'] });
});

test('defaults are filled in', () => {
  const bare = exampleWith([
    ['topology', undefined],
    ['openshift', { version: '4.11' }],
    ['networks', { machine: [{ cidr: '172.16.0.0/24', gateway: '172.16.0.254' }] }],
    ['nodes.1', { name: 'm1', role: 'control-plane', ip: '172.16.0.21', mac: '00-50-56-96-37-C8' }],
    ['services.dns.servers.0.os', 'rhel10'],
    ['services.bastion.os', undefined],
    ['services.dhcp', null],
    ['services.boot', null],
    ['infra', undefined],
    ['credentials', null],
    ['additionalTrustBundleFile', 'ca.pem'],
  ]);
  const { design, problems } = checkDocument(bare);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(design?.topology).toBe('standard');
  expect(design?.openshift.architecture).toBe('x86_64');
  expect(design?.networks).toMatchObject({
    type: 'OpenShiftSDN',
    cluster: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }],
    service: ['172.30.0.0/16'],
    company: [],
    router: null,
  });
  expect(design?.nodes[1]).toMatchObject({
    mac: '00:50:56:96:37:c8',
    vcpu: 4,
    memoryGiB: 16,
    diskGiB: 120,
    firmware: 'uefi',
  });
  expect(design?.services.bastion.os).toBe('rhel9');
  expect(design?.services.dhcp).toEqual({ kind: 'kea', server: 'ns1' });
  expect(design?.services.boot).toEqual({ kind: 'ipxe', httpPort: 8080 });
  expect(design?.infra).toMatchObject({ pool: true, routerReplicas: 3, registry: { storage: 'pvc', sizeGiB: 100 } });
  expect(design?.additionalTrustBundlePolicy).toBe('Always');
  expect(design?.proxy).toBeNull();
});

test('addresses get their canonical spelling', () => {
  const { design } = checkDocument(exampleWith([['services.dns.forwarders', ['2001:0DB8:0:0::1']]]));
  expect(design?.services.dns.forwarders).toEqual(['2001:db8::1']);
});

test('existing name servers are queried, not set up', () => {
  const external = exampleWith([
    ['services.dns.kind', 'external'],
    ['services.dhcp', undefined],
  ]);
  const { design, problems } = checkDocument(external);
  expect(problems).toEqual([]);
  expect(design?.services.dns).toEqual({
    kind: 'external',
    servers: [],
    forwarders: ['172.16.0.102', '192.168.124.1'],
  });
  expect(design?.services.dhcp.server).toBe('bastion');
  expect(checkDocument(exampleWith([['services.dns.kind', 'external']])).problems.map(({ rule }) => rule)).toEqual([
    'dhcp-server',
  ]);
});

test('the topology follows from the nodes', () => {
  const deriveTopology = (from: Topology) =>
    checkDocument(exampleWith([['topology', undefined]], from)).design?.topology;
  expect(deriveTopology('compact')).toBe('compact');
  expect(deriveTopology('arbiter')).toBe('arbiter');
  expect(deriveTopology('fencing')).toBe('fencing');
  expect(deriveTopology('single-node-bootstrap')).toBe('single-node-bootstrap');
  expect(deriveTopology('single-node')).toBe('single-node');
});

const locateProblem = (text: string, rule: string) => {
  const { problems, design } = parseDesign(text);
  expect(design).toBeNull();
  const found = problems.find((problem) => problem.rule === rule);
  expect(found, JSON.stringify(problems)).toBeDefined();
  return `${found?.path}:${found?.line}:${found?.column}`;
};

test('each problem has its line and column', () => {
  const lines = renderExampleDesign().split('\n');
  const findRow = (start: string) => lines.findIndex((line) => line.trimStart().startsWith(start)) + 1;
  const edit = (from: string, to: string) => renderExampleDesign().replace(from, to);
  expect(locateProblem(edit('version: "4.18"', 'version: 4.10'), 'version-not-text')).toBe(
    `openshift.version:${findRow('version')}:12`,
  );
  expect(locateProblem(edit('  architecture', '  architectur'), 'unknown-key')).toBe(
    `openshift.architectur:${findRow('architecture')}:3`,
  );
  expect(locateProblem(edit('172.16.0.22\n', '172.16.0.21\n'), 'address-duplicate')).toBe(
    `nodes.2.ip:${findRow('ip: 172.16.0.22')}:9`,
  );
  expect(locateProblem(edit('    vcpu: 4', '    vcpu: four'), 'type')).toBe(`nodes.0.vcpu:${findRow('vcpu')}:11`);
  // A missing key is reported at the start of its block.
  expect(locateProblem(edit('    mac: "00:50:56:96:11:c2"\n', ''), 'required')).toBe(
    `nodes.0.mac:${findRow('- name: bs')}:5`,
  );
});

test('text that is no document is a problem, not an exception', () => {
  expect(locateProblem('', 'syntax')).toBe(':1:1');
  expect(locateProblem('# nothing', 'syntax')).toBe(':1:1');
  expect(locateProblem('a: [1, 2', 'syntax')).toMatch(/^:1:/);
  expect(locateProblem('a: 1\n---\nb: 2\n', 'documents')).toBe(':2:1');
  expect(locateProblem('{"kind": 1,\n "kind": 2}', 'duplicate-key')).toBe(':2:2');
  expect(locateProblem('a: !!js/function 1', 'syntax')).toBe(':1:4');
  expect(locateProblem('a: *nowhere', 'syntax')).toBe(':1:4');
  expect(locateProblem('a: 1\nb:\n  - x\n  - *later\nc: &later 1', 'syntax')).toBe(':4:5');
  expect(locateProblem('['.repeat(20_000), 'syntax')).toMatch(/^:1:/);
  // Reported once, without the follow-up errors of the parser.
  expect(parseDesign('['.repeat(100_000)).problems.map(({ message }) => message)).toEqual([
    'The file is nested too deeply to be a design',
  ]);
  expect(locateProblem('a: 1'.padEnd(1_000_001), 'syntax')).toBe(':1:1');
  const aliasBomb = Array.from(
    { length: 12 },
    (_, index) => `k${index}: &a${index} [${`*a${index - 1},`.repeat(index && 9)} 1]`,
  );
  expect(locateProblem(aliasBomb.join('\n'), 'syntax')).toBe(':1:1');
});

test('JSON is read like YAML', () => {
  const json = JSON.stringify(exampleWith([]), null, '\t');
  expect(parseDesign(json).problems).toEqual([]);
  expect(parseDesign(json).design).toEqual(parseDesign(renderExampleDesign()).design);
});

test('all problems are reported at once: one does not hide the others', () => {
  const { problems } = checkDocument(
    exampleWith([
      ['nodes.1.role', 'master'],
      ['nodes.2.mac', undefined],
      ['nodes.4.ip', '172.16.0.32'],
      ['services.dhcp.server', 'nowhere'],
    ]),
  );
  const reported = problems.map(({ path, rule }) => `${path} ${rule}`);
  expect(reported).toEqual([
    'nodes.1.role choice',
    'nodes.2.mac required',
    'nodes.5.ip address-duplicate',
    'services.dhcp.server dhcp-server',
  ]);
});

test('rules that depend on an unreadable value do not run', () => {
  const rulesFor = (path: string, value: unknown) =>
    checkDocument(exampleWith([[path, value]])).problems.map(({ rule }) => rule);
  expect(rulesFor('nodes.7.role', 'Infra')).toEqual(['choice']);
  expect(rulesFor('openshift.version', 4.1)).toEqual(['version-not-text']);
  expect(rulesFor('services.dns.servers.0.name', null)).toEqual(['type']);
  expect(rulesFor('topology', 'big')).toEqual(['choice']);
  expect(rulesFor('networks.machine', 'x')).toEqual(['type']);
  expect(rulesFor('nodes', {})).toEqual(['type']);
  expect(checkDocument(undefined).problems).toMatchObject([{ path: '', rule: 'required' }]);
});

test('a misspelt key is recognized', () => {
  const { problems } = checkDocument(exampleWith([['nodes.0.memoryGib', 16]]));
  expect(problems[0]).toMatchObject({ rule: 'unknown-key', path: 'nodes.0.memoryGib' });
  expect(problems[0]?.fix).toContain('memoryGiB');
});

test.each([
  ['nodes.1.role', 'master', 'control-plane'],
  ['nodes.7.role', 'Worker', 'compute'],
  ['nodes.7.role', 'Infra', 'infra'],
  ['openshift.architecture', 'amd64', 'x86_64'],
  ['openshift.architecture', 'arm64', 'aarch64'],
  ['topology', 'sno', 'single-node'],
  ['topology', 'tna', 'arbiter'],
  ['topology', 'tnf', 'fencing'],
])('%s: another word for a choice is recognized: %s is %s', (path, word, expected) => {
  const { problems } = checkDocument(exampleWith([[path, word]]));
  expect(problems[0]).toMatchObject({ rule: 'choice', path });
  expect(problems[0]?.fix).toMatch(new RegExp(`^Write ${expected}\\.`));
});

test('JavaScript property names are ordinary keys', () => {
  const { problems } = parseDesign('__proto__: { x: 1 }\nconstructor: 5\ntoString: 1\n');
  expect(problems.filter(({ rule }) => rule === 'unknown-key').map(({ path }) => path)).toEqual([
    '__proto__',
    'constructor',
    'toString',
  ]);
});

test('no text makes it throw', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: anyCharacter }), fc.json(), fc.string()), (text) => {
      const { design, problems } = parseDesign(text);
      expect(design).toBeNull();
      expect(problems.length).toBeGreaterThan(0);
      for (const { line, column } of problems) expect(line >= 1 && column >= 1).toBe(true);
    }),
    { numRuns: 200 },
  );
});

test('no value anywhere in the design makes it throw', () => {
  const paths = listPaths(exampleWith([]));
  fc.assert(
    fc.property(
      fc.constantFrom(...paths),
      fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
      (path, value) => {
        const { problems, design } = checkDocument(exampleWith([[path, value]]));
        expect(design === null).toBe(problems.some(({ severity }) => severity === 'error'));
      },
    ),
    { numRuns: 200 },
  );
});

test('a truncated example never throws and never passes in part', () => {
  const text = renderExampleDesign();
  fc.assert(
    fc.property(fc.integer({ min: 0, max: text.length }), (length) => {
      const { design, problems } = parseDesign(text.slice(0, length));
      expect(design !== null || problems.length > 0).toBe(true);
    }),
    { numRuns: 50 },
  );
});

function listPaths(value: unknown, prefix = ''): string[] {
  if (typeof value !== 'object' || value === null) return [prefix];
  const children = Object.entries(value).flatMap(([key, child]) =>
    listPaths(child, prefix === '' ? key : `${prefix}.${key}`),
  );
  return prefix === '' ? children : [prefix, ...children];
}
