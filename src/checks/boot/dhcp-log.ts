/** Shows the log of the DHCP server: ISC dhcpd and Kea, by their units on RHEL and Debian. */
export const DHCP_LOG_COMMAND = 'journalctl -u dhcpd -u isc-dhcp-server -u kea-dhcp4 -u kea-dhcp4-server';

/**
 * Pattern of log lines about clients that have taken no lease yet (ISC dhcpd, Kea). The wizard's own DHCP checks cause
 * such lines, too. The pattern works in grep -E as well as in JavaScript.
 */
export const OFFER_PATTERN =
  'DHCPDISCOVER from [0-9a-f:]{17}( [(][^)]*[)])? via [^ :]+$|DHCPOFFER on |DHCP4_(LEASE_ADVERT|LEASE_OFFER|QUERY_LABEL) ';

/**
 * Parses the MAC addresses that requested an address and got none, from a syslog text of ISC dhcpd or Kea; each once,
 * lowercase.
 */
export function parseRefusedMacs(log: string): string[] {
  const macs = new Set<string>();
  for (const line of log.split('\n')) {
    // ISC: "DHCPDISCOVER from MAC via eth0: network 172.16.0.0/24: no free leases", "… unknown client".
    const isc = /DHCPDISCOVER from ([0-9a-f:]{17}) .*(?:no free leases|unknown client)/i.exec(line);
    // Kea: "… [hwtype=1 MAC], … failed to select subnet / no leases could be allocated" (ALLOC_ENGINE_V4_ALLOC_FAIL).
    const kea = /hwtype=1 ([0-9a-f:]{17})\].*(?:ALLOC_FAIL|failed to|no leases|dropped)/i.exec(line);
    const mac = isc?.[1] ?? kea?.[1];
    if (mac) macs.add(mac.toLowerCase());
  }
  return [...macs];
}

/**
 * Parses the MAC addresses that got an address. An offer does not count: the wizard's DHCP check also gets offers, and
 * accepts none.
 */
export function parseLeasedMacs(log: string): string[] {
  const macs = new Set<string>();
  // ISC: "DHCPACK on 172.16.0.11 to MAC via eth0".
  // Kea: "DHCP4_LEASE_ALLOC [hwtype=1 MAC], …: lease … has been allocated".
  const leasePattern = /(?:DHCPACK on \S+ to |DHCP4_LEASE_ALLOC \[hwtype=1 )([0-9a-f:]{17})/gi;
  for (const [, mac = ''] of log.matchAll(leasePattern)) macs.add(mac.toLowerCase());
  return [...macs];
}

/**
 * Parses the address that the DHCP server leased according to this line (ISC dhcpd, Kea); null if the line is about
 * something else.
 */
export function parseLeasedAddress(line: string): string | null {
  const [, isc, kea] = /DHCPACK on (\S+) to|lease (\S+) has been allocated/.exec(line) ?? [];
  return isc ?? kea ?? null;
}
