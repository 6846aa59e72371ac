import { field } from '../../../field-words.ts';

/** Texts of the page Networks: networks, gateways, the addresses of the API and the ingress, proxy. */
export const networksPage = {
  title: 'Networks',
  intro: 'Three networks that must not overlap each other, nor any you already use.',
  more: 'IPv6, 2nd networks, proxy',
  machine: field(
    'Machine network',
    'The network that the nodes, the bastion and the load balancer are on.',
    'Every node address must be inside it. It exists outside the cluster, on routers and in firewall rules too. Enter its first address and its prefix length: 172.16.0.0/24 for a bastion that has 172.16.0.101/24. This shows what the bastion has: `ip -4 addr` The company network needs a route back to the machine network, or packets get out and the answers never return. The installer would assume 10.0.0.0/16, so the wizard always sets the network explicitly. It cannot be changed later.',
  ),
  gateway: field(
    'Gateway',
    'The router of the machine network. DHCP gives it to the nodes.',
    'Nodes send all traffic for other networks to it: image downloads, DNS forwarding, replies to users. On the bastion, see "default via" in: `ip route` With a wrong gateway the nodes boot and then wait forever for their images. Leave it empty only where everything needed (mirror, DNS, time) is on this network.',
  ),
  cluster: field(
    'Cluster network',
    'Pods get addresses from the cluster network. Nothing outside the cluster routes to it, so keep the default unless it overlaps a network you use.',
    ({ isAtLeast }) =>
      `It exists only inside the cluster; the nodes encapsulate its packets in their own. A server of yours whose address is inside it cannot be reached from pods: that is the one reason to choose another range. It has to be large enough for every node you will ever have, since each gets a subnet of the size of the host prefix. ${
        isAtLeast('4.14') ? '100.64.0.0/16 and 100.88.0.0/16 are' : '100.64.0.0/16 is'
      } used by OVN-Kubernetes itself. The cluster network cannot be made smaller or moved later.`,
  ),
  hostPrefix: field(
    'Host prefix',
    'How much of the cluster network each node gets: 23 gives every node addresses for 510 pods.',
    'A larger number means smaller subnets and more of them: with a /14 network, 23 allows 512 nodes with 510 pods each, and 24 allows 1024 nodes with 254 pods each. A node runs 250 pods unless you raise its limit, so 23 or 24 is right nearly everywhere. IPv6 always uses 64. The host prefix cannot be changed later.',
  ),
  service: field(
    'Service network',
    'Services get addresses from it. It exists only inside the cluster: keep the default unless it overlaps.',
    'Each Service (a stable address in front of pods) takes one address. A /16 has 65,536 of them, more than any cluster uses. The first addresses belong to the API and the DNS of the cluster. There is one such network, or with dual stack one per family. It cannot be changed later.',
  ),
  company: field(
    'Company networks',
    'Networks that you already use, separated by commas. They are only compared: an overlap would make them unreachable from the cluster.',
    'Ask the network team for the ranges in use: offices, VPN, storage, monitoring, DNS and time servers. The bastion has routes to some of them: `ip route` The wizard only looks for overlaps with the pod and service networks. An overlap would otherwise appear months later, as a server that no pod can reach. May be left empty.',
  ),
  router: field(
    'Company router',
    'The router’s address in the company network, for the return route to the machine network. May be left empty.',
    'The router has one address in the machine network (the gateway above) and one in the company network (this address). Machines in the company network need a route to the machine network through this address, otherwise they cannot open the console although everything runs. The generated network notes contain the command for it.',
  ),
  api: field(
    'API address',
    'Address of the Kubernetes API for users and tools (port 6443). The load balancer listens here.',
    'The name api.<cluster>.<domain> points to this address. It may be the load balancer’s own address, or a free one of the machine network. keepalived puts a free one on the load balancer; with two balancers it moves when one fails. For dual stack enter two addresses, IPv4 and IPv6, separated by a comma. Single-node: the address of the node. A new address later means new DNS records and a new load balancer configuration, but no new cluster.',
  ),
  apiInt: field(
    'Internal API',
    'Address of the API and the Machine Config Server for the nodes (ports 6443 and 22623). Keep it unreachable from outside.',
    'The name api-int.<cluster>.<domain> points here. Port 22623 serves the configuration of the nodes, which contains secrets: only nodes may reach it. If api-int has an address of its own, a firewall can distinguish the two. The same address as the API works, but then 22623 has to be closed to all other clients. If this address or its name is wrong, the control plane machines repeat "GET /config/master" forever.',
  ),
  ingress: field(
    'Ingress address',
    'Address of the applications and the console (ports 80 and 443).',
    'All names under *.apps.<cluster>.<domain> point here: the console, the login page and every application. The load balancer passes the connections on to the nodes that run router pods: first compute nodes, later infra nodes; in a compact cluster the control plane. The ingress address is often the same as the API address. If it is wrong, the operators authentication and console never become available.',
  ),
  machine2: field(
    '2nd network',
    'Only when nodes are on two networks, or for IPv6 (dual stack): fd00:172:16::/64. Leave it empty otherwise.',
    'Two uses. Nodes in two subnets: enter the other subnet. The router has to pass everything between them (all ports, and DHCP requests by a relay). Dual stack: enter the IPv6 network of the same machines. The cluster and service networks then need an IPv6 network too, and every node and endpoint a second address.',
  ),
  gateway2: field(
    '2nd gateway',
    'The router of the second machine network.',
    'Nodes of that network send all traffic for other networks to it. For an IPv6 network, leave it empty if routers send router advertisements.',
  ),
  cluster2: field(
    '2nd cluster network',
    'More addresses for pods, or the IPv6 network of pods (dual stack): fd01::/48. Leave it empty otherwise.',
    'For dual stack enter an IPv6 network from the private range fd00::/8; each node then gets a /64 of it. A second IPv4 network adds subnets for nodes where one range is too small. It exists only inside the cluster.',
  ),
  hostPrefix2: field(
    '2nd host prefix',
    'How much of the second cluster network each node gets: 64 for IPv6, for IPv4 the same as above.',
    'IPv6 always uses 64. All IPv4 cluster networks of a cluster have the same host prefix.',
  ),
  service2: field(
    '2nd service network',
    'The IPv6 network of services (dual stack): fd02::/112. Leave it empty otherwise.',
    'There is one service network per address family, so a second one is only possible for dual stack. Use a /112 from the private range fd00::/8.',
  ),
  networkType: field(
    'Network type',
    'The software that connects pods. OVNKubernetes is the only one from 4.15 on; keep the default unless you know why not.',
    ({ isAtLeast, isOkd, minor }) =>
      isAtLeast('4.15')
        ? `OVNKubernetes is the only one in ${isOkd ? 'OKD' : 'OpenShift'} ${minor}: OpenShiftSDN cannot be installed from 4.15 on.`
        : `OVNKubernetes or OpenShiftSDN; ${isAtLeast('4.12') ? 'OVNKubernetes is the default from 4.12 on' : 'OpenShiftSDN is the default before 4.12'}. OpenShiftSDN cannot be installed from 4.15 on, and a cluster that uses it has to be migrated before it can be updated to 4.17. Dual stack needs OVNKubernetes.`,
  ),
  httpProxy: field(
    'HTTP proxy',
    'Only where machines reach the internet through a proxy: http://[user:password@]host:port. Leave it empty otherwise.',
    'Ask the network team. The URL begins with http:// even if HTTPS goes through it. The nodes use it to download images, and operators to reach Red Hat. It is written into install-config and into the cluster; it can be changed later in the object proxy/cluster. A wrong proxy stops the bootstrap machine at its first image.',
  ),
  httpsProxy: field(
    'HTTPS proxy',
    'The proxy for HTTPS: usually the same address as the HTTP proxy, beginning with http:// as well.',
    'Nearly all downloads of an installation are HTTPS, so this is the one that matters. If the proxy decrypts HTTPS and signs with its own CA, set the certificate of that CA as CA bundle file on the Credentials page.',
  ),
  noProxy: field(
    'No proxy for',
    'Destinations that bypass the proxy, separated by commas: .example.com, 172.16.0.0/24, mirror.example.com.',
    ({ isAtLeast }) =>
      `Domains (a leading dot includes all subdomains), addresses and networks. The installer adds the networks of this cluster, its API names and localhost. Add internal servers: a mirror registry, time and storage servers. No spaces. ${
        isAtLeast('4.6') ? 'The only wildcard is * alone: no target then uses the proxy.' : 'There are no wildcards.'
      }`,
  ),
};
