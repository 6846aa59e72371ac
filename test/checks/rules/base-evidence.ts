import type { WaitCode } from '../../../src/checks/operator-waits.ts';
import type { OperatorState } from '../../../src/checks/operators.ts';
import type {
  BalancerMember,
  Evidence,
  EvidenceLine,
  ObservedCluster,
  ObservedMachine,
  ObservedNode,
  ObservedPort,
  SiteCheckResult,
} from '../../../src/checks/rules/evidence.ts';
import type { CsrEvidence } from '../../../src/csr/request-policy.ts';
import { getNodeFqdn } from '../../../src/design/derived-facts.ts';
import { MINUTE } from '../../../src/platform/clock.ts';
import { exampleSite, generateFileText } from '../../support/example-design.ts';

export const design = exampleSite();
export const NOW = Date.UTC(2026, 10, 22, 12);
export const ago = (minutes: number) => NOW - minutes * MINUTE;

const BALANCER = { balancer: 'lb1', statusPageUrl: 'http://172.16.0.112:9000/' };
export const member = (pool: string, name: string, status = 'UP', check = 'L7OK/200'): BalancerMember => {
  return { ...BALANCER, pool, name, status, check };
};
export const pools = (api: readonly string[], ingress: readonly string[], config = api): BalancerMember[] => [
  ...api.map((name) => member('api', name)),
  ...config.map((name) => member('machine-config', name)),
  ...ingress.map((name) => member('ingress-https', name)),
];
const listNodeNames = (...roles: readonly string[]) =>
  design.nodes.filter(({ role }) => roles.includes(role)).map(({ name }) => name);
export const MASTERS = listNodeNames('control-plane');
export const WORKERS = listNodeNames('compute', 'storage');
export const [BOOTSTRAP = ''] = listNodeNames('bootstrap');

/** Lines of one program. */
export const lines = (source: string, ...texts: readonly string[]): EvidenceLine[] =>
  texts.map((text) => ({
    source,
    host: source === 'dhcp' || source === 'openshift-install' ? null : 'm1',
    text,
    at: ago(1),
  }));
export const times = (count: number, text: string) => Array.from({ length: count }, () => text);

export const failedCheck = (id: SiteCheckResult['id'], subject: string, detail = 'no such name'): SiteCheckResult => {
  return { id, state: 'failed', subject, evidence: [detail], command: `dig ${subject}` };
};
export const passedCheck = (id: SiteCheckResult['id']): SiteCheckResult => ({
  id,
  state: 'ok',
  subject: 's',
  evidence: [],
  command: 'dig s',
});

export const machine = (name: string, changes: Partial<ObservedMachine> = {}): ObservedMachine => {
  const node = design.nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`no node ${name}`);
  const bootTimes = { poweredOnAt: ago(12), requestExpectedSince: ago(12), lastRequest: null, requests: [] };
  return {
    name,
    address: node.ip[0] ?? '',
    mac: node.mac,
    role: node.role,
    stage: 'off',
    conflictingMac: null,
    hasJoined: false,
    ...bootTimes,
    ...changes,
  };
};
export const bootRequest = (path: string, status = 200, minutes = 3) => ({ path, status, at: ago(minutes) });

export const node = (name: string, changes: Partial<ObservedNode> = {}): ObservedNode => {
  const planned = design.nodes.find((each) => getNodeFqdn(design, each) === name);
  const readyState = {
    isReady: true,
    readySince: ago(60),
    notReadySince: null,
    problems: [],
    message: 'kubelet is posting ready status',
    hasDiskPressure: false,
    isCordoned: false,
    isUpdating: false,
    diskGiB: 119,
  };
  return { name, ...readyState, addresses: [...(planned?.ip ?? ['172.16.0.99'])], ...changes };
};
export const fqdn = (name: string) => getNodeFqdn(design, { name });

export const request = (changes: Partial<CsrEvidence>): CsrEvidence => ({
  name: 'csr-8x2kz',
  node: fqdn('w1'),
  kind: 'client',
  verdict: 'expected',
  reasons: [],
  requester: 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper',
  requestedAt: ago(1),
  ...changes,
});

export const operator = (
  name: string,
  wait: WaitCode | null = null,
  message = '',
  changes: Partial<OperatorState> = {},
): OperatorState => ({
  name,
  available: true,
  progressing: false,
  degraded: wait !== null,
  since: ago(30),
  message,
  reason: 'Reason',
  conditions: [],
  namespaces: [],
  steadySince: ago(60),
  version: '4.18.11',
  state: wait === null ? 'fine' : 'degraded',
  wait: wait === null ? null : { code: wait, subject: '', waitsFor: '', isNormal: false, remedy: '' },
  stability: 'stable',
  pods: [],
  ...changes,
});

export const router = (name: string, nodeName: string) => {
  return {
    namespace: 'openshift-ingress',
    name,
    phase: 'Running',
    node: nodeName,
    reason: '',
    message: '',
    restartCount: 0,
  };
};

const BASE_EVIDENCE: Evidence = {
  now: NOW,
  design,
  stage: 'install',
  checks: [passedCheck('dns-server'), passedCheck('dns-api'), passedCheck('dns-api-int'), passedCheck('dns-reverse')],
  siteProblems: [],
  balancerMembers: pools([BOOTSTRAP, ...MASTERS], WORKERS),
  ports: [],
  readyHosts: [],
  files: (['haproxy', 'isc-dhcpd'] as const).map((kind) => {
    const file = kind === 'haproxy' ? 'lb1/etc/haproxy/haproxy.cfg' : 'ns1/etc/dhcp/dhcpd.conf';
    const host = file.slice(0, 3);
    const text = generateFileText(design, file);
    return { host, kind, path: file.slice(3), text, plannedText: text };
  }),
  machines: design.nodes.map(({ name }) => machine(name, { poweredOnAt: null, requestExpectedSince: null })),
  unknownMacs: [],
  mismatchedRequests: [],
  ignition: { expiresAt: NOW + 20 * 60 * MINUTE, problems: [], unusableFiles: [], server: 'silent' },
  images: { names: [], mismatchedNames: [] },
  registries: ['quay.io', 'registry.redhat.io'],
  api: { isUp: false, code: 'cluster-closed', detail: 'EOF', skewMs: null },
  cluster: null,
  timeServerOffsets: [{ server: '192.168.124.1', offsetMs: 12 }],
  lines: [],
};

/** Creates the port of an endpoint or a node. */
export const port = (host: string, number: ObservedPort['port'], state: ObservedPort['state']): ObservedPort => {
  const planned = design.nodes.find(({ name }) => name === host);
  const nodeKind = planned?.role === 'bootstrap' || planned?.role === 'control-plane' ? planned.role : 'compute';
  const kind = host === 'api' || host === 'api-int' ? host : nodeKind;
  const address = planned?.ip[0] ?? (host === 'api' ? design.endpoints.api[0] : design.endpoints.apiInt[0]) ?? '';
  return { host, kind, address, port: number, state };
};
const endpoints = (state: 'open' | 'closed-at-once') => [
  port('api', 6443, state),
  port('api-int', 6443, state),
  port('api-int', 22623, state),
];

/** Evidence while the first machines boot: the files are in place. */
export const booting: Evidence = {
  ...BASE_EVIDENCE,
  ports: endpoints('closed-at-once'),
  machines: BASE_EVIDENCE.machines.map((each) =>
    each.role === 'bootstrap' || each.role === 'control-plane'
      ? {
          ...each,
          stage: 'kernel',
          poweredOnAt: ago(6),
          requestExpectedSince: ago(6),
          lastRequest: bootRequest('/images/k'),
          requests: [bootRequest('/images/k')],
        }
      : each,
  ),
};

/** Evidence while the bootstrap machine serves and the control plane joins. */
export const bootstrapping: Evidence = {
  ...booting,
  ports: [
    ...endpoints('open'),
    port(BOOTSTRAP, 6443, 'open'),
    port(BOOTSTRAP, 22623, 'open'),
    port(BOOTSTRAP, 22, 'open'),
  ],
  readyHosts: [BOOTSTRAP],
  ignition: { expiresAt: NOW + 20 * 60 * MINUTE, problems: [], unusableFiles: [], server: 'answers' },
  api: { isUp: true, code: null, detail: '', skewMs: 0 },
  machines: booting.machines.map((each) => {
    const request = bootRequest(`/ignition/${each.role}.ign`, 200, 15);
    return each.poweredOnAt === null
      ? each
      : {
          ...each,
          stage: 'ignition',
          lastRequest: request,
          requests: [request],
          poweredOnAt: ago(20),
          requestExpectedSince: ago(20),
        };
  }),
  cluster: {
    bootstrapStatus: 'progress',
    isBootstrapMemberRemoved: null,
    version: { available: false, failing: false, message: 'Working towards 4.18.11: 200 of 900 done', since: ago(3) },
    nodes: [],
    requests: [],
    operators: [],
    routers: [],
    proxy: null,
    storageClasses: [],
    pendingClaims: [],
    unhealthyObjects: [],
  },
};

/** Evidence of a complete cluster, after the removal of the bootstrap machine. */
export const complete: Evidence = {
  ...bootstrapping,
  stage: 'bootstrap-removed',
  balancerMembers: pools(MASTERS, WORKERS),
  ports: [...endpoints('open'), ...MASTERS.flatMap((name) => [port(name, 6443, 'open'), port(name, 22623, 'open')])],
  readyHosts: MASTERS,
  machines: bootstrapping.machines.map((each) => ({ ...each, stage: 'ready', hasJoined: true })),
  cluster: {
    bootstrapStatus: 'complete',
    isBootstrapMemberRemoved: true,
    version: { available: true, failing: false, message: 'Cluster version is 4.18.11', since: ago(60) },
    nodes: [...MASTERS, ...WORKERS].map((name) => node(fqdn(name))),
    requests: [request({ verdict: 'decided' })],
    operators: [operator('ingress'), operator('etcd')],
    routers: WORKERS.slice(0, 2).map((name, index) => router(`router-default-${index}`, fqdn(name))),
    proxy: null,
    storageClasses: ['nfs'],
    pendingClaims: [],
    unhealthyObjects: [],
  },
};

/** Evidence with parts of its cluster replaced. */
export function withCluster(evidence: Evidence, changes: Partial<ObservedCluster>): Evidence {
  if (evidence.cluster === null) throw new Error('there is no cluster in it');
  return { ...evidence, cluster: { ...evidence.cluster, ...changes } };
}
