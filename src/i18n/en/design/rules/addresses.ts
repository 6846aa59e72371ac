/** Messages of the rules about addresses: their owners and their networks. */
export const addressesWords = {
  machineMember: {
    title: 'Node addresses are inside the machine network',
    message: (address: string, networks: string) => `${address} is not inside the machine network ${networks}`,
    fix: 'Use an address of the machine network, or correct the network.',
  },
  hostMember: {
    title: 'Service hosts are inside the machine network',
    message: (name: string, address: string) =>
      `${name} (${address}) is not in a machine network: the nodes reach it only through a router`,
    fix: 'Use an address of the machine network, or allow the traffic that the network notes list, on the router and the firewall.',
  },
  endpointMember: {
    title: 'Endpoints are inside the machine network',
    message: (address: string, networks: string) => `${address} is not inside the machine network ${networks}`,
    fix: 'The load balancer has this address on the machine network: use an address of that network.',
  },
  addressSpecial: {
    title: 'No machine has a network, broadcast or gateway address',
    network: (address: string, cidr: string) => `${address} is the address of the network ${cidr} itself`,
    broadcast: (address: string, cidr: string) => `${address} is the broadcast address of ${cidr}`,
    gateway: (address: string, owner: string) => `${address} is the gateway, and the address of ${owner}`,
    fix: 'Use another address of the network.',
  },
  addressDuplicate: {
    title: 'Every machine has addresses of its own',
    message: (address: string, owner: string, other: string) =>
      owner === other
        ? `${owner} has the address ${address} twice`
        : `${address} is the address of ${owner} and of ${other}`,
    fix: 'Give each machine an address of its own.',
  },
  macDuplicate: {
    title: 'Every node has a MAC address of its own',
    message: (mac: string, owner: string, other: string) => `${mac} is the MAC address of ${owner} and of ${other}`,
    fix: 'Read the addresses from the machines again: each is unique.',
  },
  endpointTaken: {
    title: 'Endpoints are not addresses of nodes or of hosts other than load balancers',
    message: (address: string, owner: string) => `${address} is the address of ${owner}`,
    fix: 'Use a load balancer’s own address, or a free one: keepalived puts it on the load balancer.',
  },
  endpointApiInt: {
    title: 'The internal API has an address of its own',
    message: (address: string) =>
      `${address} is also the public address: port 22623, which serves secrets, is then as public as the API or the routes`,
    fix: 'Give the internal API an address of its own, or let the firewall open port 22623 to the nodes only.',
  },
  gatewayOutside: {
    title: 'The gateway is inside its machine network',
    message: (gateway: string, cidr: string) => `The gateway ${gateway} is not inside ${cidr}`,
    fix: 'Use the router’s address on the machine network.',
  },
  gatewayMissing: {
    title: 'The machine network has a gateway',
    message: 'Without a gateway the nodes reach nothing outside their network',
    fix: 'Set the router’s address, unless everything (images, DNS, time) is on this network.',
  },
  podNetworkAddress: {
    title: 'Servers that nodes need are outside the cluster and service networks',
    message: (address: string, cidr: string) => `${address} is inside ${cidr}: the nodes could not reach it`,
    fix: 'Choose another cluster or service network.',
  },
  addressUnusable: {
    title: 'No address is loopback, link-local, multicast or reserved',
    message: (address: string, range: string) => `${address} is in ${range}: no other machine can reach it`,
    fix: 'Use the address that the machine has on the network.',
  },
  routerNetwork: {
    title: 'The router has a company network address',
    message: (address: string, cidr: string) => `${address} is inside ${cidr}, which belongs to the cluster`,
    fix: 'Use the router’s address in the company network; its address in the machine network is the gateway.',
  },
  routerOutside: {
    title: 'The router is inside a company network',
    message: (address: string, networks: string) => `${address} is not inside the company networks ${networks}`,
    fix: 'Correct the address, or add the network that it is in.',
  },
  endpointBalancer: {
    title: 'Every load balancer has an address in the network of the endpoints that it takes over',
    message: (name: string, cidr: string, endpoint: string) =>
      `${name} has no address in ${cidr}, where ${endpoint} is: keepalived cannot put the endpoint there`,
    fix: 'Give the load balancer an address in that network, or use its own address as the endpoint.',
  },
  endpointOneBalancer: {
    title: 'With several load balancers, endpoints can move between them',
    message: (address: string, name: string) =>
      `${address} is the address of ${name} itself: when ${name} fails, no other takes it over`,
    fix: 'Use a free address of the machine network: keepalived puts it on a load balancer that works.',
  },
  singleNodeEndpoint: {
    title: 'The endpoints of a single node are its own address',
    message: (address: string, name: string) =>
      `${address} is not the address of ${name}, and there is no load balancer`,
    fix: 'Use the address of the node, unless something else passes connections on to it.',
  },
};
