/** Words of the rules about networks and families. */
export const networksWords = {
  cidrOverlap: {
    title: 'Machine, cluster, service and company networks do not overlap',
    message: (cidr: string, other: string, at: string) => `${cidr} overlaps ${other} (${at})`,
    fix: 'Choose a range that is used nowhere else: packets to the common part would reach only one of the two.',
  },
  ovnInternal: {
    title: 'The networks leave out what OVN-Kubernetes uses inside',
    message: (cidr: string, internal: string) =>
      `${cidr} overlaps ${internal}, which OVN-Kubernetes uses inside every node`,
    fix: 'Choose another range.',
  },
  ovnInternalCompany: {
    title: 'Company networks had better leave out what OVN-Kubernetes uses inside',
    message: (cidr: string, internal: string) =>
      `Hosts of ${cidr} that are in ${internal} cannot be reached from the cluster`,
    fix: 'Fine when nothing there is needed; otherwise the internal network has to be changed at installation.',
  },
  dockerBridge: {
    title: 'The networks leave out the Docker bridge 172.17.0.0/16',
    message: (cidr: string) => `${cidr} overlaps 172.17.0.0/16, which Docker uses on the machines where it runs`,
    fix: 'Choose another range when machines with Docker have to reach the cluster.',
  },
  hostPrefix: {
    title: 'The host prefix fits into the cluster network and leaves each node 128 addresses (IPv6: 64)',
    tooBig: (prefix: number, cidr: string) => `A network of /${prefix} per node is larger than the whole ${cidr}`,
    tooSmall: (prefix: number) => `/${prefix} leaves a node fewer than 128 addresses`,
    notV6: 'An IPv6 cluster network gives each node a /64',
    notSame: 'All IPv4 cluster networks have the same host prefix',
    fix: 'Use 23 for IPv4 (510 pods per node), 64 for IPv6.',
  },
  hostPrefixRoom: {
    title: 'The cluster network has room for every node',
    message: (room: string, nodes: number) => `The cluster network has room for ${room} nodes; the design has ${nodes}`,
    fix: 'Use a larger cluster network or a larger host prefix number.',
  },
  serviceSize: {
    title: 'The service network is between /12 and /25 (IPv6: /108 to /121)',
    message: (cidr: string) => `${cidr} does not have the size of a service network`,
    fix: 'Use a /16 (IPv6: /112).',
  },
  serviceCount: {
    title: 'There is one service network per family',
    message: 'There is more than one service network of the same family',
    fix: 'Keep one IPv4 service network, and with dual-stack one IPv6 service network.',
  },
  dualStack: {
    title: 'With two families, every list of networks has both',
    message: (family: number) => `The service networks have IPv${family}, this list has none`,
    fix: 'Give machine, cluster and service networks the same families.',
  },
  familyOrder: {
    title: 'IPv4 comes before IPv6 (before 4.21)',
    message: 'IPv6 comes first; this version wants IPv4 first',
    fix: 'Put the IPv4 network first.',
  },
  nodeFamilies: {
    title: 'Every node has an address of each family of the machine network',
    message: (family: number) => `The machine network has IPv${family}, this node has no such address`,
    fix: 'Give the node one address per family.',
  },
} as const;
