import { expect, test } from 'vitest';
import type { Design } from '../../../src/design/model.ts';
import { parseHaproxyConfig } from '../../../src/rehearsal/hosts/balancer-conf.ts';
import { parseDhcpdConf, parseKeaConf } from '../../../src/rehearsal/hosts/dhcp-conf.ts';
import { lookUpName, parseZone } from '../../../src/rehearsal/hosts/dns.ts';
import { createFileFaultApplier, type FileFaultState } from '../../../src/rehearsal/hosts/file-faults.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { findAffectedNode } from '../../../src/rehearsal/site/seeded-random.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

const design = exampleSite();
const kea: Design = { ...design, services: { ...design.services, dhcp: { kind: 'kea', server: 'ns1' } } };
const FORWARD = 'var/named/example.localdomain.zone';
const REVERSE = 'var/named/0.16.172.in-addr.arpa.zone';
const HAPROXY = 'etc/haproxy/haproxy.cfg';
const DHCPD = 'etc/dhcp/dhcpd.conf';
const KEA = 'etc/kea/kea-dhcp4.conf';

function generateWithFault(
  fault: FaultId,
  host: string,
  file: string,
  of = design,
  before: string | null = null,
): string {
  const text = generateFileText(of, `${host}/${file}`);
  return createFileFaultApplier({ design: of, faults: new Set([fault]), seed: 1 }, {})(host, file, text, before);
}

/** Returns the addresses and names that the zone has for a name, or the DNS response code if there are none. */
function queryZone(text: string, origin: string, name: string, type: string): readonly string[] | number {
  const { code, answers } = lookUpName([parseZone(text, origin)], name, type);
  return code === 0 ? answers.map(({ data }) => data) : code;
}

const queryForwardZone = (fault: FaultId, name: string) =>
  queryZone(generateWithFault(fault, 'ns1', FORWARD), 'example.localdomain', `${name}.ocp45.example.localdomain`, 'A');

test('mistakes in a zone take or change one record, and nothing else', () => {
  expect(queryForwardZone('api-int-missing', 'api-int')).toBe(3);
  expect(queryForwardZone('api-int-missing', 'api')).toEqual(['172.16.0.111']);
  expect(queryForwardZone('apps-wildcard-missing', 'console.apps')).toBe(3);
  expect(queryForwardZone('wildcard-too-wide', 'anything')).toEqual(['172.16.0.111']);
  expect(queryForwardZone('wildcard-too-wide', 'console.apps')).toEqual(['172.16.0.111']);
  expect(queryForwardZone('wildcard-too-wide', 'm1')).toEqual(['172.16.0.21']);
  for (const fault of ['ptr-missing', 'hostname-localhost'] as const) {
    const victim = findAffectedNode(fault, { design, faults: new Set([fault]), seed: 1 });
    const [address = ''] = victim?.ip ?? [];
    const name = `${address.split('.').reverse().join('.')}.in-addr.arpa`;
    const answer = queryZone(generateWithFault(fault, 'ns1', REVERSE), '0.16.172.in-addr.arpa', name, 'PTR');
    expect(answer).toEqual(
      fault === 'ptr-missing' ? 3 : ['localhost.localdomain.'].map((each) => each.replace(/\.$/, '')),
    );
    for (const [of, file, parse] of [
      [design, DHCPD, parseDhcpdConf],
      [kea, KEA, parseKeaConf],
    ] as const) {
      const server = parse(generateWithFault(fault, 'ns1', file, of));
      const leases = of.nodes.map(({ mac }) => server.findLease({ mac, architecture: null, userClass: null }));
      const nameless = leases.filter((each) => 'lease' in each && each.lease.hostname === null);
      expect(nameless).toMatchObject([{ lease: { address } }]);
    }
  }
});

test('a wrong router and wrong members are put into the file in valid syntax', () => {
  for (const [of, file, parse] of [
    [design, DHCPD, parseDhcpdConf],
    [kea, KEA, parseKeaConf],
  ] as const) {
    const client = { mac: design.nodes[1]?.mac ?? '', architecture: null, userClass: null };
    expect(parse(generateWithFault('gateway-wrong', 'ns1', file, of)).findLease(client)).toMatchObject({
      lease: { address: '172.16.0.21', routers: ['172.16.0.253'] },
    });
  }
  const listener = (fault: FaultId, port: number) =>
    parseHaproxyConfig(generateWithFault(fault, 'lb1', HAPROXY)).find((each) => each.port === port);
  const members = (fault: FaultId, port: number) => listener(fault, port)?.members.map(({ address }) => address);
  expect(members('config-server-closed', 22623)).toEqual(['172.16.0.21', '172.16.0.22', '172.16.0.23']);
  expect(members('config-server-closed', 6443)).toContain('172.16.0.11');
  for (const port of [80, 443])
    expect(members('routers-outside-pool', port)).toEqual(['172.16.0.21', '172.16.0.22', '172.16.0.23']);
  expect(listener('api-health-check-wrong', 6443)).toMatchObject({ hasHttpCheck: true });
  expect(listener('api-health-check-wrong', 6443)?.members.filter(({ hasTlsCheck }) => hasTlsCheck)).toEqual([]);
  expect(listener('balancer-timeout-short', 6443)?.idleTimeoutMs).toBe(10_000);
  expect(listener('ptr-missing', 6443)?.idleTimeoutMs).toBe(3_600_000);
  const removed = generateFileText(design, `lb1/${HAPROXY}`, 'bootstrap-removed');
  const before = generateFileText(design, `lb1/${HAPROXY}`);
  const applyFaults = createFileFaultApplier(
    { design, faults: new Set<FaultId>(['bootstrap-left-in-balancer']), seed: 1 },
    {},
  );
  expect(applyFaults('lb1', HAPROXY, before, null)).toBe(before);
  expect(applyFaults('lb1', HAPROXY, removed, before)).toBe(before);
  expect(applyFaults('lb1', HAPROXY, removed, before)).toBe(removed);
});

test('another text gets the same mistake, the same text again gets none, and no fault changes nothing', () => {
  const state: FileFaultState = {};
  const applyFaults = createFileFaultApplier(
    { design, faults: new Set<FaultId>(['routers-outside-pool']), seed: 1 },
    state,
  );
  const [first, second] = (['install', 'bootstrap-removed'] as const).map((stage) =>
    generateFileText(design, `lb1/${HAPROXY}`, stage),
  );
  if (first === undefined || second === undefined) throw new Error('no files');
  expect(applyFaults('lb1', HAPROXY, first, null)).not.toBe(first);
  expect(applyFaults('lb1', HAPROXY, second, first)).not.toBe(second);
  expect(applyFaults('lb1', HAPROXY, second, second)).toBe(second);
  expect(applyFaults('lb1', HAPROXY, first, second)).toBe(first);
  const applyNoFaults = createFileFaultApplier({ design, faults: new Set<FaultId>(), seed: 1 }, {});
  for (const file of [FORWARD, REVERSE, DHCPD]) {
    const text = generateFileText(design, `ns1/${file}`);
    expect(applyNoFaults('ns1', file, text, null)).toBe(text);
  }
});
