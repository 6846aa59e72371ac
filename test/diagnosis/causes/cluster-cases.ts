import type { Evidence, RequestSeen } from '../../../src/diagnosis/causes/evidence.ts';
import type { Case } from './case.ts';
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
} from './healthy.ts';

const said = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
const asked = (...requests: readonly Partial<RequestSeen>[]) =>
  withCluster(complete, { requests: requests.map(request) });
const operators = (...all: readonly ReturnType<typeof operator>[]) => withCluster(complete, { operators: all });
const refused = (node: string, ...reasons: readonly string[]) => ({ node, verdict: 'refused' as const, reasons });
const [M1 = ''] = MASTERS;
const STATUS =
  'container runtime network not ready: NetworkReady=false reason:NetworkPluginNotReady message: cni config uninitialized';
const unready = (minutes: number, message: string) =>
  withCluster(complete, { nodes: [node(fqdn(M1), { isReady: false, goneSince: ago(minutes), message })] });
const claim = (storageClass: string | null, ...storageClasses: readonly string[]) =>
  withCluster(complete, {
    storageClasses,
    pendingClaims: [{ name: 'openshift-image-registry/registry', storageClass }],
  });

export const CLUSTER_CASES: readonly Case[] = [
  [
    'hostname-localhost',
    [
      [asked(refused('localhost', 'LOCALHOST', 'NAME_UNKNOWN')), 'certain'],
      [withCluster(complete, { nodes: [node('localhost.localdomain', { addresses: ['172.16.0.77'] })] }), 'certain'],
      [said(booting, 'node-valid-hostname', 'node-valid-hostname.service: start operation timed out'), 'likely'],
    ],
    [
      asked(refused('evil.example.org', 'NAME_UNKNOWN')),
      said(booting, 'kubelet', 'dial tcp 127.0.0.1:10248: localhost refused'),
    ],
  ],
  [
    'node-name-unexpected',
    [
      [withCluster(complete, { nodes: [node('ip-172-16-0-21', { addresses: [machine(M1).address] })] }), 'certain'],
      [asked(refused(M1, 'NAME_UNKNOWN')), 'likely'],
    ],
    [complete, asked(refused('evil.example.org', 'NAME_UNKNOWN'))],
  ],
  [
    'hostile-csr',
    [
      [asked(refused('evil.example.org', 'NAME_UNKNOWN')), 'certain'],
      [asked(refused(fqdn('w1'), 'SUBJECT_O')), 'certain'],
    ],
    [
      asked(refused(fqdn('w1'), 'DUPLICATE_KEYS')),
      asked(refused('localhost', 'LOCALHOST', 'NAME_UNKNOWN')),
      asked({ verdict: 'not-ours', reasons: ['SIGNER'] }),
    ],
  ],
  [
    'requests-wait',
    [[asked({ requestedAt: ago(6) }), 'certain']],
    [asked({ requestedAt: ago(4) }), asked({ requestedAt: ago(60), verdict: 'superseded' })],
  ],
  [
    'serving-requests-wait',
    [[asked({ requestedAt: ago(6), kind: 'serving' }), 'certain']],
    [asked({ requestedAt: ago(4), kind: 'serving' }), asked({ requestedAt: ago(6) })],
  ],
  ['network-not-ready', [[unready(16, STATUS), 'possible']], [unready(10, STATUS), unready(16, 'PLEG is not healthy')]],
  [
    'storage-class-missing',
    [
      [claim('fast'), 'certain'],
      [withCluster(complete, { storageClasses: [] }), 'likely'],
      [claim(null), 'certain'],
      [
        withCluster(operators(operator('image-registry', 'registry-storage', 'storage backend not configured')), {}),
        'likely',
      ],
    ],
    [
      claim('fast', 'fast'),
      claim(null, 'nfs'),
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
          wait: { code: 'compute', waitsFor: '', isNormal: true, whatToDo: '' },
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
      [said(bootstrapping, 'bootkube', ...times(5, 'etcdserver: request timed out')), 'likely'],
    ],
    [said(bootstrapping, 'bootkube', ...times(2, 'etcdserver: leader changed'))],
  ],
  [
    'etcd-bootstrap-member',
    [
      [
        withCluster(
          { ...bootstrapping },
          {
            bootstrapStatus: 'complete',
            isEtcdAlone: false,
            operators: [operator('etcd', 'bootstrap-member', '3 members, bootstrap')],
          },
        ),
        'likely',
      ],
    ],
    [withCluster(bootstrapping, { bootstrapStatus: 'complete', isEtcdAlone: false, operators: [operator('etcd')] })],
  ],
  [
    'bootkube-torn-down',
    [[said(bootstrapping, 'bootkube', 'Tearing down temporary bootstrap control plane...'), 'possible']],
    [said(complete, 'bootkube', 'Tearing down temporary bootstrap control plane...')],
  ],
];
