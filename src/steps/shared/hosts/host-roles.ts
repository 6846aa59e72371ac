import { listServiceHosts } from '../../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../../design/model.ts';

/** A role of a service host, as it is displayed. */
export type HostRole = 'DNS' | 'DHCP' | 'LB' | 'bastion';

/**
 * Lists the service hosts that have files, in the order of their setup: DNS before everything that resolves names, the
 * load balancer before what connects through it, the bastion last.
 */
export function listHostsInSetupOrder(design: Design): ServiceHost[] {
  const { dns, dhcp, loadBalancer, bastion } = design.services;
  const order = [
    ...dns.servers.map(({ name }) => name),
    dhcp.server,
    ...loadBalancer.servers.map(({ name }) => name),
    bastion.name,
  ];
  return listServiceHosts(design).toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** Lists the roles of a host in the design. */
export function listHostRoles(design: Design, name: string): HostRole[] {
  const { dns, dhcp, loadBalancer, bastion } = design.services;
  return [
    ...(dns.servers.some((server) => server.name === name) ? (['DNS'] as const) : []),
    ...(dhcp.server === name ? (['DHCP'] as const) : []),
    ...(loadBalancer.servers.some((server) => server.name === name) ? (['LB'] as const) : []),
    ...(bastion.name === name ? (['bastion'] as const) : []),
  ];
}
