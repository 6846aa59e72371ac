import { expect, test } from 'vitest';
import { checkDocument } from '../../src/design/parse.ts';
import { getAt, setAt } from '../../src/design/paths.ts';
import fc, { anyCharacter } from '../support/property.ts';
import { type Changes, exampleWith } from './support.ts';

// Texts of a design that reach a generated file, a boot script or a command line.
const FIELDS = [
  'openshift.version',
  'cluster.name',
  'cluster.baseDomain',
  'networks.machine.0.cidr',
  'networks.machine.0.gateway',
  'networks.cluster.0.cidr',
  'networks.service.0',
  'networks.type',
  'networks.company.0',
  'networks.router',
  'endpoints.api',
  'endpoints.apiInt',
  'endpoints.ingress',
  'nodes.4.name',
  'nodes.4.ip',
  'nodes.4.mac',
  'nodes.4.installDisk',
  'nodes.4.interface',
  'nodes.5.bond.name',
  'nodes.5.bond.interfaces.0',
  'nodes.5.bond.mode',
  'nodes.4.kernelArguments.0',
  'services.bastion.name',
  'services.bastion.ip',
  'services.dns.servers.0.name',
  'services.dns.servers.0.ip',
  'services.dns.forwarders.0',
  'services.dhcp.server',
  'services.loadBalancer.servers.0.name',
  'services.loadBalancer.servers.0.ip',
  'services.time.servers.0',
  'proxy.httpProxy',
  'proxy.httpsProxy',
  'proxy.noProxy',
  'imageDigestSources.0.source',
  'imageDigestSources.0.mirrors.0',
  'infra.taint.key',
  'infra.taint.value',
  'infra.registry.storageClass',
  'infra.monitoring.storageClass',
] as const;

const base = [
  ['nodes.5.bond', { name: 'bond0', interfaces: ['em1'], mode: 'active-backup' }],
  ['nodes.4.interface', 'enp1s0'],
  ['nodes.4.kernelArguments', ['quiet']],
  ['proxy', { httpProxy: 'http://proxy:3128', httpsProxy: 'http://proxy:3128', noProxy: '.example.com' }],
  ['imageDigestSources', [{ source: 'quay.io/a/b', mirrors: ['mirror.example.com/a'] }]],
  ['infra.registry.storageClass', 'fast'],
  ['infra.monitoring.storageClass', 'fast'],
] as const;

const fullDocument = exampleWith(base);
/** Creates the full document with changes. */
const createDocument = (changes: Changes) =>
  changes.reduce<unknown>((document, [path, value]) => setAt(document, path, value), fullDocument);

const POISON = [
  '\n',
  '\r',
  '\u001b[2J',
  '"',
  "'",
  '${x}',
  '`id`',
  '$(id)',
  ';',
  '\\',
  '#',
  ' ',
  '\t',
  '\u0000',
  '\u202e',
  '<',
  '|',
  '{',
  '}',
  'ー',
];

test('the base design without hostile text is valid', () => {
  expect(checkDocument(createDocument([])).problems).toEqual([]);
});

// Hostile text replaces, follows, precedes or interrupts a valid value, in turn. Every text meets every field, and
// every position meets every text and field.
const INSERTIONS = [
  (_good: string, poison: string) => poison,
  (good: string, poison: string) => `${good}${poison}`,
  (good: string, poison: string) => `${poison}${good}`,
  (good: string, poison: string) => `${good}${poison}${good}`,
];

test.each(FIELDS.map((field, index) => [field, index] as const))('hostile text never passes %s', (field, nth) => {
  const good = String(getAt(createDocument([]), field.split('.')));
  expect(good).toMatch(/\w/);
  for (const [index, poison] of POISON.entries()) {
    const text = INSERTIONS[(nth + index) % INSERTIONS.length]?.(good, poison) ?? '';
    const { design, problems } = checkDocument(createDocument([[field, text]]));
    expect(design, `${field} = ${JSON.stringify(text)}`).toBeNull();
    const output = problems.map(({ message, fix }) => message + fix).join('');
    expect(output).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  }
});

// Paths reach no generated file. Any file name is allowed, except with characters that end a line or move the cursor.
test.each(['credentials.pullSecretFile', 'credentials.sshKeyFile', 'additionalTrustBundleFile', 'downloadsDir'])(
  '%s takes no control characters',
  (field) => {
    for (const poison of ['\n', '\r', '\t', '\u0000', '\u001b[2J', '\u009b', '\ud800']) {
      const { design, problems } = checkDocument(createDocument([[field, `./file${poison}.txt`]]));
      expect(design, `${field} with ${JSON.stringify(poison)}`).toBeNull();
      expect(problems.map(({ path }) => path)).toContain(field);
    }
    expect(checkDocument(createDocument([[field, "./mine (2)/it's.txt"]])).problems).toEqual([]);
  },
);

test.each([
  'apiVersion',
  'kind',
  'openshift.architecture',
  'openshift.osImageStream',
  'topology',
  'nodes.4.role',
  'nodes.4.firmware',
  'services.bastion.os',
  'services.dns.kind',
  'services.dhcp.kind',
  'services.loadBalancer.kind',
  'services.boot.kind',
  'additionalTrustBundlePolicy',
  'infra.registry.storage',
  'infra.registry.accessMode',
])('%s accepts only its choices', (field) => {
  for (const poison of POISON) {
    const { design, problems } = checkDocument(createDocument([[field, `x${poison}`]]));
    expect(design).toBeNull();
    expect(JSON.stringify(problems)).not.toMatch(/\\u00[01]|\u202e/);
  }
});

test('accepted text consists of harmless characters', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FIELDS),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 }),
      (field, text) => {
        const { design } = checkDocument(createDocument([[field, text]]));
        if (design !== null) expect(text).toMatch(/^[A-Za-z0-9:/@%._~,=*?[\]+-]+$/);
      },
    ),
    { numRuns: 200 },
  );
});
