import { expect, test } from 'vitest';
import { computeFollowUpChanges, type DesignChange } from '../../src/design/follow-up-changes.ts';
import { checkDocument } from '../../src/design/parse.ts';
import { getAt } from '../../src/design/paths.ts';
import { type Changes, exampleWith } from './support.ts';

/** Finds the follow-up changes when this answer of the example, with changes, gets another value. */
function findFollowUps(change: DesignChange, changes: Changes = []) {
  const paths = { network: 'networks.machine.0.cidr', gateway: 'networks.machine.0.gateway' };
  const path =
    change.kind === 'name' ? 'cluster.name' : change.kind === 'domain' ? 'cluster.baseDomain' : paths[change.kind];
  const { document, replacements, unplacedAddresses } = computeFollowUpChanges(
    exampleWith([...changes, [path, change.to]]),
    change,
  );
  return {
    document,
    unplacedAddresses,
    replacements: Object.fromEntries(replacements.map(({ from, to }) => [from, to])),
    all: replacements,
  };
}
const network = (to: string, from = '172.16.0.0/24'): DesignChange => ({ kind: 'network', from, to });
const errors = (document: unknown) => checkDocument(document).problems.filter(({ severity }) => severity === 'error');

test('all addresses of the example follow the machine network with their host parts, and nothing else does', () => {
  const { document, replacements, unplacedAddresses } = findFollowUps(network('10.20.30.0/24'));
  expect(Object.keys(replacements)).toHaveLength(16);
  for (const [from, to] of Object.entries(replacements)) expect(to).toBe(from.replace('172.16.0.', '10.20.30.'));
  expect(unplacedAddresses).toEqual([]);
  expect(errors(document)).toEqual([]);
  const text = JSON.stringify(document);
  expect(text).not.toContain('172.16.0.');
  expect(text).toContain('"forwarders":["192.168.124.1"]');
});

test('host parts that do not fit get the next free addresses, and the last address of a network stays the last', () => {
  const { document, replacements } = findFollowUps(network('10.20.30.0/27'));
  expect(replacements).toMatchObject({
    '172.16.0.11': '10.20.30.11',
    '172.16.0.23': '10.20.30.23',
    '172.16.0.254': '10.20.30.30',
  });
  expect(replacements).toMatchObject({
    '172.16.0.111': '10.20.30.1',
    '172.16.0.110': '10.20.30.2',
    '172.16.0.31': '10.20.30.3',
  });
  expect(new Set(Object.values(replacements)).size).toBe(16);
  expect(errors(document)).toEqual([]);
});

test('addresses that do not fit are listed and stay', () => {
  const { replacements, unplacedAddresses } = findFollowUps(network('10.20.30.0/28'));
  expect(Object.keys(replacements)).toHaveLength(14);
  expect(unplacedAddresses).toHaveLength(2);
});

test('a wider network that holds the old one moves nothing', () => {
  expect(findFollowUps(network('172.16.0.0/16')).all).toEqual([]);
});

test('an address that is inside the new network already is not given to another', () => {
  const { replacements } = findFollowUps(network('192.168.124.0/24'), [
    ['services.dns.forwarders', ['192.168.124.11']],
  ]);
  expect(replacements).toMatchObject({ '172.16.0.254': '192.168.124.2', '172.16.0.11': '192.168.124.3' });
});

test('addresses of another machine network stay, and so does the other family', () => {
  const changes: Changes = [
    ['networks.machine.1', { cidr: 'fd00:1::/64' }],
    ['networks.machine.2', { cidr: '172.17.0.0/24' }],
    ['nodes.1.ip', ['172.16.0.21', 'fd00:1::21']],
    ['nodes.2.ip', '172.17.0.22'],
  ];
  const { document } = findFollowUps(network('10.20.30.0/24'), changes);
  expect(getAt(document, 'nodes.1.ip')).toEqual(['10.20.30.21', 'fd00:1::21']);
  expect(getAt(document, 'nodes.2.ip')).toBe('172.17.0.22');
});

test('IPv6 addresses follow in any spelling', () => {
  const changes: Changes = [
    ['networks.machine.0.gateway', 'FD00:1::FE'],
    ['nodes.1.ip', 'fd00:1:0:0::21'],
    ['nodes.1.kernelArguments', ['nameserver=[fd00:1::102]', 'x=fd00:2::1']],
  ];
  const { document } = findFollowUps(network('fd00:9::/64', 'fd00:1::/64'), changes);
  expect(getAt(document, 'networks.machine.0.gateway')).toBe('fd00:9::fe');
  expect(getAt(document, 'nodes.1.ip')).toBe('fd00:9::21');
  expect(getAt(document, 'nodes.1.kernelArguments')).toEqual(['nameserver=[fd00:9::102]', 'x=fd00:2::1']);
});

test('addresses inside longer texts follow as well: proxy exceptions with the network itself, kernel arguments', () => {
  const changes: Changes = [
    [
      'proxy',
      {
        httpProxy: 'http://user:172@172.16.0.5:3128',
        noProxy: '172.16.0.0/24, .ocp45.example.localdomain,172.16.0.101',
      },
    ],
    ['nodes.1.kernelArguments', ['ip=172.16.0.21::172.16.0.254:255.255.255.0:m1:ens3:none']],
  ];
  const { document, all } = findFollowUps(network('10.20.30.0/24'), changes);
  expect(document).toMatchObject({
    proxy: {
      httpProxy: 'http://user:172@10.20.30.5:3128',
      noProxy: '10.20.30.0/24, .ocp45.example.localdomain,10.20.30.101',
    },
  });
  expect(getAt(document, 'nodes.1.kernelArguments.0')).toBe('ip=10.20.30.21::10.20.30.254:255.255.255.0:m1:ens3:none');
  // A proxy URL may hold a password: only the replaced part is reported.
  expect(JSON.stringify(all)).not.toContain('user');
});

test('values equal to the gateway address follow the gateway', () => {
  const changes: Changes = [['services.time.servers', ['172.16.0.254', '192.168.124.1']]];
  const { document, replacements } = findFollowUps(
    { kind: 'gateway', from: '172.16.0.254', to: '172.16.0.1' },
    changes,
  );
  expect(replacements).toEqual({ '172.16.0.254': '172.16.0.1' });
  expect(document).toMatchObject({ services: { time: { servers: ['172.16.0.1', '192.168.124.1'] } } });
});

const NAME_CHANGES: Changes = [
  [
    'proxy',
    {
      httpProxy: 'http://proxy.example.localdomain:3128',
      noProxy: '.ocp45.example.localdomain,ocp45.example.localdomain.org',
    },
  ],
  ['imageDigestSources', [{ source: 'quay.io/ocp', mirrors: ['mirror.example.localdomain:5000/ocp'] }]],
  ['nodes.1.name', 'ocp45-m1'],
  ['services.time.servers', ['ntp.example.localdomain']],
];

test('names of nodes and names below the cluster follow its name', () => {
  const { document, replacements } = findFollowUps(
    { kind: 'name', from: 'ocp45', to: 'lab', domain: 'example.localdomain' },
    NAME_CHANGES,
  );
  expect(replacements).toEqual({ '.ocp45.example.localdomain': '.lab.example.localdomain', 'ocp45-m1': 'lab-m1' });
  expect(document).toMatchObject({ proxy: { noProxy: '.lab.example.localdomain,ocp45.example.localdomain.org' } });
});

test('names in the base domain follow it', () => {
  const { document, replacements } = findFollowUps(
    { kind: 'domain', from: 'example.localdomain', to: 'corp.test' },
    NAME_CHANGES,
  );
  expect(Object.values(replacements).sort()).toEqual([
    '.ocp45.corp.test',
    'mirror.corp.test',
    'ntp.corp.test',
    'proxy.corp.test',
  ]);
  expect(document).toMatchObject({ imageDigestSources: [{ mirrors: ['mirror.corp.test:5000/ocp'] }] });
});

test.each([null, 5, [], { nodes: 'x', services: [null] }, { networks: { machine: [null, 'x'] } }])(
  'a document of any shape is passed through: %j',
  (document) => {
    expect(computeFollowUpChanges(document, network('10.0.0.0/8'))).toEqual({
      document,
      replacements: [],
      unplacedAddresses: [],
    });
  },
);
