import type { Evidence, PendingClaim, RequestSeen } from '../../../src/diagnosis/causes/evidence.ts';
import type { Unwell } from '../../../src/objects/unwell.ts';
import type { Case } from './case.ts';
import {
  ago,
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

export const STATE_CASES: readonly Case[] = [
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
