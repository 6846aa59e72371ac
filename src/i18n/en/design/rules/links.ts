/** Messages of the rules about interfaces, bonds and VLANs. */
export const linksWords = {
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
    title: 'A bond names each of its interfaces once, and not itself',
    message: (name: string) => `${name} is already named`,
    fix: 'Name the other network interface of the machine.',
  },
  vlanInterface: {
    title: 'A VLAN names the interface or bond that it is on',
    message: (vlan: number) => `VLAN ${vlan} names no interface`,
    fix: 'Give the node its interface (or a bond).',
  },
  staticInterface: {
    title: 'With addresses from boot arguments (no DHCP, or IPv6), every node names its interface',
    message:
      'Without DHCP and without the name of an interface, a machine with several network cards may use the wrong one',
    messageIpv6:
      'The IPv6 address comes as a boot argument: without the name of an interface, a machine with several network cards may use the wrong one',
    fix: 'Give the node its interface, such as enp1s0.',
  },
  interfaceBond: {
    title: 'A node names its interface or its bond, not both',
    message: (name: string, bond: string) =>
      `interface ${name} and bond ${bond}: the addresses can be on one of them only`,
    fix: 'Leave the interface empty; the bond itself names its interfaces.',
  },
  vlanBoot: {
    title: 'Machines that boot over the network reach it without a VLAN tag',
    message: (vlan: number) =>
      `RHCOS uses VLAN ${vlan}; before it runs, the firmware asks for DHCP and boot files without a tag`,
    fix: 'Set the VLAN in the firmware too, or let the switch treat it as the native one; an ISO needs neither.',
  },
};
