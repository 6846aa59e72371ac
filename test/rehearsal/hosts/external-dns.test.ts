import { expect, test } from 'vitest';
import { lookUpName } from '../../../src/rehearsal/hosts/dns.ts';
import { buildZones } from '../../../src/rehearsal/hosts/service-hosts.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

const NXDOMAIN = 3;

test('an external name server has the records of the generated file, and none before', () => {
  const design = exampleSite();
  const dns = { kind: 'external' as const, servers: [], forwarders: ['192.168.124.1'] };
  const external = { ...design, services: { ...design.services, dns } };
  const csv = generateFileText(external, 'bastion/root/upi-wizard/dns-records.csv');
  const zones = buildZones(external, csv);
  const getAnswers = (name: string, type: string) => lookUpName(zones, name, type).answers.map(({ data }) => data);
  expect(getAnswers('api-int.ocp45.example.localdomain', 'A')).toEqual(['172.16.0.110']);
  expect(getAnswers('console-openshift-console.apps.ocp45.example.localdomain', 'A')).toEqual(['172.16.0.111']);
  expect(getAnswers('21.0.16.172.in-addr.arpa', 'PTR')).toEqual(['m1.ocp45.example.localdomain']);
  const before = lookUpName(buildZones(external, null), 'api.ocp45.example.localdomain', 'A');
  expect(before).toMatchObject({ code: NXDOMAIN, answers: [], soa: { type: 'SOA' } });
});
