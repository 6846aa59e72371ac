import { expect, test } from 'vitest';
import { checkDocument } from '../../src/design/parse.ts';
import { valueAt } from '../../src/design/paths.ts';
import { type Change, followersOf } from '../../src/design/readdress.ts';
import { type Changes, exampleWith, keysOf } from './support.ts';

/** What follows when this answer of the example, with changes, becomes another one. */
function followers(change: Change, changes: Changes = []) {
  const paths = { network: 'networks.machine.0.cidr', gateway: 'networks.machine.0.gateway' };
  const path =
    change.kind === 'name' ? 'cluster.name' : change.kind === 'domain' ? 'cluster.baseDomain' : paths[change.kind];
  const { document, moves, left } = followersOf(exampleWith([...changes, [path, change.to]]), change);
  return { document, left, moves: Object.fromEntries(moves.map(({ from, to }) => [from, to])), all: moves };
}
const network = (to: string, from = '172.16.0.0/24'): Change => ({ kind: 'network', from, to });
const at = (document: unknown, path: string) => valueAt(document, keysOf(path));
const errors = (document: unknown) => checkDocument(document).problems.filter(({ severity }) => severity === 'error');

test('all addresses of the example follow the machine network with their host parts, and nothing else does', () => {
  const { document, moves, left } = followers(network('10.20.30.0/24'));
  expect(Object.keys(moves)).toHaveLength(16);
  for (const [from, to] of Object.entries(moves)) expect(to).toBe(from.replace('172.16.0.', '10.20.30.'));
  expect(left).toEqual([]);
  expect(errors(document)).toEqual([]);
  const text = JSON.stringify(document);
  expect(text).not.toContain('172.16.0.');
  expect(text).toContain('"forwarders":["192.168.124.1"]');
});

test('host parts that do not fit get the next free addresses, and the last address of a network stays the last', () => {
  const { document, moves } = followers(network('10.20.30.0/27'));
  expect(moves).toMatchObject({
    '172.16.0.11': '10.20.30.11',
    '172.16.0.23': '10.20.30.23',
    '172.16.0.254': '10.20.30.30',
  });
  expect(moves).toMatchObject({
    '172.16.0.111': '10.20.30.1',
    '172.16.0.110': '10.20.30.2',
    '172.16.0.31': '10.20.30.3',
  });
  expect(new Set(Object.values(moves)).size).toBe(16);
  expect(errors(document)).toEqual([]);
});

test('what finds no room is named and stays', () => {
  const { moves, left } = followers(network('10.20.30.0/28'));
  expect(Object.keys(moves)).toHaveLength(14);
  expect(left).toHaveLength(2);
});

test('a wider network that holds the old one moves nothing', () => {
  expect(followers(network('172.16.0.0/16')).all).toEqual([]);
});

test('an address that is inside the new network already is not given to another', () => {
  const { moves } = followers(network('192.168.124.0/24'), [['services.dns.forwarders', ['192.168.124.11']]]);
  expect(moves).toMatchObject({ '172.16.0.254': '192.168.124.2', '172.16.0.11': '192.168.124.3' });
});

test('addresses of another machine network stay, and so does the other family', () => {
  const changes: Changes = [
    ['networks.machine.1', { cidr: 'fd00:1::/64' }],
    ['networks.machine.2', { cidr: '172.17.0.0/24' }],
    ['nodes.1.ip', ['172.16.0.21', 'fd00:1::21']],
    ['nodes.2.ip', '172.17.0.22'],
  ];
  const { document } = followers(network('10.20.30.0/24'), changes);
  expect(at(document, 'nodes.1.ip')).toEqual(['10.20.30.21', 'fd00:1::21']);
  expect(at(document, 'nodes.2.ip')).toBe('172.17.0.22');
});

test('IPv6 addresses follow in any spelling', () => {
  const changes: Changes = [
    ['networks.machine.0.gateway', 'FD00:1::FE'],
    ['nodes.1.ip', 'fd00:1:0:0::21'],
    ['nodes.1.kernelArguments', ['nameserver=[fd00:1::102]', 'x=fd00:2::1']],
  ];
  const { document } = followers(network('fd00:9::/64', 'fd00:1::/64'), changes);
  expect(at(document, 'networks.machine.0.gateway')).toBe('fd00:9::fe');
  expect(at(document, 'nodes.1.ip')).toBe('fd00:9::21');
  expect(at(document, 'nodes.1.kernelArguments')).toEqual(['nameserver=[fd00:9::102]', 'x=fd00:2::1']);
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
  const { document, all } = followers(network('10.20.30.0/24'), changes);
  expect(document).toMatchObject({
    proxy: {
      httpProxy: 'http://user:172@10.20.30.5:3128',
      noProxy: '10.20.30.0/24, .ocp45.example.localdomain,10.20.30.101',
    },
  });
  expect(at(document, 'nodes.1.kernelArguments.0')).toBe('ip=10.20.30.21::10.20.30.254:255.255.255.0:m1:ens3:none');
  // A proxy's address may hold a password: only what follows is told.
  expect(JSON.stringify(all)).not.toContain('user');
});

test('what had the address of the gateway follows the gateway', () => {
  const changes: Changes = [['services.time.servers', ['172.16.0.254', '192.168.124.1']]];
  const { document, moves } = followers({ kind: 'gateway', from: '172.16.0.254', to: '172.16.0.1' }, changes);
  expect(moves).toEqual({ '172.16.0.254': '172.16.0.1' });
  expect(document).toMatchObject({ services: { time: { servers: ['172.16.0.1', '192.168.124.1'] } } });
});

const NAMED: Changes = [
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
  const { document, moves } = followers(
    { kind: 'name', from: 'ocp45', to: 'lab', domain: 'example.localdomain' },
    NAMED,
  );
  expect(moves).toEqual({ '.ocp45.example.localdomain': '.lab.example.localdomain', 'ocp45-m1': 'lab-m1' });
  expect(document).toMatchObject({ proxy: { noProxy: '.lab.example.localdomain,ocp45.example.localdomain.org' } });
});

test('names in the base domain follow it', () => {
  const { document, moves } = followers({ kind: 'domain', from: 'example.localdomain', to: 'corp.test' }, NAMED);
  expect(Object.values(moves).sort()).toEqual([
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
    expect(followersOf(document, network('10.0.0.0/8'))).toEqual({ document, moves: [], left: [] });
  },
);
