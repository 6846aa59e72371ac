import { type DhcpPlan, type DhcpSubnet, dhcpHost, dhcpPlan } from './dhcp-plan.ts';
import type { Draft, GenerateInput } from './draft.ts';
import { osFacts } from './host-os.ts';

const PATH = '/etc/kea/kea-dhcp4.conf';

/** kea-dhcp4.conf: what takes the place of ISC dhcpd on RHEL 10. */
export function keaFiles({ design }: GenerateInput): Draft[] {
  const host = dhcpHost(design);
  if (!host || design.services.dhcp.kind !== 'kea') return [];
  return [
    {
      host,
      path: PATH,
      kind: 'kea-dhcp4',
      content: `${JSON.stringify(keaConfig(dhcpPlan(design)), null, 2)}\n`,
      check: ['kea-dhcp4', '-t', PATH],
      reload: ['systemctl', 'restart', osFacts(host.os).kea.unit],
    },
  ];
}

function keaConfig(plan: DhcpPlan) {
  return {
    Dhcp4: {
      'interfaces-config': { interfaces: ['*'] },
      'lease-database': { type: 'memfile', persist: true },
      authoritative: true,
      'valid-lifetime': 86_400,
      'host-reservation-identifiers': ['hw-address'],
      ...(plan.boot ? { 'client-classes': bootClasses(plan.boot) } : {}),
      // No pools: only machines with a reservation get an address.
      subnet4: plan.subnets.map((subnet, index) => subnet4(plan, subnet, index + 1)),
    },
  };
}

/** The firmware gets iPXE by TFTP; iPXE, asking again, gets its script by HTTP. Architectures: RFC 4578. */
function bootClasses({ server, script, bios, uefi }: NonNullable<DhcpPlan['boot']>) {
  const firmware = { 'next-server': server };
  return [
    { name: 'ipxe', test: "substring(option[77].hex,0,4) == 'iPXE'", ...firmware, 'boot-file-name': script },
    {
      name: 'bios',
      test: "not member('ipxe') and option[93].hex == 0x0000",
      ...firmware,
      'boot-file-name': bios,
    },
    {
      name: 'uefi',
      test: "not member('ipxe') and option[93].exists and not (option[93].hex == 0x0000)",
      ...firmware,
      'boot-file-name': uefi,
    },
  ];
}

function subnet4(plan: DhcpPlan, { cidr, gateway, nodes }: DhcpSubnet, id: number) {
  const options = [
    ['routers', gateway ?? ''],
    ['domain-name', plan.clusterDomain],
    ['domain-name-servers', plan.nameServers.join(', ')],
    ['ntp-servers', plan.timeServers.join(', ')],
  ] as const;
  return {
    id,
    subnet: cidr,
    'option-data': options.filter(([, data]) => data !== '').map(([name, data]) => ({ name, data })),
    reservations: nodes.map(({ mac, address, fqdn }) => ({
      'hw-address': mac,
      'ip-address': address,
      hostname: fqdn,
      'option-data': [{ name: 'host-name', data: fqdn, 'always-send': true }],
    })),
  };
}
