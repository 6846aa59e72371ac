/** Messages of the rules about interfaces, bonds and VLANs. */
export const linksWords = {
  interfaceName: {
    title: 'Network interfaces have names that Linux accepts',
    message: (text: string) => `"${text}" is not the name of a network interface`,
    fix: 'Use the name that the machine shows, such as enp1s0: 15 characters at most, without spaces, colons or slashes.',
  },
  bondMode: {
    title: 'The bond mode is one that Linux supports',
    message: (text: string) => `"${text}" is not a bond mode`,
    fix: (modes: string) => `Use one of ${modes}.`,
  },
  bondInterfaces: {
    title: 'A bond lists each of its interfaces once, and not itself',
    message: (name: string) => `${name} is already in use for this bond`,
    fix: 'Use another network interface of the machine.',
  },
  vlanInterface: {
    title: 'A VLAN has an interface or a bond',
    message: (vlan: number) => `VLAN ${vlan} has no interface`,
    fix: 'Set the interface (or a bond) of the node.',
  },
  staticInterface: {
    title: 'With addresses from boot arguments (no DHCP, or IPv6), every node has its interface set',
    message:
      'Without DHCP and without the name of an interface, a machine with several network interfaces may use the wrong one',
    messageIpv6:
      'The IPv6 address comes as a boot argument: without the name of an interface, a machine with several network interfaces may use the wrong one',
    fix: 'Set the interface of the node, such as enp1s0.',
  },
  interfaceBond: {
    title: 'A node has an interface or a bond, not both',
    message: (name: string, bond: string) =>
      `interface ${name} and bond ${bond}: the addresses can be on one of them only`,
    fix: 'Leave the interface empty; the bond lists its interfaces itself.',
  },
  vlanBoot: {
    title: 'Machines that boot over the network reach it without a VLAN tag',
    message: (vlan: number) =>
      `The node uses VLAN ${vlan}; before its system runs, the firmware sends DHCP and boot requests without a tag`,
    fix: 'Set the VLAN in the firmware too, or let the switch treat it as the native VLAN; an ISO needs neither.',
  },
};
