import { expect, test } from 'vitest';
import { listAddressRecords, listPointerRecords, listReverseZones } from '../../src/artifacts/dns/records.ts';
import { generateFiles } from '../../src/artifacts/generate.ts';
import type { Design, ServiceHost } from '../../src/design/model.ts';
import { computeSha256 } from '../../src/platform/text.ts';
import { exampleCredentials, exampleImages, exampleSite, generateFileText } from '../support/example-design.ts';

const ZONE = 'ns1/var/named/example.localdomain.zone';
const REVERSE = 'ns1/var/named/0.16.172.in-addr.arpa.zone';

function withMachine(...cidrs: string[]): Design {
  const { networks } = exampleSite();
  return exampleSite({ networks: { ...networks, machine: cidrs.map((cidr) => ({ cidr, gateway: null })) } });
}

test('reverse zones cover machine networks of any size with whole zones', () => {
  const zones = (...cidrs: string[]) => listReverseZones(withMachine(...cidrs));
  expect(zones('172.16.0.0/24')).toEqual(['0.16.172.in-addr.arpa']);
  expect(zones('172.16.0.64/26', '172.16.0.128/26')).toEqual(['0.16.172.in-addr.arpa']);
  expect(zones('172.16.4.0/22')).toEqual([
    '4.16.172.in-addr.arpa',
    '5.16.172.in-addr.arpa',
    '6.16.172.in-addr.arpa',
    '7.16.172.in-addr.arpa',
  ]);
  expect(zones('172.16.0.0/16')).toEqual(['16.172.in-addr.arpa']);
  expect(zones('172.16.0.0/15')).toEqual(['16.172.in-addr.arpa', '17.172.in-addr.arpa']);
  expect(zones('10.0.0.0/8')).toEqual(['10.in-addr.arpa']);
  expect(zones('2001:db8::/64')).toEqual(['0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa']);
  expect(zones('2001:db8::/63')).toEqual([
    '0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
    '1.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa',
  ]);
});

test('every node has exactly one name for its address, the endpoints have theirs', () => {
  const design = exampleSite();
  const pointers = listPointerRecords(design);
  for (const node of design.nodes) {
    expect(pointers.filter(({ address }) => address === node.ip[0]).map(({ name }) => name)).toEqual([
      `${node.name}.ocp45.example.localdomain`,
    ]);
  }
  const namesAt = (address: string) => pointers.filter((record) => record.address === address).map(({ name }) => name);
  expect(namesAt('172.16.0.111')).toEqual(['api.ocp45.example.localdomain']);
  expect(namesAt('172.16.0.110')).toEqual(['api-int.ocp45.example.localdomain']);
  const shared = exampleSite({
    endpoints: { api: ['172.16.0.112'], apiInt: ['172.16.0.112'], ingress: ['172.16.0.112'] },
  });
  expect(
    listPointerRecords(shared)
      .filter(({ address }) => address === '172.16.0.112')
      .map(({ name }) => name),
  ).toEqual(['api.ocp45.example.localdomain', 'api-int.ocp45.example.localdomain']);
});

test('a single node keeps its own name for its address', () => {
  const node = exampleSite().nodes[1]!;
  const endpoints = { api: node.ip, apiInt: node.ip, ingress: node.ip };
  const design = exampleSite({ topology: 'single-node', nodes: [node], endpoints });
  expect(listPointerRecords(design).filter(({ address }) => address === node.ip[0])).toHaveLength(1);
});

test('there is a wildcard for applications, none for the cluster, and no etcd record', () => {
  const names = listAddressRecords(exampleSite()).flatMap(({ records }) => records.map(({ name }) => name));
  expect(names.filter((name) => name.includes('*'))).toEqual(['*.apps.ocp45.example.localdomain']);
  expect(generateFileText(exampleSite(), ZONE)).not.toMatch(/etcd|SRV/);
});

test('both zones name the same server in the base domain', () => {
  for (const file of [ZONE, REVERSE]) {
    expect(generateFileText(exampleSite(), file)).toContain(
      '@ IN SOA ns1.example.localdomain. hostmaster.example.localdomain. (',
    );
    expect(generateFileText(exampleSite(), file)).toContain('@ IN NS ns1.example.localdomain.');
  }
});

test('a serial rises by one when the records of its zone change, and only then', () => {
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages } as const;
  const run = (design: Design, before: ReturnType<typeof generateFiles> | null, edits: Record<string, string> = {}) => {
    const texts = new Map(before?.files.map(({ file, content }) => [file, content]));
    const readContent = (file: string) => edits[file] ?? texts.get(file) ?? null;
    return generateFiles({ ...input, design, previous: before && { manifest: before.manifest, readContent } });
  };
  const serials = ({ files }: ReturnType<typeof generateFiles>) =>
    Object.fromEntries(files.flatMap(({ file, serial }) => (serial === undefined ? [] : [[file, serial]])));

  const first = run(exampleSite(), null);
  expect(serials(first)).toEqual({ [ZONE]: 1, [REVERSE]: 1 });
  expect(run(exampleSite(), first)).toEqual(first);

  // A new ingress address changes the forward zone only: it has no reverse record.
  const changedIngress = exampleSite({ endpoints: { ...exampleSite().endpoints, ingress: ['172.16.0.112'] } });
  const second = run(changedIngress, first);
  expect(serials(second)).toEqual({ [ZONE]: 2, [REVERSE]: 1 });
  const withoutNode = run(exampleSite({ nodes: exampleSite().nodes.slice(0, -1) }), first);
  expect(serials(withoutNode)).toEqual({ [ZONE]: 2, [REVERSE]: 2 });
  expect(serials(run(exampleSite(), withoutNode))).toEqual({ [ZONE]: 3, [REVERSE]: 3 });

  const editedZone = generateFileText(exampleSite(), ZONE).replace('1 ; serial', '2026112100 ; serial');
  expect(serials(run(exampleSite(), first, { [ZONE]: editedZone }))).toEqual({ [ZONE]: 2026112101, [REVERSE]: 1 });
  expect(withoutNode.manifest.files.find(({ file }) => file === ZONE)?.sha256).toBe(
    computeSha256(withoutNode.files.find(({ file }) => file === ZONE)!.content),
  );
});

test('a serial continues when another server becomes the primary, and wraps after the maximum', () => {
  const input = { stage: 'install', credentials: exampleCredentials, images: exampleImages } as const;
  const { services } = exampleSite();
  const generateSerial = (design: Design, serial: number) =>
    generateFiles({
      ...input,
      design,
      previous: { manifest: { files: [{ file: ZONE, sha256: 'other', serial }] }, readContent: () => null },
    }).files.find(({ kind }) => kind === 'bind-zone')?.serial;
  const newPrimary = {
    kind: 'bind',
    servers: [{ name: 'ns9', ip: ['172.16.0.109'], os: 'debian' }],
    forwarders: [],
  } as const;
  expect(generateSerial(exampleSite({ services: { ...services, dns: newPrimary } }), 41)).toBe(42);
  expect(generateSerial(exampleSite(), 4_294_967_295)).toBe(1);
});

test('recursion is allowed for the cluster machines and the company networks of the design', () => {
  const conf = generateFileText(exampleSite(), 'ns1/etc/named.conf');
  expect(conf).toContain('acl "company" {\n    192.168.124.0/24;\n};');
  expect(conf).toContain('allow-recursion { "cluster-machines"; "company"; };');
  const { networks } = exampleSite();
  const withoutCompany = generateFileText(
    exampleSite({ networks: { ...networks, company: [] } }),
    'ns1/etc/named.conf',
  );
  expect(withoutCompany).not.toContain('"company"');
  expect(withoutCompany).toContain('allow-recursion { "cluster-machines"; };');
});

test('secondaries get a configuration of their own and no zone files', () => {
  const { services } = exampleSite();
  const servers: ServiceHost[] = [...services.dns.servers, { name: 'ns2', ip: ['172.16.0.103'], os: 'debian' }];
  const design = exampleSite({ services: { ...services, dns: { ...services.dns, servers } } });
  const { files } = generateFiles({
    design,
    stage: 'install',
    credentials: exampleCredentials,
    images: exampleImages,
    previous: null,
  });
  expect(files.filter(({ host, kind }) => host === 'ns2' && kind === 'bind-zone')).toEqual([]);
  const secondary = generateFileText(design, 'ns2/etc/bind/named.conf');
  expect(secondary).toContain('type secondary;');
  expect(secondary).toContain('primaries { 172.16.0.102; };');
  expect(generateFileText(design, 'ns1/etc/named.conf')).toContain('allow-transfer { 172.16.0.103; localhost; };');
  expect(generateFileText(design, ZONE)).toContain('@ IN NS ns2.example.localdomain.');
});

test('BIND 9.11 of RHEL 8 gets the keywords that it supports', () => {
  const { services } = exampleSite();
  const servers: ServiceHost[] = [
    { name: 'ns1', ip: ['172.16.0.102'], os: 'rhel8' },
    { name: 'ns2', ip: ['172.16.0.103'], os: 'rhel8' },
  ];
  const design = exampleSite({ services: { ...services, dns: { ...services.dns, servers } } });
  const primary = generateFileText(design, 'ns1/etc/named.conf');
  const secondary = generateFileText(design, 'ns2/etc/named.conf');
  expect(primary).toContain('type master;');
  expect(secondary).toContain('type slave;');
  expect(secondary).toContain('masters { 172.16.0.102; };');
  expect(primary + secondary).not.toMatch(/type (primary|secondary);|primaries/);
});

test('external DNS gets a list of the records instead', () => {
  const { services } = exampleSite();
  const dns = { kind: 'external', servers: [], forwarders: ['192.168.124.1'] } as const;
  const design = exampleSite({ services: { ...services, dns, dhcp: { kind: 'isc-dhcpd', server: 'bastion' } } });
  const list = generateFileText(design, 'bastion/root/upi-wizard/dns-records.csv');
  expect(list).toContain('api-int.ocp45.example.localdomain,A,172.16.0.110\r\n');
  expect(list).toContain('21.0.16.172.in-addr.arpa,PTR,m1.ocp45.example.localdomain\r\n');
  const updates = generateFileText(design, 'bastion/root/upi-wizard/dns-records.nsupdate');
  expect(updates).toContain(
    [
      'update delete 21.0.16.172.in-addr.arpa. PTR',
      'update delete 21.0.16.172.in-addr.arpa. CNAME',
      'update add 21.0.16.172.in-addr.arpa. 3600 IN PTR m1.ocp45.example.localdomain.',
    ].join('\n'),
  );
  expect(updates.match(/^send$/gm)).toHaveLength(3);
});
