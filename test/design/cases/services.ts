import type { RuleCase } from './case.ts';

const release = (name: string) => ({ source: `quay.io/openshift-release-dev/${name}`, mirrors: ['mirror:5000/ocp'] });

const MIRROR = 'mirror.example.localdomain:5000';

/** Cases of names, service hosts and external sources. */
export const SERVICE_CASES: readonly RuleCase[] = [
  {
    rule: 'base-domain-special',
    bad: [['cluster', { name: 'cluster', baseDomain: 'local' }]],
    at: 'cluster.baseDomain',
    good: [['cluster', { name: 'clusters', baseDomain: 'local' }]],
  },
  {
    rule: 'base-domain-special',
    bad: [['cluster.baseDomain', 'lab.localhost']],
    at: 'cluster.baseDomain',
    good: [['cluster.baseDomain', 'lab.localhosts']],
  },
  {
    rule: 'base-domain-special',
    bad: [['cluster.baseDomain', '10.in-addr.arpa']],
    at: 'cluster.baseDomain',
    good: [['cluster.baseDomain', 'lab.home.arpa']],
  },
  {
    rule: 'base-domain-repeats',
    bad: [['cluster.baseDomain', 'ocp45.example.localdomain']],
    at: 'cluster.baseDomain',
    good: [['cluster.baseDomain', 'ocp456.example.localdomain']],
  },
  {
    rule: 'name-unanswered',
    bad: [['proxy', { httpProxy: 'http://proxy.example.localdomain:3128' }]],
    at: 'proxy.httpProxy',
    good: [['proxy', { httpProxy: 'http://bastion.example.localdomain:3128' }]],
  },
  {
    rule: 'name-unanswered',
    bad: [['services.time.servers', ['192.168.124.1', 'ntp.Example.localdomain']]],
    at: 'services.time.servers.1',
    good: [['services.time.servers', ['192.168.124.1', 'ntp.notexample.localdomain']]],
  },
  {
    rule: 'name-unanswered',
    bad: [['imageDigestSources', [{ source: 'quay.io/a', mirrors: [`${MIRROR}/ocp`, `${MIRROR}/b`] }]]],
    at: 'imageDigestSources.0.mirrors.0',
    good: [
      ['imageDigestSources', [{ source: 'quay.io/a', mirrors: [`${MIRROR}/ocp`] }]],
      ['services.dns', { kind: 'external', forwarders: ['192.168.124.1'] }],
      ['services.dhcp', { kind: 'isc-dhcpd', server: 'bastion' }],
    ],
  },
  {
    rule: 'base-domain-digit',
    bad: [['cluster.baseDomain', 'example.123']],
    at: 'cluster.baseDomain',
    good: [['cluster.baseDomain', '123.example']],
  },
  { rule: 'name-format', bad: [['nodes.4.name', '*']], at: 'nodes.4.name', good: [['nodes.4.name', 'w1']] },
  {
    rule: 'name-reserved',
    bad: [['services.bastion.name', 'localhost6']],
    at: 'services.bastion.name',
    good: [['services.bastion.name', 'localhosts']],
  },
  {
    rule: 'host-twice',
    bad: [
      [
        'services.dns.servers',
        [
          { name: 'ns1', ip: '172.16.0.102' },
          { name: 'ns1', ip: '172.16.0.102' },
        ],
      ],
    ],
    at: 'services.dns.servers.1.name',
    good: [
      [
        'services.dns.servers',
        [
          { name: 'ns1', ip: '172.16.0.102' },
          { name: 'lb1', ip: '172.16.0.112' },
        ],
      ],
    ],
  },
  ...[
    { port: 22, changes: [] },
    { port: 53, changes: [['services.dns.servers.0', { name: 'bastion', ip: '172.16.0.101' }]] as const },
    { port: 443, changes: [['services.loadBalancer.servers.0', { name: 'bastion', ip: '172.16.0.101' }]] as const },
    { port: 22_623, changes: [['services.loadBalancer.servers.0', { name: 'bastion', ip: '172.16.0.101' }]] as const },
  ].map(
    ({ port, changes }): RuleCase => ({
      rule: 'http-port',
      bad: [...changes, ['services.boot.httpPort', port]],
      at: 'services.boot.httpPort',
      good: [...changes, ['services.boot.httpPort', 8081]],
    }),
  ),
  ...[67, 69, 1023].map(
    (port): RuleCase => ({
      rule: 'http-port-low',
      bad: [['services.boot.httpPort', port]],
      at: 'services.boot.httpPort',
      good: [['services.boot.httpPort', 80]],
    }),
  ),
  {
    rule: 'dhcp-kea',
    bad: [['services.dhcp.kind', 'kea']],
    at: 'services.dhcp.kind',
    good: [
      ['services.dhcp.kind', 'kea'],
      ['services.dns.servers.0.os', 'debian'],
    ],
  },
  {
    rule: 'dhcp-network',
    bad: [['services.dns.servers.0.ip', '192.168.124.102']],
    at: 'services.dhcp.server',
    good: [
      ['services.dns.servers.0.ip', '192.168.124.102'],
      ['services.dhcp.server', 'bastion'],
    ],
  },
  {
    rule: 'dhcp-relay',
    bad: [
      ['networks.machine.1', { cidr: '172.16.1.0/24', gateway: '172.16.1.254' }],
      ['nodes.4.ip', '172.16.1.31'],
    ],
    at: 'services.dhcp.server',
    good: [['networks.machine.1', { cidr: '172.16.1.0/24', gateway: '172.16.1.254' }]],
  },
  {
    rule: 'dhcp-relay',
    bad: [
      ['services.dns.servers.0', { name: 'ns1', ip: '192.168.124.102', os: 'rhel10' }],
      ['services.dhcp.kind', 'kea'],
    ],
    at: 'services.dhcp.server',
    good: [],
  },
  {
    rule: 'fips-host',
    bad: [['fips', true]],
    at: 'fips',
    good: [
      ['fips', true],
      ['openshift.version', '4.15'],
    ],
  },
  {
    rule: 'mirror-release',
    bad: [['imageDigestSources', [release('ocp-release')]]],
    at: 'imageDigestSources',
    good: [['imageDigestSources', [release('ocp-release'), release('ocp-v4.0-art-dev')]]],
  },
  {
    rule: 'mirror-release',
    bad: [
      ['openshift.version', '4.20.0-okd-scos.3'],
      ['imageDigestSources', [{ source: 'quay.io/okd/scos-release', mirrors: ['registry.example.com:5000/okd'] }]],
    ],
    at: 'imageDigestSources',
    good: [
      ['openshift.version', '4.20.0-okd-scos.3'],
      ['imageDigestSources', [{ source: 'quay.io/okd', mirrors: ['registry.example.com:5000/okd'] }]],
    ],
  },
  {
    rule: 'trust-bundle-policy',
    bad: [
      ['additionalTrustBundleFile', 'ca.pem'],
      ['additionalTrustBundlePolicy', 'Proxyonly'],
      ['openshift.version', '4.11'],
    ],
    at: 'additionalTrustBundlePolicy',
    good: [
      ['additionalTrustBundleFile', 'ca.pem'],
      ['openshift.version', '4.11'],
    ],
  },
  {
    rule: 'infra-pool',
    bad: [
      ['infra.pool', false],
      ['infra.keepWorkerRole', false],
    ],
    at: 'infra.keepWorkerRole',
    good: [['infra.pool', false]],
  },
  {
    rule: 'registry-storage',
    bad: [['infra.registry.storage', 'emptyDir']],
    at: 'infra.registry.storage',
    good: [['infra.registry.storage', 'none']],
  },
];
