/** Diagnostic rules about the services around the cluster: DNS, load balancer, network. */
export const serviceCauses = {
  'no-way-from-here': {
    title: 'This machine cannot reach the machines of the cluster',
    cause:
      'It has no route to their network, or its own firewall drops the packets. Their state cannot be checked from here.',
    remedy:
      'Bring the interface up or add the route, or run the wizard on a machine in their network. Its addresses and routes: `ip -brief address` `ip route`',
  },
  'zone-not-served': {
    title: 'The name server resolves no name of the cluster',
    cause:
      'It answers, but not for api, api-int or *.apps: the zone is not loaded because of an error in its file, or the server has another zone.',
    remedy:
      'Put the generated zone in place (Hosts step). On the name server, see why it is not loaded, and reload it: `named-checkconf -z` `journalctl -u named` `rndc reload`',
  },
  'api-name-wrong': {
    title: 'The DNS record of the API is missing or wrong',
    cause:
      'oc, the console and the installer reach the cluster by api.CLUSTER.BASEDOMAIN, which has to lead to the load balancer.',
    remedy: 'Put the generated zone in place on the name server (Hosts step) and reload it there: `rndc reload`',
  },
  'api-int-missing': {
    title: 'The name api-int is missing or wrong',
    cause:
      'Nodes fetch their configuration from api-int on port 22623 before they do anything else. Without the name they retry forever, and none joins.',
    remedy:
      'Put the generated zone in place on the name server (Hosts step). If the record is right, nodes query another server: correct DHCP option 6. Nodes continue on their own. Reload, on the name server: `rndc reload`',
  },
  'apps-wildcard-missing': {
    title: 'The wildcard *.apps is missing or wrong',
    cause:
      'Console, login and canary have names below *.apps. The operators check their own routes and do not become available without them.',
    remedy:
      'Put the generated zone in place on the name server (Hosts step); the operators recover on their own. Reload, on the name server: `rndc reload`',
  },
  'outside-names-missing': {
    title: 'Names of the internet do not resolve',
    cause: 'The name server does not look up names outside its zones, so nodes do not find the registries.',
    remedy: 'Correct the forwarders of the name server, and allow recursion for the machine network.',
  },
  'resolver-elsewhere': {
    title: 'Queries go to another name server than the cluster’s',
    cause:
      'The name server of the cluster has the names, but this machine, or the node that the line is from, queries another one that does not.',
    remedy:
      'Set the cluster’s name server as the first one in the connection of this machine: `nmcli connection modify NAME ipv4.dns ADDRESS` For a node, correct the name servers in DHCP (option 6) or in its kernel arguments, and reboot it.',
  },
  'bootstrap-not-in-balancer': {
    title: 'The load balancer lacks the bootstrap node',
    cause: 'Until bootstrap is complete, only that node serves the API. The pools of 6443 and 22623 do not have it.',
    remedy: 'Put the load balancer’s file of stage "install" in place (Hosts step) and reload HAProxy.',
  },
  'config-server-closed': {
    title: 'Nodes cannot reach the Machine Config Server (22623)',
    cause:
      'A machine behind the load balancer serves port 22623, but it is closed at api-int: its listener or its pool is missing or wrong, or a firewall blocks it. Nodes retry it forever and do not join.',
    remedy:
      'The load balancer needs a TCP listener on 22623 with the bootstrap and all control plane nodes: put its generated file in place (Hosts step), reload HAProxy, open 22623 in its firewall. With SELinux also: `setsebool -P haproxy_connect_any 1`',
  },
  'api-health-check-wrong': {
    title: 'The health check of the API is wrong',
    cause:
      'The API server works, but the load balancer marks it DOWN: its check uses a path or a protocol that the API does not answer.',
    remedy:
      'The check is: option httpchk GET /readyz, http-check expect status 200, and on each server "check" with "check-ssl verify none". Put the generated file in place (Hosts step) and reload HAProxy.',
  },
  'balancer-member-unreachable': {
    title: 'The load balancer cannot reach a working node',
    cause:
      'The node serves the port, but the load balancer cannot connect to it: its pool has another address or port for the node, or a firewall is between the two.',
    remedy:
      'Compare the server line with the design: put the generated file in place (Hosts step) and reload HAProxy. If the line is correct, open the port in the firewalls between them. With SELinux also: `setsebool -P haproxy_connect_any 1`',
  },
  'bootstrap-left-in-balancer': {
    title: 'The bootstrap node is still in the load balancer',
    cause:
      'Bootstrap is complete, but the pools still have its node: requests go to a machine that is off, or that is not part of the cluster.',
    remedy: 'Put the load balancer’s file of stage "bootstrap-removed" in place (step Removal) and reload HAProxy.',
  },
  'balancer-member-missing': {
    title: 'A control plane node is missing from the load balancer',
    cause: 'The pools of 6443 or 22623 have some control plane nodes but not all: if those fail, the API is down.',
    remedy: 'Put the generated file of the load balancer in place (Hosts step) and reload HAProxy.',
  },
  'balancer-closed': {
    title: 'The load balancer does not answer',
    cause: 'HAProxy is down or lacks the address, or a firewall drops connections to the API or the routes.',
    remedy:
      'A keepalived address comes up with keepalived. On the load balancer, check that HAProxy runs, that the address is set, and what the firewall allows: `systemctl status haproxy` `ip addr` `firewall-cmd --list-all`',
  },
  'balancer-http-mode': {
    title: 'The load balancer answers in plain HTTP',
    cause: 'Port 6443 speaks HTTP where TLS belongs: the load balancer works in mode http, or sends to another port.',
    remedy:
      'HAProxy has to pass connections through: mode tcp in its defaults. Put the generated file in place (Hosts step) and reload it.',
  },
  'balancer-timeout-short': {
    title: 'The load balancer cuts idle connections too soon',
    cause:
      'Kubelets and operators watch the API over connections that can be idle for up to a minute. They are cut sooner, and all clients reconnect.',
    remedy:
      'In haproxy.cfg: timeout client 1m, timeout server 1m, timeout tunnel 1h. Put the generated file in place (Hosts step) and reload HAProxy.',
  },
  'routers-outside-pool': {
    title: 'The load balancer sends route traffic to nodes without a router',
    cause:
      'The pools of 443 and 80 do not match the nodes that the router pods run on. Routes do not answer, or only sometimes.',
    remedy:
      'Put the nodes that routers run on into the pools of 443 and 80: the generated file has the nodes that the design plans for them (Hosts step). Or move the routers (Infra step). Where they run: `oc get pods -n openshift-ingress -o wide`',
  },
  'selinux-denies': {
    title: 'SELinux keeps HAProxy from its ports',
    cause: 'The policy of the distribution does not allow HAProxy to use the ports 6443 and 22623.',
    remedy:
      'The generated install.sh allows them (Hosts step). By hand: `setsebool -P haproxy_connect_any 1` `systemctl restart haproxy`',
  },
  'gateway-wrong': {
    title: 'Nodes have the wrong default gateway',
    cause:
      'Nodes reach nothing outside the machine network: DHCP (or the kernel arguments) names a different gateway from the design, or the gateway does not route.',
    remedy:
      'Correct option routers on the DHCP server (the Hosts step puts the generated file in place), then reboot the nodes.',
  },
  'mtu-too-small': {
    title: 'Large packets do not get through (MTU)',
    cause:
      'Connections open, and hang at the first large packet: the MTU of the nodes and of the network between them differ.',
    remedy:
      'Give nodes, switches and virtual networks the same MTU (1500 unless you know otherwise), and correct option interface-mtu of DHCP.',
  },
  'foreign-dhcp': {
    title: 'Another DHCP server answers on the machine network',
    cause:
      'Machines take an address from a server that is not yours. They get another address, name and boot program than planned.',
    remedy:
      'Find and stop it on this network (a hypervisor’s own, a home router): the command below lists all that answer. Then reboot the machine.',
  },
  'address-taken-twice': {
    title: 'The address of a node is in use already, or its MAC address is not the planned one',
    cause: 'Another machine has the address of the node, or the MAC address of the node is not the one in the design.',
    remedy:
      'Compare the MAC address with that of the node. If it is its own, correct it on the Nodes page, generate, and put the files in place. If not, give the other machine another address.',
  },
  'proxy-without-no-proxy': {
    title: 'Traffic inside the cluster goes through the proxy',
    cause: 'noProxy lacks the cluster’s own names, so nodes and operators send these requests to the proxy.',
    remedy:
      'Add .CLUSTER.BASEDOMAIN and the machine network to noProxy: before the installation on the Networks page, in a running cluster with `oc edit proxy cluster`',
  },
  'service-file-broken': {
    title: 'A service refuses its configuration file',
    cause: 'The file has a syntax error. The service does not start, or keeps running with the previous file.',
    remedy:
      'Put the generated file in place again (Hosts step), or correct the line that the program names, and restart the service.',
  },
  'resolver-fails': {
    title: 'Nodes get no answer from their name server',
    cause:
      'Lookups on the nodes time out, or their name server reports a failure. From here the same names may resolve.',
    remedy:
      'Check which name server the node uses. Open port 53 (UDP and TCP) to it from the machine network, and make sure that it resolves the names of the cluster and forwards all others.',
  },
  'balancer-tls-ends': {
    title: 'The load balancer terminates TLS',
    cause:
      'Kubelets and operators log in with client certificates, and nodes trust only the CA of the cluster. A load balancer that decrypts breaks both.',
    remedy:
      'Pass the connections of 6443 and 22623 through as they are, as the generated file does: mode tcp, no certificate at bind, no ssl at server (check-ssl is for the check alone).',
  },
  'balancer-proxy-protocol': {
    title: 'The load balancer speaks the PROXY protocol',
    cause:
      'Each connection begins with a PROXY protocol header, which the API server does not understand. Routers accept it only if the IngressController is configured for it.',
    remedy: 'Remove send-proxy from the members, as in the generated file (Hosts step), and reload HAProxy.',
  },
  'balancer-port-mixed': {
    title: 'The load balancer maps a port to another one',
    cause: 'Connections to this port go to members that serve something else there.',
    remedy:
      'Forward each port to the pool of the same port. Put the generated file in place on the load balancer (Hosts step) and reload it.',
  },
  'balancer-limits': {
    title: 'The load balancer rejects connections',
    cause: 'It allows few connections, or rejects some by address. Each node keeps dozens of them open.',
    remedy:
      'Allow a few thousand connections (maxconn), and let the machine network connect to 6443 and 22623. Put the generated file in place (Hosts step).',
  },
  'balancer-member-off': {
    title: 'A member of the load balancer is taken out of service',
    cause: 'It is set to MAINT or DRAIN: it gets no new connections, even if it works.',
    remedy:
      'Set it to READY on the status page of the load balancer, or reload HAProxy if its file does not set “disabled”.',
  },
  'vrrp-id-shared': {
    title: 'Another pair of load balancers has the same virtual router id',
    cause:
      'VRRP packets of other hosts carry the id of the address that our load balancers share. It may move to a machine that is not part of the cluster.',
    remedy:
      'Set another virtual_router_id on the other pair, or in keepalived.conf on all our load balancers, and restart keepalived. The generated id is the last number of the shared address.',
  },
  'networks-overlap': {
    title: 'Networks of the cluster overlap with others',
    cause: 'Pods or services use addresses that machines, or hosts that they must reach, use as well.',
    remedy:
      'Compare the cluster, service and machine networks, and the routes of the machine. The networks cannot be changed later: correct them on the Networks page and install again.',
  },
};
