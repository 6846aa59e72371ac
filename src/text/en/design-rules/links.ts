/** Words of the rules about interfaces, bonds and VLANs. */
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
    title: 'A bond names each of its interfaces once',
    message: (name: string) => `${name} is named twice in the bond`,
    fix: 'Name the other network interface of the machine.',
  },
  vlanInterface: {
    title: 'A VLAN names the interface or bond that it is on',
    message: (vlan: number) => `VLAN ${vlan} of which interface?`,
    fix: 'Give the node its `interface` (or `bond`).',
  },
  staticInterface: {
    title: 'Without DHCP every node names its interface',
    message: 'Without DHCP and without `interface`, a machine with several network cards may use the wrong one',
    fix: 'Give the node its `interface`, such as enp1s0.',
  },
} as const;
