/** Diagnostic rules about the services around the cluster: DNS, load balancer, network. */
export const serviceCauses = {
  'no-way-from-here': {
    title: 'This machine cannot reach the machines of the cluster',
    cause:
      'It has no route to their network, or its own firewall drops the packets. Their state cannot be checked from here.',
    remedy:
      'Bring the interface up or add the route, or run the wizard on a machine in their network. Addresses and routes here: `ip -brief address` `ip route`',
  },
  'zone-not-served': {
    title: 'The name server resolves no name of the cluster',
    cause:
      'It answers, but not for api, api-int or *.apps. The zone is not loaded because of an error in its file, or the server has another zone.',
    remedy:
      'Put the generated zone in place (Hosts step). On the name server, find out why the zone is not loaded, and reload it: `named-checkconf -z` `journalctl -u named -n 20` `rndc reload`',
  },
  'api-name-wrong': {
    title: 'The DNS record of the API is missing or wrong',
    cause:
      'oc, the console and the installer reach the cluster at api.CLUSTER.BASEDOMAIN, which has to resolve to the load balancer.',
    remedy: 'Put the generated zone in place on the name server (Hosts step) and reload it there: `rndc reload`',
  },
  'api-int-missing': {
    title: 'The name api-int is missing or wrong',
    cause:
      'Nodes fetch their configuration from api-int on port 22623 before they do anything else. Without the name they retry forever, and none joins.',
    remedy:
      'Put the generated zone in place on the name server (Hosts step) and reload it there: `rndc reload` If the record is right already, nodes query another server: correct DHCP option 6. Nodes continue on their own.',
  },
  'apps-wildcard-missing': {
    title: 'The wildcard *.apps is missing or wrong',
    cause:
      'The console, the login page and the ingress canary have names below *.apps. Their operators check these routes and do not become available without them.',
    remedy:
      'Put the generated zone in place on the name server (Hosts step) and reload it there: `rndc reload` The operators recover on their own.',
  },
  'outside-names-missing': {
    title: 'Public names do not resolve',
    cause: 'The name server does not look up names outside its zones, so nodes do not find the registries.',
    remedy: 'Correct the forwarders of the name server, and allow recursion for the machine network.',
  },
  'resolver-elsewhere': {
    title: 'Queries go to a name server other than the cluster’s',
    cause:
      'The name server of the cluster has the names. This machine (or the node that the log line is from) queries another one, which lacks them.',
    remedy:
      'Set the cluster’s name server as the first one (ipv4.dns) in the NetworkManager connection of this machine. This lists the connections: `nmcli -f NAME,DEVICE connection show --active` For a node, correct the name servers in DHCP (option 6) or in its kernel arguments, and reboot it.',
  },
  'bootstrap-not-in-balancer': {
    title: 'The load balancer lacks the bootstrap node',
    cause: 'Until bootstrap is complete, only that node serves the API. The pools of 6443 and 22623 do not have it.',
    remedy: 'Put the load balancer’s file of stage "install" in place (Hosts step) and reload HAProxy.',
  },
  'config-server-closed': {
    title: 'Nodes cannot reach the Machine Config Server (22623)',
    cause:
      'The load balancer does not pass port 22623 of api-int on to a machine that serves it: the listener, the pool or its check is missing or wrong, or a firewall blocks it. Nodes retry forever and do not join.',
    remedy:
      'The load balancer needs a TCP listener on 22623 with the bootstrap and all control plane nodes. Put its generated file in place (Hosts step), which also reloads HAProxy and sets SELinux. Then open 22623 in its firewall.',
  },
  'api-health-check-wrong': {
    title: 'The health check of the API is wrong',
    cause:
      'The API server works, but the load balancer marks it DOWN: its check uses a path or a protocol that the API does not answer.',
    remedy:
      'The correct check is: option httpchk GET /readyz, http-check expect status 200, and on each server "check" with "check-ssl verify none". Put the generated file in place (Hosts step) and reload HAProxy.',
  },
  'balancer-member-unreachable': {
    title: 'The load balancer cannot reach a working node',
    cause:
      'The node serves the port, but the load balancer cannot connect to it. Its pool has another address or port for the node, or a firewall is between the two.',
    remedy:
      'Compare the server line with the design: put the generated file in place (Hosts step), which also reloads HAProxy and sets SELinux. If the line is correct, open the port in the firewalls between them.',
  },
  'bootstrap-left-in-balancer': {
    title: 'The bootstrap node is still in the load balancer',
    cause:
      'Bootstrap is complete, but the pools still contain the bootstrap node. Requests go to a machine that is off, or that is not part of the cluster.',
    remedy: 'Put the load balancer’s file of stage "bootstrap-removed" in place (Removal step) and reload HAProxy.',
  },
  'balancer-member-missing': {
    title: 'A control plane node is missing from the load balancer',
    cause: 'The pools of 6443 or 22623 have some control plane nodes but not all: if those fail, the API is down.',
    remedy: 'Put the generated file of the load balancer in place (Hosts step) and reload HAProxy.',
  },
  'balancer-closed': {
    title: 'The load balancer does not answer',
    cause: 'HAProxy is down, the host lacks the address, or a firewall drops connections to the API or the routes.',
    remedy:
      'A virtual address is set only while keepalived runs. On the load balancer, check that HAProxy runs, that the address is set, and what the firewall allows: `systemctl status haproxy; ip addr; firewall-cmd --list-all`',
  },
  'balancer-http-mode': {
    title: 'The load balancer answers in plain HTTP',
    cause: 'Port 6443 answers in HTTP and not in TLS: the load balancer uses mode http, or forwards to another port.',
    remedy:
      'HAProxy has to pass connections through: mode tcp in its defaults. Put the generated file in place (Hosts step) and reload HAProxy.',
  },
  'balancer-timeout-short': {
    title: 'The load balancer closes idle connections too soon',
    cause:
      'Kubelets and operators watch the API over connections that can be idle for up to a minute. The load balancer closes them sooner, and all clients reconnect.',
    remedy:
      'In haproxy.cfg: timeout client 1m, timeout server 1m, timeout tunnel 1h. Put the generated file in place (Hosts step) and reload HAProxy.',
  },
  'routers-outside-pool': {
    title: 'The load balancer sends web traffic to nodes without a router',
    cause:
      'The pools of 443 and 80 do not match the nodes that the router pods run on. Routes do not answer, or only sometimes.',
    remedy:
      'Put the nodes that routers run on into the pools of 443 and 80. The generated file has the nodes that the design plans for them (Hosts step). Or move the routers (Infra nodes step). To list the router pods: `oc get pods -n openshift-ingress -o wide`',
  },
  'selinux-denies': {
    title: 'SELinux denies HAProxy its ports',
    cause: 'The policy of the distribution does not allow HAProxy to use the ports 6443 and 22623.',
    remedy:
      'The generated install.sh allows them (Hosts step). By hand: `setsebool -P haproxy_connect_any 1` `systemctl restart haproxy`',
  },
  'gateway-wrong': {
    title: 'Nodes have the wrong default gateway',
    cause:
      'Nodes reach nothing outside the machine network. DHCP (or the kernel arguments) names a gateway other than that of the design, or the gateway does not route.',
    remedy:
      'Correct option routers on the DHCP server (the Hosts step puts the generated file in place), then reboot the nodes.',
  },
  'mtu-too-small': {
    title: 'Large packets do not get through (MTU)',
    cause:
      'Connections open, and hang at the first large packet: the MTUs of the nodes and of the network between them differ.',
    remedy:
      'Give nodes, switches and virtual networks the same MTU (1500 unless you know otherwise), and correct option interface-mtu of DHCP.',
  },
  'foreign-dhcp': {
    title: 'Another DHCP server answers on the machine network',
    cause:
      'Machines take an address from a server that is not yours. They get an address, a name and a boot program other than the planned ones.',
    remedy:
      'Find that server and stop it on this network (a hypervisor’s own, a home router); the command below lists all DHCP servers that answer. Then reboot the machine.',
  },
  'address-taken-twice': {
    title: 'The address of a node is in use already, or its MAC address is not the planned one',
    cause: 'Another machine has the address of the node, or the MAC address of the node is not the one in the design.',
    remedy:
      'Compare the MAC address that answers with the one on the machine of the node. If they match, correct the design on the Nodes page, generate, and put the files in place. If not, give the other machine another address.',
  },
  'proxy-without-no-proxy': {
    title: 'Traffic inside the cluster goes through the proxy',
    cause: 'noProxy lacks the cluster’s own names, so nodes and operators send requests for them to the proxy.',
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
      'Check which name server the node uses. Open port 53 (UDP and TCP) to it from the machine network. It has to resolve the names of the cluster and forward all others.',
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
    remedy: 'Remove send-proxy from the server lines, as in the generated file (Hosts step), and reload HAProxy.',
  },
  'balancer-port-mixed': {
    title: 'The load balancer maps a port to another one',
    cause: 'Connections to this port go to another port of the members, which serves something else.',
    remedy:
      'Forward each port to the pool of the same port. Put the generated file in place on the load balancer (Hosts step) and reload it.',
  },
  'balancer-limits': {
    title: 'The load balancer rejects connections',
    cause: 'It allows too few connections, or rejects some by address. Each node keeps dozens of connections open.',
    remedy:
      'Allow a few thousand connections (maxconn), and let the machine network connect to 6443 and 22623. Put the generated file in place (Hosts step).',
  },
  'balancer-member-off': {
    title: 'A member of the load balancer is taken out of service',
    cause: 'It is set to MAINT or DRAIN: it gets no new connections, even if it works.',
    remedy:
      'Set it to READY on the status page of the load balancer, or reload HAProxy if its file does not set "disabled".',
  },
  'vrrp-id-shared': {
    title: 'Another pair of load balancers has the same virtual router ID',
    cause:
      'VRRP packets of other hosts carry the ID of the virtual address of the load balancers of this cluster. The address may move to a machine that is not part of the cluster.',
    remedy:
      'Set another virtual_router_id on the other pair, or in keepalived.conf on all load balancers of this cluster, and restart keepalived. The generated ID is the last number of the virtual address.',
  },
  'networks-overlap': {
    title: 'Networks of the cluster overlap with others',
    cause: 'Pods or services have addresses that are in use by machines, or by hosts that the cluster must reach.',
    remedy:
      'Compare the cluster, service and machine networks, and the routes of the machines. The cluster and service networks cannot be changed later: correct them on the Networks page and install again.',
  },
};
