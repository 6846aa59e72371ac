import type { Topology } from '../../../src/design/choices.ts';
import type { Changes } from '../support.ts';

/** A design that breaks one rule, and one that is as close to it as possible and keeps it. */
export interface RuleCase {
  readonly rule: string;
  readonly bad: Changes;
  /** The path of the reported problem. */
  readonly at: string;
  readonly good: Changes;
  readonly topology?: Topology;
}

export const node = (name: string, role: string, last: number) => ({
  name,
  role,
  ip: `172.16.0.${last}`,
  mac: `00:50:56:96:77:${last.toString(16).padStart(2, '0')}`,
});

export const dualStack: Changes = [
  ['networks.machine.1', { cidr: 'fd00:16::/64' }],
  ['networks.cluster.1', { cidr: 'fd00:128::/48', hostPrefix: 64 }],
  ['networks.service.1', 'fd00:30::/112'],
];

export const dualStackNodes: Changes = Array.from({ length: 10 }, (_, index) => [
  `nodes.${index}.ip`,
  [`172.16.0.${50 + index}`, `fd00:16::${50 + index}`],
]);

/** IPv6 alone: networks, machines and services, addresses from boot arguments. */
export const ipv6Only: Changes = [
  [
    'networks',
    {
      machine: [{ cidr: 'fd00:16::/64', gateway: 'fd00:16::fe' }],
      cluster: [{ cidr: 'fd00:128::/48', hostPrefix: 64 }],
      service: ['fd00:30::/112'],
    },
  ],
  ['endpoints', { api: 'fd00:16::111', apiInt: 'fd00:16::110', ingress: 'fd00:16::111' }],
  ...Array.from({ length: 10 }, (_, index) => [`nodes.${index}.ip`, `fd00:16::${50 + index}`] as const),
  ...Array.from({ length: 10 }, (_, index) => [`nodes.${index}.interface`, 'enp1s0'] as const),
  ['services.bastion.ip', 'fd00:16::101'],
  ['services.dns', { kind: 'bind', servers: [{ name: 'ns1', ip: 'fd00:16::102' }], forwarders: ['fd00:124::1'] }],
  ['services.loadBalancer.servers.0.ip', 'fd00:16::112'],
  ['services.time.servers', ['fd00:124::1']],
  ['services.dhcp', { kind: 'none' }],
  ['services.boot.kind', 'iso'],
];
