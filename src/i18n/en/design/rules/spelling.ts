/** Messages of the rules about the notation of addresses, networks and MAC addresses. */
export const spellingWords = {
  addressFormat: {
    title: 'Addresses have no leading zeros, no zone ID and no IPv4 part inside IPv6',
    message: (text: string) => `"${text}" is not an address`,
    fix: 'Write four numbers from 0 to 255 without leading zeros (172.16.0.21), or an IPv6 address without %zone.',
  },
  addressFamilies: {
    title: 'A list of two addresses is one IPv4 and one IPv6 address',
    message: 'Two addresses of the same address family',
    fix: 'Use one IPv4 and one IPv6 address, or only one address.',
  },
  hostFormat: {
    title: 'Time servers are addresses or hostnames',
    message: (text: string) => `"${text}" is neither an address nor a hostname`,
    fix: 'Use an address (192.168.124.1) or a name (ntp.example.com).',
  },
  cidrFormat: {
    title: 'Networks are written as address/prefix length',
    message: (text: string) => `"${text}" is not a network`,
    prefixTooLong: (text: string, maximum: number) => `The prefix length of ${text} is too long: at most ${maximum}`,
    fix: 'Write the first address and the prefix length: 172.16.0.0/24.',
  },
  cidrBase: {
    title: 'A network is written with its first address',
    message: (text: string, base: string) => `${text} is an address inside ${base}, not the network itself`,
    fix: (base: string) => `Write ${base}.`,
  },
  cidrUnspecified: {
    title: 'A network does not start at the unspecified address',
    message: (text: string) => `${text} stands for every network`,
    fix: 'Write the first address of the network that you mean: 172.16.0.0/24.',
  },
  macFormat: {
    title: 'MAC addresses are six pairs of hexadecimal digits',
    message: (text: string) => `"${text}" is not a MAC address`,
    fix: 'Write six pairs with colons: 00:50:56:96:11:c2.',
  },
  macUnicast: {
    title: 'MAC addresses belong to one network interface',
    message: (mac: string) =>
      `${mac} is not the address of a network interface: it is all zeros, or a multicast address`,
    fix: 'Read the address from the machine: the first octet is even, and not all octets are 0.',
  },
};
