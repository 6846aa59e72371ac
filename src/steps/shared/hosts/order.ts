import type { Design, ServiceHost } from '../../../design/model.ts';
import { serviceHosts } from '../../../design/names.ts';

/** A role of a service host, as people call it. */
export type HostRole = 'DNS' | 'DHCP' | 'LB' | 'bastion';

/**
 * The service hosts that files are for, in the order in which they are set up: DNS before everything that asks for names,
 * the load balancer before what goes through it, the bastion last.
 */
export function hostsInOrder(design: Design): ServiceHost[] {
  const { dns, dhcp, loadBalancer, bastion } = design.services;
  const order = [
    ...dns.servers.map(({ name }) => name),
    dhcp.server,
    ...loadBalancer.servers.map(({ name }) => name),
    bastion.name,
  ];
  return serviceHosts(design).toSorted((a, b) => order.indexOf(a.name) - order.indexOf(b.name));
}

/** The roles of a host in the design. */
export function rolesOf(design: Design, name: string): HostRole[] {
  const { dns, dhcp, loadBalancer, bastion } = design.services;
  return [
    ...(dns.servers.some((server) => server.name === name) ? (['DNS'] as const) : []),
    ...(dhcp.server === name ? (['DHCP'] as const) : []),
    ...(loadBalancer.servers.some((server) => server.name === name) ? (['LB'] as const) : []),
    ...(bastion.name === name ? (['bastion'] as const) : []),
  ];
}
