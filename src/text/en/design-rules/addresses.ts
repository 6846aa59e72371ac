/** Words of the rules about whose an address is and where it lies. */
export const addressesWords = {
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
} as const;
