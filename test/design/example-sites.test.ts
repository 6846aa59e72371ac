import { expect, test } from 'vitest';
import type { Topology } from '../../src/design/choices.ts';
import { checkDocument } from '../../src/design/parse.ts';
import { ipv6Only, node } from './cases/case.ts';
import { type Changes, exampleWith } from './support.ts';

// Whole sites as users plan them: each must give exactly the expected problems.

const listProblems = (changes: Changes, topology?: Topology) =>
  checkDocument(exampleWith(changes, topology)).problems.map(
    ({ severity, rule, path }) => `${severity} ${rule} ${path}`,
  );

const VERSIONS = [...Array.from({ length: 19 }, (_, index) => `4.${index + 5}`), '5.0', '4.20.0-okd-scos.3'];

test.each(VERSIONS)(
  'the example of %s has no problems, single-node from 4.8 on, arbiter and fencing from 4.22 on',
  (version) => {
    expect(listProblems([['openshift.version', version]])).toEqual([]);
    expect(listProblems([['openshift.version', version]], 'compact')).toEqual([]);
    const isTooOld = ['4.5', '4.6', '4.7'].includes(version);
    expect(listProblems([['openshift.version', version]], 'single-node')).toEqual(
      isTooOld ? ['error single-node-version openshift.version'] : [],
    );
    const mayRefuse = ['4.18', '4.19'].includes(version);
    expect(listProblems([['openshift.version', version]], 'single-node-bootstrap')).toEqual([
      ...(isTooOld ? ['error single-node-version openshift.version'] : []),
      ...(mayRefuse ? ['warning single-node-bootstrap topology'] : []),
    ]);
    const hasArbiter = ['4.22', '4.23', '5.0'].includes(version);
    expect(listProblems([['openshift.version', version]], 'arbiter')).toEqual(
      hasArbiter ? [] : ['error arbiter-version openshift.version'],
    );
    const isPreview = ['4.20', '4.21', '4.20.0-okd-scos.3'].includes(version);
    const refusal = isPreview ? 'warning fencing-preview' : 'error fencing-version';
    expect(listProblems([['openshift.version', version]], 'fencing')).toEqual(
      hasArbiter ? [] : [`${refusal} openshift.version`],
    );
  },
);

const MAC = '00:50:56:96:aa:';
const smallNode = (name: string, role: string, last: number) => ({
  ...node(name, role, last),
  ip: `10.20.30.${last}`,
  mac: `${MAC}${last}`,
});
const smallSite: Changes = [
  ['networks.machine', [{ cidr: '10.20.30.64/26', gateway: '10.20.30.126' }]],
  ['networks.cluster', [{ cidr: '10.248.0.0/20', hostPrefix: 24 }]],
  ['networks.service', ['10.249.0.0/20']],
  ['endpoints', { api: '10.20.30.70', apiInt: '10.20.30.71', ingress: '10.20.30.72' }],
  [
    'nodes',
    [
      smallNode('bs', 'bootstrap', 80),
      ...[81, 82, 83].map((last) => smallNode(`m${last}`, 'control-plane', last)),
      ...[91, 92].map((last) => smallNode(`w${last}`, 'compute', last)),
    ],
  ],
  ['services.bastion.ip', '10.20.30.65'],
  [
    'services.dns.servers',
    [
      { name: 'ns1', ip: '10.20.30.66' },
      { name: 'ns2', ip: '10.20.30.67' },
    ],
  ],
  [
    'services.loadBalancer.servers',
    [
      { name: 'lb1', ip: '10.20.30.68' },
      { name: 'lb2', ip: '10.20.30.69' },
    ],
  ],
];

test('a /26 with two name servers and two load balancers', () => {
  expect(listProblems(smallSite)).toEqual([]);
  const checkNodeAddress = (ip: string) => listProblems([...smallSite, ['nodes.5.ip', ip]]);
  expect(checkNodeAddress('10.20.30.127')).toEqual(['error address-special nodes.5.ip']);
  expect(checkNodeAddress('10.20.30.64')).toEqual(['error address-special nodes.5.ip']);
  expect(checkNodeAddress('10.20.30.126')).toEqual(['error address-special nodes.5.ip']);
  expect(checkNodeAddress('10.20.30.128')).toEqual(['error node-outside-network nodes.5.ip']);
  expect(checkNodeAddress('10.20.30.70')).toEqual(['error endpoint-taken endpoints.api']);
  expect(checkNodeAddress('10.20.30.66')).toEqual(['error address-duplicate services.dns.servers.0.ip']);
});

test('its cluster network has room for 16 nodes', () => {
  const withWorkers = (count: number): Changes => [
    ...smallSite,
    ...Array.from(
      { length: count },
      (_, index) =>
        [
          `nodes.${4 + index}`,
          { ...smallNode(`w${index}`, 'compute', 0), ip: `10.20.30.${84 + index}`, mac: `${MAC}${10 + index}` },
        ] as const,
    ),
  ];
  expect(listProblems(withWorkers(13))).toEqual([]);
  expect(listProblems(withWorkers(14))).toEqual(['error host-prefix-room networks.cluster.0.hostPrefix']);
});

const dualStack: Changes = [
  [
    'networks.machine',
    [
      { cidr: '172.16.0.0/24', gateway: '172.16.0.254' },
      { cidr: 'fd00:16::/64', gateway: 'fd00:16::fe' },
    ],
  ],
  [
    'networks.cluster',
    [
      { cidr: '10.128.0.0/14', hostPrefix: 23 },
      { cidr: 'fd00:128::/48', hostPrefix: 64 },
    ],
  ],
  ['networks.service', ['172.30.0.0/16', 'fd00:30::/112']],
  ['endpoints.api', ['172.16.0.111', 'fd00:16::111']],
  ['endpoints.apiInt', ['172.16.0.110', 'fd00:16::110']],
  ['endpoints.ingress', ['172.16.0.111', 'fd00:16::111']],
  ['services.loadBalancer.servers.0.ip', ['172.16.0.112', 'fd00:16::112']],
  ...Array.from(
    { length: 10 },
    (_, index) => [`nodes.${index}.ip`, [`172.16.0.${50 + index}`, `fd00:16::${50 + index}`]] as const,
  ),
  ...Array.from({ length: 10 }, (_, index) => [`nodes.${index}.interface`, 'enp1s0'] as const),
];
const staticAddresses: Changes = [
  ['services.dhcp', { kind: 'none' }],
  ['services.boot.kind', 'iso'],
];

test('dual-stack is valid with all addresses from boot arguments, or with only those of IPv6 beside DHCP', () => {
  expect(listProblems([...dualStack, ...staticAddresses])).toEqual([]);
  expect(listProblems(dualStack)).toEqual([]);
  const withoutInterface = Array.from({ length: 10 }, (_, index) => [`nodes.${index}.interface`, undefined] as const);
  expect(listProblems([...dualStack, ...withoutInterface])).toEqual(['warning static-interface nodes.0']);
  expect(listProblems([...dualStack, ...staticAddresses, ['openshift.version', '4.11']])).toEqual([
    'error network-type-families networks.type',
  ]);
  expect(
    listProblems([...dualStack, ...staticAddresses, ['openshift.version', '4.11'], ['networks.type', 'OVNKubernetes']]),
  ).toEqual([]);
  expect(
    listProblems([...dualStack, ...staticAddresses, ['services.loadBalancer.servers.0.ip', '172.16.0.112']]),
  ).toEqual(['error endpoint-balancer-network services.loadBalancer.servers.0.ip']);
});

test('IPv6 alone works with addresses from boot arguments, in every version that brings OVN-Kubernetes by default', () => {
  expect(listProblems(ipv6Only)).toEqual([]);
  expect(listProblems([...ipv6Only, ['openshift.version', '4.12']])).toEqual([]);
  expect(listProblems([...ipv6Only, ['openshift.version', '4.11']])).toEqual([
    'error network-type-families networks.type',
  ]);
  expect(listProblems([...ipv6Only, ['services.dhcp', { kind: 'isc-dhcpd', server: 'ns1' }]])).toEqual([
    'error dhcp-families services.dhcp.kind',
  ]);
});

test('a disconnected site with a mirror, a proxy and certificates', () => {
  const mirror = 'mirror.example.com:5000/ocp';
  const site: Changes = [
    [
      'proxy',
      {
        httpProxy: 'http://10.1.1.1:3128',
        httpsProxy: 'http://10.1.1.1:3128',
        noProxy: '.example.localdomain,172.16.0.0/24',
      },
    ],
    ['additionalTrustBundleFile', './ca.pem'],
    [
      'imageDigestSources',
      ['ocp-release', 'ocp-v4.0-art-dev'].map((name) => ({
        source: `quay.io/openshift-release-dev/${name}`,
        mirrors: [mirror],
      })),
    ],
  ];
  for (const version of VERSIONS) expect(listProblems([...site, ['openshift.version', version]])).toEqual([]);
  expect(listProblems([...site, ['proxy.httpProxy', 'http://172.30.0.9:3128']])).toEqual([
    'error address-in-cluster-network proxy.httpProxy',
  ]);
  // The name servers of the design would answer that the name does not exist.
  const inside = 'mirror.example.localdomain:5000/ocp';
  expect(
    listProblems([...site, ['imageDigestSources.0.mirrors', [inside]], ['imageDigestSources.1.mirrors', [inside]]]),
  ).toEqual(['warning name-unanswered imageDigestSources.0.mirrors.0']);
});

test('related problems are reported once', () => {
  expect(listProblems([['topology', 'single-node']])).toEqual(['error topology-nodes topology']);
  expect(
    listProblems([['cluster.baseDomain', 'a-long-domain.of-a-company.with-many-parts.somewhere.example.com']]),
  ).toEqual(['error node-name-length nodes.0.name']);
  expect(
    listProblems([
      ['services.dhcp', { kind: 'none' }],
      ['services.boot.kind', 'iso'],
    ]),
  ).toEqual(['warning static-interface nodes.0']);
  const { problems } = checkDocument(
    exampleWith(Array.from({ length: 10 }, (_, index) => [`nodes.${index}.memoryGiB`, 4] as const)),
  );
  expect(problems.map(({ path, message }) => `${path} ${message}`)).toEqual([
    'nodes.0.memoryGiB 4 GiB of memory are less than the minimum of 16 (bootstrap)',
    'nodes.1.memoryGiB 4 GiB of memory are less than the minimum of 16 (control-plane) (also m2, m3)',
    'nodes.4.memoryGiB 4 GiB of memory are less than the minimum of 8 (compute) (also w2, w3)',
    'nodes.7.memoryGiB 4 GiB of memory are less than the minimum of 8 (infra) (also i2, i3)',
  ]);
});

test('an unreadable value of one node does not hide problems of the others', () => {
  const byIso: Changes = [
    ['services.dhcp', { kind: 'none' }],
    ['services.boot.kind', 'iso'],
  ];
  expect(listProblems([...byIso, ['nodes.0.mac', undefined]])).toEqual([
    'error required nodes.0.mac',
    'warning static-interface nodes.1',
  ]);
});

test('a machine network that none of the nodes is in is reported once', () => {
  const rules = listProblems([['networks.machine.0', { cidr: '10.9.0.0/24', gateway: '10.9.0.254' }]]);
  expect(rules.filter((text) => text.includes('node-outside-network'))).toEqual([
    'error node-outside-network nodes.0.ip',
  ]);
});

test('compute nodes can join a compact cluster later, infra nodes and those of other topologies cannot', () => {
  const addNode = (role: string): Changes => [['nodes.4', node('w1', role, 31)]];
  expect(listProblems(addNode('compute'), 'compact')).toEqual(['warning added-compute topology']);
  expect(listProblems([['openshift.version', '4.22'], ...addNode('compute')], 'arbiter')).toEqual([
    'error topology-nodes topology',
  ]);
  expect(listProblems(addNode('infra'), 'compact')).toContain('error topology-nodes topology');
  expect(listProblems([['nodes.2', node('w1', 'compute', 31)]], 'single-node-bootstrap')).toContain(
    'error topology-nodes topology',
  );
});
