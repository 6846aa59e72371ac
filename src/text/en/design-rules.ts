/** What the rules about a design demand (`title`), what they say when it is not so, and what to do about it. */
export const designRules = {
  addressFormat: {
    title: 'Addresses are written in full, without leading zeros, zone ids or IPv4 inside IPv6',
    message: (text: string) => `"${text}" is not an address`,
    fix: 'Write four numbers from 0 to 255 without leading zeros (172.16.0.21), or an IPv6 address without %zone.',
  },
  addressFamilies: {
    title: 'A list of two addresses is one IPv4 and one IPv6 address',
    message: 'Two addresses of the same family',
    fix: 'Give one IPv4 and one IPv6 address, or only one address.',
  },
  hostFormat: {
    title: 'Time servers are addresses or host names',
    message: (text: string) => `"${text}" is neither an address nor a host name`,
    fix: 'Give an address (192.168.124.1) or a name (ntp.example.com).',
  },
  cidrFormat: {
    title: 'Networks are written as address/prefix length',
    message: (text: string) => `"${text}" is not a network`,
    fix: 'Write the first address and the prefix length: 172.16.0.0/24.',
  },
  cidrBase: {
    title: 'A network is given by its first address',
    message: (text: string, base: string) => `${text} is an address inside ${base}, not the network itself`,
    fix: (base: string) => `Write ${base}.`,
  },
  cidrUnspecified: {
    title: 'A network does not start at the unspecified address',
    message: (text: string) => `${text} stands for every network`,
    fix: 'Give the network that is really meant.',
  },
  macFormat: {
    title: 'MAC addresses are six pairs of hexadecimal digits',
    message: (text: string) => `"${text}" is not a MAC address`,
    fix: 'Write six pairs with colons: 00:50:56:96:11:c2.',
  },
  macUnicast: {
    title: 'MAC addresses belong to one network card',
    message: (mac: string) => `${mac} is not the address of a network card: it is empty or addresses a group`,
    fix: 'Read the address from the machine: the first octet is even, and not all octets are 0.',
  },
  nameFormat: {
    title: 'Names are single DNS labels: a to z, 0 to 9 and hyphens, 63 characters at most',
    message: (text: string) => `"${text}" is not a host name`,
    fix: 'Use lower-case letters, digits and hyphens, not at the ends; 63 characters at most.',
    fixShort: (label: string) => `Give only the first part, ${label}: the domain is added.`,
  },
  nameReserved: {
    title: 'Names that OpenShift needs are not given to machines',
    message: (name: string) => `The name ${name} is needed for something else`,
    fix: 'api, api-int and apps belong to the endpoints, localhost to every machine. Choose another name.',
  },
  nameDuplicate: {
    title: 'Every node has a name of its own',
    message: (name: string, other: string) => `The name ${name} is also that of ${other}`,
    fix: 'Give each node a name of its own.',
  },
  nodeNameLength: {
    title: 'A node’s full name has 63 characters at most',
    message: (fqdn: string, length: number) => `The full name ${fqdn} has ${length} characters; nodes can have 63`,
    fix: 'Shorten the node’s name, the cluster name or the base domain.',
  },
  hostConflict: {
    title: 'A service host that is named twice is the same machine each time',
    message: (name: string) => `${name} is described differently elsewhere`,
    fix: 'A machine with several services has the same address and operating system in each place. Otherwise give it another name.',
  },
  clusterName: {
    title: 'The cluster name is lower-case letters, digits, hyphens (and dots), 54 characters at most',
    message: (name: string) => `"${name}" cannot be the name of a cluster`,
    fix: 'Use lower-case letters, digits and hyphens, 54 characters at most: ocp45.',
  },
  baseDomain: {
    title: 'The base domain is a DNS domain in lower case without a dot at the end',
    message: (domain: string) => `"${domain}" is not a domain`,
    fix: 'Use labels of lower-case letters, digits and hyphens, joined by dots: example.localdomain.',
  },
  baseDomainDigit: {
    title: 'The last label of the base domain does not end in a digit',
    message: (label: string) =>
      `The domain ends in ${label}; the authentication operator refuses names that end in a digit`,
    fix: 'Use a domain whose last part ends in a letter.',
  },
  baseDomainLocal: {
    title: 'The base domain is not under .local',
    message: '.local belongs to multicast DNS: some machines will not ask the name server for it',
    fix: 'Use a domain that is yours, or one like example.internal.',
  },
  domainLength: {
    title: 'The cluster domain has 253 characters at most',
    message: (length: number) => `The names under this domain get ${length} characters and more; 253 are possible`,
    fix: 'Shorten the base domain or the cluster name.',
  },
  installDisk: {
    title: 'The install disk is a device under /dev',
    message: (text: string) => `"${text}" is not a device`,
    fix: 'Give a path such as /dev/sda, /dev/nvme0n1 or /dev/disk/by-id/…',
  },
  interfaceName: {
    title: 'Network interfaces have names that Linux accepts',
    message: (text: string) => `"${text}" is not the name of a network interface`,
    fix: 'Use the name that the machine shows, such as enp1s0: 15 characters at most, without spaces, colons and slashes.',
  },
  bondMode: {
    title: 'The bond mode is one that Linux knows',
    message: (text: string) => `"${text}" is not a bond mode`,
    fix: (modes: string) => `Use one of ${modes}.`,
  },
  bondInterfaces: {
    title: 'A bond names each of its interfaces once',
    message: (name: string) => `${name} is named twice in the bond`,
    fix: 'Name the other network interface of the machine.',
  },
  kernelArgument: {
    title: 'Kernel arguments are single words that need no quoting',
    message: (text: string) => `"${text}" cannot be passed as a kernel argument`,
    fix: 'One list entry per argument, of letters, digits and . , : = / @ + % [ ] _ - only.',
  },
  vlanInterface: {
    title: 'A VLAN names the interface or bond that it is on',
    message: (vlan: number) => `VLAN ${vlan} of which interface?`,
    fix: 'Give the node its `interface` (or `bond`).',
  },
  staticInterface: {
    title: 'Without DHCP every node names its interface',
    message: 'Without DHCP and without `interface`, a machine with several network cards may use the wrong one',
    fix: 'Give the node its `interface`, such as enp1s0.',
  },
  secureBootBios: {
    title: 'Secure Boot needs UEFI',
    message: 'Secure Boot does not exist with BIOS firmware',
    fix: 'Set `firmware: uefi` or `secureBoot: false`.',
  },
  secureBootIpxe: {
    title: 'Secure Boot does not start iPXE',
    message: 'The iPXE of the distributions is not signed: with Secure Boot the machine will refuse it',
    fix: 'Switch Secure Boot off for the installation, or use `boot: { kind: iso }`.',
  },
  versionKnown: {
    title: 'The OpenShift version is one that is known here',
    message: (text: string) => `OpenShift "${text}" is not known here`,
    fix: 'Give "4.5" to "4.23" or "5.0", with or without the last number ("4.18.11").',
  },
  networkType: {
    title: 'The network type is one that the version can install',
    message: (type: string, version: string) =>
      `OpenShift ${version} cannot be installed with the network type ${type}`,
    fix: (types: string) => `Use ${types}, or leave it out.`,
  },
  networkTypeOther: {
    title: 'Network types of other vendors need manifests of their own',
    message: (type: string) => `${type} is not part of OpenShift: its manifests have to be added by hand`,
    fix: 'Use OVNKubernetes unless another network plug-in is really planned.',
  },
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
  machineMember: {
    title: 'Node addresses are inside the machine network',
    message: (address: string, networks: string) => `${address} is not inside the machine network ${networks}`,
    fix: 'Use an address of the machine network, or correct the network.',
  },
  endpointMember: {
    title: 'Endpoints are inside the machine network',
    message: (address: string, networks: string) => `${address} is not inside the machine network ${networks}`,
    fix: 'The load balancer takes this address on the machine network: use one of it.',
  },
  addressSpecial: {
    title: 'Network, broadcast and gateway addresses are given to no machine',
    network: (address: string, cidr: string) => `${address} is the address of the network ${cidr} itself`,
    broadcast: (address: string, cidr: string) => `${address} is the broadcast address of ${cidr}`,
    gateway: (address: string) => `${address} is the gateway`,
    fix: 'Use another address of the network.',
  },
  addressDuplicate: {
    title: 'Every machine has addresses of its own',
    message: (address: string, owner: string) => `${address} is also the address of ${owner}`,
    fix: 'Give each machine an address of its own.',
  },
  macDuplicate: {
    title: 'Every node has a MAC address of its own',
    message: (mac: string, owner: string) => `${mac} is also the MAC address of ${owner}`,
    fix: 'Read the addresses from the machines once more: each is unique.',
  },
  endpointTaken: {
    title: 'Endpoints are not the address of a node or of a host that is no load balancer',
    message: (address: string, owner: string) => `${address} is the address of ${owner}`,
    fix: 'Use a load balancer’s own address, or a free one: keepalived puts it on the load balancer.',
  },
  endpointApiInt: {
    title: 'The internal API is an address apart from the ingress',
    message: (address: string) =>
      `${address} also serves applications: port 22623, which hands out secrets, is then as public as they are`,
    fix: 'Give apiInt an address of its own, or close 22623 to everyone but the nodes in the firewall.',
  },
  gatewayOutside: {
    title: 'The gateway is inside its machine network',
    message: (gateway: string, cidr: string) => `The gateway ${gateway} is not inside ${cidr}`,
    fix: 'Give the router’s address on the machine network.',
  },
  gatewayMissing: {
    title: 'The machine network has a gateway',
    message: 'Without a gateway the nodes reach nothing outside their network',
    fix: 'Give the router’s address, unless everything (images, DNS, time) is on this network.',
  },
  podNetworkAddress: {
    title: 'No server that is needed lies inside the cluster or service network',
    message: (address: string, cidr: string) => `${address} lies inside ${cidr}: the nodes could not reach it`,
    fix: 'Choose another cluster or service network.',
  },
  bootstrapCount: {
    title: 'There is exactly one bootstrap machine, and none with single-node',
    message: (count: number) => `There are ${count} bootstrap machines; there has to be one`,
    messageSingle: 'A single-node cluster installs itself: it has no bootstrap machine',
    fix: 'Give one node the role bootstrap (it is only needed during the installation).',
    fixSingle: 'Remove the bootstrap machine, or choose another topology.',
  },
  controlPlaneCount: {
    title: 'The control plane has three or five nodes, one with single-node',
    message: (count: number) => `The control plane has ${count} nodes; it needs 3 (or 5)`,
    messageSingle: (count: number) => `A single-node cluster has one control plane node, not ${count}`,
    fix: 'etcd needs an odd number to outlive the loss of a node: 3 are usual. One is possible with `topology: single-node`.',
  },
  topologyNodes: {
    title: 'The nodes are those of the topology',
    noCompute: 'The standard topology needs compute nodes',
    fixNoCompute: 'Add nodes with the role compute (two or more), or use `topology: compact`.',
    extra: (topology: string) => `The topology ${topology} has no compute, infra or storage nodes`,
    fixExtra: 'Use `topology: standard`, or remove these nodes.',
  },
  computeCount: {
    title: 'Two compute nodes or more, so that one may fail',
    message: 'With one compute node the two routers have no second machine, and applications stop when it restarts',
    fix: 'Plan at least two compute nodes.',
  },
  singleNodeVersion: {
    title: 'Single-node needs OpenShift 4.8 or later',
    message: (version: string) => `OpenShift ${version} cannot be installed on a single node`,
    fix: 'Use 4.8 or later, or another topology.',
  },
  sizing: {
    title: 'Nodes have at least the documented minimum',
    vcpu: (has: number, least: number, role: string) => `${has} vCPU are fewer than the minimum of ${least} (${role})`,
    memory: (has: number, least: number, role: string) =>
      `${has} GiB of memory are less than the minimum of ${least} (${role})`,
    disk: (has: number, least: number, role: string) =>
      `${has} GiB of disk are less than the minimum of ${least} (${role})`,
    fix: 'The installation may stall or run out of room; give the machine more.',
  },
  routerReplicas: {
    title: 'There are enough infra nodes for the routers',
    message: (replicas: number, nodes: number) =>
      `${replicas} routers, but ${nodes} infra nodes: each router needs a node of its own`,
    fix: 'Lower infra.routerReplicas or add infra nodes.',
  },
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
  taint: {
    title: 'The taint has a valid key and value',
    message: (text: string) => `"${text}" cannot be part of a taint`,
    fix: 'Letters, digits, hyphens, underscores and dots, 63 characters at most; the key may start with domain/.',
  },
  storageClass: {
    title: 'Storage classes have valid names',
    message: (text: string) => `"${text}" cannot be the name of a storage class`,
    fix: 'Take the name from `oc get storageclass`, or leave it null.',
  },
  proxy: {
    title: 'The proxy is a URL, reachable from the nodes',
    message: (key: string) => `${key} is not a URL that can be used here`,
    fix: 'Write http://host:port (httpsProxy may be https://), without spaces.',
    none: 'Neither httpProxy nor httpsProxy is given',
    fixNone: 'Give one of them, or leave the block out.',
  },
  noProxy: {
    title: 'noProxy is a list of domains, addresses and networks, separated by commas',
    message: (item: string) => `"${item}" is neither a domain nor an address nor a network`,
    fix: 'Separate by commas without spaces; a domain with all below it starts with a dot; no wildcards.',
  },
  mirrorRepository: {
    title: 'Mirrors are repositories without tag or digest',
    message: (text: string) => `"${text}" is not a repository`,
    fix: 'Write host[:port]/path, without https://, tag or digest.',
  },
  filePath: {
    title: 'Paths of files are plain text',
    message: 'This cannot be the path of a file',
    fix: 'Give a path without control characters.',
  },
  trustBundlePolicy: {
    title: 'The trust bundle policy exists from 4.12 on, and is about a bundle',
    noBundle: 'There is a policy, but no additionalTrustBundleFile',
    fixNoBundle: 'Name the file, or remove the policy.',
    proxyOnly: 'Proxyonly without a proxy: the certificates are not used at all',
    fixProxyOnly: 'Use Always, as a mirror registry needs it.',
  },
} as const;
