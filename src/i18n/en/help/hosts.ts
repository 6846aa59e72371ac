/** The page `help hosts`: service hosts that are set up from here. */
export const hostsHelp = {
  intro:
    'Each service host has an install.sh among its generated files: packages, files, checks of the files, firewall, SELinux, services. Run it yourself there, or have it run from here: on the screen "Service hosts", or by these commands, which do the same.',
  commands: {
    'hosts plan': 'what install.sh would change on each host now; writes nothing there',
    'hosts apply': 'shows that, asks, runs install.sh, follows it, and runs the checks of that host',
    'hosts verify': 'whether each host is as generated, runs its services and answers',
    'hosts undo': 'shows what would be restored to the state before the first run, asks, and restores it',
    'export ansible': 'the same files, order and checks as an inventory and roles, for sites that outgrow one bastion',
  },
  access: [
    'The bastion is this machine; the others are reached over SSH by their addresses, with your keys, agent and SSH configuration (set a user, a port or a jump host for an address there). On the host install.sh runs as root, or with "sudo -n". It never prompts for a password.',
    '"--host A,B" selects hosts. They are set up one after the other, DNS first, stopping at the first failure; "--side-by-side" sets them up in parallel. Files that were changed on a host are overwritten only with "--overwrite".',
  ],
  commitConfirmedTitle: 'Commit confirmed',
  commitConfirmed: [
    'Changes that could cut off the host or the cluster (firewall, DNS, DHCP, load balancer, addresses) are reverted by the host itself two minutes after the run, unless the checks of that host pass from here first and confirm them. A host that reboots in between reverts them as soon as it is up. "--revert-after SECONDS" sets another time (10 to 600). After a revert the host is checked again, and any difference from before is reported.',
    'A run that fails is reverted at once. Packages stay in any case.',
  ],
  lostConnectionTitle: 'When the connection is lost',
  lostConnection:
    'The run continues on the host, and so does the countdown. When the connection is back, or when you open the screen or give the command again, the wizard finds the run and follows it.',
  packagesTitle: 'Packages',
  packages:
    'Packages that install.sh adds, by service, from the repositories of the host. Kea on RHEL 8 and 9 comes from EPEL.',
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
