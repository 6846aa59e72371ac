import { join } from 'node:path';
import { expect } from 'vitest';
import type { Design } from '../../src/design/model.ts';
import type { Offer } from '../support/dhcp-client.ts';
import { exampleSite } from '../support/example-design.ts';
import { CLIENT_LINK, runInNamespace, testInNamespace, writeHostFiles } from '../support/namespace.ts';

const CLIENT = join(import.meta.dirname, '../support/dhcp-client.ts');
const SCRIPT = 'http://172.16.0.101:8080/boot.ipxe';

/** Creates a site with a second machine network, and one control plane node with Secure Boot. */
function createSite(kind: 'isc-dhcpd' | 'kea'): Design {
  const { networks, nodes, services } = exampleSite();
  return exampleSite({
    networks: { ...networks, machine: [...networks.machine, { cidr: '10.20.4.0/22', gateway: '10.20.4.1' }] },
    nodes: nodes.map((node) => ({ ...node, secureBoot: node.name === 'm3' })),
    services: { ...services, dhcp: { kind, server: 'ns1' } },
  });
}

const DAEMONS = {
  'isc-dhcpd': [
    'dhcpd',
    'host ns1 bash -c "touch /var/lib/dhcp/dhcpd.leases; exec dhcpd -4 -f -d -cf /etc/dhcp/dhcpd.conf"',
  ],
  kea: ['kea-dhcp4', 'host ns1 kea-dhcp4 -c /etc/kea/kea-dhcp4.conf'],
} as const;

/** Returns the offers of a server with its generated files to machines on its network. */
async function collectOffers(design: Design, kind: keyof typeof DAEMONS, ...rounds: readonly (readonly object[])[]) {
  const output = await runInNamespace(
    writeHostFiles(design),
    `
trap 'cat "$FILES/dhcp.log" >&2' EXIT
${CLIENT_LINK}
${DAEMONS[kind][1]} >"$FILES/dhcp.log" 2>&1 &
until_true grep -qE 'Sending on +LPF/nodes|DHCP4_STARTED|DHCPSRV_CFGMGR_SOCKET_RAW' "$FILES/dhcp.log"
${rounds.map((machines) => `nsenter -t $client -n '${process.execPath}' '${CLIENT}' '${JSON.stringify(machines)}'`).join('\n')}
`,
  );
  return output.split('\n').map((line) => JSON.parse(line) as (Offer | null)[]);
}

for (const kind of ['isc-dhcpd', 'kea'] as const) {
  const test = testInNamespace(DAEMONS[kind][0]);

  test(`${kind} gives each machine its address, its name and what its firmware starts, and others nothing`, async () => {
    const design = createSite(kind);
    const mac = (name: string) => design.nodes.find((node) => node.name === name)?.mac;
    const [replies = []] = await collectOffers(design, kind, [
      { mac: mac('m1'), architecture: 0 },
      { mac: mac('m1'), architecture: 7 },
      { mac: mac('m2'), architecture: 9 },
      { mac: mac('w1'), architecture: 16 },
      { mac: mac('w2'), architecture: 7, isIpxe: true },
      { mac: mac('w3') },
      { mac: mac('m3'), architecture: 7 },
      { mac: mac('m3'), architecture: 16 },
      { mac: '02:de:ad:be:ef:01', architecture: 7 },
      { mac: '02:de:ad:be:ef:02' },
    ]);
    const boot = replies.map(
      (offer) => offer && [offer.address, offer.options['12'], offer.file || offer.options['67']],
    );
    const fqdn = (node: string) => `${node}.ocp45.example.localdomain`;
    expect(boot).toEqual([
      ['172.16.0.21', fqdn('m1'), 'undionly.kpxe'],
      ['172.16.0.21', fqdn('m1'), 'ipxe.efi'],
      ['172.16.0.22', fqdn('m2'), 'ipxe.efi'],
      ['172.16.0.31', fqdn('w1'), 'http://172.16.0.101:8080/boot/ipxe.efi'],
      ['172.16.0.32', fqdn('w2'), SCRIPT],
      ['172.16.0.33', fqdn('w3'), undefined],
      ['172.16.0.23', fqdn('m3'), 'shimx64.efi'],
      ['172.16.0.23', fqdn('m3'), 'http://172.16.0.101:8080/boot/shimx64.efi'],
      null,
      null,
    ]);
    for (const offer of replies.slice(0, 5)) expect(offer?.nextServer).toBe('172.16.0.101');
    // Only iPXE gets the option that it need not wait for a proxy DHCP server.
    expect(replies.map((offer) => offer?.options['175'])).toEqual(
      replies.map((_, index) => (index === 4 ? 'b00101' : undefined)),
    );
    expect(replies.map((offer) => offer?.options['60'])).toEqual([
      undefined,
      undefined,
      undefined,
      'HTTPClient',
      undefined,
      undefined,
      undefined,
      'HTTPClient',
      undefined,
      undefined,
    ]);
    const [first] = replies;
    expect(first?.options).toMatchObject({
      1: 'ffffff00',
      3: 'ac1000fe',
      6: 'ac100066',
      15: 'ocp45.example.localdomain',
      42: 'c0a87c01',
      119: '056f63703435076578616d706c650b6c6f63616c646f6d61696e00',
    });
  });

  test(`${kind} knows a machine by its MAC, whatever client ID firmware, iPXE and RHCOS send`, async () => {
    const design = createSite(kind);
    const mac = design.nodes.find(({ name }) => name === 'm1')?.mac;
    const rounds = await collectOffers(
      design,
      kind,
      [{ mac, architecture: 7, clientId: '0011223344556677889900112233445566', acceptsOffer: true }],
      [{ mac, architecture: 7, isIpxe: true, clientId: `01${mac?.replaceAll(':', '')}`, acceptsOffer: true }],
      [{ mac, clientId: 'ff1234567800020000ab11aabbccddeeff0011', acceptsOffer: true }],
    );
    expect(rounds.flat().map((offer) => offer && [offer.address, offer.options['53']])).toEqual([
      ['172.16.0.21', '05'],
      ['172.16.0.21', '05'],
      ['172.16.0.21', '05'],
    ]);
  });
}
