/** Checks of the service hosts, DNS, DHCP and the load balancer: see `site`. */
export const networkChecks = {
  'packet-size': {
    title: 'large packets reach it',
    wrong: 'large packets do not reach it, small ones do',
    remedy:
      'Give all ports on the path to this host the same MTU, usually 1500: the port of the switch or bridge that it is connected to, tunnels, and its own interface. Routers must let ICMP "fragmentation needed" through. To see the MTU of its interface, on the host: `ip link`',
    meaning: 'Connections open, and every answer that is larger than one packet hangs: certificates, images, SSH.',
  },
  'ssh-hosts': {
    title: 'SSH',
    wrong: 'SSH cannot be reached',
    remedy: 'Start sshd there and open port 22, or copy the files to it in another way.',
  },
  'host-login': {
    title: 'login over SSH',
    wrong: 'this user cannot log in over SSH',
    remedy: 'Copy your public key there: `ssh-copy-id ADDRESS`',
    meaning: 'The wizard copies files and reads logs over SSH, and never prompts for a password.',
  },
  'host-rights': {
    title: 'root privileges without a password',
    wrong: 'a password is required for sudo',
    remedy:
      'Run install.sh there yourself with sudo, or let this user use sudo without a password while you install: `visudo`',
    meaning: 'install.sh runs as root.',
  },
  'machine-clock': {
    title: 'its clock agrees with the others',
    wrong: 'its clock differs from the others',
    remedy: 'Compare it with a time server: `chronyc sources`',
    meaning: 'Certificates that are created here are valid from the time of this clock.',
  },
  'proxy-environment': {
    title: 'its environment reaches the cluster without a proxy',
    wrong: 'its proxy variables apply to names of the cluster',
    remedy: 'Add the names of the cluster to no_proxy.',
    meaning: 'oc and openshift-install inherit these variables, also when the wizard starts them.',
  },
  'default-routes': {
    title: 'one default route',
    wrong: 'it has several default routes',
    remedy: 'Keep one default route: `ip route show default`',
    meaning: 'Only the one with the lowest metric is used.',
  },
  'host-routes': {
    title: 'one default route',
    wrong: 'it has several default routes',
    remedy: 'Keep one default route: `ip route show default`',
    meaning:
      'Answers may leave through an interface other than the one that the queries came in on, and are dropped on the way.',
  },
  'host-clock': {
    title: 'its clock',
    wrong: 'its clock differs from the others',
    remedy: 'Start chronyd there (or chrony), and look at its sources: `chronyc sources`',
    meaning: 'Certificates are not valid on a machine whose clock is off, and times in logs do not match.',
  },
  'host-firewall': {
    title: 'its firewall lets the nodes in',
    wrong: 'its firewall keeps nodes out',
    remedy:
      'Unless a wider rule of yours (a service, a zone) allows them already, run there as root: `/root/upi-wizard/firewall.sh`',
    meaning: 'A service behind a closed port looks like a machine that is off.',
  },
  'host-selinux': {
    title: 'SELinux allows its services',
    wrong: 'SELinux does not allow its services',
    remedy: 'Run there as root: `/root/upi-wizard/selinux.sh`',
    meaning: 'HAProxy cannot bind the ports of the cluster, and the web server refuses files with 403.',
  },
  'host-files': {
    title: 'its file is as generated',
    wrong: 'its file is not as generated',
    remedy:
      'Unless the change is yours and correct, put the generated file in place again: in the Hosts step, or with the host’s install.sh.',
    meaning: 'One wrong line in it can cost days, and most of the file cannot be checked over the network.',
  },
  'host-service-runs': {
    title: 'it runs',
    wrong: 'it does not run',
    remedy: 'Start it there as root, and read its log: `journalctl -n 20 -u UNIT`',
    meaning: 'No machine gets an answer from this service.',
  },
  'host-service-current': {
    title: 'it runs with its current files',
    wrong: 'it runs with an older file than the one that is in place',
    remedy: 'Reload it there as root: `systemctl reload-or-restart UNIT`',
    meaning: 'Its answers do not match its file.',
  },
  'dns-server': {
    title: 'the name server answers',
    wrong: 'the name server does not answer',
    remedy: 'Start it, open port 53 (UDP and TCP) in its firewall, and check that it listens on this address.',
    meaning: 'Nodes and users find the cluster through it.',
  },
  'dns-api': {
    title: 'name of the API',
    wrong: 'the DNS record of the API is missing or wrong',
    remedy: 'Put the generated zone in place and reload the name server.',
    meaning: 'oc, the console and the nodes reach the API by this name.',
  },
  'dns-api-int': {
    title: 'internal name of the API',
    wrong: 'the internal DNS record of the API is missing or wrong',
    remedy: 'Put the generated zone in place and reload the name server.',
    meaning: 'Nodes fetch their configuration and reach the API by this name.',
  },
  'dns-apps-wildcard': {
    title: 'wildcard record *.apps',
    wrong: 'the wildcard record *.apps is missing or wrong',
    remedy:
      'Put the generated zone in place and reload the name server: every name below *.apps resolves to the ingress.',
    meaning: 'Console, login and applications have names below it.',
  },
  'dns-nodes': {
    title: 'name of a node',
    wrong: 'a DNS record of a node is missing or wrong',
    remedy: 'Put the generated zone in place and reload the name server.',
    meaning: 'Nodes find each other by these names.',
  },
  'dns-hosts': {
    title: 'name of a service host',
    wrong: 'a DNS record of a service host is missing or wrong',
    remedy: 'Put the generated zone in place and reload the name server.',
  },
  'dns-reverse': {
    title: 'name of a node’s address',
    wrong: 'the address of a node has another name, or none',
    remedy: 'Put the generated reverse zone in place and reload the name server: one PTR record for each node.',
    meaning: 'Without it, the hostname of a node may stay localhost, and the node never joins.',
  },
  'dns-reverse-others': {
    title: 'name of an address',
    wrong: 'an address has another name, or none',
    remedy: 'Put the generated reverse zone in place and reload the name server.',
  },
  'dns-no-cluster-wildcard': {
    title: 'no wildcard at this level',
    wrong: 'a wildcard answers for every name',
    remedy: 'Remove the wildcard record: only *.apps may have one.',
    meaning: 'With it, names that must not exist resolve, and the installation does not complete.',
  },
  'dns-tcp': {
    title: 'the name server answers over TCP',
    wrong: 'the name server does not answer over TCP',
    remedy: 'Open port 53 for TCP as well as UDP in its firewall, and in the firewalls between it and the nodes.',
    meaning: 'If an answer is too long for UDP, the client retries over TCP.',
  },
  'dns-from-hosts': {
    title: 'the name server answers other hosts of the machine network',
    wrong: 'the name server answers this machine, but not other hosts of the machine network',
    remedy: 'Let the whole machine network query the name server.',
    meaning: 'The nodes are in the same network, so they probably get no answer either.',
  },
  'dns-family': {
    title: 'no address of the other IP version',
    wrong: 'it has an address of the other IP version',
    remedy: 'Remove the record that the design does not have, or the wildcard that creates it.',
    meaning: 'Clients that prefer that version connect elsewhere, or time out.',
  },
  'dns-upstream': {
    title: 'public names',
    wrong: 'public names are not resolved',
    remedy:
      'Check the forwarders of the design, and that the name server can reach them and answers the machine network.',
    meaning: 'Nodes fetch the release images by these names.',
  },
  'resolver-hosts-file': {
    title: 'no line in it maps a cluster name to another address',
    wrong: 'a line in it maps a cluster name to another address',
    remedy: 'Remove the line.',
    meaning: 'Programs read this file before they query a name server, unlike dig.',
  },
  'resolver-servers': {
    title: 'the name server that this machine queries first',
    wrong: 'the name server that this machine queries first is not usable',
    remedy: 'Make the name server of the cluster the first one.',
    meaning: 'A second name server is queried only if the first one does not answer.',
  },
  'resolver-search': {
    title: 'no search domain is appended to names of the cluster',
    wrong: 'a search domain is appended to names of the cluster',
    remedy: 'Remove the option ndots, or the search domain.',
    meaning: 'Programs then connect to a machine other than the one in the design.',
  },
  'dns-resolver': {
    title: 'programs on this machine resolve it',
    wrong: 'programs on this machine resolve it differently',
    remedy: 'Compare: `getent ahosts NAME; dig NAME`',
    meaning: 'openshift-install and oc run here and use these names.',
  },
  'dns-resolver-nodes': {
    title: 'the name servers of this machine know it',
    wrong: 'the name servers of this machine do not know it, or answer differently',
    remedy: 'Let this machine query the name server of the cluster, first of all: `cat /etc/resolv.conf`',
    meaning: 'Without it you need addresses to log in to nodes.',
  },
  'dhcp-server': {
    title: 'the DHCP server answers',
    wrong: 'the DHCP server answers none of the nodes',
    remedy:
      'Put the generated configuration in place, start the DHCP server, open UDP port 67 in its firewall, and read its log.',
    meaning: 'Machines get their addresses and boot program from it.',
  },
  'dhcp-leases': {
    title: 'the address that it is offered',
    wrong: 'it is offered another address, or none',
    remedy:
      'Put the generated DHCP configuration in place and restart the server; compare the MAC address with that of the machine.',
    meaning: 'A node that gets another address is not the node of the design, and gets no ignition file.',
  },
  'dhcp-gateway': {
    title: 'the gateway that it is offered',
    wrong: 'it is not offered the gateway of the design',
    remedy: 'Put the generated DHCP configuration in place and restart the server.',
    meaning: 'With a wrong gateway it reaches nothing outside its network: no registry, no time server.',
  },
  'dhcp-options': {
    title: 'the other DHCP options in the offer',
    wrong: 'an option in the offer differs from the design',
    remedy:
      'Put the generated DHCP configuration in place and restart the server: in the Hosts step, or with the install.sh of that host.',
    meaning: 'A machine sets its network, its name and its clock from these options.',
  },
  'dhcp-firmware': {
    title: 'the boot program for this firmware',
    wrong: 'this firmware is offered another boot program',
    remedy:
      'Put the generated DHCP configuration in place and restart the server: in the Hosts step, or with the install.sh of that host.',
    meaning: 'Each kind of firmware needs its own program, and iPXE needs its script.',
  },
  'dhcp-boot': {
    title: 'the boot program that it is offered',
    wrong: 'it is offered another boot program',
    remedy: 'Put the generated DHCP configuration in place and restart the server.',
    meaning: 'The firmware loads this program from this server.',
  },
  'dhcp-foreign': {
    title: 'no other DHCP server answers',
    wrong: 'another DHCP server answers',
    remedy:
      'Turn it off on this network, or let it ignore the MAC addresses of the nodes: a machine takes the first offer that it gets.',
    meaning: 'With two servers it is unpredictable which address a machine gets.',
  },
  'dns-readable': {
    title: 'the name server (named) can read its zone files',
    wrong: 'the name server (named) cannot read a zone file',
    remedy: 'Let the user of named read the file, and reload named.',
    meaning: 'It answers SERVFAIL for each name of the zone.',
  },
  'dns-clients': {
    title: 'the name server (named) answers every node',
    wrong: 'the name server (named) refuses queries from nodes',
    remedy: 'Put the generated named.conf in place, and reload named.',
    meaning: 'Answers of HAProxy to this machine prove nothing about the nodes.',
  },
  'dhcp-interface': {
    title: 'dhcpd listens on the machine network',
    wrong: 'dhcpd does not listen on the machine network',
    remedy: 'Start it for the interface that is on the machine network.',
    meaning: 'Requests of machines arrive at an interface that it does not listen on.',
  },
  'lb-clients': {
    title: 'HAProxy accepts connections from every node',
    wrong: 'HAProxy rejects nodes',
    remedy: 'Put the generated haproxy.cfg in place, and reload HAProxy.',
    meaning: 'Answers of HAProxy to this machine prove nothing about the nodes.',
  },
  'vip-keepalived': {
    title: 'keepalived runs',
    wrong: 'keepalived does not run',
    remedy: 'Start it there: `systemctl enable --now keepalived`',
    meaning: 'It puts the virtual addresses of the endpoints on a load balancer.',
  },
  'vip-holder': {
    title: 'one load balancer has this virtual address',
    wrong: 'this virtual address is not on exactly one load balancer',
    remedy: 'Look at keepalived on the load balancers: `journalctl -u keepalived`',
    meaning: 'Clients reach the services at this address through the load balancer that has it.',
  },
  'vip-owner': {
    title: 'the load balancer answers at this virtual address',
    wrong: 'another machine has this virtual address',
    remedy: 'Remove the address from that machine.',
    meaning: 'Clients reach that machine instead of the load balancer.',
  },
  'lb-listens': {
    title: 'the load balancer listens',
    wrong: 'a port of the load balancer is closed',
    remedy:
      'Put the generated haproxy.cfg in place and reload HAProxy; check the port in its firewall and in SELinux (haproxy_connect_any).',
    meaning: 'Everything that reaches the cluster comes through these ports.',
  },
  'lb-members': {
    title: 'members of the pool',
    wrong: 'the members of the pool are not those of the design',
    remedy: 'Put the generated haproxy.cfg in place and reload HAProxy.',
    meaning: 'A member that is missing or wrong stops the installation halfway.',
  },
  'lb-reaches': {
    title: 'the load balancer reaches its members',
    wrong: 'the load balancer does not reach a member that this machine reaches',
    remedy: 'Correct the route or the firewall between the load balancer and the member.',
    meaning: 'A member that the load balancer does not reach serves no client through it.',
  },
  'lb-from-hosts': {
    title: 'the load balancer answers other hosts of the machine network',
    wrong: 'the load balancer answers this machine, but not other hosts of the machine network',
    remedy: 'Let the whole machine network reach the load balancer.',
    meaning: 'The nodes are in the same network, so they probably get no answer either.',
  },
  'lb-member-silent': {
    title: 'control plane node behind the load balancer',
    wrong: 'this control plane node does not answer, but the others do',
    remedy: 'See what runs on the node. There: `sudo crictl ps -a`',
    meaning: 'The cluster runs without it, but fails if one more control plane node fails.',
  },
  'lb-bootstrap-present': {
    title: 'the bootstrap node is a member',
    wrong: 'the bootstrap node is not a member',
    remedy: 'Put the generated haproxy.cfg of stage "install" in place and reload HAProxy.',
    meaning: 'Until the bootstrap is complete, it runs the API and the Machine Config Server.',
  },
};
