import { expect, test } from 'vitest';
import {
  parseBootLog,
  parseBootProbeOutput,
  parseDhcpdLeases,
  parseKeaLeases,
  parseNeighbours,
} from '../../src/checks/boot/boot-activity.ts';
import {
  deriveBootTimeline,
  findLatestStart,
  SIGN_MINUTES,
  type TimelineEvidence,
} from '../../src/checks/boot/timeline.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import { parseArpTable } from '../../src/probes/neighbour-probe.ts';

const NOON = Date.UTC(2024, 2, 1, 12);

test('leases of dhcpd: the last entry of an address counts, only those in force, in UTC or as epoch', () => {
  const lease = (address: string, mac: string, starts: string, state = 'active') =>
    `lease ${address} {\n  starts ${starts};\n  ends never;\n  binding state ${state};\n  next binding state free;\n  hardware ethernet ${mac};\n  client-hostname "x";\n}\n`;
  const text = [
    '# The format of this file is documented in the dhcpd.leases(5) manual page.\nauthoring-byte-order little-endian;\n\n',
    lease('172.16.0.50', '00:50:56:AA:00:01', '5 2024/03/01 11:00:00'),
    lease('172.16.0.50', '00:50:56:aa:00:02', '5 2024/03/01 12:00:00'),
    lease('172.16.0.51', '00:50:56:aa:00:03', 'epoch 1709294400; # Fri Mar  1 12:00:00 2024'),
    lease('172.16.0.52', '00:50:56:aa:00:04', '5 2024/03/01 12:00:00', 'free'),
    'lease 172.16.0.53 {\n  starts 5 2024/03/01 12:00:00;\n  binding state active;',
  ].join('');
  expect(parseDhcpdLeases(text)).toEqual([
    { address: '172.16.0.50', mac: '00:50:56:aa:00:02', at: NOON },
    { address: '172.16.0.51', mac: '00:50:56:aa:00:03', at: NOON },
  ]);
  expect(parseDhcpdLeases('')).toEqual([]);
});

test('leases of Kea: later lines win, released or declined leases do not count, and columns follow the heading', () => {
  const head =
    'address,hwaddr,client_id,valid_lifetime,expire,subnet_id,fqdn_fwd,fqdn_rev,hostname,state,user_context,pool_id';
  const end = NOON / 1000 + 3600;
  const text = [
    head,
    `172.16.0.21,00:50:56:96:37:c8,,3600,${end - 60},1,0,0,m1,0,,0`,
    `172.16.0.21,00:50:56:96:37:c8,,3600,${end},1,0,0,m1,0,,0`,
    `172.16.0.22,00:50:56:96:37:c9,,3600,${end},1,0,0,m2,0,,0`,
    `172.16.0.22,00:50:56:96:37:c9,,0,${end},1,0,0,m2,0,,0`,
    `172.16.0.23,00:50:56:96:37:ca,,3600,${end},1,0,0,m3,1,,0`,
    '172.16.0.24,,,3600,',
  ].join('\n');
  expect(parseKeaLeases(text)).toEqual([{ address: '172.16.0.21', mac: '00:50:56:96:37:c8', at: NOON }]);
  expect(parseKeaLeases('state,expire\n0,1')).toEqual([]);
});

test('logs and neighbour tables: with times where they have them', () => {
  const { leases, tftpRequests, refusedMacs } = parseBootLog(
    [
      '1709294400.500000 ns1 dhcpd[8]: DHCPACK on 172.16.0.21 to 00:50:56:96:37:C8 via eth0',
      '2024-03-01T12:00:01.000000+00:00 ns1 in.tftpd[9]: RRQ from ::ffff:172.16.0.21 filename ipxe.efi',
      'Mar  1 12:00:02 ns1 in.tftpd[9]: RRQ from 172.16.0.22 filename undionly.kpxe',
      '1709294402.0 ns1 dhcpd[8]: DHCPDISCOVER from 00:50:56:aa:00:01 via eth0: network 172.16.0.0/24: no free leases',
      '1709294403.0 ns1 kea-dhcp4[7]: INFO  DHCP4_LEASE_ALLOC [hwtype=1 00:50:56:96:37:c9], cid=[no info], tid=0x2: lease 172.16.0.22 has been allocated for 3600 seconds',
    ].join('\n'),
  );
  expect(leases).toEqual([
    { mac: '00:50:56:96:37:c8', address: '172.16.0.21', at: NOON + 500 },
    { mac: '00:50:56:96:37:c9', address: '172.16.0.22', at: NOON + 3000 },
  ]);
  expect(tftpRequests).toEqual([
    { address: '172.16.0.21', path: 'ipxe.efi', at: NOON + 1000 },
    { address: '172.16.0.22', path: 'undionly.kpxe', at: null },
  ]);
  expect(refusedMacs).toEqual(['00:50:56:aa:00:01']);
  const table =
    '172.16.0.21 dev eth0 lladdr 00:50:56:96:37:c8 REACHABLE\n172.16.0.22 dev eth0 FAILED\n172.16.0.23 dev eth0 lladdr 00:50:56:96:37:CA used 0/0/0 probes 1 STALE';
  expect(parseNeighbours(table)).toEqual([
    { address: '172.16.0.21', mac: '00:50:56:96:37:c8', isFresh: true },
    // It may belong to a machine that had the address before.
    { address: '172.16.0.23', mac: '00:50:56:96:37:ca', isFresh: false },
  ]);
  const arp = `IP address       HW type     Flags       HW address            Mask     Device
172.16.0.21      0x1         0x2         00:50:56:96:37:C8     *        eth0
172.16.0.22      0x1         0x0         00:00:00:00:00:00     *        eth0
`;
  expect(parseArpTable(arp, true)).toEqual([{ address: '172.16.0.21', mac: '00:50:56:96:37:c8', isFresh: true }]);
  expect(parseBootProbeOutput('a shell that says hello\n')).toEqual({
    leases: [],
    tftpRequests: [],
    refusedMacs: [],
    neighbours: [],
  });
});

const M1: TimelineEvidence = {
  role: 'control-plane',
  boot: 'ipxe',
  poweredOnAt: NOON,
  answersArp: false,
  requests: [],
  ports: [],
  node: null,
};
const at = (minutes: number) => NOON + minutes * MINUTE;
const request = (path: string, minutes: number, status = 200) => ({ path, status, at: at(minutes) });

test.each<[string, Partial<TimelineEvidence>, string, string | null, boolean]>([
  ['nothing', {}, 'power', 'lease', true],
  ['an address', { lease: { at: at(1) } }, 'power lease', 'tftp', true],
  ['an answer to ARP', { lease: { at: at(1) }, answersArp: true }, 'power lease arp', 'tftp', true],
  ['its first program', { lease: { at: at(1) }, tftp: { at: at(25) } }, 'power lease tftp', 'script', false],
  [
    'a refused script',
    { lease: { at: null }, requests: [request('/boot/x.ipxe', 2, 404)] },
    'power lease',
    'tftp',
    true,
  ],
  // Firmware that boots over HTTP needs no TFTP.
  [
    'a kernel',
    { requests: [request('/x.ipxe', 1), request('/images/rhcos-live-kernel', 25)] },
    'power script kernel',
    'rootfs',
    false,
  ],
  [
    'its ignition',
    { requests: [request('/ignition/master.ign', 5)], ports: [{ port: 22, since: at(20) }] },
    'power ignition ssh',
    'kubelet',
    false,
  ],
  [
    'a port before its ignition',
    { lease: { at: at(1) }, ports: [{ port: 22, since: at(2) }] },
    'power lease',
    'tftp',
    true,
  ],
  [
    'the config server',
    { role: 'bootstrap', requests: [request('/ignition/bootstrap.ign', 5)], ports: [{ port: 22623, since: at(9) }] },
    'power ignition config',
    null,
    false,
  ],
  [
    'the kubelet',
    { requests: [request('/ignition/master.ign', 1)], ports: [{ port: 10250, since: at(2) }] },
    'power ignition kubelet',
    'node',
    true,
  ],
  ['its Node', { node: { createdAt: at(20), isReady: false } }, 'power node', 'ready', false],
  ['all', { node: { createdAt: at(20), isReady: true } }, 'power node ready', null, false],
  [
    'its ignition, and starts from its disk',
    { requests: [request('/ignition/master.ign', 1)], restartedAt: at(25) },
    'power ignition restart',
    'ssh',
    false,
  ],
  [
    'a start after its Node',
    { requests: [request('/ignition/master.ign', 1)], restartedAt: at(25), node: { createdAt: at(5), isReady: true } },
    'power ignition node ready',
    null,
    false,
  ],
  ['nothing, from an ISO', { boot: 'iso' }, 'power', 'ignition', true],
  ['nothing, from an ISO with its ignition file', { boot: 'prepared-iso' }, 'power', 'kubelet', false],
  [
    'sshd, which the live system of its ISO runs as well',
    { boot: 'prepared-iso', ports: [{ port: 22, since: at(2) }] },
    'power',
    'kubelet',
    false,
  ],
  [
    'its kubelet, from an ISO with its ignition file',
    { boot: 'prepared-iso', ports: [{ port: 10250, since: at(20) }] },
    'power kubelet',
    'node',
    false,
  ],
  ['nothing, and was not powered on', { poweredOnAt: null }, '', null, false],
])('a machine that showed %s', (_name, evidence, signs, next, isLate) => {
  const timeline = deriveBootTimeline({ ...M1, ...evidence }, at(28));
  expect(timeline.signs.map(({ sign }) => sign).join(' ')).toBe(signs);
  expect(timeline.next?.sign ?? null).toBe(next);
  expect(timeline.next?.isLate ?? false).toBe(isLate);
});

test('a machine waits longer than usual before it is late', () => {
  const deriveNext = (minutes: number) =>
    deriveBootTimeline({ ...M1, lease: { at: NOON } }, NOON + minutes * MINUTE).next;
  expect(deriveNext(2)).toMatchObject({ sign: 'tftp', isSlow: false, isLate: false });
  expect(deriveNext(4)).toMatchObject({ sign: 'tftp', isSlow: true, isLate: false });
  expect(deriveNext(5)).toMatchObject({ sign: 'tftp', isSlow: true, isLate: true });
  // A machine with a prepared ISO gives no sign while it installs.
  const silent = deriveBootTimeline({ ...M1, poweredOnAt: NOON, boot: 'prepared-iso' }, NOON + 45 * MINUTE).next;
  expect(silent).toMatchObject({ sign: 'kubelet', isSlow: false });
});

test.each<[string, readonly string[], { readonly start: number; readonly installStart: number }]>([
  ['once', ['/boot.ipxe', '/ipxe/x.ipxe', '/images/kernel', '/ignition/master.ign'], { start: 0, installStart: 0 }],
  ['again from its disk', ['/boot.ipxe', '/ignition/master.ign', '/boot.ipxe'], { start: 2, installStart: 0 }],
  ['twice from its disk', ['/ignition/a.ign', '/boot.ipxe', '/boot.ipxe'], { start: 2, installStart: 0 }],
  [
    'again to install itself',
    ['/boot.ipxe', '/ignition/a.ign', '/boot.ipxe', '/ipxe/x.ipxe', '/images/kernel'],
    { start: 2, installStart: 2 },
  ],
  [
    'again from another web server',
    ['/x.ipxe', '/images/kernel', '/x.ipxe', '/images/kernel'],
    { start: 2, installStart: 2 },
  ],
])('a machine that starts %s', (_name, paths, latestStart) => {
  expect(findLatestStart(paths.map((path, minute) => request(path, minute)))).toEqual(latestStart);
});

test('nothing is late before it is usual', () => {
  for (const { usual, late } of Object.values(SIGN_MINUTES)) expect(late).toBeGreaterThan(usual);
});
