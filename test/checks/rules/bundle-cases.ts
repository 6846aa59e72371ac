import type { Evidence, PendingClaim } from '../../../src/checks/rules/evidence.ts';
import type { CsrEvidence } from '../../../src/csr/request-policy.ts';
import type { UnhealthyObject } from '../../../src/openshift/object.ts';
import {
  ago,
  bootRequest,
  bootstrapping,
  complete,
  fqdn,
  lines,
  machine,
  node,
  operator,
  request,
  router,
  withCluster,
} from './base-evidence.ts';
import type { RuleCase } from './rule-case.ts';
import { operators, W1 } from './scene.ts';

const withUnhealthy = (kind: UnhealthyObject['kind'], message: string, minutes: number | null = 30) =>
  withCluster(complete, {
    unhealthyObjects: [{ kind, name: 'one', message, since: minutes === null ? null : ago(minutes) }],
  });
const whileInstalling = (kind: UnhealthyObject['kind']) =>
  withCluster(withUnhealthy(kind, 'x'), { version: { available: false, failing: false, message: '', since: null } });
const withRequests = (nodes: readonly string[], ...requests: readonly Partial<CsrEvidence>[]) =>
  withCluster(complete, {
    nodes: nodes.map((name) => node(name)),
    requests: requests.map((each) => request({ node: fqdn(W1), ...each })),
  });
const withPendingClaim = (changes: Partial<PendingClaim>) =>
  withCluster(complete, {
    pendingClaims: [
      { name: 'shop/orders', storageClass: 'nfs', provisioner: 'nfs.csi', since: ago(9), lastEvent: '', ...changes },
    ],
  });
const NORMAL_WAIT = { code: 'other', subject: '', waitsFor: '', isNormal: true, remedy: '' } as const;
const DENIED_REQUEST = { name: 'csr-no', verdict: 'decided', reasons: ['TERMINAL'] } as const;
const MEMBER_LOST = 'EtcdMembersDegraded: 2 of 3 members are available, m1 is unhealthy';
const WEBHOOK_ERROR =
  'Internal error occurred: failed calling webhook "policy.example.com": no endpoints available for service';

/** Evidence of a node that stopped. The API reports its pods as Running for a while. */
const withNodeOff = (minutes: number, isUpdating = false): Evidence => ({
  ...withCluster(complete, {
    nodes:
      complete.cluster?.nodes?.map((each) => (each.name === fqdn(W1) ? notReadyNode(minutes, isUpdating) : each)) ??
      null,
  }),
  balancerMembers: complete.balancerMembers.map((each) =>
    each.name === W1 ? { ...each, status: 'DOWN', check: 'L4CON' } : each,
  ),
});
const notReadyNode = (minutes: number, isUpdating: boolean) =>
  node(fqdn(W1), {
    isReady: false,
    notReadySince: ago(minutes),
    message: 'Kubelet stopped posting node status.',
    isUpdating,
  });

/** Returns a node that does not report, and a request in its name by the node-bootstrapper account. */
const withRepeatedRequest = (changes: Partial<CsrEvidence>) =>
  withCluster(withNodeOff(16), {
    requests: [request({ node: fqdn(W1), verdict: 'refused', reasons: ['NODE_EXISTS'], ...changes })],
  });

const LOCAL_API_ERROR = 'Get "https://localhost:6443/readyz": dial tcp [::1]:6443: connect: connection refused';
/** Lines of bootkube.sh, by their ages in minutes. They come from a bundle or from a running host. */
const withBootkubeLines = (text: string, minutes: readonly number[], isBundle = false): Evidence => ({
  ...bootstrapping,
  isBundle,
  lines: minutes.map((each) => ({ source: 'bootkube', host: 'bs', text, at: ago(each) })),
});
const withNextLine = (base: Evidence, text: string): Evidence => ({
  ...base,
  lines: [...base.lines, { source: 'bootkube', host: 'bs', text, at: ago(0) }],
});
const STILL_WAITING = `Still waiting for the Kubernetes API: ${LOCAL_API_ERROR}`;
const UNKNOWN_AUTHORITY =
  'Get "https://api-int.x.example:6443/api": tls: failed to verify certificate: x509: certificate signed by unknown authority';
const BAD_CERTIFICATE = 'http: TLS handshake error from 172.16.0.21:4000: remote error: tls: bad certificate';
const ETCD_RETRY = 'etcdctl failed. Retrying in 5 seconds...';
const SSH_TIMEOUT = 'ssh: connect to host 172.16.0.21 port 22: Connection timed out';
const withGatherLine = (text: string, source = 'gather.log'): Evidence => ({
  ...withBootkubeLines(text, [1], true),
  cluster: null,
  lines: [{ source, host: 'm1', text, at: null }],
});
const withNodeNotReadyFor = (minutes: number, message: string) =>
  withCluster(complete, { nodes: [node(fqdn(W1), { isReady: false, notReadySince: ago(minutes), message })] });
const asBundle = (base: Evidence): Evidence => ({ ...base, isBundle: true, design: null });
const withUnreviewedRequest = (kind: 'client' | 'serving', minutes: number) =>
  asBundle(withCluster(complete, { requests: [request({ kind, verdict: 'undecided', requestedAt: ago(minutes) })] }));
const withReleaseImageLine = (text: string): Evidence => ({ ...bootstrapping, lines: lines('release-image', text) });

/** Log bundles: rules that only match bundles, and rules that are stricter on them. */
const STRICTER_CASES: readonly RuleCase[] = [
  [
    'bootstrap-etcd-down',
    [
      [withBootkubeLines(ETCD_RETRY, [12, 6, 1]), 'likely'],
      [withBootkubeLines(ETCD_RETRY, [2, 2, 1], true), 'likely'],
    ],
    [
      withBootkubeLines(ETCD_RETRY, [4, 2, 1]),
      withBootkubeLines(ETCD_RETRY, [12, 1]),
      withNextLine(withBootkubeLines(ETCD_RETRY, [12, 6, 1], true), 'https://localhost:2379 is healthy'),
    ],
  ],
  [
    'bootstrap-api-down',
    [
      [withBootkubeLines(STILL_WAITING, [12, 6, 1]), 'likely'],
      [withBootkubeLines(STILL_WAITING, [2, 2, 1], true), 'likely'],
    ],
    [
      withBootkubeLines(STILL_WAITING, [4, 2, 1]),
      withNextLine(withBootkubeLines(STILL_WAITING, [12, 6, 1], true), 'API is up'),
    ],
  ],
  [
    'control-plane-unreached',
    [
      [withGatherLine(SSH_TIMEOUT), 'possible'],
      [withNextLine(withGatherLine(SSH_TIMEOUT), 'API is up'), 'likely'],
    ],
    [
      { ...withGatherLine(SSH_TIMEOUT), cluster: complete.cluster },
      withGatherLine(SSH_TIMEOUT, 'journals/kubelet.log'),
    ],
  ],
  [
    'control-plane-awaited',
    [
      [
        withBootkubeLines('Pod Status:openshift-kube-apiserver/kube-apiserver DoesNotExist', [3, 2, 1], true),
        'possible',
      ],
    ],
    [withBootkubeLines('Pod Status:openshift-kube-apiserver/kube-apiserver DoesNotExist', [30, 2, 1])],
  ],
  [
    'ignition-of-another-cluster',
    [
      [withBootkubeLines(UNKNOWN_AUTHORITY, [3, 2, 1]), 'likely'],
      [
        {
          ...bootstrapping,
          lines: lines('containers/machine-config-server-1.log', BAD_CERTIFICATE, BAD_CERTIFICATE, BAD_CERTIFICATE),
        },
        'possible',
      ],
    ],
    [withBootkubeLines(UNKNOWN_AUTHORITY, [2, 1])],
  ],
  ['clock-skew', [], [withReleaseImageLine('System clock was stepped by 0.612345 seconds')]],
  ['hostname-localhost', [], [withReleaseImageLine('node-valid-hostname.service: Deactivated successfully.')]],
  [
    'api-name-wrong',
    [[withReleaseImageLine('dial tcp: lookup api.x.example on 172.16.0.102:53: no such host'), 'likely']],
    [
      {
        ...withReleaseImageLine(''),
        lines: lines('openshift-install', 'lookup api.x.example on 172.16.0.1:53: no such host'),
      },
    ],
  ],
  [
    'node-address-unexpected',
    [[{ ...bootstrapping, lines: lines('network/ip-addr.txt', 'ip addr: 172.16.0.99') }, 'certain']],
    [{ ...bootstrapping, lines: lines('network/ip-addr.txt', 'ip addr: 172.16.0.99, 172.16.0.21') }],
  ],
  [
    'node-not-ready',
    [[withNodeNotReadyFor(20, '[rpc error]'), 'likely']],
    [withNodeNotReadyFor(10, '[rpc error]'), withNodeNotReadyFor(20, 'PLEG is not healthy')],
  ],
  ['requests-wait', [[withUnreviewedRequest('client', 20), 'likely']], [withUnreviewedRequest('client', 2)]],
  ['serving-requests-wait', [[withUnreviewedRequest('serving', 20), 'likely']], [withUnreviewedRequest('serving', 2)]],
  [
    'outside-names-missing',
    [
      [
        withReleaseImageLine('Get "https://quay.io/v2/": dial tcp: lookup quay.io on 172.16.0.102:53: no such host'),
        'likely',
      ],
    ],
    [
      withReleaseImageLine(
        'Get "https://r.lab.example/v2/": dial tcp: lookup r.lab.example on 172.16.0.102:53: no such host',
      ),
    ],
  ],
  [
    'gateway-wrong',
    [[withReleaseImageLine('ip route: no default route'), 'likely']],
    [asBundle(withReleaseImageLine('dial tcp 10.128.0.15:8443: connect: no route to host'))],
  ],
  [
    'etcd-disk-slow',
    [[{ ...withBootkubeLines('etcdserver: request timed out', [9, 7, 5, 3, 1], true) }, 'likely']],
    [
      withBootkubeLines('etcdserver: leader changed', [1, 1, 1, 1, 1, 1], true),
      withBootkubeLines(
        '"apply request took too long","took":"212.5ms","expected-duration":"200ms"',
        [5, 4, 3, 2, 1, 1],
      ),
    ],
  ],
  [
    'webhook-unanswered',
    [],
    [
      withBootkubeLines(WEBHOOK_ERROR, [2, 1], true),
      withBootkubeLines(`failing open x: ${WEBHOOK_ERROR}`, [3, 2, 1], true),
    ],
  ],
  ['pull-secret-rejected', [], [withReleaseImageLine('Failed to watch *v1.ImageContentPolicy: Unauthorized')]],
];

export const BUNDLE_CASES: readonly RuleCase[] = [
  ...STRICTER_CASES,
  [
    'node-gone',
    [
      [withNodeOff(6), 'possible'],
      [withNodeOff(16), 'likely'],
    ],
    [withNodeOff(3), withNodeOff(14, true)],
  ],
  ['balancer-member-unreachable', [], [withNodeOff(1), withNodeOff(16)]],
  [
    'request-denied',
    [
      [withRequests([], DENIED_REQUEST), 'certain'],
      [withRequests([fqdn(W1)], { ...DENIED_REQUEST, kind: 'serving' }), 'certain'],
    ],
    [
      withRequests([fqdn(W1)], DENIED_REQUEST),
      withRequests([], { ...DENIED_REQUEST, node: 'evil.example.org' }),
      withRequests([], DENIED_REQUEST, { verdict: 'expected' }),
      withRequests([fqdn(W1)], { ...DENIED_REQUEST, kind: 'serving' }, { kind: 'serving', verdict: 'decided' }),
    ],
  ],
  [
    'node-credentials-expired',
    [
      [withRepeatedRequest({}), 'likely'],
      [withRepeatedRequest({ reasons: ['NODE_EXISTS', 'TIME'] }), 'likely'],
    ],
    [
      // The node reports; it was installed again; another node asks, or the request asks for more; there is no request.
      withCluster(withRepeatedRequest({}), { nodes: [node(fqdn(W1))] }),
      {
        ...withRepeatedRequest({}),
        machines: [machine(W1, { requests: [bootRequest('/ignition/worker.ign', 200, 20)] })],
      },
      withRepeatedRequest({ requester: 'system:node:w2' }),
      withRepeatedRequest({ reasons: ['NODE_EXISTS', 'CLIENT_SAN'] }),
      withNodeOff(30),
    ],
  ],
  [
    'volume-not-provisioned',
    [
      [withPendingClaim({}), 'likely'],
      [withPendingClaim({ lastEvent: 'ProvisioningFailed: failed to provision volume: rpc error' }), 'certain'],
    ],
    [
      withPendingClaim({ provisioner: null }),
      withPendingClaim({ since: ago(3) }),
      withCluster(complete, { pendingClaims: null }),
    ],
  ],
  [
    'operator-degraded',
    [[operators(operator('insights', 'other', 'x', { wait: NORMAL_WAIT })), 'possible']],
    [
      withCluster(operators(operator('insights', 'other', 'x', { wait: NORMAL_WAIT })), {
        version: { available: false, failing: false, message: '', since: null },
      }),
      operators(operator('dns', null, '', { progressing: true, state: 'progressing', wait: NORMAL_WAIT })),
    ],
  ],
  [
    'node-cordoned',
    [[withCluster(complete, { nodes: [node(fqdn(W1), { isCordoned: true })] }), 'likely']],
    [withCluster(complete, { nodes: [node(fqdn(W1)), node(fqdn('w2'), { isCordoned: true, isUpdating: true })] })],
  ],
  [
    'pool-degraded',
    [[withUnhealthy('MachineConfigPool', 'NodeDegraded=True 1 nodes are reporting degraded: Node m1'), 'likely']],
    [withUnhealthy('MachineConfigPool', 'NodeDegraded=True', 2)],
  ],
  [
    'api-service-unavailable',
    [[withUnhealthy('APIService', 'Available=False MissingEndpoints: endpoints have no addresses'), 'likely']],
    [withUnhealthy('APIService', 'Available=False', 2), whileInstalling('APIService')],
  ],
  [
    'webhook-unanswered',
    [
      [operators(operator('kube-apiserver', 'other', WEBHOOK_ERROR)), 'certain'],
      [withUnhealthy('Webhook', 'failurePolicy Fail, Service a/b: no endpoints', null), 'likely'],
      [{ ...complete, lines: lines('bootkube', WEBHOOK_ERROR) }, 'likely'],
    ],
    [whileInstalling('Webhook')],
  ],
  [
    'namespace-terminating',
    [
      [
        withUnhealthy('Namespace', 'NamespaceContentRemaining=True SomeResourcesRemain: Some resources remain'),
        'likely',
      ],
    ],
    [withUnhealthy('Namespace', '', 5)],
  ],
  [
    'release-not-loaded',
    [[withUnhealthy('ClusterVersion', 'ReleaseAccepted=False RetrievePayload: Retrieving payload failed'), 'certain']],
    [withUnhealthy('ClusterVersion', 'ReleaseAccepted=False', 2)],
  ],
  [
    'etcd-member-lost',
    [[operators(operator('etcd', 'other', MEMBER_LOST)), 'certain']],
    [
      operators(operator('etcd', 'other', 'EtcdMembersDegraded: No unhealthy members found')),
      operators(operator('etcd', 'other', MEMBER_LOST, { since: ago(3) })),
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
