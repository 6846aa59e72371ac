import { nodeFqdn } from '../../../src/design/names.ts';
import type {
  CheckAnswer,
  ClusterSeen,
  Evidence,
  Line,
  MachineSeen,
  NodeSeen,
  PoolMember,
  PortSeen,
  RequestSeen,
} from '../../../src/diagnosis/causes/evidence.ts';
import type { OperatorState } from '../../../src/diagnosis/operators/states.ts';
import type { WaitCode } from '../../../src/diagnosis/operators/waits.ts';
import { MINUTE } from '../../../src/ports/clock.ts';
import { exampleSite, generated } from '../../support/example-design.ts';

export const design = exampleSite();
export const NOW = Date.UTC(2026, 10, 22, 12);
export const ago = (minutes: number) => NOW - minutes * MINUTE;

const BALANCER = { balancer: 'lb1', page: 'http://172.16.0.112:9000/' };
export const member = (pool: string, name: string, status = 'UP', check = 'L7OK/200'): PoolMember => {
  return { ...BALANCER, pool, name, status, check };
};
export const pools = (api: readonly string[], ingress: readonly string[], config = api): PoolMember[] => [
  ...api.map((name) => member('api', name)),
  ...config.map((name) => member('machine-config', name)),
  ...ingress.map((name) => member('ingress-https', name)),
];
const named = (...roles: readonly string[]) =>
  design.nodes.filter(({ role }) => roles.includes(role)).map(({ name }) => name);
export const MASTERS = named('control-plane');
export const WORKERS = named('compute', 'storage');
export const [BOOTSTRAP = ''] = named('bootstrap');

/** Lines of one program. */
export const lines = (source: string, ...texts: readonly string[]): Line[] =>
  texts.map((text) => ({
    source,
    host: source === 'dhcp' || source === 'openshift-install' ? null : 'm1',
    text,
    at: ago(1),
  }));
export const times = (count: number, text: string) => Array.from({ length: count }, () => text);

export const failing = (code: CheckAnswer['code'], subject: string, detail = 'no such name'): CheckAnswer => {
  return { code, state: 'failed', subject, detail, command: `dig ${subject}` };
};
export const right = (code: CheckAnswer['code']): CheckAnswer => ({
  code,
  state: 'ok',
  subject: 's',
  detail: '',
  command: 'dig s',
});

export const machine = (name: string, changes: Partial<MachineSeen> = {}): MachineSeen => {
  const node = design.nodes.find((each) => each.name === name);
  if (node === undefined) throw new Error(`no node ${name}`);
  const powered = { poweredOnAt: ago(12), awaitedSince: ago(12), lastRequest: null, requests: [] };
  return {
    name,
    address: node.ip[0] ?? '',
    mac: node.mac,
    role: node.role,
    stage: 'off',
    takenBy: null,
    hasJoined: false,
    ...powered,
    ...changes,
  };
};
export const fetched = (path: string, status = 200, minutes = 3) => ({ path, status, at: ago(minutes) });

export const node = (name: string, changes: Partial<NodeSeen> = {}): NodeSeen => {
  const planned = design.nodes.find((each) => nodeFqdn(design, each) === name);
  const well = {
    isReady: true,
    readySince: ago(60),
    goneSince: null,
    message: 'kubelet is posting ready status',
    hasDiskPressure: false,
    isCordoned: false,
    isChanging: false,
    diskGiB: 119,
  };
  return { name, ...well, addresses: [...(planned?.ip ?? ['172.16.0.99'])], ...changes };
};
export const fqdn = (name: string) => nodeFqdn(design, { name });

export const request = (changes: Partial<RequestSeen>): RequestSeen => ({
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
  state: wait === null ? 'fine' : 'degraded',
  wait: wait === null ? null : { code: wait, waitsFor: '', isNormal: false, whatToDo: '' },
  stability: 'stable',
  pods: [],
  ...changes,
});

export const router = (name: string, at: string) => {
  return { namespace: 'openshift-ingress', name, phase: 'Running', node: at, reason: '', message: '', restarts: 0 };
};

const NOTHING: Evidence = {
  now: NOW,
  design,
  stage: 'install',
  checks: [right('dns-server'), right('dns-api'), right('dns-api-int'), right('dns-reverse')],
  pools: pools([BOOTSTRAP, ...MASTERS], WORKERS),
  ports: [],
  ready: [],
  files: (['haproxy', 'isc-dhcpd'] as const).map((kind) => {
    const file = kind === 'haproxy' ? 'lb1/etc/haproxy/haproxy.cfg' : 'ns1/etc/dhcp/dhcpd.conf';
    const host = file.slice(0, 3);
    const text = generated(design, file);
    return { host, kind, path: file.slice(3), text, planned: text };
  }),
  machines: design.nodes.map(({ name }) => machine(name, { poweredOnAt: null, awaitedSince: null })),
  strangers: [],
  misplaced: [],
  ignition: { expiresAt: NOW + 20 * 60 * MINUTE, problems: [], unusable: [], server: 'silent' },
  images: { names: [], wrong: [] },
  registries: ['quay.io', 'registry.redhat.io'],
  api: { isUp: false, code: 'cluster-closed', line: 'EOF', skew: null },
  cluster: null,
  clocks: [{ server: '192.168.124.1', offset: 12 }],
  lines: [],
};

/** A port of an endpoint or a node. */
export const port = (host: string, number: PortSeen['port'], state: PortSeen['state']): PortSeen => {
  const planned = design.nodes.find(({ name }) => name === host);
  const ofNode = planned?.role === 'bootstrap' || planned?.role === 'control-plane' ? planned.role : 'compute';
  const kind = host === 'api' || host === 'api-int' ? host : ofNode;
  const address = planned?.ip[0] ?? (host === 'api' ? design.endpoints.api[0] : design.endpoints.apiInt[0]) ?? '';
  return { host, kind, address, port: number, state };
};
const endpoints = (state: 'open' | 'closed-at-once') => [
  port('api', 6443, state),
  port('api-int', 6443, state),
  port('api-int', 22623, state),
];

/** Files are in place, and the first machines are on their way. */
export const booting: Evidence = {
  ...NOTHING,
  ports: endpoints('closed-at-once'),
  machines: NOTHING.machines.map((each) =>
    each.role === 'bootstrap' || each.role === 'control-plane'
      ? {
          ...each,
          stage: 'kernel',
          poweredOnAt: ago(6),
          awaitedSince: ago(6),
          lastRequest: fetched('/images/k'),
          requests: [fetched('/images/k')],
        }
      : each,
  ),
};

/** The bootstrap serves, and the control plane joins. */
export const bootstrapping: Evidence = {
  ...booting,
  ports: [
    ...endpoints('open'),
    port(BOOTSTRAP, 6443, 'open'),
    port(BOOTSTRAP, 22623, 'open'),
    port(BOOTSTRAP, 22, 'open'),
  ],
  ready: [BOOTSTRAP],
  ignition: { expiresAt: NOW + 20 * 60 * MINUTE, problems: [], unusable: [], server: 'answers' },
  api: { isUp: true, code: null, line: '', skew: 0 },
  machines: booting.machines.map((each) => {
    const request = fetched(`/ignition/${each.role}.ign`, 200, 15);
    return each.poweredOnAt === null
      ? each
      : {
          ...each,
          stage: 'ignition',
          lastRequest: request,
          requests: [request],
          poweredOnAt: ago(20),
          awaitedSince: ago(20),
        };
  }),
  cluster: {
    bootstrapStatus: 'progress',
    isEtcdAlone: null,
    version: { available: false, failing: false, message: 'Working towards 4.18.11: 200 of 900 done', since: ago(3) },
    nodes: [],
    requests: [],
    operators: [],
    routers: [],
    proxy: null,
    storageClasses: [],
    pendingClaims: [],
    unwell: [],
  },
};

/** Done, with the bootstrap gone. */
export const complete: Evidence = {
  ...bootstrapping,
  stage: 'bootstrap-removed',
  pools: pools(MASTERS, WORKERS),
  ports: [...endpoints('open'), ...MASTERS.flatMap((name) => [port(name, 6443, 'open'), port(name, 22623, 'open')])],
  ready: MASTERS,
  machines: bootstrapping.machines.map((each) => ({ ...each, stage: 'ready', hasJoined: true })),
  cluster: {
    bootstrapStatus: 'complete',
    isEtcdAlone: true,
    version: { available: true, failing: false, message: 'Cluster version is 4.18.11', since: ago(60) },
    nodes: [...MASTERS, ...WORKERS].map((name) => node(fqdn(name))),
    requests: [request({ verdict: 'decided' })],
    operators: [operator('ingress'), operator('etcd')],
    routers: WORKERS.slice(0, 2).map((name, index) => router(`router-default-${index}`, fqdn(name))),
    proxy: null,
    storageClasses: ['nfs'],
    pendingClaims: [],
    unwell: [],
  },
};

/** Evidence with parts of its cluster replaced. */
export function withCluster(evidence: Evidence, changes: Partial<ClusterSeen>): Evidence {
  if (evidence.cluster === null) throw new Error('there is no cluster in it');
  return { ...evidence, cluster: { ...evidence.cluster, ...changes } };
}
