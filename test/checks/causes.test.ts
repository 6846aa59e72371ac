import { expect, test } from 'vitest';
import {
  explainFindings,
  listFailuresByCause,
  listProblemTrees,
  orderByCause,
} from '../../src/checks/causes/explain.ts';
import { addHostsToRemedy } from '../../src/checks/causes/locations.ts';
import { CAUSE_RULES, matchesId } from '../../src/checks/causes/rules.ts';
import type { Finding } from '../../src/checks/check.ts';
import { exampleSite } from '../support/example-design.ts';

/** A finding as `code state subject`, with its evidence. Service hosts: bastion .101, ns1 .102, lb1 .112. */
function createFinding(text: string, cause = '', more: Partial<Finding> = {}): Finding {
  const [code = '', state = '', ...subject] = text.split(' ');
  const severity = /^(?:host|ssh)-/.test(code) ? 'warning' : 'fatal';
  return {
    ...{ code, cause, severity, title: text, remedy: '' },
    state: state as Finding['state'],
    subject: subject.join(' ') || null,
    ...more,
  };
}

const design = exampleSite();
const { name: cluster, baseDomain } = design.cluster;
const API = `api.${cluster}.${baseDomain}`;
const explain = (findings: readonly Finding[]) => explainFindings(design, findings);

/** Lists the problems as `code subject <- code subject, …; unknown`. */
function listTrees(findings: readonly Finding[]): string[] {
  return listProblemTrees(explain(findings)).map(({ finding, consequences, unknownFindings }) => {
    const keys = consequences.map(({ code, subject }) => `${code} ${subject}`).join(', ');
    return `${finding.code} ${finding.subject} <- ${keys}; ${unknownFindings.length}`;
  });
}

test('a host that is down explains its services, and nothing of other hosts', () => {
  const findings = [
    createFinding('host-login failed ns1'),
    createFinding('ssh-hosts failed ns1', '172.16.0.1: there is no route to that host'),
    createFinding('dns-server failed 172.16.0.102'),
    createFinding(`dns-api unknown ${API}`),
    createFinding('dhcp-server failed 172.16.0.102'),
    createFinding('lb-listens failed 172.16.0.112:6443'),
    createFinding('ssh-hosts ok lb1'),
  ];
  expect(listTrees(findings)).toEqual([
    'ssh-hosts ns1 <- host-login ns1, dns-server 172.16.0.102, dhcp-server 172.16.0.102; 1',
    'lb-listens 172.16.0.112:6443 <- ; 0',
  ]);
  const explained = explain(findings);
  expect(explained).toHaveLength(findings.length);
  expect(explained[0]).toMatchObject({ code: 'host-login', causedBy: { id: 'ssh-hosts', subject: 'ns1' } });
  expect(explained[5]?.causedBy).toBeUndefined();
  expect(orderByCause(explained, (each) => each).map(({ code }) => code)).toEqual([
    ...['ssh-hosts', 'host-login', 'dns-server', 'dhcp-server', 'lb-listens'],
    ...['dns-api', 'ssh-hosts'],
  ]);
});

test('one of two load balancers that is down does not explain a closed port of both', () => {
  const { loadBalancer } = design.services;
  const servers = [...loadBalancer.servers, { name: 'lb2', ip: ['172.16.0.113'], os: 'rhel9' }] as const;
  const two = exampleSite({
    services: { ...design.services, loadBalancer: { ...loadBalancer, servers } },
  } as Partial<typeof design>);
  const findings = [
    createFinding('ssh-hosts failed lb1', '172.16.0.1: there is no route to that host'),
    createFinding('lb-listens failed 172.16.0.111:6443'),
  ];
  expect(explainFindings(two, findings)[1]?.causedBy).toBeUndefined();
  const both = explainFindings(two, [
    ...findings,
    createFinding('ssh-hosts failed lb2', '172.16.0.1: there is no route to that host'),
  ]);
  expect(both[1]).toMatchObject({ causedBy: { id: 'ssh-hosts', subject: 'lb1' } });
});

test('a wrong record and the changed line of its zone are one finding, the record first', () => {
  const changed = { mentions: ['api.ocp45 IN A 172.16.0.66', 'api.ocp45 IN A 172.16.0.111'] };
  const file = createFinding('host-files failed ns1 /var/named/zone.db', '1 line differs, from line 12', changed);
  const found = explain([file, createFinding(`dns-api failed ${API}`, '172.16.0.66; the design says 172.16.0.111')]);
  expect(explain(found)).toEqual(found);
  expect(found.map(({ causedBy }) => causedBy)).toEqual([{ id: 'dns-api', subject: API }, undefined]);
  expect(found[1]?.cause).toBe(
    '172.16.0.66; the design says 172.16.0.111; ns1 /var/named/zone.db: 1 line differs, from line 12',
  );
  expect(listFailuresByCause(found).map(({ code }) => code)).toEqual(['dns-api', 'host-files']);
});

test('a changed line that does not name the wrong record is a second fault', () => {
  const changed = { mentions: ['mail IN A 172.16.0.9'] };
  const file = createFinding('host-files failed ns1 /var/named/zone.db', '1 line differs', changed);
  const record = createFinding(`dns-api failed ${API}`, 'no such name; the design says 172.16.0.111');
  expect(listTrees([file, record])).toEqual([`dns-api ${API} <- ; 0`, 'host-files ns1 /var/named/zone.db <- ; 0']);
});

test('a changed file of a service explains its silence, and goes before it, with its severity', () => {
  const file = createFinding('host-files failed ns1 /etc/named.conf', '1 line differs', { mentions: ['listen-on {'] });
  const findings = [createFinding('dns-server failed 172.16.0.102'), createFinding('lb-members failed lb1 api'), file];
  expect(listTrees(findings)).toEqual([
    'host-files ns1 /etc/named.conf <- dns-server 172.16.0.102; 0',
    'lb-members lb1 api <- ; 0',
  ]);
  expect(listProblemTrees(explain(findings))[0]?.severity).toBe('fatal');
});

test('an old process explains what its service answers, of that service only', () => {
  const findings = [
    createFinding('host-service-current failed ns1 named'),
    createFinding(`dns-api failed ${API}`, 'no such name; the design says 172.16.0.111'),
    createFinding('dhcp-leases failed bs 00:50:56:96:11:c2', 'no offer'),
  ];
  expect(listTrees(findings)).toEqual([
    `host-service-current ns1 named <- dns-api ${API}; 0`,
    'dhcp-leases bs 00:50:56:96:11:c2 <- ; 0',
  ]);
});

test('a closed port explains what is asked at this port, and not at others', () => {
  const evidence = 'Would open: public port=53/udp; Would open: public port=53/tcp';
  const findings = [
    createFinding('host-firewall failed ns1', evidence),
    createFinding('dns-server failed 172.16.0.102'),
    createFinding('dns-tcp unknown 172.16.0.102'),
    createFinding('dhcp-server failed 172.16.0.102'),
  ];
  expect(listTrees(findings)).toEqual([
    'host-firewall ns1 <- dns-server 172.16.0.102; 1',
    'dhcp-server 172.16.0.102 <- ; 0',
  ]);
});

test('a wrong answer that this machine gets as well is one finding; another answer is not', () => {
  const createPair = (answer: string) => [
    createFinding(`dns-api failed ${API}`, '', { mentions: ['172.16.0.66'] }),
    createFinding(`dns-resolver failed ${API}`, '', { severity: 'warning', mentions: [answer] }),
  ];
  expect(listTrees(createPair('172.16.0.66'))).toEqual([`dns-api ${API} <- dns-resolver ${API}; 0`]);
  expect(listTrees(createPair('172.16.0.67'))).toHaveLength(2);
});

test('a cause that was not checked explains nothing, and its former consequence is a problem itself', () => {
  const alone = createFinding('dns-api failed x', '', { causedBy: { id: 'dns-server', subject: '172.16.0.102' } });
  expect(listFailuresByCause([alone])).toEqual([alone]);
});

test('no line of the table explains itself, and no pair of findings explains each other', () => {
  for (const { cause, effects } of CAUSE_RULES)
    expect(effects.filter((each) => each === cause && !each.endsWith('*'))).toEqual([]);
  expect(
    matchesId('dns-*', 'dns-api') && !matchesId('dns-*', 'dhcp-leases') && !matchesId('dns-api', 'dns-api-int'),
  ).toBe(true);
  const silent = [
    createFinding('host-files failed ns1 /etc/named.conf', '', { mentions: [API] }),
    createFinding('host-service-current failed ns1 named'),
    createFinding('dns-server failed 172.16.0.102'),
    createFinding(`dns-api failed ${API}`),
  ];
  expect(listTrees(silent)).toEqual([
    `host-files ns1 /etc/named.conf <- host-service-current ns1 named, dns-server 172.16.0.102, dns-api ${API}; 0`,
  ]);
});

test('a remedy that puts generated files in place names the host, unless the service belongs to others', () => {
  const remedy = 'Put the generated zone in place and reload the name server.';
  const failed = createFinding(`dns-api failed ${API} @172.16.0.102`, '', { remedy });
  expect(addHostsToRemedy(design, failed, null).remedy).toBe(
    `${remedy} Run on ns1 as root: \`bash /root/upi-wizard/install.sh\`.`,
  );
  const dns = { ...design.services.dns, kind: 'external' as const };
  const external = exampleSite({ services: { ...design.services, dns } } as Partial<typeof design>);
  expect(addHostsToRemedy(design, failed, '/d').remedy).toBe(
    `${remedy} Press H on Hosts, or run: \`upi-wizard hosts apply --host ns1 --dir /d\``,
  );
  const bastionRemedy = 'Run the bastion’s install.sh there as root: `bash /x/install.sh` It starts.';
  const tftp = createFinding('tftp failed 172.16.0.101', '', { remedy: bastionRemedy });
  expect(addHostsToRemedy(design, tftp, '/d').remedy).toBe(
    'Press H on Hosts, or run: `upi-wizard hosts apply --host bastion --dir /d` It starts.',
  );
  expect(addHostsToRemedy(external, failed, null).remedy).toBe(remedy);
  expect(addHostsToRemedy(design, { ...failed, state: 'ok' }, null).remedy).toBe(remedy);
});
