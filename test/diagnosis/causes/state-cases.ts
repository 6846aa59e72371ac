import type { Evidence, PendingClaim, RequestSeen } from '../../../src/diagnosis/causes/evidence.ts';
import type { Unwell } from '../../../src/objects/unwell.ts';
import type { Case } from './case.ts';
import {
  ago,
  bootstrapping,
  complete,
  fetched,
  fqdn,
  lines,
  machine,
  node,
  operator,
  request,
  router,
  withCluster,
} from './healthy.ts';
import { operators, W1 } from './scene.ts';

const unwell = (kind: Unwell['kind'], message: string, minutes: number | null = 30) =>
  withCluster(complete, { unwell: [{ kind, name: 'one', message, since: minutes === null ? null : ago(minutes) }] });
const installing = (kind: Unwell['kind']) =>
  withCluster(unwell(kind, 'x'), { version: { available: false, failing: false, message: '', since: null } });
const asked = (nodes: readonly string[], ...requests: readonly Partial<RequestSeen>[]) =>
  withCluster(complete, {
    nodes: nodes.map((name) => node(name)),
    requests: requests.map((each) => request({ node: fqdn(W1), ...each })),
  });
const waiting = (changes: Partial<PendingClaim>) =>
  withCluster(complete, {
    pendingClaims: [
      { name: 'shop/orders', storageClass: 'nfs', provisioner: 'nfs.csi', since: ago(9), said: '', ...changes },
    ],
  });
const YOUNG = { code: 'other', waitsFor: '', isNormal: true, whatToDo: '' } as const;
const DENIED = { name: 'csr-no', verdict: 'decided', reasons: ['TERMINAL'] } as const;
const LOST = 'EtcdMembersDegraded: 2 of 3 members are available, m1 is unhealthy';
const HOOK = 'Internal error occurred: failed calling webhook "policy.example.com": no endpoints available for service';

/** The API calls pods Running for a while that stopped with their node. */
const off = (minutes: number, isChanging = false): Evidence => ({
  ...withCluster(complete, {
    nodes:
      complete.cluster?.nodes?.map((each) => (each.name === fqdn(W1) ? goneFor(minutes, isChanging) : each)) ?? null,
  }),
  pools: complete.pools.map((each) => (each.name === W1 ? { ...each, status: 'DOWN', check: 'L4CON' } : each)),
});
const goneFor = (minutes: number, isChanging: boolean) =>
  node(fqdn(W1), {
    isReady: false,
    goneSince: ago(minutes),
    message: 'Kubelet stopped posting node status.',
    isChanging,
  });

/** A node that does not report, and a request of its name by the login of new nodes. */
const asksAgain = (changes: Partial<RequestSeen>) =>
  withCluster(off(16), {
    requests: [request({ node: fqdn(W1), verdict: 'refused', reasons: ['NODE_EXISTS'], ...changes })],
  });

const LOCAL = 'Get "https://localhost:6443/readyz": dial tcp [::1]:6443: connect: connection refused';
/** Said by bootkube.sh, the last one a minute ago; of a bundle, or seen now. */
const waited = (text: string, minutes: readonly number[], isBundle = false): Evidence => ({
  ...bootstrapping,
  isBundle,
  lines: minutes.map((each) => ({ source: 'bootkube', host: 'bs', text, at: ago(each) })),
});
const then = (base: Evidence, text: string): Evidence => ({
  ...base,
  lines: [...base.lines, { source: 'bootkube', host: 'bs', text, at: ago(0) }],
});
const STILL = `Still waiting for the Kubernetes API: ${LOCAL}`;
const UNKNOWN =
  'Get "https://api-int.x.example:6443/api": tls: failed to verify certificate: x509: certificate signed by unknown authority';
const REFUSED = 'http: TLS handshake error from 172.16.0.21:4000: remote error: tls: bad certificate';
const ETCD = 'etcdctl failed. Retrying in 5 seconds...';
const SSH = 'ssh: connect to host 172.16.0.21 port 22: Connection timed out';
const gathered = (text: string, source = 'gather.log'): Evidence => ({
  ...waited(text, [1], true),
  cluster: null,
  lines: [{ source, host: 'm1', text, at: null }],
});
const notReady = (minutes: number, message: string) =>
  withCluster(complete, { nodes: [node(fqdn(W1), { isReady: false, goneSince: ago(minutes), message })] });
const bundled = (base: Evidence): Evidence => ({ ...base, isBundle: true, design: null });
const waits = (kind: 'client' | 'serving', minutes: number) =>
  bundled(withCluster(complete, { requests: [request({ kind, verdict: 'unjudged', requestedAt: ago(minutes) })] }));
const pulled = (text: string): Evidence => ({ ...bootstrapping, lines: lines('release-image', text) });

/** What bundles show as well: of rules that are new with them, and of those that read them with more care. */
const BUNDLE_CASES: readonly Case[] = [
  [
    'bootstrap-etcd-down',
    [
      [waited(ETCD, [12, 6, 1]), 'likely'],
      [waited(ETCD, [2, 2, 1], true), 'likely'],
    ],
    [
      waited(ETCD, [4, 2, 1]),
      waited(ETCD, [12, 1]),
      then(waited(ETCD, [12, 6, 1], true), 'https://localhost:2379 is healthy'),
    ],
  ],
  [
    'bootstrap-api-down',
    [
      [waited(STILL, [12, 6, 1]), 'likely'],
      [waited(STILL, [2, 2, 1], true), 'likely'],
    ],
    [waited(STILL, [4, 2, 1]), then(waited(STILL, [12, 6, 1], true), 'API is up')],
  ],
  [
    'control-plane-unreached',
    [
      [gathered(SSH), 'possible'],
      [then(gathered(SSH), 'API is up'), 'likely'],
    ],
    [{ ...gathered(SSH), cluster: complete.cluster }, gathered(SSH, 'journals/kubelet.log')],
  ],
  [
    'control-plane-awaited',
    [[waited('Pod Status:openshift-kube-apiserver/kube-apiserver DoesNotExist', [3, 2, 1], true), 'possible']],
    [waited('Pod Status:openshift-kube-apiserver/kube-apiserver DoesNotExist', [30, 2, 1])],
  ],
  [
    'ignition-of-another-cluster',
    [
      [waited(UNKNOWN, [3, 2, 1]), 'likely'],
      [
        { ...bootstrapping, lines: lines('containers/machine-config-server-1.log', REFUSED, REFUSED, REFUSED) },
        'possible',
      ],
    ],
    [waited(UNKNOWN, [2, 1])],
  ],
  ['clock-skew', [], [pulled('System clock was stepped by 0.612345 seconds')]],
  ['hostname-localhost', [], [pulled('node-valid-hostname.service: Deactivated successfully.')]],
  [
    'api-name-wrong',
    [[pulled('dial tcp: lookup api.x.example on 172.16.0.102:53: no such host'), 'likely']],
    [{ ...pulled(''), lines: lines('openshift-install', 'lookup api.x.example on 172.16.0.1:53: no such host') }],
  ],
  [
    'node-address-unexpected',
    [[{ ...bootstrapping, lines: lines('network/ip-addr.txt', 'ip addr: 172.16.0.99') }, 'certain']],
    [{ ...bootstrapping, lines: lines('network/ip-addr.txt', 'ip addr: 172.16.0.99, 172.16.0.21') }],
  ],
  [
    'node-not-ready',
    [[notReady(20, '[rpc error]'), 'likely']],
    [notReady(10, '[rpc error]'), notReady(20, 'PLEG is not healthy')],
  ],
  ['requests-wait', [[waits('client', 20), 'likely']], [waits('client', 2)]],
  ['serving-requests-wait', [[waits('serving', 20), 'likely']], [waits('serving', 2)]],
  [
    'outside-names-missing',
    [[pulled('Get "https://quay.io/v2/": dial tcp: lookup quay.io on 172.16.0.102:53: no such host'), 'likely']],
    [pulled('Get "https://r.lab.example/v2/": dial tcp: lookup r.lab.example on 172.16.0.102:53: no such host')],
  ],
  [
    'gateway-wrong',
    [[pulled('ip route: no default route'), 'likely']],
    [bundled(pulled('dial tcp 10.128.0.15:8443: connect: no route to host'))],
  ],
  [
    'etcd-disk-slow',
    [[{ ...waited('etcdserver: request timed out', [9, 7, 5, 3, 1], true) }, 'likely']],
    [
      waited('etcdserver: leader changed', [1, 1, 1, 1, 1, 1], true),
      waited('"apply request took too long","took":"212.5ms","expected-duration":"200ms"', [5, 4, 3, 2, 1, 1]),
    ],
  ],
  ['webhook-unanswered', [], [waited(HOOK, [2, 1], true), waited(`failing open x: ${HOOK}`, [3, 2, 1], true)]],
  ['pull-secret-rejected', [], [pulled('Failed to watch *v1.ImageContentPolicy: Unauthorized')]],
];

export const STATE_CASES: readonly Case[] = [
  ...BUNDLE_CASES,
  [
    'node-gone',
    [
      [off(6), 'possible'],
      [off(16), 'likely'],
    ],
    [off(3), off(14, true)],
  ],
  ['balancer-member-unreachable', [], [off(1), off(16)]],
  [
    'request-denied',
    [
      [asked([], DENIED), 'certain'],
      [asked([fqdn(W1)], { ...DENIED, kind: 'serving' }), 'certain'],
    ],
    [
      asked([fqdn(W1)], DENIED),
      asked([], { ...DENIED, node: 'evil.example.org' }),
      asked([], DENIED, { verdict: 'expected' }),
      asked([fqdn(W1)], { ...DENIED, kind: 'serving' }, { kind: 'serving', verdict: 'decided' }),
    ],
  ],
  [
    'node-credentials-expired',
    [
      [asksAgain({}), 'likely'],
      [asksAgain({ reasons: ['NODE_EXISTS', 'TIME'] }), 'likely'],
    ],
    [
      // It reports; it was installed again; it is somebody else, or asks for more; nobody asks.
      withCluster(asksAgain({}), { nodes: [node(fqdn(W1))] }),
      { ...asksAgain({}), machines: [machine(W1, { requests: [fetched('/ignition/worker.ign', 200, 20)] })] },
      asksAgain({ requester: 'system:node:w2' }),
      asksAgain({ reasons: ['NODE_EXISTS', 'CLIENT_SAN'] }),
      off(30),
    ],
  ],
  [
    'volume-not-provisioned',
    [
      [waiting({}), 'likely'],
      [waiting({ said: 'ProvisioningFailed: failed to provision volume: rpc error' }), 'certain'],
    ],
    [waiting({ provisioner: null }), waiting({ since: ago(3) }), withCluster(complete, { pendingClaims: null })],
  ],
  [
    'operator-degraded',
    [[operators(operator('insights', 'other', 'x', { wait: YOUNG })), 'possible']],
    [
      withCluster(operators(operator('insights', 'other', 'x', { wait: YOUNG })), {
        version: { available: false, failing: false, message: '', since: null },
      }),
      operators(operator('dns', null, '', { progressing: true, state: 'progressing', wait: YOUNG })),
    ],
  ],
  [
    'node-cordoned',
    [[withCluster(complete, { nodes: [node(fqdn(W1), { isCordoned: true })] }), 'likely']],
    [withCluster(complete, { nodes: [node(fqdn(W1)), node(fqdn('w2'), { isCordoned: true, isChanging: true })] })],
  ],
  [
    'pool-degraded',
    [[unwell('MachineConfigPool', 'NodeDegraded=True 1 nodes are reporting degraded: Node m1'), 'likely']],
    [unwell('MachineConfigPool', 'NodeDegraded=True', 2)],
  ],
  [
    'api-service-unavailable',
    [[unwell('APIService', 'Available=False MissingEndpoints: endpoints have no addresses'), 'likely']],
    [unwell('APIService', 'Available=False', 2), installing('APIService')],
  ],
  [
    'webhook-unanswered',
    [
      [operators(operator('kube-apiserver', 'other', HOOK)), 'certain'],
      [unwell('Webhook', 'failurePolicy Fail, Service a/b: no endpoints', null), 'likely'],
      [{ ...complete, lines: lines('bootkube', HOOK) }, 'likely'],
    ],
    [installing('Webhook')],
  ],
  [
    'namespace-terminating',
    [[unwell('Namespace', 'NamespaceContentRemaining=True SomeResourcesRemain: Some resources remain'), 'likely']],
    [unwell('Namespace', '', 5)],
  ],
  [
    'release-not-loaded',
    [[unwell('ClusterVersion', 'ReleaseAccepted=False RetrievePayload: Retrieving payload failed'), 'certain']],
    [unwell('ClusterVersion', 'ReleaseAccepted=False', 2)],
  ],
  [
    'etcd-member-lost',
    [[operators(operator('etcd', 'other', LOST)), 'certain']],
    [
      operators(operator('etcd', 'other', 'EtcdMembersDegraded: No unhealthy members found')),
      operators(operator('etcd', 'other', LOST, { since: ago(3) })),
    ],
  ],
  [
    'routers-not-running',
    [
      [withCluster(complete, { routers: [] }), 'likely'],
      [withCluster(complete, { routers: [{ ...router('router-default-0', ''), phase: 'Pending' }] }), 'likely'],
    ],
    [
      withCluster(complete, { routers: null }),
      withCluster(complete, { routers: [], nodes: [node(fqdn(W1), { isReady: false })] }),
      withCluster(complete, { routers: [], version: { available: false, failing: false, message: '', since: null } }),
    ],
  ],
];
