import { expect, test } from 'vitest';
import { dhcpLines } from '../../../src/steps/diagnose/log-lines.ts';

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
  'however often somebody asks what would be offered, what a machine took stays in sight: %s',
  (_, taken, asked, refused) => {
    const at = (line: string) => `May  1 11:00:00 ns1 ${line}`;
    const log = [taken, ...Array.from({ length: 1000 }, () => asked).flat(), refused].map(at).join('\n');
    expect(dhcpLines(log, NOW, 'UTC').map(({ text, at: time }) => [text, time])).toEqual(
      [taken, refused].map((line) => [line.replace(/^[^:]*: /, '').replace(/ {2,}/g, (gap) => gap), NOW - 3_600_000]),
    );
  },
);
