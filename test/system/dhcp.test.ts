import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { expect, onTestFinished, test } from 'vitest';
import type { Design, ServiceHost } from '../../src/design/model.ts';
import { exampleSite, generateFileText } from '../support/example-design.ts';
import { createExampleDesign } from '../support/example-document.ts';
import { requireProgram, testWith } from '../support/programs.ts';

function createSite(kind: 'isc-dhcpd' | 'kea', changes: Partial<Design> = {}): Design {
  return exampleSite({ services: { ...exampleSite().services, dhcp: { kind, server: 'ns1' } }, ...changes });
}

/** Creates a second IPv4 network, an IPv6 one, no gateway, and no boot from the network. */
function createMixedSite(kind: 'isc-dhcpd' | 'kea'): Design {
  const site = createSite(kind);
  const machine = [
    ...site.networks.machine,
    { cidr: '10.20.4.0/22', gateway: null },
    { cidr: '2001:db8::/64', gateway: null },
  ];
  const remoteNode = { ...site.nodes[4]!, name: 'far', ip: ['10.20.7.9', '2001:db8::9'], mac: '00:50:56:96:00:01' };
  return {
    ...site,
    networks: { ...site.networks, machine },
    nodes: [...site.nodes, remoteNode],
    services: { ...site.services, boot: { kind: 'iso', httpPort: 8080 } },
  };
}

async function expectAccepted(program: string, argv: readonly string[], text: string): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'dhcp-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, 'dhcp.conf');
  writeFileSync(file, text);
  const { exitCode, all } = await execa(requireProgram(program), [...argv, file], { all: true, reject: false });
  expect({ exitCode, all }).toMatchObject({ exitCode: 0 });
  expect(all).not.toMatch(/warn|deprecated|line \d+/i);
}

const listSites = (kind: 'isc-dhcpd' | 'kea') => [
  createSite(kind),
  createMixedSite(kind),
  createRelayedSite(kind),
  createSite(kind, { topology: 'arbiter', nodes: createExampleDesign('arbiter').nodes }),
];

testWith('dhcpd')('dhcpd accepts its configuration', async () => {
  for (const design of listSites('isc-dhcpd'))
    await expectAccepted('dhcpd', ['-t', '-cf'], generateFileText(design, 'ns1/etc/dhcp/dhcpd.conf'));
});

testWith('kea-dhcp4')('kea-dhcp4 accepts its configuration', async () => {
  for (const design of listSites('kea'))
    await expectAccepted('kea-dhcp4', ['-t'], generateFileText(design, 'ns1/etc/kea/kea-dhcp4.conf'));
});

/** The DHCP server is in a company network. A relay forwards the requests of nodes. */
function createRelayedSite(kind: 'isc-dhcpd' | 'kea'): Design {
  const site = createSite(kind);
  const servers = site.services.dns.servers.map((server): ServiceHost => ({ ...server, ip: ['192.168.124.53'] }));
  return { ...site, services: { ...site.services, dns: { ...site.services.dns, servers } } };
}

test('a server beyond a relay has its own network declared, where it assigns no addresses', () => {
  const dhcpd = generateFileText(createRelayedSite('isc-dhcpd'), 'ns1/etc/dhcp/dhcpd.conf');
  expect(dhcpd).toContain('subnet 192.168.124.0 netmask 255.255.255.0 {\n}\n');
  expect(generateFileText(createSite('isc-dhcpd'), 'ns1/etc/dhcp/dhcpd.conf')).not.toContain('192.168.124.0');
});

test('every node has its address and its full name by its MAC, and there is no range for others', () => {
  const dhcpd = generateFileText(createSite('isc-dhcpd'), 'ns1/etc/dhcp/dhcpd.conf');
  const kea = JSON.parse(generateFileText(createSite('kea'), 'ns1/etc/kea/kea-dhcp4.conf')).Dhcp4;
  const [subnet] = kea.subnet4;
  for (const { name, mac, ip } of exampleSite().nodes) {
    const fqdn = `${name}.ocp45.example.localdomain`;
    expect(dhcpd).toContain(
      `host ${name} {\n    hardware ethernet ${mac};\n    fixed-address ${ip[0]};\n    option host-name "${fqdn}";\n}`,
    );
    expect(subnet.reservations).toContainEqual({
      'hw-address': mac,
      'ip-address': ip[0],
      hostname: fqdn,
      'option-data': [{ name: 'host-name', data: fqdn, 'always-send': true }],
    });
  }
  expect(dhcpd).not.toMatch(/\brange\b/);
  expect(subnet).not.toHaveProperty('pools');
});
