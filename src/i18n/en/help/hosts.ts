/** The page `help hosts`: service hosts that are set up from here. */
export const hostsHelp = {
  intro:
    'Each service host has an install.sh among its generated files: packages, files, checks of the files, firewall, SELinux, services. Run it yourself there, or have it run from here: on the screen "Service hosts", or by these commands, which do the same.',
  commands: {
    'hosts plan': 'what install.sh would change on each host now; writes nothing there',
    'hosts apply': 'shows that, asks, runs install.sh, follows it, and asks the checks of that host',
    'hosts verify': 'whether each host is as generated, runs its services and answers',
    'hosts undo': 'shows what would be put back as it was before the first run, asks, and puts it back',
    'export ansible': 'the same files, order and checks as an inventory and roles, for sites that outgrow one bastion',
  },
  access: [
    'The bastion is this machine; the others are reached over SSH by their addresses, with your keys, agent and SSH configuration (a user, a port or a jump host for an address stands there). On the host install.sh runs as root, or with "sudo -n". Nobody is asked for a password.',
    '"--host A,B" names the hosts that you mean. They are set up one after the other, DNS first, and none after one that failed; "--side-by-side" sets them up at a time. What somebody changed on a host is overwritten only with "--overwrite".',
  ],
  commitConfirmedTitle: 'Commit confirmed',
  commitConfirmed: [
    'What could cut the host or the cluster off (firewall, DNS, DHCP, load balancer, addresses) is reverted by the host itself two minutes after the run, unless the checks of that host pass from here before: only then it is confirmed. A host that is started again in between takes it back as soon as it is up. "--revert-after SECONDS" sets another time (10 to 600). After a revert the host is looked at again, and it is said whether it is as it was before.',
    'What fails before its end takes itself back at once. Packages stay in any case.',
  ],
  lostConnectionTitle: 'When the line is lost',
  lostConnection:
    'The run continues on the host, and so does the countdown. When the line is back, or when you come back to the screen or give the command again, the run is found and taken up where it is.',
  packagesTitle: 'Packages',
  packages:
    'What install.sh adds, for what a host does, from the repositories of its system. Kea on RHEL 8 and 9 comes from EPEL.',
  systems: { rhel8: 'RHEL 8', rhel9: 'RHEL 9', rhel10: 'RHEL 10', debian: 'Debian 12' },
  uses: {
    dns: 'DNS',
    dhcpd: 'DHCP (isc-dhcpd)',
    kea: 'DHCP (kea)',
    'load-balancer': 'load balancer',
    addresses: 'shared addresses',
    tftp: 'TFTP',
    ipxe: 'network boot',
    'ipxe-arm': 'network boot, ARM',
    'secure-boot': 'Secure Boot',
    time: 'time',
    selinux: 'SELinux',
  },
  source: (system: string, site: string) => `Source: the package list of ${system} (${site}).`,
};
