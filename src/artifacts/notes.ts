import envTemplate from '../../templates/env.sh.eta';
import notesTemplate from '../../templates/network-notes.md.eta';
import type { Design } from '../design/model.ts';
import { clusterDomain } from '../design/names.ts';
import { firstOf, ipv4, netmask, prefixOf } from './addresses.ts';
import { nameServers } from './dhcp-plan.ts';
import type { Draft, GenerateInput } from './draft.ts';
import { WORK_DIR } from './layout.ts';
import { render } from './render.ts';

/** What a person needs beside the configuration: the shell environment and the notes for the network's owners. */
export function noteFiles({ design }: GenerateInput): Draft[] {
  const host = design.services.bastion;
  return [
    { host, path: `${WORK_DIR}/env.sh`, kind: 'env', content: render(envTemplate, { workDir: WORK_DIR }) },
    {
      host,
      path: `${WORK_DIR}/network-notes.md`,
      kind: 'network-notes',
      content: render(notesTemplate, {
        clusterDomain: clusterDomain(design),
        baseDomain: design.cluster.baseDomain,
        router: design.networks.router ?? '',
        routes: returnRoutes(design),
        nameServers: nameServers(design),
        secureBoot: secureBootNodes(design),
        flows: flows(design),
      }),
    },
  ];
}

/** Nodes whose firmware would not start an unsigned iPXE. */
function secureBootNodes(design: Design): string[] {
  const isIpxe = design.services.boot.kind === 'ipxe';
  return design.nodes.filter(({ secureBoot }) => isIpxe && secureBoot).map(({ name }) => name);
}

function returnRoutes(design: Design) {
  const { router, machine } = design.networks;
  const cidrs = ipv4(machine.map(({ cidr }) => cidr));
  return router === null || ipv4([router]).length === 0
    ? []
    : cidrs.map((cidr) => ({
        cidr,
        address: firstOf(cidr),
        netmask: netmask(prefixOf(cidr)),
      }));
}

/** openshift-docs modules/installation-network-user-infra.adoc, with the hosts of the design. */
function flows(design: Design) {
  const { bastion, dns, loadBalancer, boot, time } = design.services;
  const list = (hosts: readonly { readonly name: string; readonly ip: readonly string[] }[]) =>
    hosts.map(({ name, ip }) => `${name} (${ip.join(' ')})`).join(', ');
  const machine = design.networks.machine.map(({ cidr }) => cidr).join(', ');
  const { api, apiInt, ingress } = design.endpoints;
  const rows = [
    [
      'every node',
      'every node',
      'ICMP, TCP 1936 9000-9999 10250-10259 30000-32767, UDP 500 4500 4789 6081 9000-9999 30000-32767, ESP',
    ],
    ['control plane', 'control plane', 'TCP 2379-2380'],
    ['every node', `API, ${apiInt.join(' ')}`, 'TCP 6443 22623'],
    ['administrators, applications', `API, ${api.join(' ')}`, 'TCP 6443'],
    ['everybody who uses applications', `ingress, ${ingress.join(' ')}`, 'TCP 80 443'],
    [`load balancer, ${list(loadBalancer.servers)}`, `nodes, ${machine}`, 'TCP 6443 22623 80 443'],
    ['every node', `DNS, ${list(dns.servers)}`, 'UDP 53, TCP 53'],
    ['every node', `bastion, ${list([bastion])}`, `UDP 69, TCP ${boot.httpPort}`],
    ['every node', `time, ${time.servers.join(' ')}`, 'UDP 123'],
    [`bastion, ${list([bastion])}`, 'every node', 'TCP 22'],
  ] as const;
  return rows.map(([from, to, ports]) => ({ from, to, ports }));
}
