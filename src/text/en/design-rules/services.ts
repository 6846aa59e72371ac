/** Words of the rules about what the service hosts do. */
export const servicesWords = {
  dnsServer: {
    title: 'There is a name server',
    message: 'No name server is named',
    fix: 'Name the host that BIND runs on. With `kind: external`, name the servers (or forwarders) that the nodes ask.',
  },
  forwarderLoop: {
    title: 'Forwarders are other name servers than our own',
    message: (address: string, name: string) => `${address} is ${name} itself: questions would go round in circles`,
    fix: 'Name the name servers of the company or of the provider, or leave the list empty.',
  },
  loadBalancerServer: {
    title: 'HAProxy has a host',
    message: 'No host is named for HAProxy',
    fix: 'Name the host under `servers`, or use `kind: external`.',
  },
  dhcpServer: {
    title: 'DHCP runs on a service host',
    message: (name: string) => `"${name}" is none of the service hosts`,
    fix: (hosts: string) => `Use one of: ${hosts}.`,
  },
  dhcpOs: {
    title: 'The DHCP program exists on its host',
    message: 'RHEL 10 has no ISC dhcpd any more',
    fix: 'Use `kind: kea`.',
  },
  ipxeWithoutDhcp: {
    title: 'iPXE is told by DHCP where to boot from',
    message: 'Without DHCP no machine learns of the boot server',
    fix: 'Use `boot: { kind: iso }`, or let DHCP run; an iPXE with a built-in address works too.',
  },
  httpPort: {
    title: 'The boot server’s port is free',
    message: (port: number) => `Port ${port} on the bastion is taken by the load balancer on the same machine`,
    fix: 'Use another port, such as 8080.',
  },
  timeServers: {
    title: 'There is a time server',
    message: 'No time server is named: certificates fail when clocks differ',
    fix: 'Name one, unless every machine already gets its time elsewhere.',
  },
} as const;
