import { plural } from '../../ui.ts';

/** Names of the kinds of networks, for use within a sentence. */
const KINDS = {
  machine: 'the machine network',
  cluster: 'the cluster network',
  service: 'the service network',
  company: 'the company network',
};

interface NamedNetwork {
  readonly kind: keyof typeof KINDS;
  readonly cidr: string;
}

/** Messages of the rules about networks and address families. */
export const networksWords = {
  cidrOverlap: {
    title: 'Machine, cluster, service and company networks do not overlap',
    message: (network: NamedNetwork, other: NamedNetwork) =>
      `${network.cidr}, ${KINDS[network.kind]}, overlaps ${other.cidr}, ${KINDS[other.kind]}`,
    fix: 'Choose a range that is used nowhere else: packets to the overlap would reach only one of the two.',
  },
  ovnInternal: {
    title: 'The networks do not overlap the internal networks of OVN-Kubernetes',
    message: (cidr: string, internal: string) =>
      `${cidr} overlaps ${internal}, which OVN-Kubernetes uses inside every node`,
    fix: 'Choose another range.',
  },
  ovnInternalCompany: {
    title: 'Company networks should not overlap the internal networks of OVN-Kubernetes',
    message: (cidr: string, internal: string) => `The cluster cannot reach hosts of ${cidr} that are in ${internal}`,
    fix: 'This is fine if the cluster needs none of these hosts. Otherwise add a manifest that changes the internal network: defaultNetwork.ovnKubernetesConfig in the Network.operator object "cluster".',
  },
  dockerBridge: {
    title: 'The networks do not overlap the Docker bridge 172.17.0.0/16',
    message: (cidr: string) => `${cidr} overlaps 172.17.0.0/16, which Docker uses on the machines where it runs`,
    fix: 'Choose another range if machines that run Docker have to reach the cluster.',
  },
  hostPrefix: {
    title: 'The host prefix fits into the cluster network and leaves each node 128 addresses (IPv6: 64)',
    tooBig: (prefix: number, cidr: string) => `A network of /${prefix} per node is larger than the whole ${cidr}`,
    tooSmall: (prefix: number) => `/${prefix} leaves a node fewer than 128 addresses`,
    ipv6PrefixNot64: 'An IPv6 cluster network has to give each node a /64',
    ipv4PrefixesDiffer: 'The IPv4 cluster networks have different host prefixes',
    fix: 'Use 23 for IPv4 (510 pods per node), 64 for IPv6.',
  },
  hostPrefixCapacity: {
    title: 'The cluster network has a subnet for every node',
    message: (capacity: number, nodes: number) =>
      `The cluster network has subnets for ${plural(capacity, 'node')}; the design has ${nodes}`,
    fix: 'Use a larger cluster network or a larger host prefix number.',
  },
  serviceNetworkSize: {
    title: 'The service network is between /12 and /25 (IPv6: /108 to /121)',
    message: (cidr: string) => `${cidr} does not have the size of a service network`,
    fix: 'Use a /16 (IPv6: /112).',
  },
  serviceNetworkCount: {
    title: 'There is one service network per address family',
    message: 'There is more than one service network of the same address family',
    fix: 'Keep one IPv4 service network, and with dual stack one IPv6 service network.',
  },
  dualStack: {
    title: 'With two address families, every list of networks has both',
    message: (family: number) => `The service networks have IPv${family}, but this list has none`,
    messageService: (family: number) => `The cluster networks have IPv${family}, but the service networks have none`,
    fix: 'Give machine, cluster and service networks the same address families.',
  },
  familyOrder: {
    title: 'All lists start with the same address family; before 4.21, with IPv4',
    message: 'IPv6 comes first; this version requires IPv4 first',
    fix: 'Put the IPv4 network first.',
    mixed: 'This list and the service networks start with different address families',
    fixMixed: 'Start machine, cluster and service networks with the same address family.',
  },
  nodeFamilies: {
    title: 'Every node has one address for each address family of the machine network',
    message: (family: number) => `The machine network has IPv${family}, but this node has no such address`,
    fix: 'Give the node one address for each address family.',
  },
  networkSpecial: {
    title: 'Networks are not loopback, link-local, multicast or reserved ranges',
    message: (cidr: string, range: string) =>
      `${cidr}${cidr === range ? '' : ` overlaps ${range}, which`} is not a network for machines or pods`,
    fix: 'Choose a private range: a subnet of 10.0.0.0/8, 172.16.0.0/12 or 192.168.0.0/16.',
  },
  networkPublic: {
    title: 'Cluster and service networks are private ranges',
    message: (cidr: string) => `${cidr} is a public range: the cluster cannot reach the servers in it`,
    fix: 'Choose a private range, such as 10.128.0.0/14 for pods and 172.30.0.0/16 for services.',
  },
  ovnInternalLater: {
    title: 'The networks do not overlap those that OVN-Kubernetes uses after an update',
    message: (cidr: string, internal: string) =>
      `${cidr} overlaps ${internal}, which OVN-Kubernetes uses internally from 4.14 on: an update would break the network`,
    fix: 'Choose another range.',
  },
  machineNetworkSize: {
    title: 'The machine network is /30 or larger (single-node: /31)',
    message: (cidr: string) => `${cidr} is too small for the machines of a cluster`,
    fix: 'Use a larger network, such as a /24 or a /26.',
  },
  hostPrefixPods: {
    title: 'The host prefix leaves each node addresses for the usual 250 pods',
    message: (prefix: number) => `/${prefix} leaves a node 126 addresses, and a node may run up to 250 pods`,
    fix: 'Use 24 or a smaller number, or lower maxPods of the kubelets after the installation.',
  },
  networkTypeIpv6: {
    title: 'IPv6 needs OVNKubernetes',
    message: 'OpenShiftSDN does not support IPv6, but the design has IPv6 networks',
    fix: 'Choose the network type OVNKubernetes.',
  },
  hostFamilies: {
    title: 'Service hosts share an address family with the nodes',
    message: (name: string) => `${name} shares no address family with the machine network: the nodes cannot reach it`,
    fix: 'Add an address of the same address family (IPv4 or IPv6) as the machine network.',
  },
  endpointFamilies: {
    title: 'Endpoints have one address for each address family of the cluster',
    message: (family: number) => `The cluster has IPv${family}, but this endpoint has no such address`,
    fix: 'Use one IPv4 and one IPv6 address: 172.16.0.111, fd00::111.',
  },
  dhcpIpv6: {
    title: 'DHCP is for IPv4: with IPv6 alone the nodes get their addresses from boot arguments',
    message: 'The machine network is IPv6 only, but the DHCP servers of upi-wizard serve only IPv4',
    fix: 'Choose none for DHCP and iso for boot: the boot arguments carry the addresses.',
  },
};
