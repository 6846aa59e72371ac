/**
 * What a DHCP server logs of whoever asks, our own checks as well, while no machine has taken anything yet (ISC dhcpd, Kea). A
 * pattern for grep -E as well as for us.
 */
export const ONLY_OFFERED =
  'DHCPDISCOVER from [0-9a-f:]{17}( [(][^)]*[)])? via [^ :]+$|DHCPOFFER on |DHCP4_(LEASE_ADVERT|LEASE_OFFER|QUERY_LABEL) ';

/** MAC addresses that requested an address and got none, from a syslog text of ISC dhcpd or Kea; each once, lower-case. */
export function refusedMacs(log: string): string[] {
  const found = new Set<string>();
  for (const line of log.split('\n')) {
    // ISC: "DHCPDISCOVER from MAC via eth0: network 172.16.0.0/24: no free leases", "… unknown client".
    const isc = /DHCPDISCOVER from ([0-9a-f:]{17}) .*(?:no free leases|unknown client)/i.exec(line);
    // Kea: "… [hwtype=1 MAC], … failed to select subnet / no leases could be allocated" (ALLOC_ENGINE_V4_ALLOC_FAIL).
    const kea = /hwtype=1 ([0-9a-f:]{17})\].*(?:ALLOC_FAIL|failed to|no leases|dropped)/i.exec(line);
    const mac = isc?.[1] ?? kea?.[1];
    if (mac) found.add(mac.toLowerCase());
  }
  return [...found];
}

/** MAC addresses that got an address. An offer is none: our own check asks for offers too, and nobody takes them. */
export function leasedMacs(log: string): string[] {
  const found = new Set<string>();
  // ISC: "DHCPACK on 172.16.0.11 to MAC via eth0"; Kea: "DHCP4_LEASE_ALLOC [hwtype=1 MAC], …: lease … has been allocated".
  const given = /(?:DHCPACK on \S+ to |DHCP4_LEASE_ALLOC \[hwtype=1 )([0-9a-f:]{17})/gi;
  for (const [, mac = ''] of log.matchAll(given)) found.add(mac.toLowerCase());
  return [...found];
}

/** The address that a line says our server has given (ISC dhcpd, Kea); null: it says no such thing. */
export function leasedAddress(line: string): string | null {
  const [, isc, kea] = /DHCPACK on (\S+) to|lease (\S+) has been allocated/.exec(line) ?? [];
  return isc ?? kea ?? null;
}
