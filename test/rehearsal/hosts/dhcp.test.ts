import { expect, test } from 'vitest';
import type { DhcpClient } from '../../../src/rehearsal/hosts/dhcp.ts';
import { parseDhcpdConf, parseKeaConf } from '../../../src/rehearsal/hosts/dhcp-conf.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

const M1 = '00:50:56:96:37:c8';
const client = (overrides: Partial<DhcpClient> = {}): DhcpClient => ({
  mac: M1,
  architecture: 7,
  userClass: null,
  ...overrides,
});
const kea = { ...exampleSite().services, dhcp: { kind: 'kea', server: 'ns1' } } as const;
const servers = [
  ['dhcpd', parseDhcpdConf(generateFileText(exampleSite(), 'ns1/etc/dhcp/dhcpd.conf'))],
  ['kea', parseKeaConf(generateFileText(exampleSite({ services: kea }), 'ns1/etc/kea/kea-dhcp4.conf'))],
] as const;

test.each(servers)('%s: a machine of the design gets its address, name and boot program', (_name, server) => {
  const found = server.findLease(client());
  if (!('lease' in found)) throw new Error('no lease');
  expect(found.lease).toMatchObject({
    address: '172.16.0.21',
    hostname: 'm1.ocp45.example.localdomain',
    nameServers: ['172.16.0.102'],
    routers: ['172.16.0.254'],
    nextServer: '172.16.0.101',
  });
  const program = (overrides: Partial<DhcpClient>) => {
    const answer = server.findLease(client(overrides));
    return 'lease' in answer ? answer.lease.filename : null;
  };
  expect(program({ architecture: 7 })).toMatch(/efi/);
  expect(program({ architecture: 0 })).not.toMatch(/efi$/);
  expect(program({ userClass: 'iPXE' })).toBe('http://172.16.0.101:8080/boot.ipxe');
});

test.each(servers)('%s: an unknown MAC address gets no lease', (_name, server) => {
  expect(server.findLease(client({ mac: '00:50:56:96:37:c9' }))).toEqual({ network: '172.16.0.0/24' });
});

test('groups, ranges and comparisons of dhcpd are read', () => {
  const server = parseDhcpdConf(`
option client-arch code 93 = unsigned integer 16;
subnet 10.0.0.0 netmask 255.255.255.0 { range 10.0.0.100 10.0.0.110; option routers 10.0.0.1; }
next-server 10.0.0.5;
if option client-arch = 00:07 or option client-arch = 00:09 { filename "ipxe.efi"; } elsif exists client-arch { filename "undionly.kpxe"; }
group { option host-name "grouped"; host a { hardware ethernet ${M1.toUpperCase()}; fixed-address 10.0.0.9; } }
`);
  const known = server.findLease(client());
  expect(known).toMatchObject({
    lease: { address: '10.0.0.9', hostname: 'grouped', filename: 'ipxe.efi', nextServer: '10.0.0.5' },
  });
  expect(server.findLease(client({ architecture: 0 }))).toMatchObject({ lease: { filename: 'undionly.kpxe' } });
  const unknownClient = server.findLease(client({ mac: '02:00:00:00:00:01', architecture: null }));
  expect(unknownClient).toMatchObject({
    lease: { address: expect.stringMatching(/^10\.0\.0\.1(0\d|10)$/), filename: null },
  });
});

test('a file that dhcpd does not read is refused with its line', () => {
  expect(() => parseDhcpdConf('subnet 10.0.0.0 netmask 255.255.255.0 {\n option routers 10.0.0.1\n}')).toThrow(
    /line 3: semicolon/,
  );
  expect(() => parseDhcpdConf('group {')).toThrow(/end of file/);
  const wrong = [
    ['option router 10.0.0.1;', /unknown option dhcp\.router/],
    ['option routers 10.0.0.1 option domain-name "x";', /semicolon expected/],
    ['option domain-name x;', /expecting string/],
    ['option routers 10.0.0.300;', /expecting IP address/],
    ['host a { hardware ethernet 00:50:56:96; fixed-adress 10.0.0.9; }', /unknown statement fixed-adress/],
    ['default-lease-time 10 max-lease-time 20;', /semicolon expected/],
    ['subnet 10.0.0.1 netmask 255.255.255.0 { }', /bad subnet/],
    ['subnet 10.0.0.0 netmask mask { }', /bad subnet/],
  ] as const;
  for (const [text, message] of wrong) expect(() => parseDhcpdConf(`# first\n${text}`), text).toThrow(message);
  // dhcpd -t of ISC DHCP 4.4.3 accepts both.
  for (const mask of ['255.255.255.255', '255.0.255.0'])
    expect(() => parseDhcpdConf(`subnet 10.0.0.0 netmask ${mask} { }`), mask).not.toThrow();
});
