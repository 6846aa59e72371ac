import { expect, test } from 'vitest';
import type { OperatorState } from '../../../src/checks/operators.ts';
import { diagnose } from '../../../src/checks/rules/diagnose.ts';
import type { Evidence, SiteCheckResult } from '../../../src/checks/rules/evidence.ts';
import { DIAGNOSTIC_RULES } from '../../../src/checks/rules/index.ts';
import { isWorker } from '../../../src/design/derived-facts.ts';
import { catalogue } from '../../../src/i18n/catalogue.ts';
import {
  ago,
  BOOTSTRAP,
  booting,
  bootRequest,
  bootstrapping,
  complete,
  design,
  failedCheck,
  fqdn,
  MASTERS,
  node,
  operator,
  pools,
  request,
  router,
  WORKERS,
  withCluster,
} from './base-evidence.ts';
import { BOOT_IMAGE_CASES } from './boot-image-cases.ts';
import { BUNDLE_CASES } from './bundle-cases.ts';
import { CLUSTER_CASES } from './cluster-cases.ts';
import { DHCP_CASES } from './dhcp-cases.ts';
import { DISK_CASES } from './disk-cases.ts';
import { leaseLine, MACHINE_CASES, withLines, withMachine } from './machine-cases.ts';
import { NETWORK_CASES } from './network-cases.ts';
import type { RuleCase } from './rule-case.ts';
import { SERVICE_CASES } from './service-cases.ts';
import { TEXT_CASES } from './text-cases.ts';

test('a suspicion about machines that do not join is left out beside a certain cause', () => {
  const stalled = withLines(booting, 'kubelet', ...Array<string>(3).fill('net/http: TLS handshake timeout'));
  const listRules = (evidence: Evidence) => diagnose(evidence).map(({ rule }) => rule);
  expect(listRules(stalled)).toContain('mtu-too-small');
  const balancerMembers = stalled.balancerMembers.filter(({ name }) => name !== 'm2');
  const rules = listRules({ ...stalled, balancerMembers });
  expect(rules).toContain('balancer-member-missing');
  expect(rules).not.toContain('mtu-too-small');
});

test('a registry that is only suspected is left out beside a certain cause', () => {
  const lastRequest = bootRequest('/ignition/bootstrap.ign', 200, 55);
  const bootstrap = { stage: 'ignition', poweredOnAt: ago(60), lastRequest, requests: [lastRequest] } as const;
  const stalled = { ...withMachine(booting, BOOTSTRAP, bootstrap), lines: [leaseLine(BOOTSTRAP, ago(50))] };
  const listRules = (evidence: Evidence) => diagnose(evidence).map(({ rule }) => rule);
  expect(listRules(stalled)).toContain('registry-unreachable');
  const withoutRegistry = listRules({ ...stalled, registries: ['registry.redhat.io'] });
  expect(withoutRegistry).toContain('pull-secret-without-registry');
  expect(withoutRegistry).not.toContain('registry-unreachable');
});

test('a suspected registry is left out beside settings from before a correction', () => {
  const lastRequest = bootRequest('/ignition/bootstrap.ign', 200, 55);
  const bootstrap = { stage: 'ignition', poweredOnAt: ago(60), lastRequest, requests: [lastRequest] } as const;
  const stalled = { ...withMachine(booting, BOOTSTRAP, bootstrap), lines: [leaseLine(BOOTSTRAP, ago(50))] };
  const listRules = (evidence: Evidence) => diagnose(evidence).map(({ rule }) => rule);
  const corrected = listRules({ ...stalled, filesInstalledAt: { ns1: ago(1) } });
  expect(corrected).toContain('dhcp-options-wrong');
  expect(corrected).not.toContain('registry-unreachable');
});

test('operators that wait for routes are left out beside the fault of the routes, others are not', () => {
  const operators = [operator('authentication', 'routes-closed', 'EOF'), operator('insights', 'disk-full', 'full')];
  const listSubjects = (evidence: Evidence) =>
    diagnose(withCluster(evidence, { operators })).map(({ rule, subjects }) => [rule, ...subjects]);
  expect(listSubjects(complete)).toEqual([['operator-degraded', 'authentication', 'insights']]);
  expect(listSubjects(withCluster(complete, { routers: [router('r', fqdn('m1'))] }))).toEqual([
    ['routers-outside-pool', fqdn('m1')],
    ['operator-degraded', 'insights'],
  ]);
});

test('operators whose pods an unanswered webhook rejects are its evidence, others are findings', () => {
  const operators = [operator('dns', 'rollout', 'RollingOut'), operator('insights', 'disk-full', 'full')];
  const webhook = { kind: 'Webhook', name: 'image-policy', since: null, message: 'no endpoints' } as const;
  const found = diagnose(withCluster(complete, { operators, unhealthyObjects: [webhook] }));
  expect(found.map(({ rule, subjects }) => [rule, ...subjects])).toEqual([
    ['webhook-unanswered', 'image-policy'],
    ['operator-degraded', 'insights'],
  ]);
  expect(found[0]?.evidence).toEqual([
    'image-policy: no endpoints',
    expect.stringMatching(/^dns Degraded=True .*RollingOut/),
  ]);
  expect(found[0]?.remedy).not.toContain('dns');
});

test('a release that fails is left out only where it names an operator that has a finding of its own', () => {
  const diagnoseFailing = (message: string) =>
    diagnose(
      withCluster(complete, {
        version: { available: true, failing: true, message, since: ago(11) },
        operators: [operator('insights', 'disk-full', 'no space left on device')],
      }),
    ).map(({ rule }) => rule);
  expect(diagnoseFailing('Cluster operator insights is degraded')).toEqual(['operator-degraded']);
  expect(diagnoseFailing('Could not update deployment "openshift-x/y"')).toEqual([
    ...['operator-degraded', 'version-failing'],
  ]);
});

const CASES: readonly RuleCase[] = [
  ...BOOT_IMAGE_CASES,
  ...SERVICE_CASES,
  ...MACHINE_CASES,
  ...DHCP_CASES,
  ...DISK_CASES,
  ...CLUSTER_CASES,
  ...TEXT_CASES,
  ...NETWORK_CASES,
  ...BUNDLE_CASES,
];
const listFindings = (evidence: Evidence) => diagnose(evidence).map(({ rule, likelihood }) => `${rule} ${likelihood}`);

test('a booting, a bootstrapping and a complete site and an empty bundle give no findings', () => {
  expect([booting, bootstrapping, complete].map(listFindings)).toEqual([[], [], []]);
  const nothing = {
    checks: [],
    pools: [],
    ports: [],
    ready: [],
    files: [],
    machines: [],
    lines: [],
    timeServerOffsets: [],
  };
  const rest = { design: null, ignition: null, registries: null, api: null, cluster: null };
  expect(listFindings({ ...booting, ...nothing, ...rest })).toEqual([]);
});

test.each(CASES)('%s comes first for matching evidence, and is absent otherwise', (id, matching, similar) => {
  for (const [evidence, likelihood] of matching) expect(listFindings(evidence)[0]).toBe(`${id} ${likelihood}`);
  for (const evidence of similar)
    expect(listFindings(evidence).filter((each) => each.startsWith(`${id} `))).toEqual([]);
});

test('every rule has a case of each kind', () => {
  const covered = CASES.filter(([, matching, similar]) => matching.length > 0 && similar.length > 0).map(([id]) => id);
  expect(DIAGNOSTIC_RULES.map(({ id }) => id).filter((id) => !covered.includes(id))).toEqual([]);
  expect(new Set(DIAGNOSTIC_RULES.map(({ id }) => id)).size).toBe(DIAGNOSTIC_RULES.length);
});

test('the commands of a remedy have the names of the objects, where they are known', () => {
  const findRemedies = (rule: string) =>
    CASES.flatMap(([id, matching]) => (id === rule ? matching.map(([evidence]) => evidence) : [])).flatMap(
      (evidence) => (evidence.cluster === null ? [] : diagnose(evidence).filter((each) => each.rule === rule)),
    );
  for (const [rule, command] of [
    ['node-cordoned', /`oc adm uncordon [a-z0-9]+\.[a-z0-9.]+`/],
    ['hostile-csr', /`upi-wizard csr deny csr-[a-z0-9-]+`/],
    ['requests-wait', /`oc adm certificate approve csr-[a-z0-9-]+`/],
    ['api-service-unavailable', /`oc delete apiservice [a-z0-9.]+`/],
    ['node-credentials-expired', /`upi-wizard csr approve csr-[a-z0-9-]+`/],
  ] as const) {
    const remedies = findRemedies(rule).map(({ remedy }) => remedy);
    expect(remedies.filter((remedy) => command.test(remedy)).length, `${rule}: ${remedies.join('\n')}`).toBeGreaterThan(
      0,
    );
  }
  const [cordoned] = CASES.flatMap(([id, matching]) => (id === 'node-cordoned' ? matching : []));
  const [evidence] = cordoned ?? [];
  const [node] = evidence?.cluster?.nodes?.filter(({ isCordoned }) => isCordoned) ?? [];
  if (evidence?.cluster == null || node === undefined) throw new Error('no cordoned node');
  const nodes = ['a', 'b', "c; touch 'x'"].map((name) => ({ ...node, name }));
  const renamed = diagnose({ ...evidence, cluster: { ...evidence.cluster, nodes } });
  expect(renamed.find(({ rule }) => rule === 'node-cordoned')?.remedy).toContain('`oc adm uncordon a b`');
});

test('the login that a pull secret lacks is a command with its file and registry, before Generate and Prepare', () => {
  const [, matching = []] = MACHINE_CASES.find(([id]) => id === 'pull-secret-without-registry') ?? [];
  const remedies = matching.map(([evidence]) => {
    const [finding] = diagnose({ ...evidence, pullSecretFile: '/srv/my cluster/pull.txt' });
    return finding?.remedy ?? '';
  });
  expect(remedies.map((remedy) => /`podman .*`/.exec(remedy)?.[0])).toEqual([
    "`podman login --authfile '/srv/my cluster/pull.txt' quay.io`",
    expect.stringMatching(/^`podman login --authfile '\/srv\/my cluster\/pull.txt' mirror\./),
    "`podman login --authfile '/srv/my cluster/pull.txt' registry.ci.openshift.org`",
  ]);
  for (const remedy of remedies) expect(remedy).toMatch(/\(Generate\).*\(Prepare\)/);
});

test('a wrong MAC address is shown beside the one of the design', () => {
  const [, [[evidence] = []] = []] = MACHINE_CASES.find(([id]) => id === 'wrong-mac') ?? [];
  const finding = evidence && diagnose(evidence).find(({ rule }) => rule === 'wrong-mac');
  const { mac } = evidence?.machines.find(({ name }) => name === finding?.subjects[0]) ?? {};
  expect(mac).toMatch(/^[0-9a-f:]{17}$/);
  expect(finding?.symptom).toContain(evidence?.unknownMacs[0]);
  expect(finding?.symptom).toContain(mac);
});

test('a foreign name is one quoted word of the command to paste', () => {
  const evil = 'csr-x; touch /tmp/it';
  const commands = CASES.flatMap(([, matching]) => matching.map(([evidence]) => evidence)).flatMap((evidence) => {
    const { cluster } = evidence;
    if (cluster === null) return [];
    const renameAll = <T extends { readonly name: string }>(all: readonly T[]) =>
      all.map((one) => ({ ...one, name: evil }));
    const requests = renameAll(cluster.requests ?? []);
    const operators = renameAll(cluster.operators ?? []);
    return diagnose({ ...evidence, cluster: { ...cluster, requests, operators } }).map(
      ({ confirmCommand }) => confirmCommand,
    );
  });
  const injected = commands.filter((command) => command.includes('touch'));
  expect(injected.length).toBeGreaterThan(5);
  expect(injected.filter((command) => !command.includes(`'${evil}'`))).toEqual([]);
});

test('what blocks the present step comes first, then what is certain', () => {
  const intruder = request({ node: 'evil.example', verdict: 'refused', reasons: ['NAME_UNKNOWN'] });
  const checks = [failedCheck('dns-reverse', '172.16.0.31')];
  const { machines } = complete;
  const installing = withCluster(
    { ...complete, checks },
    { operators: [operator('insights', 'disk-full', 'no space left on device')], requests: [intruder] },
  );
  expect(listFindings(installing)).toEqual(['operator-degraded likely', 'ptr-missing certain', 'hostile-csr certain']);
  // While a machine has yet to join, its name can be what it waits for.
  const [first, ...others] = machines;
  const joining = {
    ...installing,
    machines: first ? [{ ...first, poweredOnAt: ago(9), hasJoined: false }, ...others] : [],
  };
  expect(listFindings(joining)[0]).toBe('ptr-missing certain');
});

test('what nothing needs yet comes after the fault that machines are stuck at', () => {
  const wildcard = failedCheck('dns-apps-wildcard', 'test.apps.ocp45.example.localdomain');
  const tftp = failedCheck('tftp-server', '172.16.0.101', 'port 69 does not answer');
  const boot = (stage: 'lease' | 'kernel', ...checks: readonly SiteCheckResult[]) => ({
    ...booting,
    checks,
    // The bootstrap machine is in no pool.
    balancerMembers: pools(MASTERS, WORKERS),
    machines: booting.machines.map((each) =>
      each.poweredOnAt === null
        ? each
        : {
            ...each,
            ...{ stage, poweredOnAt: ago(11), requestExpectedSince: ago(11) },
            requests: stage === 'lease' ? [] : [bootRequest('/images/live-kernel')],
            lastRequest: stage === 'lease' ? null : bootRequest('/images/live-kernel'),
          },
    ),
  });
  expect(listFindings(boot('lease', wildcard, tftp))).toEqual([
    'tftp-silent likely',
    'apps-wildcard-missing certain',
    'bootstrap-not-in-balancer certain',
  ]);
  // Machines that fetch files soon need the load balancer, but no routes.
  expect(listFindings(boot('kernel', wildcard))).toEqual([
    'bootstrap-not-in-balancer certain',
    'apps-wildcard-missing certain',
  ]);
});

test('a machine that has not joined comes before the routers and operators that wait for its node', () => {
  const [W1 = ''] = WORKERS;
  const isoDesign = { ...design, services: { ...design.services, boot: { kind: 'iso', httpPort: 8080 } } } as const;
  const withMissing = (minutes: number, ...operators: readonly OperatorState[]) =>
    withMachine(withCluster({ ...complete, design: isoDesign }, { operators }), W1, {
      poweredOnAt: ago(minutes),
      requestExpectedSince: ago(minutes),
    });
  const ingress = operator('ingress', 'room', '0/4 nodes are available: 1 node(s) did not have free ports');
  expect(listFindings(withMissing(30, ingress, operator('monitoring', 'rollout')))).toEqual([
    'node-never-boots possible',
    'operator-degraded likely',
  ]);
  // Other operators do not wait for a compute node.
  expect(listFindings(withMissing(30, operator('insights', 'other'), ingress))).toEqual([
    'operator-degraded likely',
    'node-never-boots possible',
  ]);
  // The wait before power-on proves nothing about machines that boot now.
  const noNodes = operator('ingress', 'compute', 'NoReadyIngressNodes');
  const { machines, ...evidence } = withMissing(9, noNodes);
  const withOthersOff = {
    ...evidence,
    machines: machines.map((each) =>
      isWorker(each) && each.name !== W1 ? { ...each, poweredOnAt: null, hasJoined: false } : each,
    ),
  };
  expect(listFindings(withOthersOff)).toEqual([]);
});

test('a boot server that is down comes after machines that sent nothing, if the log of the DHCP server shows that', () => {
  const machines = complete.machines.map((each) => ({ ...each, lastRequest: null }));
  const [W1 = ''] = WORKERS;
  const silent = withMachine(
    { ...complete, machines, checks: [failedCheck('boot-server', 'http://172.16.0.101:8080', 'refused')] },
    W1,
    { poweredOnAt: ago(30), requestExpectedSince: ago(30) },
  );
  const others = machines.filter(({ name }) => name !== W1).map(({ name }) => name);
  const logged = { ...silent, lines: others.map((name) => leaseLine(name, ago(60))) };
  expect(listFindings(logged)).toEqual(['node-never-boots certain', 'boot-server-silent certain']);
  expect(listFindings(silent)[0]).toBe('boot-server-silent certain');
  // A machine that got its address waits for the boot server.
  const [W2 = ''] = WORKERS.slice(1);
  const waiting = withMachine(logged, W2, { stage: 'lease', poweredOnAt: ago(30), requestExpectedSince: ago(30) });
  expect(listFindings(waiting)[0]).toBe('boot-server-silent certain');
});

test('an operator has the cause and the remedy of its page, also while the control plane is new', () => {
  const wait = {
    code: 'disk-full',
    subject: '',
    isNormal: false,
    waitsFor: 'space on a disk, which is full',
    remedy: 'Free space on its node.',
  } as const;
  const nodes = ['m1', 'm2', 'm3'].map((name) => node(fqdn(name), { readySince: ago(5) }));
  const diagnoseOperator = (changes: Parameters<typeof operator>[3]) =>
    diagnose(
      withCluster(complete, {
        nodes,
        operators: [operator('insights', 'disk-full', 'no space left on device', changes)],
      }),
    ).filter(({ rule }) => rule === 'operator-degraded');
  expect(diagnoseOperator({ wait })).toMatchObject([
    { title: 'insights: waiting for space on a disk, which is full', remedy: 'Free space on its node.' },
  ]);
  // It may still report what it waited for while there was no control plane.
  expect(diagnoseOperator({ wait: { ...wait, code: 'other' } })).toEqual([]);
});

/** Diagnoses every case; returns the commands of its findings, in sentences and to confirm them. */
const listCommands = (changes: Partial<Evidence>) =>
  CASES.flatMap(([, matching]) => matching.flatMap(([evidence]) => diagnose({ ...evidence, ...changes }))).flatMap(
    ({ remedy, confirmCommand }) => [
      confirmCommand,
      ...[...remedy.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text),
    ],
  );

test('a command about a service names the host that runs it, and has no ssh on that host', () => {
  const commands = listCommands({ design });
  expect(commands.filter((command) => /^(?:rndc|named|journalctl|setsebool|systemctl|ls|ss) /.test(command))).toEqual(
    [],
  );
  expect(commands).toContain('ssh -t 172.16.0.102 sudo rndc reload');
  expect(commands).toContain(
    'ssh -t 172.16.0.112 "sudo systemctl status haproxy; sudo ip addr; sudo firewall-cmd --list-all"',
  );
  // The shell of the host gets a pattern as one word.
  expect(commands.filter((command) => /^ssh (?:-t )?(?!-)[^\s@]+ [^'"]+['"|;]/.test(command))).toEqual([]);
  const onNameServer = listCommands({ design, localAddresses: new Set(['172.16.0.102']) });
  expect(onNameServer).toContain('sudo rndc reload');
  expect(onNameServer.filter((command) => command.includes('172.16.0.102 sudo'))).toEqual([]);
});

test('in a rehearsal, the command of a service sets its host up or verifies it', () => {
  const commands = listCommands({ design, simulatedDir: '/srv/rehearsal' });
  expect(commands).toContain('upi-wizard hosts apply --host ns1 --dir /srv/rehearsal');
  expect(commands).toContain('upi-wizard hosts verify --host lb1 --dir /srv/rehearsal');
  expect(
    commands.filter((command) => /^ssh (?:-t )?(?:172\.16\.0\.1(?:01|02|12)|ns1|lb1|bastion) /.test(command)),
  ).toEqual([]);
});

test('in a rehearsal, a command on a node shows the journal of the simulated machine, and none sends pings', () => {
  const commands = listCommands({ design, simulatedDir: '/srv/rehearsal' });
  expect(commands).toContain('tail -n 50 /srv/rehearsal/.upi-wizard/site/journals/m1.log');
  expect(commands).toContain('upi-wizard check --only packet-size --dir /srv/rehearsal');
  expect(commands.filter((command) => /^ssh (?:-t )?core@\d|\bping -M/.test(command))).toEqual([]);
  expect(listCommands({ design }).some((command) => command.startsWith('ssh core@172.16.0.21 '))).toBe(true);
});

test('evidence that begins with its subject does not repeat it', () => {
  const [, [[evidence] = []] = []] = DHCP_CASES.find(([id]) => id === 'tftp-silent') ?? [];
  const text = '172.16.0.101 port 69: no answer';
  const checks = evidence?.checks.map((check) => ({ ...check, evidence: [text] })) ?? [];
  const finding = evidence && diagnose({ ...evidence, checks }).find(({ rule }) => rule === 'tftp-silent');
  expect(finding?.symptom).toBe(text);
});

test('no text of a rule explains a mark of certainty, which stands beside it', () => {
  const texts = DIAGNOSTIC_RULES.map(({ id }) => JSON.stringify(catalogue().diagnosis.causes[id]));
  expect(texts.filter((text) => /"?\b(?:certain|likely|possible)\b\\?"/i.test(text))).toEqual([]);
});

test('the request that a registry must answer names the registry', () => {
  const cases = CASES.filter(([id]) => id === 'registry-unreachable').flatMap(([, matching]) => matching);
  const remedies = cases
    .flatMap(([evidence]) => diagnose({ ...evidence, design }))
    .flatMap(({ rule, remedy }) => (rule === 'registry-unreachable' ? [remedy] : []));
  expect(remedies.length).toBeGreaterThan(0);
  for (const remedy of remedies) expect(remedy).toMatch(/`curl -sI https:\/\/[a-z0-9.-]+(?::\d+)?\/v2\/`$/);
});

test('a remedy that puts files in place has the command that does it, on the hosts that the evidence names', () => {
  const findRemedy = (changes: Partial<Evidence>) => {
    const cases = CASES.filter(([id]) => id === 'gateway-wrong').flatMap(([, matching]) => matching);
    const findings = cases.flatMap(([evidence]) => diagnose({ ...evidence, design, ...changes }));
    return findings.find(({ rule, subjects }) => rule === 'gateway-wrong' && subjects.includes('ns1'))?.remedy;
  };
  expect(findRemedy({})).toContain('Run on ns1 as root: `bash /root/upi-wizard/install.sh`');
  const simulated = findRemedy({ simulatedDir: '/srv/rehearsal' });
  expect(simulated).toContain('upi-wizard hosts apply --host ns1 --dir /srv/rehearsal`');
  expect(simulated).not.toContain('install.sh');
});
