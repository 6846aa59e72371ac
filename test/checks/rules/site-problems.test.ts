import { expect, test } from 'vitest';
import { explainFindings, listProblemTrees } from '../../../src/checks/causes/explain.ts';
import { toFinding } from '../../../src/checks/check.ts';
import { diagnose } from '../../../src/checks/rules/diagnose.ts';
import type { SiteProblem } from '../../../src/checks/rules/evidence.ts';
import { SITE_CHECKS, type SiteCheckId } from '../../../src/checks/site/index.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import { MINUTE } from '../../../src/platform/clock.ts';
import { exampleSite } from '../../support/example-design.ts';
import { booting, complete, failedCheck, fqdn, NOW, node, operator, pools, withCluster } from './base-evidence.ts';

type Failure = readonly [id: SiteCheckId, subject: string, detail: string];

/** Evidence with failed checks of the site, as `gatherEvidence` explains them. */
function withFailures(...failures: readonly Failure[]) {
  const words = catalogue().diagnosis.site.checks;
  const findings = failures.map(([id, subject, detail]) => {
    const check = SITE_CHECKS.find((each) => each.id === id);
    if (check === undefined) throw new Error(`no check ${id}`);
    return toFinding(check, failedCheck(id, subject, detail), words[id]);
  });
  const explained = explainFindings(exampleSite(), findings);
  const siteProblems = listProblemTrees(explained).map(
    (problem): SiteProblem => ({
      ...problem,
      phase: SITE_CHECKS.find(({ id }) => id === problem.finding.code)?.phase ?? 'hosts',
    }),
  );
  const checks = failures.flatMap(([id, subject, detail], index) =>
    explained[index]?.causedBy === undefined ? [failedCheck(id, subject, detail)] : [],
  );
  return { ...booting, checks, siteProblems };
}

const listRules = (...failures: readonly Failure[]) => diagnose(withFailures(...failures)).map(({ rule }) => rule);

test('a failed check of the site that no rule reports is a diagnosis, with all of its subjects', () => {
  const detail = 'MTU 9000; the generated configuration sets none, and machines use 1500';
  const found = diagnose(
    withFailures(
      ['boot-readable', 'bastion rootfs.img', '/srv/rootfs.img: mode 0600'],
      ['dhcp-options', 'm1', detail],
      ['dhcp-options', 'm2', detail],
    ),
  );
  expect(found.map(({ rule, likelihood, subjects }) => ({ rule, likelihood, subjects }))).toEqual([
    { rule: 'boot-readable', likelihood: 'certain', subjects: ['bastion rootfs.img'] },
    { rule: 'dhcp-options', likelihood: 'certain', subjects: ['m1', 'm2'] },
  ]);
  expect(found[0]?.symptom).toContain('mode 0600');
  expect(found[0]?.remedy).not.toBe('');
  expect(found[1]?.evidence).toEqual([`m1: ${detail}`, `m2: ${detail}`]);
});

test('a check that a rule reports is not reported twice', () => {
  const found = listRules(['dns-api-int', 'api-int.ocp45.example.localdomain @172.16.0.102', 'no such name']);
  expect(found).toContain('api-int-missing');
  expect(found).not.toContain('dns-api-int');
});

test('a wrong router in the file of the DHCP server, its offers and the line that differs are one fault', () => {
  const line = '1 line differs, from line 15; generated: "option routers 172.16.0.254;"';
  const evidence = withFailures(
    ['host-files', 'ns1 /etc/dhcp/dhcpd.conf', line],
    ['dhcp-gateway', 'm1', 'gateway 172.16.0.253; the design says 172.16.0.254'],
  );
  const text = 'option routers 172.16.0.253;';
  const plannedText = 'option routers 172.16.0.254;';
  const file = { host: 'ns1', kind: 'isc-dhcpd', path: '/etc/dhcp/dhcpd.conf', text, plannedText } as const;
  const found = diagnose({ ...evidence, files: [file] });
  expect(found.map(({ rule }) => rule)).toEqual(['gateway-wrong']);
  expect(found[0]?.evidence).toEqual([
    '/etc/dhcp/dhcpd.conf on ns1: routers 172.16.0.253',
    `ns1 /etc/dhcp/dhcpd.conf: ${line}`,
  ]);
});

test('a file that a service refuses is evidence of that fault', () => {
  const zone = '/var/named/example.localdomain.zone';
  const refusal = `zone example.localdomain/IN: loading from file ${zone} failed: near '172.16.0.101.': bad dotted quad`;
  const evidence = withFailures(
    ['host-files', `ns1 ${zone}`, '1 line differs'],
    ['host-files', 'lb1 /etc/rsyslog.conf', ''],
  );
  const lines = [...evidence.lines, { source: 'named', host: 'ns1', text: refusal, at: null }];
  const found = diagnose({ ...evidence, lines });
  expect(found.map(({ rule }) => rule)).toEqual(['service-file-broken', 'host-files']);
  expect(found[0]?.evidence.at(-1)).toBe(`ns1 ${zone}: 1 line differs`);
});

test('one wrong line in the file of a balancer is one fault, with the line as evidence', () => {
  const line = '1 line differs, from line 67; generated: "server bs 172.16.0.11:22623 check inter 1s backup"';
  const evidence = withFailures(
    ['lb-bootstrap-present', 'lb1 machine-config', 'm1, m2, m3'],
    ['host-files', 'lb1 /etc/haproxy/haproxy.cfg', line],
    ['host-files', 'ns1 /etc/named.conf', line],
  );
  const members = ['m1', 'm2', 'm3'];
  const found = diagnose({ ...evidence, balancerMembers: pools(['bs', ...members], ['w1', 'w2', 'w3'], members) });
  expect(found.map(({ rule }) => rule)).toEqual(['config-server-closed', 'host-files']);
  expect(found[0]?.evidence.at(-1)).toBe(`lb1 /etc/haproxy/haproxy.cfg: ${line}`);
  expect(found[0]?.remedy).toMatch(/^Run on lb1 as root: `bash \/root\/upi-wizard\/install\.sh`\. /);
  expect(found[1]?.subjects).toEqual(['ns1 /etc/named.conf']);
});

test('the command that puts files in place comes last where no file is known to differ', () => {
  const members = ['m1', 'm2', 'm3'];
  const evidence = withFailures(['lb-bootstrap-present', 'lb1 machine-config', 'm1, m2, m3']);
  const found = diagnose({ ...evidence, balancerMembers: pools(['bs', ...members], ['w1', 'w2', 'w3'], members) });
  const { remedy = '' } = found.find(({ rule }) => rule === 'config-server-closed') ?? {};
  expect(remedy).toMatch(/^The load balancer needs a TCP listener on 22623 /);
});

test('before the first machine is on, the wrong pool is reported with its file, and no node as cut off', () => {
  const line = '1 line differs, from line 67; generated: "server bs 172.16.0.11:22623 check inter 1s backup"';
  const failures = withFailures(
    ['lb-members', 'lb1 machine-config', 'missing: bs'],
    ['host-files', 'lb1 /etc/haproxy/haproxy.cfg', line],
  );
  const members = ['m1', 'm2', 'm3'];
  const evidence = { ...failures, pools: pools(['bs', ...members], ['w1', 'w2', 'w3'], members) };
  const machines = evidence.machines.map((each) => ({ ...each, poweredOnAt: null, requests: [], lastRequest: null }));
  const found = diagnose({ ...evidence, machines });
  expect(found.map(({ rule, likelihood }) => `${rule} ${likelihood}`)).toEqual(['lb-members certain']);
  expect(found[0]?.evidence).toEqual(['lb1 machine-config: missing: bs', `lb1 /etc/haproxy/haproxy.cfg: ${line}`]);
});

test('a rule that sees only the consequence of a failed check is left out', () => {
  const evidence = withFailures(
    ['lb-bootstrap-present', 'lb1 api', 'm1, m2, m3'],
    ['host-service-current', 'lb1 haproxy', 'haproxy has read its files before'],
  );
  const [first, ...others] = diagnose({ ...evidence, balancerMembers: pools(['m1', 'm2', 'm3'], ['w1', 'w2', 'w3']) });
  expect(first).toMatchObject({ rule: 'host-service-current', likelihood: 'certain', subjects: ['lb1 haproxy'] });
  expect(first?.evidence).toContain('lb1 api: m1, m2, m3');
  expect(others.map(({ rule }) => rule)).not.toContain('bootstrap-not-in-balancer');
});

test('the check that compares all clocks replaces the rule that compares two', () => {
  const evidence = withFailures(['machine-clock', 'this machine', '2 h ahead of lb1, ns1 and the API']);
  const timeServerOffsets = [{ server: '192.168.124.1', offsetMs: -7_200_000 }];
  expect(diagnose({ ...booting, timeServerOffsets }).map(({ rule }) => rule)).toContain('clock-skew');
  expect(diagnose({ ...evidence, timeServerOffsets }).map(({ rule }) => rule)).toEqual(['machine-clock']);
});

test('a file that differs may be intended, and a note is no diagnosis', () => {
  const [file] = diagnose(withFailures(['host-files', 'lb1 /etc/haproxy/haproxy.cfg', '1 line differs']));
  expect(file).toMatchObject({ rule: 'host-files', likelihood: 'possible' });
  expect(listRules(['ssh-hosts', 'ns1', 'refused'])).toEqual([]);
});

test('ignition files that expire soon are a warning of the check, and no reason for what is wrong now', () => {
  const evidence = withFailures(['ignition-age', 'bootstrap.ign', '1 h 25 min left']);
  const [problem] = evidence.siteProblems;
  expect(problem).toMatchObject({ severity: 'fatal' });
  const soon = evidence.siteProblems.map((each) => ({ ...each, severity: 'warning' as const }));
  expect(diagnose({ ...evidence, siteProblems: soon }).map(({ rule }) => rule)).not.toContain('ignition-age');
  expect(diagnose(evidence).map(({ rule }) => rule)).toContain('ignition-age');
});

test.each([
  [0.5, ['node-gone']],
  [20, ['etcd-member-lost']],
])('a control plane node without power is one fault after %s min, with its name in the commands', (minutes, rules) => {
  const name = fqdn('m2');
  const message = `${name} is unhealthy NodeControllerDegraded: The master nodes not ready: node "${name}" not ready`;
  const since = NOW - minutes * MINUTE;
  const operators = ['etcd', 'kube-apiserver', 'kube-scheduler'].map((each) => {
    const lost = operator(each, 'node-lost', message, { degraded: true, state: 'degraded', since });
    return {
      ...lost,
      wait: { code: 'node-lost' as const, subject: name, waitsFor: `node ${name}`, isNormal: false, remedy: '' },
    };
  });
  const evidence = withCluster(complete, {
    version: { available: true, failing: true, message: 'Cluster operator etcd is degraded', since },
    operators,
    nodes: ['m1', 'm2', 'm3', 'w1'].map((each) => ({
      ...node(fqdn(each)),
      ...(each === 'm2'
        ? { isReady: false, readySince: null, notReadySince: since, message: 'Kubelet stopped posting node status.' }
        : {}),
    })),
  });
  const { siteProblems } = withFailures(['lb-member-silent', 'm2', 'lb1: api/m2 DOWN L4TOUT; m1, m3 UP']);
  const found = diagnose({ ...evidence, siteProblems });
  expect(found.map(({ rule }) => rule)).toEqual(rules);
  expect(found[0]?.subjects).toEqual([name]);
  expect(found[0]?.remedy).not.toMatch(/\bNAME\b|\bNODE\b|oc delete node/);
  expect(found[0]?.remedy).toContain('go to Boot, select the node, and press R');
});

test('a compute node that is gone is deleted and installed again', () => {
  const name = fqdn('w1');
  const gone = { isReady: false, readySince: null, notReadySince: NOW - 20 * MINUTE };
  const nodes = [{ ...node(name), ...gone, message: 'Kubelet stopped posting node status.' }];
  const [found] = diagnose(withCluster(complete, { nodes }));
  expect(found).toMatchObject({ rule: 'node-gone', remedy: expect.stringContaining(`\`oc delete node ${name}\``) });
});
