import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import type { CsrEvidence } from '../../../src/csr/request-policy.ts';
import {
  ago,
  booting,
  bootstrapping,
  complete,
  fqdn,
  lines,
  MASTERS,
  machine,
  node,
  operator,
  request,
  times,
  withCluster,
} from './base-evidence.ts';
import type { RuleCase } from './rule-case.ts';

const withLines = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
const withRequests = (...requests: readonly Partial<CsrEvidence>[]) =>
  withCluster(complete, { requests: requests.map(request) });
const operators = (...all: readonly ReturnType<typeof operator>[]) => withCluster(complete, { operators: all });
const refusedRequest = (node: string, ...reasons: readonly string[]) => ({
  node,
  verdict: 'refused' as const,
  reasons,
});
const [M1 = ''] = MASTERS;
const NETWORK_STATUS =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message: cni config uninitialized';
const withNotReadyNode = (minutes: number, message: string) =>
  withCluster(complete, { nodes: [node(fqdn(M1), { isReady: false, notReadySince: ago(minutes), message })] });
const withPendingClaim = (storageClass: string | null, ...storageClasses: readonly string[]) =>
  withCluster(complete, {
    storageClasses,
    pendingClaims: [{ name: 'openshift-image-registry/registry', storageClass }],
  });

export const CLUSTER_CASES: readonly RuleCase[] = [
  [
    'hostname-localhost',
    [
      [withRequests(refusedRequest('localhost', 'LOCALHOST', 'NAME_UNKNOWN')), 'certain'],
      [withCluster(complete, { nodes: [node('localhost.localdomain', { addresses: ['172.16.0.77'] })] }), 'certain'],
      [withLines(booting, 'node-valid-hostname', 'node-valid-hostname.service: start operation timed out'), 'likely'],
    ],
    [
      withRequests(refusedRequest('evil.example.org', 'NAME_UNKNOWN')),
      withLines(booting, 'kubelet', 'dial tcp 127.0.0.1:10248: localhost refused'),
    ],
  ],
  [
    'node-name-unexpected',
    [
      [withCluster(complete, { nodes: [node('ip-172-16-0-21', { addresses: [machine(M1).address] })] }), 'certain'],
      [withRequests(refusedRequest(M1, 'NAME_UNKNOWN')), 'likely'],
    ],
    [complete, withRequests(refusedRequest('evil.example.org', 'NAME_UNKNOWN'))],
  ],
  [
    'hostile-csr',
    [
      [withRequests(refusedRequest('evil.example.org', 'NAME_UNKNOWN')), 'certain'],
      [withRequests(refusedRequest(fqdn('w1'), 'SUBJECT_O')), 'certain'],
    ],
    [
      withRequests(refusedRequest(fqdn('w1'), 'DUPLICATE_KEYS')),
      withRequests(refusedRequest('localhost', 'LOCALHOST', 'NAME_UNKNOWN')),
      withRequests({ verdict: 'not-ours', reasons: ['SIGNER'] }),
    ],
  ],
  [
    'requests-wait',
    [[withRequests({ requestedAt: ago(6) }), 'certain']],
    [withRequests({ requestedAt: ago(4) }), withRequests({ requestedAt: ago(60), verdict: 'superseded' })],
  ],
  [
    'serving-requests-wait',
    [[withRequests({ requestedAt: ago(6), kind: 'serving' }), 'certain']],
    [withRequests({ requestedAt: ago(4), kind: 'serving' }), withRequests({ requestedAt: ago(6) })],
  ],
  [
    'network-not-ready',
    [[withNotReadyNode(16, NETWORK_STATUS), 'possible']],
    [withNotReadyNode(10, NETWORK_STATUS), withNotReadyNode(16, 'PLEG is not healthy')],
  ],
  [
    'storage-class-missing',
    [
      [withPendingClaim('fast'), 'certain'],
      [withCluster(complete, { storageClasses: [] }), 'likely'],
      [withPendingClaim(null), 'certain'],
      [
        withCluster(operators(operator('image-registry', 'registry-storage', 'storage backend not configured')), {}),
        'likely',
      ],
    ],
    [
      withPendingClaim('fast', 'fast'),
      withPendingClaim(null, 'nfs'),
      operators(operator('image-registry', 'registry-removed', 'Removed', { degraded: false })),
    ],
  ],
  [
    'monitoring-config-invalid',
    [[operators(operator('monitoring', 'monitoring-config', 'InvalidConfiguration: error unmarshaling')), 'certain']],
    [operators(operator('monitoring', 'rollout', 'rollout stuck'))],
  ],
  [
    'routers-without-nodes',
    [[operators(operator('ingress', 'compute', 'NoReadyIngressNodes')), 'likely']],
    [
      operators(
        operator('ingress', 'compute', 'NoReadyIngressNodes', {
          wait: { code: 'compute', subject: '', waitsFor: '', isNormal: true, remedy: '' },
        }),
      ),
    ],
  ],
  [
    'operator-degraded',
    [
      [operators(operator('insights', 'other', 'unable to report')), 'likely'],
      [
        operators(
          operator('console', 'rollout', 'no pods', { degraded: false, available: false, state: 'unavailable' }),
        ),
        'likely',
      ],
    ],
    [
      withCluster(operators(operator('insights', 'other', 'unable to report')), {
        nodes: MASTERS.map((name) => node(fqdn(name), { readySince: ago(4) })),
      }),
      operators(operator('dns', 'rollout', 'progresses', { degraded: false, state: 'progressing', progressing: true })),
    ],
  ],
  [
    'version-failing',
    [
      [
        withCluster(complete, {
          version: { available: true, failing: true, message: 'Multiple errors', since: ago(11) },
        }),
        'possible',
      ],
    ],
    [withCluster(complete, { version: { available: true, failing: true, message: 'Multiple errors', since: ago(9) } })],
  ],
  [
    'etcd-disk-slow',
    [
      [operators(operator('etcd', 'etcd-slow', 'etcdserver: request timed out')), 'likely'],
      [withLines(bootstrapping, 'bootkube', ...times(5, 'etcdserver: request timed out')), 'likely'],
    ],
    [withLines(bootstrapping, 'bootkube', ...times(2, 'etcdserver: leader changed'))],
  ],
  [
    'fencing-job-failed',
    [
      [
        withCluster(bootstrapping, {
          operators: [operator('etcd', 'pacemaker', 'tnf-fencing-jobDegraded: Job failed')],
        }),
        'certain',
      ],
    ],
    [
      withCluster(bootstrapping, { operators: [operator('etcd')] }),
      withCluster(bootstrapping, {
        operators: [operator('etcd', 'pacemaker', 'tnf-setup-jobProgressing: Job is running')],
      }),
    ],
  ],
  [
    'etcd-bootstrap-member',
    [
      [
        withCluster(
          { ...bootstrapping },
          {
            bootstrapStatus: 'complete',
            isBootstrapMemberRemoved: false,
            operators: [operator('etcd', 'bootstrap-member', '3 members, bootstrap')],
          },
        ),
        'likely',
      ],
    ],
    [
      withCluster(bootstrapping, {
        bootstrapStatus: 'complete',
        isBootstrapMemberRemoved: false,
        operators: [operator('etcd')],
      }),
    ],
  ],
  [
    'bootkube-torn-down',
    [[withLines(bootstrapping, 'bootkube', 'Tearing down temporary bootstrap control plane...'), 'possible']],
    [withLines(complete, 'bootkube', 'Tearing down temporary bootstrap control plane...')],
  ],
];
