import { SHORTCUTS } from '../../shortcuts.ts';

/** Findings about the service hosts, and about a bootstrap node that is still in the load balancer. */
const dnsFix = 'Run install.sh on the name server again, then look at its log there: `journalctl -u named`';
const noRouteFix =
  'This machine cannot send to its network. Bring the interface up, add the route, or open the firewall of this machine; or run the wizard on a machine in that network. Addresses and routes here: `ip -brief address` `ip route`';
const externalDnsFix =
  'Enter the records in your name server: dns-records.csv lists them, dns-records.nsupdate has them as commands (both among the files of the bastion).';

export const hosts = {
  'service-dns': { title: (name: string) => `name ${name}`, remedy: dnsFix, externalFix: externalDnsFix },
  'service-reverse': {
    title: (address: string) => `reverse name ${address}`,
    remedy: dnsFix,
    externalFix: externalDnsFix,
  },
  'service-silent': {
    title: (what: string) => what,
    remedy:
      'Run install.sh on the name server, then check that its firewall allows port 53 and that the service runs: `systemctl status named`',
    externalFix:
      'Check that your name server runs, and that its firewall allows this machine on port 53 (UDP and TCP).',
  },
  'service-unsent': { title: (what: string) => what, remedy: noRouteFix, externalFix: noRouteFix },
  'service-port': {
    title: (port: string) => `load balancer port ${port}`,
    remedy:
      'Run install.sh on the load balancer, then look at its log there: `journalctl -u haproxy` A failed bind means that keepalived has not set the address or, most often, SELinux: `setsebool -P haproxy_connect_any 1`',
    externalFix:
      'Set this port up on your load balancer: network-notes.md, among the files of the bastion, has the ports, pools and health checks.',
  },
  silent: (server: string, names: number) => `${server} does not answer yet (${names} names)`,
  noRoute: (server: string) => `no route from this machine to ${server}`,
  noMemberYet: 'refused, as some load balancers do until they have a member',
  expected: (want: string, got: string) => `${got} (expected ${want})`,
  'bootstrap-needed': {
    title: 'the bootstrap is still needed',
    remedy: 'Wait until the bootstrap step is done.',
  },
  'bootstrap-in-pool': {
    title: (balancers: string, name: string) => `${name} is still in the pools of ${balancers}`,
    cause: 'the status page of the running HAProxy lists it',
    remedy: `Its new file is not in place yet, or it was not reloaded: run the commands shown, or press ${SHORTCUTS.overSsh}.`,
  },
};
