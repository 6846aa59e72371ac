// Every screen in the relevant states, with texts of realistic length.

import { formatShortReasons } from '../../src/checks/certificates.ts';
import type { Finding } from '../../src/checks/check.ts';
import { checkMachine } from '../../src/checks/machine/checks.ts';
import { getInstallerStatus } from '../../src/checks/machine/programs.ts';
import { checkReplacement, REPLACEMENT_STEPS } from '../../src/checks/member-replacement.ts';
import type { WaitCode } from '../../src/checks/operator-waits.ts';
import type { PrepareView } from '../../src/checks/prepare/items.ts';
import { catalogue } from '../../src/i18n/catalogue.ts';
import { MINUTE } from '../../src/platform/clock.ts';
import type { BootstrapView } from '../../src/steps/bootstrap.ts';
import type { RemovalView } from '../../src/steps/bootstrap-removal.ts';
import type { CertificatesView } from '../../src/steps/certificates/certificates-probe.ts';
import type { Plan, Probe, StepId } from '../../src/steps/contract.ts';
import type { GeneratedFileView, GenerateView } from '../../src/steps/generate.ts';
import type { HostsView } from '../../src/steps/hosts/index.ts';
import type { InfraView } from '../../src/steps/infra.ts';
import type { OperatorsView } from '../../src/steps/operators.ts';
import type { ReportView } from '../../src/steps/report.ts';
import type { BootView } from '../../src/steps/shared/machines/boot-progress.ts';
import type { Intent } from '../../src/wizard/intents.ts';
import type { WizardState } from '../../src/wizard/state.ts';
import { HEALTHY_MACHINE } from '../support/machine-evidence.ts';
import { localize } from '../support/pseudo-language.ts';
import { applyInputs, dangerousPlan, retypeText, START, safePlan, wizardState } from '../support/wizard-state.ts';

// In the language that is set when this module loads.
const { csr, diagnosis, steps } = catalogue();
const { boot: bootWords, certificates: certificateWords, prepare: prepareWords } = diagnosis;

const minutesAgo = (minutes: number) => START - minutes * MINUTE;
const fqdn = (name: string) => `${name}.ocp45.example.localdomain`;

const createBootNode = (
  name: string,
  role: 'bootstrap' | 'control-plane',
  host: number,
  stage: BootView['nodes'][number]['stage'],
  detail = '',
): BootView['nodes'][number] => ({
  name,
  role,
  address: `172.16.0.${host}`,
  mac: `00:50:56:96:11:${host}`,
  stage,
  poweredOnAt: minutesAgo(11),
  lastSeenAt: detail === '' ? null : minutesAgo(3),
  detail,
  isMarkedReinstalled: false,
  isLost: false,
  isDenied: false,
  timeline: {
    later: [
      ...(stage === 'off' ? (['lease', 'tftp'] as const) : []),
      ...(['script', 'kernel', 'rootfs', 'ignition', 'ssh', 'kubelet', 'node', 'ready'] as const),
    ],
    signs:
      stage === 'off'
        ? []
        : [
            { sign: 'power', at: minutesAgo(11) },
            { sign: 'lease', at: minutesAgo(10) },
          ],
    next: stage === 'off' ? null : { sign: 'tftp', since: minutesAgo(10), isSlow: true, isLate: true },
  },
  report: [],
  problems: [],
  conflictingMac: null,
  likelyCause: stage === 'off' ? null : 'dhcp-boot-wrong',
});

export const bootView: BootView = {
  unavailableHostLines: [steps.boot.probe.unavailable('ns1', steps.boot.probe.noSsh)],
  nodes: [
    createBootNode('bs', 'bootstrap', 11, 'ignition', '200 /ignition/bootstrap.ign'),
    createBootNode(
      'm1',
      'control-plane',
      21,
      'rootfs',
      '200 /images/rhcos-418.94.202410090804-0-live-rootfs.x86_64.img',
    ),
    createBootNode('m2', 'control-plane', 22, 'script', '404 /images/rhcos-418.94.202410090804-0-live-kernel-x86_64'),
    { ...createBootNode('m3', 'control-plane', 23, 'off'), poweredOnAt: null },
  ],
  checks: [],
  servedIgnitionFiles: [
    {
      file: 'bootstrap.ign',
      nodes: ['bs'],
      line: localize('bootstrap.ign is offered to 172.16.0.11, since 13:58 (2 fetches, last 14:02)'),
    },
    {
      file: 'master.ign',
      nodes: ['m1', 'm2', 'm3'],
      line: localize('master.ign is offered to 172.16.0.21 and 2 others, since 13:58 (no fetch yet)'),
    },
  ],
  unknownMacs: ['00:50:56:96:e5:f2'],
};

/** A control plane node is lost, and its member of etcd is removed. */
const replacementView: BootView = {
  ...bootView,
  unavailableHostLines: [],
  servedIgnitionFiles: [],
  nodes: ['m1', 'm2', 'm3'].map((name, index) => ({
    ...createBootNode(name, 'control-plane', 21 + index, 'ready'),
    isLost: name === 'm2',
    isMarkedReinstalled: name === 'm2',
    likelyCause: null,
    timeline: { signs: [{ sign: 'power', at: minutesAgo(200) }], next: null },
  })),
  replacement: {
    node: 'm2',
    steps: REPLACEMENT_STEPS.map((id, index) => ({ id, state: index === 0 ? 'done' : index === 1 ? 'next' : 'later' })),
    checks: checkReplacement({
      name: 'm2',
      nodeState: 'not-ready',
      isMember: false,
      membersProblem: '',
      otherMemberCount: 2,
      readyOtherMemberCount: 2,
      isQuorumGuardOff: false,
      openPort: null,
    }),
  },
};

export const unknownMac: Finding = {
  code: 'boot-unknown-mac',
  state: 'failed',
  severity: 'fatal',
  subject: 'm3',
  title: bootWords['boot-unknown-mac'].title('m3', '00:50:56:96:e5:f2'),
  cause: bootWords['boot-unknown-mac'].cause('m3', '00:50:56:96:e5:2f'),
  remedy: bootWords['boot-unknown-mac'].remedy('m3', '00:50:56:96:e5:f2'),
};

const createStage = (
  id: BootstrapView['stages'][number]['id'],
  state: BootstrapView['stages'][number]['state'],
  evidence = '',
): BootstrapView['stages'][number] => ({
  id,
  state,
  startedAt: state === 'pending' ? null : minutesAgo(14),
  doneAt: state === 'done' ? minutesAgo(9) : null,
  title: steps.bootstrap.stages[id],
  usualDuration: steps.bootstrap.usually(8, 15),
  meaning: steps.bootstrap.meaning[id],
  evidence,
});

export const bootstrapView: BootstrapView = {
  wait: 'running',
  servedBootstrapIgnition: {
    file: 'bootstrap.ign',
    nodes: ['bs'],
    line: localize('bootstrap.ign is served to 172.16.0.11 since 13:58 (2 fetches, last 14:02)'),
  },
  changedAt: minutesAgo(3),
  stages: [
    createStage('bootstrap-up', 'done', localize('172.16.0.11 port 6443 is open')),
    createStage('api', 'done', localize('https://api.ocp45.example.localdomain:6443 answers, Kubernetes v1.31.6')),
    createStage('machine-config', 'done', localize('api-int:22623 open')),
    createStage('joined', 'done', localize('3 of 3 joined')),
    createStage('control-plane', 'running', localize('1 of 3 nodes Ready: m1; not there yet: m2 m3')),
    createStage('serving', 'pending'),
    createStage('complete', 'pending'),
    createStage('etcd', 'pending'),
  ],
  log: {
    firstNumber: 0,
    lastNewMessageAt: minutesAgo(3),
    lines: Array.from({ length: 40 }, (_, line) => ({
      at: minutesAgo(30),
      level: line === 38 ? ('error' as const) : ('info' as const),
      source: line === 39 ? ('bootkube' as const) : ('installer' as const),
      mark: line === 38 ? ('failure' as const) : line === 37 ? ('noise' as const) : null,
      text: `Waiting up to 45m0s (until 12:${line + 10}PM UTC) for bootstrapping to complete, line ${line} of the log of the installer`,
    })),
  },
};

type RequestRow = CertificatesView['requests'][number];
/** Lists the facts of a request as the probe does. */
function listExampleFacts(name: string, { node = null, kind = 'client', shortName }: Partial<RequestRow>) {
  const { facts: labels, names, name: formatName, kinds, states, sha256 } = steps.certificates.page;
  const requester = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
  const facts: readonly (readonly [keyof typeof labels, string])[] = [
    ['node', node ?? name],
    ...(shortName ? [['planned', `${shortName}, compute, 172.16.0.31, 00:50:56:96:6b:da`] as const] : []),
    ['requestedAt', '11:56'],
    ['subject', `O=system:nodes, CN=system:node:${node ?? name}`],
    ['signer', 'kubernetes.io/kube-apiserver-client-kubelet'],
    ['requester', requester],
    ['groups', 'system:serviceaccounts:openshift-machine-config-operator, system:serviceaccounts'],
    ['usages', 'digital signature, client auth'],
    ['key', 'EC P-256'],
    ['fingerprint', sha256('a3f1'.repeat(16))],
  ];
  return {
    refusal: '',
    facts: facts.map(([label, value]) => ({ label: labels[label], value })),
    nameLines: kind === 'serving' ? [names, formatName(kinds.ip, '172.16.0.32', states.planned)] : [],
  };
}

const createRequest = (name: string, changes: Partial<RequestRow>): RequestRow => ({
  name,
  uid: `uid-${name}`,
  node: null,
  kind: 'client',
  verdict: 'expected',
  reasons: [],
  requestedAt: minutesAgo(4),
  requester: 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
  fingerprint: 'a3f1'.repeat(16),
  isApproved: false,
  isIssued: false,
  isApprovableByName: false,
  hasNoObservedBoot: false,
  shortName: null,
  rejoinKind: null,
  ...listExampleFacts(name, changes),
  reasonTexts: (changes.reasons ?? []).map((code) => csr.reasons[code]),
  ...changes,
});

export const certificatesView: CertificatesView = {
  apiDetail: null,
  isServerDown: false,
  missingNodes: [],
  requests: [
    createRequest('csr-7xk2p', { node: fqdn('w1'), shortName: 'w1' }),
    createRequest('csr-9qqq1', {
      node: fqdn('w2'),
      shortName: 'w2',
      kind: 'serving',
      requester: `system:node:${fqdn('w2')}`,
    }),
    createRequest('csr-evil0', { node: fqdn('w9'), verdict: 'refused', reasons: ['NAME_UNKNOWN', 'KEY_WEAK'] }),
    createRequest('csr-other', { kind: 'other', verdict: 'not-ours', requester: 'system:admin' }),
    createRequest('csr-old01', {
      node: fqdn('m1'),
      shortName: 'm1',
      verdict: 'decided',
      isApproved: true,
      isIssued: true,
    }),
  ],
  nodes: [
    ...(['m1', 'm2', 'm3'] as const).map((name) => ({
      name,
      role: 'control-plane' as const,
      hasJoined: true,
      isUnproven: false,
      isLost: false,
      stage: null,
      isReady: true,
      hasServingCertificate: true,
      certificateProgress: ['done', 'done'] as const,
      deniedCount: 0,
    })),
    ...(['w1', 'w2', 'w3', 'i1', 'i2', 'i3'] as const).map((name) => ({
      name,
      role: 'compute' as const,
      hasJoined: false,
      isUnproven: false,
      isLost: false,
      stage: 'ignition' as const,
      isReady: false,
      hasServingCertificate: false,
      certificateProgress: ['open', 'open'] as const,
      deniedCount: 0,
    })),
  ],
};

const refusedRequest: Finding = {
  code: 'request-refused',
  state: 'failed',
  severity: 'warning',
  subject: 'csr-evil0',
  title: certificateWords['request-refused'].title(
    'csr-evil0',
    fqdn('w9'),
    formatShortReasons(['NAME_UNKNOWN', 'KEY_WEAK']),
  ),
  cause: localize('No node of the design has this name. Its key is too weak, or of an unsupported type.'),
  remedy: certificateWords['request-refused'].remedy,
};

const createCondition = (type: string, status: string, reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  since: minutesAgo(5),
});
const createOperator = (
  name: string,
  changes: Partial<OperatorsView['operators'][number]> = {},
): OperatorsView['operators'][number] => ({
  name,
  available: true,
  progressing: false,
  degraded: false,
  since: minutesAgo(5),
  message: '',
  reason: 'AsExpected',
  conditions: [
    createCondition('Degraded', 'False', 'AsExpected', ''),
    createCondition('Available', 'True', 'AsExpected', 'All is well'),
  ],
  namespaces: [`openshift-${name}`],
  version: '4.18.11',
  steadySince: minutesAgo(5),
  state: 'fine',
  wait: null,
  stability: 'stable',
  pods: [],
  ...changes,
});
const explainWait = (code: WaitCode, isNormal: boolean): NonNullable<OperatorsView['operators'][number]['wait']> => {
  const facts = {
    operator: 'ingress',
    subject: 'oauth-openshift.apps.ocp45.example.localdomain',
    ready: 1,
    planned: 3,
  };
  const words = catalogue().operatorWaits[code];
  return { code, subject: facts.subject, isNormal, waitsFor: words.waitsFor(facts), remedy: words.remedy(facts) };
};
const degradedIngress =
  'The "default" ingress controller reports Degraded=True: DegradedConditions: One or more other status conditions indicate a degraded state: PodsScheduled=False (PodsNotScheduled: Some pods are not scheduled: Pod "router-default-5d4f7b8c9-abcde" cannot be scheduled: 0/3 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }.)';

export const operatorsView: OperatorsView = {
  clusterVersion: {
    version: '4.18.11',
    available: false,
    progressing: true,
    failing: false,
    done: 640,
    total: 869,
    percent: 73,
    since: minutesAgo(20),
    message: 'Working towards 4.18.11: 640 of 869 done (73% complete), waiting on authentication, console, ingress',
  },
  operators: [
    createOperator('ingress', {
      available: false,
      degraded: true,
      state: 'degraded',
      stability: 'moving',
      wait: explainWait('room', false),
      message: degradedIngress,
      reason: 'IngressDegraded',
      conditions: [
        createCondition('Degraded', 'True', 'IngressDegraded', degradedIngress),
        createCondition(
          'Available',
          'False',
          'IngressUnavailable',
          'The "default" ingress controller reports Available=False',
        ),
        createCondition('Progressing', 'Unknown', '', ''),
        createCondition('EvaluationConditionsDetected', 'False', 'AsExpected', ''),
      ],
      pods: [
        {
          namespace: 'openshift-ingress',
          name: 'router-default-5d4f7b8c9-abcde',
          phase: 'Pending',
          node: null,
          reason: 'Unschedulable',
          message: '0/3 nodes are available: 3 node(s) had untolerated taint {node-role.kubernetes.io/master: }.',
          restartCount: 0,
        },
      ],
    }),
    createOperator('authentication', {
      available: false,
      state: 'unavailable',
      stability: 'moving',
      wait: explainWait('routers', true),
      message: 'OAuthServerRouteEndpointAccessibleControllerAvailable',
    }),
    createOperator('machine-config', {
      progressing: true,
      state: 'progressing',
      stability: 'moving',
      wait: explainWait('pool', true),
      message: 'Working towards 4.18.11',
    }),
    ...Array.from({ length: 30 }, (_, index) => createOperator(`operator-with-a-long-name-${index}`)),
  ],
  consoleUrl: null,
  wait: 'running',
  log: [],
  apiDetail: null,
};

export const infraView: InfraView = {
  traffic: null,
  moves: [
    { name: 'label', state: 'done', why: localize('i1, i2 and i3 have the label'), changes: [] },
    { name: 'pool', state: 'done', why: localize('the pool has 3 machines, all updated'), changes: [] },
    { name: 'lb-add', state: 'done', why: localize('the load balancer is up to date'), changes: [] },
    { name: 'dns', state: 'moving', why: localize('2 of 3 DNS pods run on infra nodes'), changes: [] },
    {
      name: 'router',
      state: 'needed',
      why: localize('1 change to make'),
      changes: [
        {
          object: 'ingresscontroller openshift-ingress-operator/default',
          what: 'spec.nodePlacement, spec.replicas',
          before: 'spec:\n  replicas: 2\n',
          after:
            'spec:\n  nodePlacement:\n    nodeSelector:\n      matchLabels:\n        node-role.kubernetes.io/infra: ""\n  replicas: 3\n',
        } as InfraView['moves'][number]['changes'][number],
      ],
    },
    {
      name: 'registry',
      state: 'blocked',
      why: localize('there is no storage class, and the design says pvc'),
      changes: [],
    },
    { name: 'monitoring', state: 'needed', why: '', changes: [] },
    {
      name: 'taint',
      state: 'failed',
      why: localize('pods without a toleration still run: default/web-1'),
      changes: [],
    },
    { name: 'lb-final', state: 'absent', why: '', changes: [] },
  ],
};

const createFileView = (
  file: string,
  state: GeneratedFileView['state'],
  before: string | null = null,
  check: GeneratedFileView['check'] = null,
): GeneratedFileView => ({
  file,
  state,
  before,
  check,
  content: '# made from the design\nfrontend api\n\tbind 172.16.0.111:6443\n',
  isSecret: file === 'bastion/root/install-config.yaml',
  commands: check === null ? [] : [`${check.program} -t ${file.slice(file.indexOf('/'))}`],
});

export const generateView: GenerateView = {
  hosts: [
    {
      name: 'ns1',
      roles: ['DNS', 'DHCP'],
      instructions: [
        'scp -r files/ns1 root@172.16.0.102:',
        'ssh root@172.16.0.102 bash ns1/root/upi-wizard/install.sh',
      ],
      files: [
        createFileView('ns1/etc/named.conf', 'new'),
        createFileView('ns1/var/named/example.localdomain.zone', 'unchanged', null, {
          program: 'named-checkzone',
          state: 'absent',
          output: '',
        }),
        createFileView('ns1/etc/dhcp/dhcpd.conf', 'obsolete', 'host bs {}\n'),
      ],
    },
    {
      name: 'lb1',
      roles: ['LB'],
      instructions: [],
      files: [
        createFileView('lb1/etc/haproxy/haproxy.cfg', 'changed', 'frontend api\n  bind 172.16.0.110:6443\n', {
          program: 'haproxy',
          state: 'refused',
          output: '[ALERT] unknown keyword',
        }),
      ],
    },
    {
      name: 'bastion',
      roles: ['bastion'],
      instructions: [],
      files: [
        createFileView('bastion/var/www/upi-wizard/00-50-56-96-11-c2.ipxe', 'edited', 'old\n'),
        createFileView('bastion/root/install-config.yaml', 'new'),
      ],
    },
  ],
};

export const hostsView: HostsView = {
  hosts: [
    {
      name: 'ns1',
      address: '172.16.0.102',
      roles: ['DNS', 'DHCP'],
      state: 'wrong',
      isSetUp: true,
      changedFiles: [],
      commands: [
        'scp -r /home/user/upi-cluster/files/ns1 root@172.16.0.102:',
        'ssh root@172.16.0.102 bash ns1/root/upi-wizard/install.sh',
      ],
      services: null,
      verifyCommand: 'upi-wizard hosts verify --host ns1 --dir /home/user/upi-cluster',
      run: null,
      canCopy: true,
      checks: [
        ...(['api', 'api-int', '*.apps', 'bs', 'm1'] as const).map((name) => ({
          kind: 'dns' as const,
          server: '172.16.0.102',
          queryText: fqdn(name),
          isOk: name !== 'm1',
          detail:
            name === 'm1' ? localize('no answer within 3 s (expected 172.16.0.21)', '172.16.0.21') : '172.16.0.111',
        })),
        { kind: 'reverse', server: '172.16.0.102', queryText: '172.16.0.21', isOk: true, detail: fqdn('m1') },
      ],
    },
    {
      name: 'lb1',
      address: '172.16.0.112',
      roles: ['LB'],
      state: 'copied',
      isSetUp: true,
      changedFiles: [],
      commands: ['ssh -t 172.16.0.112 sudo bash upi-wizard/lb1/root/upi-wizard/install.sh'],
      services: null,
      verifyCommand: 'upi-wizard hosts verify --host lb1 --dir /home/user/upi-cluster',
      run: null,
      canCopy: true,
      checks: [
        {
          kind: 'port',
          server: '172.16.0.111',
          queryText: '172.16.0.111:443',
          isOk: false,
          detail: localize('172.16.0.111 port 443 refuses'),
        },
      ],
    },
    {
      name: 'bastion',
      address: '172.16.0.101',
      roles: ['bastion'],
      state: 'not-set-up',
      isSetUp: false,
      changedFiles: [],
      commands: ['sudo bash /home/user/upi-cluster/files/bastion/root/upi-wizard/install.sh'],
      services: null,
      verifyCommand: 'upi-wizard hosts verify --host bastion --dir /home/user/upi-cluster',
      run: null,
      canCopy: false,
      checks: [],
    },
  ],
  externalServices: [],
};

const prepareView: PrepareView = {
  phases: [
    {
      phase: 'dns',
      okCount: 88,
      pendingCount: 0,
      unknownCount: 2,
      failedFindings: [
        {
          code: 'dns-nodes',
          state: 'failed',
          severity: 'fatal',
          subject: 'm2.ocp45.example.localdomain',
          title: localize('m2.ocp45.example.localdomain: the name of a node is wrong'),
          cause: localize('no such name; the design says 172.16.0.22'),
          remedy: localize('Put the generated zone in place and reload the name server.'),
        },
      ],
    },
    { phase: 'dhcp', okCount: 0, pendingCount: 0, unknownCount: 22, failedFindings: [] },
  ],
  expiresAt: START + 20 * 60 * MINUTE,
  items: [
    {
      id: 'installer',
      checks: ['installer-missing'],
      state: 'ok',
      detail: localize('4.18.11 in /home/user/upi-cluster/bin'),
    },
    {
      id: 'images',
      checks: ['images-missing'],
      state: 'failed',
      detail: prepareWords['images-missing'].title('/home/user/upi-cluster/images'),
    },
    { id: 'directory', checks: ['install-dir-used'], state: 'ok', detail: '' },
    { id: 'expiry', checks: ['ignition-expires'], state: 'ok', detail: '20 h' },
    { id: 'server', checks: ['boot-server'], state: 'pending', detail: steps.prepare.serverNeeded },
  ],
};

const removalView: RemovalView = {
  changes: [
    {
      object: 'lb1/etc/haproxy/haproxy.cfg',
      what: localize('bootstrap leaves the pools'),
      before: 'backend api\n  server bs 172.16.0.11:6443 check\n  server m1 172.16.0.21:6443 check\n',
      after: 'backend api\n  server m1 172.16.0.21:6443 check\n',
    },
  ],
  bootstrap: 'bs',
  balancers: [
    { name: 'lb1', state: 'has-bootstrap', upMembers: ['api/bs', 'api/m1'], downMembers: ['api/m2'] },
    { name: 'lb2', state: 'silent', upMembers: [], downMembers: [] },
  ],
  sshBalancerNames: 'lb1, lb2',
};

export const reportView: ReportView = {
  path: '/home/user/upi-cluster/report.md',
  isCurrent: false,
  isApprovingCsrs: false,
  consoleUrl: 'https://console.apps.ocp45.example.localdomain',
  kubeconfig: '/home/user/upi-cluster/auth/kubeconfig',
  sections: [
    { id: 'facts', heading: '', lines: [`- ${localize('OpenShift: 4.18.11', '4.18.11')}`] },
    {
      id: 'nodes',
      heading: `## ${catalogue().report.nodes}`,
      lines: [
        `| ${catalogue().report.columns.join(' | ')} |`,
        '|---|---|---|---|---|---|---|',
        ...['m1', 'w1'].map(
          (name) => `| ${fqdn(name)} | compute | 172.16.0.21 | 00:50:56:96:37:c8 | 4 | 16 | ${localize('Ready')} |`,
        ),
      ],
    },
    {
      id: 'afterwards',
      heading: `## ${catalogue().report.nextSteps}`,
      lines: [
        `- ${catalogue().report.fact(catalogue().report.tasks.kubeadmin.title, catalogue().report.tasks.kubeadmin.text)}`,
        '  `rm pull-secret.json`',
      ],
    },
    {
      id: 'secrets',
      heading: `## ${catalogue().report.secrets.title}`,
      lines: [`- ${localize('keys')}`, '  `rm pull-secret.json`'],
    },
  ],
  timeline: [],
};

const VIEWS: Readonly<Record<StepId, unknown>> = {
  generate: generateView,
  hosts: hostsView,
  prepare: prepareView,
  boot: bootView,
  bootstrap: bootstrapView,
  'bootstrap-removal': removalView,
  certificates: certificatesView,
  operators: operatorsView,
  infra: infraView,
  report: reportView,
};
const FINDINGS: Partial<Record<StepId, readonly Finding[]>> = { boot: [unknownMac], certificates: [refusedRequest] };

/** Returns a step's screen after a probe. */
export function stepState(
  step: StepId,
  probeState: Probe<unknown>['state'],
  options: {
    readonly plan?: Plan;
    readonly document?: Readonly<Record<string, unknown>>;
    readonly view?: unknown;
    readonly findings?: readonly Finding[];
    readonly progress?: Probe<unknown>['progress'];
  } = {},
): WizardState {
  const { plan = safePlan, document = {}, view = VIEWS[step] } = options;
  const defaultFindings = probeState === 'done' || probeState === 'needed' ? [] : (FINDINGS[step] ?? []);
  const { findings = defaultFindings, progress } = options;
  const probe = { state: probeState, summary: SUMMARIES[step], view, findings, ...(progress ? { progress } : {}) };
  return applyInputs(wizardState(document, { screen: step }), { type: 'step/probed', step, probe, plan });
}

const SUMMARIES: Readonly<Record<StepId, string>> = {
  generate: steps.generate.needed(4),
  hosts: steps.hosts.waiting(fqdn('m1')),
  prepare: steps.prepare.needed,
  boot: steps.boot.waiting(1, 4),
  bootstrap: steps.bootstrap.waiting(steps.bootstrap.stages['control-plane']),
  'bootstrap-removal': steps.removal.needed,
  certificates: steps.certificates.needed(2),
  operators: steps.operators.waiting(73, 30, 33),
  infra: steps.infra.needed('router, monitoring', '', ''),
  report: steps.report.needed,
};

const translatedPlan: Plan = {
  ...dangerousPlan,
  changes: dangerousPlan.changes.map((change) => ({ ...change, what: localize(change.what) })),
};
const STEPS = Object.keys(VIEWS) as StepId[];
const userError = {
  code: 'installer-missing',
  title: prepareWords['installer-missing'].title,
  cause: '/home/user/upi-cluster, /home/user/upi-cluster/bin',
  remedy: steps.prepare.backToPrepare,
};

/** Japanese in the fields that allow it. */
const JAPANESE: Readonly<Record<string, unknown>> = {
  'cluster.name': 'クラスター',
  'nodes.0.name': 'ノード壱',
  'credentials.pullSecretFile': '~/秘密/プルシークレット.json',
};

const goToField = (field: string): Intent => ({ type: 'screen/go', screen: 'networks', field });

const STATE_FACTORIES: Readonly<Record<string, () => WizardState>> = {
  welcome: () => wizardState(),
  'welcome resumed': () => {
    const state = wizardState();
    return { ...state, furthestScreenIndex: 10, welcome: { ...state.welcome, isResumed: true } };
  },
  'welcome around': () => {
    const state = wizardState();
    const { terminal, programs } = HEALTHY_MACHINE;
    const evidence = {
      ...HEALTHY_MACHINE,
      terminal: { ...terminal, multiplexer: null },
      programs: { ...programs, 'openshift-install': { file: null, version: null, architecture: null } },
      nameServers: [],
    };
    const findings = checkMachine(evidence);
    const installer = getInstallerStatus(evidence);
    const others = [
      {
        dir: '/home/user/upi-cluster',
        cluster: 'ocp45.example.localdomain',
        screen: 'report',
        isFinished: true,
        isRehearsal: false,
        savedAt: Date.UTC(2024, 1, 28, 16, 5),
      },
      {
        dir: `/home/user${'/deep'.repeat(30)}`,
        cluster: '',
        screen: 'boot',
        isFinished: false,
        isRehearsal: true,
        savedAt: Date.UTC(2024, 2, 1, 9, 30),
      },
    ] as const;
    return { ...state, welcome: { ...state.welcome, overview: { findings, installer, otherInstallations: others } } };
  },
  'welcome rehearsal': () => {
    const state = wizardState();
    return { ...state, welcome: { ...state.welcome, rehearsal: { speed: 60, isPaused: false } } };
  },
  cluster: () => wizardState({}, { screen: 'cluster' }),
  'cluster in Japanese': () => wizardState(JAPANESE, { screen: 'cluster' }),
  networks: () => wizardState({}, { screen: 'networks' }),
  'networks wrong': () =>
    applyInputs(wizardState(), goToField('networks.machine.0.gateway'), ...retypeText('172.16.1.254'), {
      type: 'field/accept',
    }),
  nodes: () => wizardState({}, { screen: 'nodes' }),
  'nodes in Japanese': () => wizardState(JAPANESE, { screen: 'nodes' }),
  'nodes wrong': () =>
    applyInputs(wizardState({ 'nodes.3.mac': '00:50:56:96:e5' }, { screen: 'nodes' }), { type: 'node/move', by: 3 }),
  'nodes edit': () => applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'node/edit' }),
  'nodes added': () =>
    applyInputs(wizardState({}, { screen: 'nodes' }), { type: 'node/add' }, { type: 'field/accept' }),
  services: () => wizardState({}, { screen: 'services' }),
  credentials: () => wizardState({}, { screen: 'credentials' }),
  'credentials in Japanese': () => wizardState(JAPANESE, { screen: 'credentials' }),
  'boot replacing': () =>
    stepState('boot', 'needed', { view: replacementView, plan: { ...safePlan, enter: steps.boot.replacement.enter } }),
  review: () => wizardState({}, { screen: 'review' }),
  'review wrong': () => wizardState({ 'endpoints.api': 'x', 'nodes.0.vcpu': 1 }, { screen: 'review' }),
  ...Object.fromEntries(
    STEPS.flatMap((step) => [
      [`${step} looking`, () => wizardState({}, { screen: step })],
      [`${step} needed`, () => stepState(step, 'needed')],
      [`${step} waiting`, () => stepState(step, 'waiting')],
      [`${step} done`, () => stepState(step, 'done')],
      [
        `${step} asking`,
        () => applyInputs(stepState(step, 'needed', { plan: translatedPlan }), { type: 'step/ask', action: 'apply' }),
      ],
      [
        `${step} failed`,
        () => applyInputs(stepState(step, 'needed'), { type: 'step/failed', step, during: 'run', userError }),
      ],
    ]),
  ),
};

function memoize<T>(make: () => T): () => T {
  let value: T | undefined;
  return () => {
    value ??= make();
    return value;
  };
}

/** The screens by a name for the test. Each state is created on first use. */
export const STATES: Readonly<Record<string, () => WizardState>> = Object.fromEntries(
  Object.entries(STATE_FACTORIES).map(([name, make]) => [name, memoize(make)]),
);
