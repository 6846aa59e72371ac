import { dualStack, dualStackNodes, ipv6Only, type RuleCase } from './case.ts';

const twoBalancers = [
  { name: 'lb1', ip: '172.16.0.112' },
  { name: 'lb2', ip: '172.16.0.113' },
];

/** Cases of networks, address families, and locations of addresses. */
export const NETWORK_CASES: readonly RuleCase[] = [
  {
    rule: 'network-special',
    bad: [['networks.machine.0.cidr', '127.0.0.0/8']],
    at: 'networks.machine.0.cidr',
    good: [['networks.machine.0.cidr', '172.16.0.0/24']],
  },
  {
    rule: 'network-special',
    bad: [['networks.cluster.0.cidr', '127.0.0.0/14']],
    at: 'networks.cluster.0.cidr',
    good: [['networks.cluster.0.cidr', '10.0.0.0/14']],
  },
  {
    rule: 'network-special',
    bad: [['networks.service', ['224.0.0.0/16']]],
    at: 'networks.service.0',
    good: [['networks.service', ['172.29.0.0/16']]],
  },
  {
    rule: 'network-special',
    bad: [['networks.service', ['169.254.0.0/16']]],
    at: 'networks.service.0',
    good: [['networks.service', ['169.253.0.0/16']]],
  },
  {
    rule: 'network-special',
    bad: [['networks.service', ['0.1.0.0/16']]],
    at: 'networks.service.0',
    good: [['networks.service', ['1.0.0.0/16']]],
  },
  {
    rule: 'network-special',
    bad: [...dualStack, ['networks.service.1', 'fe80::/112']],
    at: 'networks.service.1',
    good: dualStack,
  },
  {
    rule: 'network-public',
    bad: [['networks.cluster.0.cidr', '9.0.0.0/14']],
    at: 'networks.cluster.0.cidr',
    good: [['networks.cluster.0.cidr', '10.0.0.0/14']],
  },
  {
    rule: 'network-public',
    bad: [...dualStack, ['networks.service.1', '2a00:30::/112']],
    at: 'networks.service.1',
    good: dualStack,
  },
  {
    rule: 'address-unusable',
    bad: [['services.dns.forwarders', ['127.0.0.53']]],
    at: 'services.dns.forwarders.0',
    good: [['services.dns.forwarders', ['128.0.0.53']]],
  },
  {
    rule: 'address-unusable',
    bad: [['services.time.servers', ['ntp.example.com', '224.0.1.1']]],
    at: 'services.time.servers.1',
    good: [['services.time.servers', ['ntp.example.com', '223.0.1.1']]],
  },
  {
    rule: 'address-unusable',
    bad: [['endpoints.api', '0.0.0.0']],
    at: 'endpoints.api',
    good: [['endpoints.api', '172.16.0.111']],
  },
  {
    rule: 'address-unusable',
    bad: [['services.bastion.ip', 'fe80::1']],
    at: 'services.bastion.ip',
    good: [
      ['networks.router', 'fe80::1'],
      ['networks.machine.1', { cidr: 'fd00:16::/64', gateway: 'fe80::1' }],
    ],
  },
  {
    rule: 'machine-network-size',
    bad: [['networks.machine.1', { cidr: '172.16.1.0/31' }]],
    at: 'networks.machine.1.cidr',
    good: [['networks.machine.1', { cidr: '172.16.1.0/30' }]],
  },
  {
    rule: 'ovn-internal-later',
    bad: [
      ['networks.service', ['100.88.0.0/16']],
      ['openshift.version', '4.13'],
    ],
    at: 'networks.service.0',
    good: [
      ['networks.service', ['100.88.0.0/16']],
      ['openshift.version', '4.13'],
      ['networks.type', 'OpenShiftSDN'],
    ],
  },
  {
    rule: 'ovn-internal',
    bad: [
      ['networks.service', ['100.88.0.0/16']],
      ['openshift.version', '4.14'],
    ],
    at: 'networks.service.0',
    good: [
      ['networks.service', ['100.88.0.0/16']],
      ['openshift.version', '4.13'],
    ],
  },
  {
    rule: 'host-prefix',
    bad: [['networks.cluster.0.hostPrefix', 33]],
    at: 'networks.cluster.0.hostPrefix',
    good: [['networks.cluster.0.hostPrefix', 24]],
  },
  {
    rule: 'host-prefix-pods',
    bad: [['networks.cluster.0.hostPrefix', 25]],
    at: 'networks.cluster.0.hostPrefix',
    good: [['networks.cluster.0.hostPrefix', 24]],
  },
  {
    rule: 'network-type-families',
    bad: [...dualStack, ...dualStackNodes, ['openshift.version', '4.11']],
    at: 'networks.type',
    good: [...dualStack, ...dualStackNodes, ['openshift.version', '4.11'], ['networks.type', 'OVNKubernetes']],
  },
  {
    rule: 'dual-stack',
    bad: [...dualStack, ['networks.service', ['172.30.0.0/16']]],
    at: 'networks.service',
    good: dualStack,
  },
  {
    rule: 'family-order',
    bad: [...dualStack, ['networks.service', ['fd00:30::/112', '172.30.0.0/16']], ['openshift.version', '4.21']],
    at: 'networks.machine',
    good: [...dualStack, ['openshift.version', '4.21']],
  },
  {
    rule: 'host-families',
    bad: [['services.bastion.ip', 'fd00:16::101']],
    at: 'services.bastion.ip',
    good: [['services.bastion.ip', ['172.16.0.101', 'fd00:16::101']]],
  },
  {
    rule: 'host-families',
    bad: [...ipv6Only, ['services.dns', { kind: 'external', forwarders: ['192.168.124.1'] }]],
    at: 'services.dns.forwarders',
    good: [...ipv6Only, ['services.dns', { kind: 'external', forwarders: ['192.168.124.1', 'fd00:124::1'] }]],
  },
  {
    rule: 'endpoint-families',
    bad: [...dualStack, ...dualStackNodes],
    at: 'endpoints.api',
    good: [
      ...dualStack,
      ...dualStackNodes,
      ['endpoints.api', ['172.16.0.111', 'fd00:16::111']],
      ['endpoints.apiInt', ['172.16.0.110', 'fd00:16::110']],
      ['endpoints.ingress', ['172.16.0.111', 'fd00:16::111']],
    ],
  },
  {
    rule: 'static-interface',
    bad: [...dualStack, ...dualStackNodes],
    at: 'nodes.0',
    good: [
      ...dualStack,
      ...dualStackNodes,
      ...Array.from({ length: 10 }, (_, index) => [`nodes.${index}.interface`, 'enp1s0'] as const),
    ],
  },
  {
    rule: 'dhcp-families',
    bad: [...ipv6Only, ['services.dhcp', { kind: 'kea', server: 'ns1' }]],
    at: 'services.dhcp.kind',
    good: ipv6Only,
  },
  {
    rule: 'gateway-outside',
    bad: [...dualStack, ['networks.machine.1.gateway', 'fd00:17::1']],
    at: 'networks.machine.1.gateway',
    good: [...dualStack, ['networks.machine.1.gateway', 'fe80::1']],
  },
  {
    rule: 'gateway-missing',
    bad: [...dualStack, ['services.dhcp', { kind: 'none' }]],
    at: 'networks.machine.1',
    good: dualStack,
  },
  {
    rule: 'router-inside',
    bad: [['networks.router', '172.16.0.254']],
    at: 'networks.router',
    good: [['networks.router', '192.168.124.253']],
  },
  {
    rule: 'router-outside',
    bad: [['networks.router', '192.168.125.254']],
    at: 'networks.router',
    good: [
      ['networks.router', '192.168.125.254'],
      ['networks.company', ['192.168.124.0/23']],
    ],
  },
  {
    rule: 'address-special',
    bad: [['networks.router', '192.168.124.255']],
    at: 'networks.router',
    good: [['networks.router', '192.168.124.254']],
  },
  {
    rule: 'address-in-cluster-network',
    bad: [['services.time.servers', ['100.64.0.1']]],
    at: 'services.time.servers.0',
    good: [['services.time.servers', ['100.65.0.1']]],
  },
  {
    rule: 'address-in-cluster-network',
    bad: [['imageDigestSources', [{ source: 'quay.io/a/b', mirrors: ['10.128.0.5:5000/ocp'] }]]],
    at: 'imageDigestSources.0.mirrors.0',
    good: [['imageDigestSources', [{ source: 'quay.io/a/b', mirrors: ['192.168.124.5:5000/ocp'] }]]],
  },
  {
    rule: 'service-host-outside-network',
    bad: [['services.bastion.ip', '192.168.124.101']],
    at: 'services.bastion.ip',
    good: [['services.bastion.ip', ['172.16.0.101', 'fd00::101']]],
  },
  {
    rule: 'service-host-outside-network',
    bad: [['services.dns.servers.0.ip', '192.168.124.102']],
    at: 'services.dns.servers.0.ip',
    good: [
      ['services.dns.servers.0.ip', '192.168.124.102'],
      ['services.dns.kind', 'external'],
    ],
  },
  {
    rule: 'endpoint-outside-network',
    bad: [['endpoints.api', '192.168.124.111']],
    at: 'endpoints.api',
    good: [
      ['endpoints.api', '192.168.124.111'],
      ['services.loadBalancer.servers.0.ip', '192.168.124.111'],
    ],
  },
  {
    rule: 'endpoint-balancer-network',
    bad: [['services.loadBalancer.servers.0.ip', '192.168.124.112']],
    at: 'services.loadBalancer.servers.0.ip',
    good: [['services.loadBalancer.servers.0.ip', '172.16.0.113']],
  },
  {
    rule: 'endpoint-one-balancer',
    bad: [
      ['services.loadBalancer.servers', twoBalancers],
      ['endpoints.ingress', '172.16.0.113'],
    ],
    at: 'endpoints.ingress',
    good: [['services.loadBalancer.servers', twoBalancers]],
  },
  {
    rule: 'endpoint-api-int-shared',
    bad: [
      ['endpoints.apiInt', '172.16.0.111'],
      ['endpoints.ingress', '172.16.0.110'],
    ],
    at: 'endpoints.apiInt',
    good: [['endpoints.ingress', '172.16.0.109']],
  },
  {
    rule: 'single-node-endpoint',
    bad: [['endpoints.ingress', '172.16.0.22']],
    at: 'endpoints.ingress',
    good: [['endpoints.ingress', '172.16.0.21']],
    topology: 'single-node',
  },
];
