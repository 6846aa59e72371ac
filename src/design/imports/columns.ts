import type { NodeRow } from './node-row.ts';

/** What a column of a table of nodes holds. */
export type Column = 'name' | 'role' | 'ip' | 'mac' | Exclude<keyof NodeRow, 'name' | 'domain' | 'role' | 'ip' | 'mac'>;

const HEADINGS: readonly (readonly [RegExp, Column])[] = [
  [
    /^(?:ip|ips|ipv[46]|address|addresses|(?:ip(?:v[46])?|static)(?:address|addr|addresses)|fixedaddress|ipaddr)$/,
    'ip',
  ],
  [/^(?:mac|macs|macaddr|macaddress|hwaddr|hwaddress|hardwareethernet|ethernet|bootmac|bootmacaddress)$/, 'mac'],
  [/^(?:name|host|hostname|node|nodename|fqdn|server|servername|machine|vm|vmname)$/, 'name'],
  [/^(?:role|roles|type|function|kind|group)$/, 'role'],
  [/^(?:vcpus?|cpus?|cores?|numcpus?)$/, 'vcpu'],
  [/^(?:memory|mem|ram|memorygi?b|memgi?b|ramgi?b)$/, 'memoryGiB'],
  [/^(?:installdisk|installdev(?:ice)?|rootdevice|device|rootdisk|diskdevice|bootdisk)$/, 'installDisk'],
  [/^(?:disk|disksize|diskgi?b|storage|storagegi?b|capacity|disksizegi?b)$/, 'diskGiB'],
  [/^(?:interface|nic|if|ifname|iface|networkinterface)$/, 'interface'],
  [/^(?:vlan|vlanid)$/, 'vlan'],
  [/^(?:firmware|bootmode|bios)$/, 'firmware'],
];

/** What a heading means, whatever its capitals, blanks, brackets and units; null for one that is not known. */
export function columnOf(heading: string): Column | null {
  const word = heading.toLowerCase().replaceAll(/[^a-z0-9]/g, '');
  return HEADINGS.find(([pattern]) => pattern.test(word))?.[1] ?? null;
}
