import { expect, test } from 'vitest';
import { parseDhcpLines } from '../../../src/steps/diagnose/log-lines.ts';

const MAC = '00:50:56:96:11:c2';
const NOW = Date.UTC(2026, 4, 1, 12);

test.each([
  [
    'ISC dhcpd',
    `dhcpd[812]: DHCPACK on 172.16.0.21 to ${MAC} via ens192`,
    [
      `dhcpd[812]: DHCPDISCOVER from ${MAC} via ens192`,
      `dhcpd[812]: DHCPDISCOVER from ${MAC} (m1) via 172.16.0.101`,
      `dhcpd[812]: DHCPOFFER on 172.16.0.21 to ${MAC} (m1) via ens192`,
    ],
    `dhcpd[812]: DHCPDISCOVER from ${MAC} via ens192: network 172.16.0.0/24: no free leases`,
  ],
  [
    'Kea',
    `kea-dhcp4[700]: INFO  DHCP4_LEASE_ALLOC [hwtype=1 ${MAC}], cid=[no info], tid=0x1: lease 172.16.0.21 has been allocated for 3600 seconds`,
    [
      `kea-dhcp4[700]: INFO  DHCP4_LEASE_OFFER [hwtype=1 ${MAC}], cid=[no info], tid=0x1: lease 172.16.0.21 will be offered`,
      `kea-dhcp4[700]: INFO  DHCP4_LEASE_ADVERT [hwtype=1 ${MAC}], cid=[no info], tid=0x1: lease 172.16.0.21 will be advertised`,
    ],
    `kea-dhcp4[700]: WARN  ALLOC_ENGINE_V4_ALLOC_FAIL [hwtype=1 ${MAC}], cid=[no info], tid=0x1: failed to allocate an IPv4 address (dhcp4)`,
  ],
])(
  'lease and refusal lines remain, however many discover and offer lines there are: %s',
  (_, leaseLine, offerLines, refusalLine) => {
    const formatLine = (line: string) => `May  1 11:00:00 ns1 ${line}`;
    const log = [leaseLine, ...Array.from({ length: 1000 }, () => offerLines).flat(), refusalLine]
      .map(formatLine)
      .join('\n');
    expect(parseDhcpLines(log, NOW, 'UTC').map(({ text, at: time }) => [text, time])).toEqual(
      [leaseLine, refusalLine].map((line) => [
        line.replace(/^[^:]*: /, '').replace(/ {2,}/g, (gap) => gap),
        NOW - 3_600_000,
      ]),
    );
  },
);
