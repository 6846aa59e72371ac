import type { BundleScene } from '../bundle-scene.ts';
import { bootkube, M1, noApi, noNodes, pullFailure, RELEASE, times, unreachableMasters } from './log-bundles.ts';

/** Installations whose bootstrapping did not complete, as `gather bootstrap` finds them. */
export const BOOTSTRAP_SCENES: readonly BundleScene[] = [
  [
    'the name of the API',
    ['api-name-wrong'],
    'lookup api.',
    bootkube(
      'cb-bootstrap',
      ['wait-for-etcd'],
      times(
        20,
        'error: Get "https://api.ocp45.example.localdomain:6443/readyz": dial tcp: lookup api.ocp45.example.localdomain on 172.16.0.102:53: no such host',
      ),
      noNodes,
    ),
  ],
  [
    'etcd of the control plane',
    ['control-plane-awaited'],
    'EtcdRunningInCluster',
    bootkube(
      'wait-for-ceo',
      ['wait-for-etcd', 'cb-bootstrap'],
      [
        'Waiting for CEO to finish...',
        ...times(
          30,
          'I1122 11:58:00.000000       1 waitforceo.go:67] waiting on condition EtcdRunningInCluster in etcd CR /cluster to be True.',
        ),
      ],
      noNodes,
    ),
  ],
  [
    'the pull secret is refused',
    ['pull-secret-rejected'],
    'unauthorized',
    pullFailure(
      `initializing source docker://${RELEASE}: unable to retrieve auth token: invalid username/password: unauthorized: Could not find robot with specified username`,
    ),
  ],
  [
    'a mirror with an untrusted certificate',
    ['registry-untrusted'],
    'unknown authority',
    pullFailure(
      'initializing source docker://registry.ocp45.example.localdomain:5000/ocp4/openshift4@sha256:ab12: pinging container registry registry.ocp45.example.localdomain:5000: Get "https://registry.ocp45.example.localdomain:5000/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ),
  ],
  [
    'no route to the registry',
    ['gateway-wrong', 'registry-unreachable'],
    'no route to host',
    pullFailure(
      `initializing source docker://${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp 34.224.196.162:443: connect: no route to host`,
    ),
  ],
  [
    'a firewall that drops',
    ['registry-unreachable'],
    'i/o timeout',
    pullFailure(
      `initializing source docker://${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp 34.224.196.162:443: i/o timeout`,
    ),
  ],
  [
    'external names',
    ['outside-names-missing'],
    'lookup quay.io',
    pullFailure(
      `initializing source docker://${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on 172.16.0.102:53: no such host`,
    ),
  ],
  [
    'a name server that fails',
    ['outside-names-missing', 'resolver-fails'],
    'server misbehaving',
    pullFailure(
      `initializing source docker://${RELEASE}: pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp: lookup quay.io on 172.16.0.102:53: server misbehaving`,
    ),
  ],
  [
    'a mirror without the release',
    ['release-missing'],
    'manifest unknown',
    pullFailure(
      `initializing source docker://${RELEASE}: reading manifest sha256:ab12 in registry.ocp45.example.localdomain:5000/ocp4/openshift4: manifest unknown`,
    ),
  ],
  [
    'etcd on the bootstrap',
    ['bootstrap-etcd-down'],
    'etcdctl failed',
    bootkube(
      'wait-for-etcd',
      [],
      [
        'Starting etcd...',
        ...times(
          60,
          '{"level":"warn","ts":"2026-11-22T11:58:00.1Z","logger":"client","caller":"v3/retry_interceptor.go:62","msg":"retrying of unary invoker failed","error":"rpc error: code = DeadlineExceeded desc = context deadline exceeded"}',
          'https://localhost:2379 is unhealthy: failed to commit proposal: context deadline exceeded',
          'Error: unhealthy cluster',
          'etcdctl failed. Retrying in 5 seconds...',
        ),
      ],
      { ...unreachableMasters('Connection refused'), ...noApi },
    ),
  ],
  [
    'the API on the bootstrap',
    ['bootstrap-api-down'],
    'Still waiting for the Kubernetes API',
    bootkube(
      'cb-bootstrap',
      ['wait-for-etcd'],
      [
        'Starting cluster-bootstrap...',
        'Starting temporary bootstrap control plane...',
        'Waiting up to 20m0s for the Kubernetes API',
        ...times(
          60,
          'Still waiting for the Kubernetes API: Get "https://localhost:6443/readyz": dial tcp [::1]:6443: connect: connection refused',
        ),
      ],
      { ...unreachableMasters('Connection refused'), ...noApi },
    ),
  ],
  [
    'no control plane machine is reachable',
    ['control-plane-unreached'],
    `ssh: connect to host ${M1}`,
    bootkube(
      'cb-bootstrap',
      ['wait-for-etcd'],
      [
        'Starting cluster-bootstrap...',
        'API is up',
        ...times(
          40,
          '\tPod Status:openshift-kube-apiserver/kube-apiserver\tDoesNotExist',
          '\tPod Status:openshift-cluster-version/cluster-version-operator\tPending',
        ),
        'Error: error while checking pod status: timed out waiting for the condition',
        'Tearing down temporary bootstrap control plane...',
      ],
      {
        ...unreachableMasters('Connection timed out'),
        ...noNodes,
        'resources/nodes.list': '',
        'resources/masters.list': '',
      },
    ),
  ],
];
