/** Messages of the rules about the services on the service hosts. */
export const servicesWords = {
  dnsServer: {
    title: 'There is a name server',
    message: 'The design has no name server',
    fix: 'Set the host that BIND runs on. With external DNS, set the servers (or forwarders) that the nodes query.',
  },
  forwarderLoop: {
    title: 'Forwarders are not the name servers of the design',
    message: (address: string, name: string) => `${address} is the address of ${name} itself: its queries would loop`,
    fix: 'Use the name servers of the company or of the provider, or leave the list empty.',
  },
  loadBalancerServer: {
    title: 'HAProxy has a host',
    message: 'The design has no host for HAProxy',
    fix: 'Set the host that HAProxy runs on, or choose an external load balancer.',
  },
  dhcpServer: {
    title: 'DHCP runs on a service host',
    message: (name: string) => `"${name}" is not a service host`,
    fix: (hosts: string) => `Use one of: ${hosts}.`,
  },
  dhcpOs: {
    title: 'The DHCP program is available on its host',
    message: 'RHEL 10 no longer has ISC dhcpd',
    fix: 'Choose kea.',
  },
  ipxeWithoutDhcp: {
    title: 'DHCP tells iPXE where to boot from',
    message: 'Without DHCP no machine finds the boot server',
    fix: 'Choose iso for boot, or enable DHCP; an iPXE with an embedded script works too.',
  },
  httpPort: {
    title: 'The boot server’s port is free',
    message: (port: number, program: string) => `${program} already uses port ${port} on the bastion`,
    fix: 'Use another port, such as 8080.',
  },
  timeServers: {
    title: 'There is a time server',
    message: 'The design has no time server: certificates are refused when clocks differ',
    fix: 'Add a time server, unless every machine already gets its time from another source.',
  },
  httpPortLow: {
    title: 'The boot server’s port is a usual one for HTTP',
    message: (port: number) => `Port ${port} belongs to another service: SELinux and firewalls treat it as such`,
    fix: 'Use 8080, or 80.',
  },
  dhcpKea: {
    title: 'The operating system of the DHCP host includes Kea',
    message: 'RHEL 8 and 9 include ISC dhcpd, not Kea',
    fix: 'Choose isc-dhcpd, or enable a repository that has Kea (EPEL).',
  },
  dhcpNetwork: {
    title: 'The DHCP server is in a machine network',
    message: (name: string) => `${name} has no address in a machine network: dhcpd does not start there`,
    fix: 'Choose a service host in the machine network, or give this one an address there.',
  },
  dhcpRelay: {
    title: 'DHCP reaches every machine network with nodes',
    message: (name: string, networks: string) => `${name} has no address in ${networks}: requests end at the router`,
    fix: 'Have the router relay DHCP (ip helper-address) to this host, or choose a host in that network.',
  },
};
