import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { listFirewallOpenings } from '../../../src/artifacts/network/firewall.ts';
import { listServiceHosts } from '../../../src/design/derived-facts.ts';
import type { Design } from '../../../src/design/model.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

const NOTES = 'bastion/root/upi-wizard/network-notes.md';

test('the route to the machine network, if the design names a router', () => {
  expect(generateFileText(exampleSite(), NOTES)).toContain('ip route add 172.16.0.0/24 via 192.168.124.254');
  const { networks } = exampleSite();
  const without = generateFileText(exampleSite({ networks: { ...networks, router: null } }), NOTES);
  expect(without).not.toContain('ip route add');
  expect(without).toContain('no route to add');
});

/** Returns the rows of the port matrix, as cells. */
function parsePortMatrix(design: Design): string[][] {
  const rows = generateFileText(design, NOTES)
    .split('\n')
    .filter((line) => line.startsWith('| '));
  return rows.slice(1).map((line) => line.slice(2, -2).split(' | '));
}

test('every port that a host opens is a row of the matrix, and none without a reason', () => {
  const rows = parsePortMatrix(exampleSite());
  for (const cells of rows) expect(cells, cells.join('|')).toHaveLength(5);
  for (const cells of rows) expect(cells[4]).not.toBe('');
  const design = exampleSite();
  for (const host of listServiceHosts(design)) {
    for (const { protocol, port, addresses } of listFirewallOpenings(design, host)) {
      const found = rows.filter(
        ([, to = '', proto, ports]) =>
          addresses.every((address) => to.includes(address)) &&
          proto === protocol.toUpperCase() &&
          ports === String(port),
      );
      expect(found, `${host.name} ${protocol} ${port}`).not.toEqual([]);
    }
  }
  // Machine configs are never open to the company networks.
  for (const [from = ''] of rows.filter(([, , , ports]) => ports === '22623'))
    expect(from).not.toContain('192.168.124');
});

test('a DHCP server in another network needs a relay, and the matrix lists it', () => {
  const listRelayRows = (design: Design) =>
    parsePortMatrix(design).filter(([from = '']) => from.startsWith('DHCP relay'));
  expect(listRelayRows(exampleSite())).toEqual([]);
  const { networks } = exampleSite();
  const machine = [...networks.machine, { cidr: '172.17.0.0/24', gateway: '172.17.0.254' }];
  expect(listRelayRows(exampleSite({ networks: { ...networks, machine } }))).toEqual([
    [
      'DHCP relay of 172.17.0.0/24 (172.17.0.254)',
      'ns1 (172.16.0.102)',
      'UDP',
      '67',
      'DHCP, relayed because the server is in another network',
    ],
  ]);
});

test('zones that the company DNS forwards: forward and reverse; with external DNS, the records to create', () => {
  const text = generateFileText(exampleSite(), NOTES);
  expect(text).toContain('Forward these zones to 172.16.0.102');
  expect(text).toContain('\n    example.localdomain\n    0.16.172.in-addr.arpa\n');
  expect(text).toContain('ocp45.example.localdomain and the reverse zones alone');
  const { services } = exampleSite();
  const dns = { kind: 'external', servers: [], forwarders: ['192.168.124.1'] } as const;
  const external = generateFileText(exampleSite({ services: { ...services, dns } }), NOTES);
  expect(external).not.toContain('Forward these zones');
  expect(external).toContain('dns-records.csv');
});

test('without forwarders the name servers ask the internet themselves, unless nothing is fetched from there', () => {
  const { services } = exampleSite();
  const withoutForwarders = { services: { ...services, dns: { ...services.dns, forwarders: [] } } };
  expect(generateFileText(exampleSite(withoutForwarders), NOTES)).toContain(
    'name servers of the cluster query the internet',
  );
  const listInternetDnsRows = (changes: Partial<Design>) =>
    parsePortMatrix(exampleSite({ ...withoutForwarders, ...changes })).filter(
      (cells) => cells[1] === 'the internet' && cells[3] === '53',
    );
  expect(listInternetDnsRows({}).map(([from]) => from)).toEqual(['name server (172.16.0.102)']);
  expect(
    listInternetDnsRows({ imageDigestSources: [{ source: 'quay.io/a', mirrors: ['10.0.0.7:5000/ocp'] }] }),
  ).toEqual([]);
});

test('images come from the internet, through a proxy, or from mirrors', () => {
  const source = (changes: Partial<Design>) => parsePortMatrix(exampleSite(changes)).at(-1)?.slice(1, 4);
  expect(source({})).toEqual(['the internet', 'TCP', '443']);
  const proxy = { httpProxy: 'http://proxy.example.com:3128', httpsProxy: '', noProxy: '' };
  expect(source({ proxy })).toEqual(['proxy (proxy.example.com)', 'TCP', '3128']);
  const imageDigestSources = [
    { source: 'quay.io/a', mirrors: ['mirror.example.com:5000/ocp', 'mirror.example.com:5000/b'] },
  ];
  expect(source({ imageDigestSources })).toEqual(['mirror registry (mirror.example.com:5000)', 'TCP', '5000']);
  // Both: the mirrors may not have every image.
  const both = parsePortMatrix(exampleSite({ proxy, imageDigestSources })).map((cells) => cells.slice(1, 4).join(' '));
  expect(both.slice(-2)).toEqual([
    'mirror registry (mirror.example.com:5000) TCP 5000',
    'proxy (proxy.example.com) TCP 3128',
  ]);
});

test('an IPv6 router leads to the IPv6 networks', () => {
  const { networks } = exampleSite();
  const machine = [...networks.machine, { cidr: 'fd00:16::/64', gateway: null }];
  const text = generateFileText(exampleSite({ networks: { ...networks, machine, router: 'fd00:124::1' } }), NOTES);
  expect(text).toContain('ip -6 route add fd00:16::/64 via fd00:124::1');
  expect(text).not.toContain('route add 172.16.0.0/24');
});

test('lists the nodes that would not start iPXE', () => {
  expect(generateFileText(exampleSite(), NOTES)).not.toContain('Secure Boot');
  const nodes = exampleSite().nodes.map((node) => ({ ...node, secureBoot: node.name === 'm2' }));
  expect(generateFileText(exampleSite({ nodes }), NOTES)).toContain('Secure Boot is on for m2.');
});

test('the environment puts the install directory first, once however often it is sourced', () => {
  const text = generateFileText(exampleSite(), 'bastion/root/upi-wizard/env.sh');
  const script = `${text}\n${text}\nprintf '%s %s' "$PATH" "$KUBECONFIG"`;
  const { stdout } = spawnSync('/bin/sh', ['-eu', '-c', script], {
    env: { PATH: '/usr/bin:/bin', HOME: '/root' },
    encoding: 'utf8',
  });
  expect(stdout).toBe('/root/upi-cluster:/usr/bin:/bin /root/upi-cluster/auth/kubeconfig');
});

test('names the source of IPv6 addresses, if there are any', () => {
  expect(generateFileText(exampleSite(), NOTES)).not.toContain('## IPv6');
  const { networks } = exampleSite();
  const more = [
    { cidr: '2001:db8::/64', gateway: '2001:db8::1' },
    { cidr: '2001:db8:1::/64', gateway: null },
  ];
  const text = generateFileText(
    exampleSite({ networks: { ...networks, machine: [...networks.machine, ...more] } }),
    NOTES,
  );
  expect(text).toContain('    2001:db8::/64   gateway 2001:db8::1\n');
  expect(text).toContain('    2001:db8:1::/64   no gateway in the design');
});
