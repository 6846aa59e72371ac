import { expect, test } from 'vitest';
import { checkDocument } from '../../src/design/parse.ts';
import { valueAt } from '../../src/design/paths.ts';
import fc, { anyCharacter } from '../support/property.ts';
import { type Changes, exampleWith, keysOf, withValueAt } from './support.ts';

// Every text of a design that ends up in a generated file, a boot script or a command line.
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

const whole = exampleWith(base);
/** The whole document with changes. */
const baseWith = (changes: Changes) =>
  changes.reduce<unknown>((document, [path, value]) => withValueAt(document, keysOf(path), value), whole);

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

test('the design that the hostile text goes into is right', () => {
  expect(checkDocument(baseWith([])).problems).toEqual([]);
});

// Alone, before, behind and inside what is right in turn: each text in each field, and each of these with every text and field.
const INTO = [
  (_good: string, poison: string) => poison,
  (good: string, poison: string) => `${good}${poison}`,
  (good: string, poison: string) => `${poison}${good}`,
  (good: string, poison: string) => `${good}${poison}${good}`,
];

test.each(FIELDS.map((field, index) => [field, index] as const))('hostile text never passes %s', (field, nth) => {
  const good = String(valueAt(baseWith([]), field.split('.')));
  expect(good).toMatch(/\w/);
  for (const [index, poison] of POISON.entries()) {
    const text = INTO[(nth + index) % INTO.length]?.(good, poison) ?? '';
    const { design, problems } = checkDocument(baseWith([[field, text]]));
    expect(design, `${field} = ${JSON.stringify(text)}`).toBeNull();
    const said = problems.map(({ message, fix }) => message + fix).join('');
    expect(said).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/);
  }
});

// Paths go into no generated file: anything that a file can be called, but nothing that ends a line or moves the cursor.
test.each(['credentials.pullSecretFile', 'credentials.sshKeyFile', 'additionalTrustBundleFile'])(
  '%s takes no control characters',
  (field) => {
    for (const poison of ['\n', '\r', '\t', '\u0000', '\u001b[2J', '\u009b', '\ud800']) {
      const { design, problems } = checkDocument(baseWith([[field, `./file${poison}.txt`]]));
      expect(design, `${field} with ${JSON.stringify(poison)}`).toBeNull();
      expect(problems.map(({ path }) => path)).toContain(field);
    }
    expect(checkDocument(baseWith([[field, "./mine (2)/it's.txt"]])).problems).toEqual([]);
  },
);

test.each([
  'apiVersion',
  'kind',
  'openshift.architecture',
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
])('%s is one of a few words', (field) => {
  for (const poison of POISON) {
    const { design, problems } = checkDocument(baseWith([[field, `x${poison}`]]));
    expect(design).toBeNull();
    expect(JSON.stringify(problems)).not.toMatch(/\\u00[01]|\u202e/);
  }
});

test('whatever passes is made of harmless characters', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...FIELDS),
      fc.string({ unit: anyCharacter, minLength: 1, maxLength: 12 }),
      (field, text) => {
        const { design } = checkDocument(baseWith([[field, text]]));
        if (design !== null) expect(text).toMatch(/^[A-Za-z0-9:/@%._~,=*?[\]+-]+$/);
      },
    ),
    { numRuns: 200 },
  );
});
