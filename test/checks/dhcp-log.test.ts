import { expect, test } from 'vitest';
import { parseLeasedMacs, parseRefusedMacs } from '../../src/checks/boot/dhcp-log.ts';

const ISC = `
Mar  1 12:00:01 ns1 dhcpd[812]: DHCPDISCOVER from 00:50:56:96:11:C2 via eth0
Mar  1 12:00:01 ns1 dhcpd[812]: DHCPOFFER on 172.16.0.11 to 00:50:56:96:11:c2 via eth0
Mar  1 12:00:01 ns1 dhcpd[812]: DHCPREQUEST for 172.16.0.11 (172.16.0.102) from 00:50:56:96:11:c2 via eth0
Mar  1 12:00:01 ns1 dhcpd[812]: DHCPACK on 172.16.0.11 to 00:50:56:96:11:c2 via eth0
Mar  1 12:00:05 ns1 dhcpd[812]: DHCPDISCOVER from 00:50:56:96:e5:f2 via eth0: network 172.16.0.0/24: no free leases
Mar  1 12:00:09 ns1 dhcpd[812]: DHCPDISCOVER from 00:50:56:96:E5:F2 via eth0: network 172.16.0.0/24: no free leases
Mar  1 12:00:10 ns1 dhcpd[812]: DHCPDISCOVER from 00:50:56:96:aa:01 via eth0: unknown client
Mar  1 12:00:11 ns1 dhcpd[812]: DHCPOFFER on 172.16.0.21 to 00:50:56:96:37:c8 via 172.16.0.101
Mar  1 12:00:11 ns1 sshd[900]: a line about something else from 00:50:56:96:aa:02: no free leases
`;

test('ISC dhcpd: refused MACs, each once and in lower case, and leased MACs', () => {
  expect(parseRefusedMacs(ISC)).toEqual(['00:50:56:96:e5:f2', '00:50:56:96:aa:01']);
  expect(parseLeasedMacs(ISC)).toEqual(['00:50:56:96:11:c2']);
});

const KEA = `
2024-03-01 12:00:05.123 WARN  [kea-dhcp4.alloc-engine/812.1] ALLOC_ENGINE_V4_ALLOC_FAIL_NO_POOLS [hwtype=1 00:50:56:96:e5:f2], cid=[no info], tid=0x1: no pools were available
2024-03-01 12:00:05.124 WARN  [kea-dhcp4.alloc-engine/812.1] ALLOC_ENGINE_V4_ALLOC_FAIL [hwtype=1 00:50:56:96:e5:f2], cid=[no info], tid=0x1: failed to allocate an IPv4 address after 0 attempt(s)
2024-03-01 12:00:06.000 INFO  [kea-dhcp4.leases/812.1] DHCP4_LEASE_ALLOC [hwtype=1 00:50:56:96:11:c2], cid=[no info], tid=0x2: lease 172.16.0.11 has been allocated for 3600 seconds
`;

test('Kea: refused MACs and leased MACs', () => {
  expect(parseRefusedMacs(KEA)).toEqual(['00:50:56:96:e5:f2']);
  expect(parseLeasedMacs(KEA)).toEqual(['00:50:56:96:11:c2']);
});

test('an empty log and a log of nonsense give no results', () => {
  for (const log of ['', 'x'.repeat(10_000), 'DHCPDISCOVER from nowhere: no free leases']) {
    expect(parseRefusedMacs(log)).toEqual([]);
    expect(parseLeasedMacs(log)).toEqual([]);
  }
});
