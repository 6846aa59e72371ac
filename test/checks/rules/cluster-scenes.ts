import { booting, bootRequest, bootstrapping, complete, machine, operator, times } from './base-evidence.ts';
import { operators, type Scene, W1, withLines, withNotReadyNode } from './scene.ts';

/** Mistakes of images, nodes and the cluster. */
export const CLUSTER_SCENES: readonly Scene[] = [
  // Images.
  [
    'a proxy that intercepts TLS',
    ['registry-untrusted'],
    withLines(
      bootstrapping,
      'release-image',
      'error pinging docker registry quay.io: Get "https://quay.io/v2/": proxyconnect tcp: x509: certificate signed by unknown authority',
    ),
  ],
  [
    'a device in between intercepts TLS of the registry',
    ['registry-untrusted'],
    withLines(
      bootstrapping,
      'release-image',
      'Error: initializing source docker://quay.io/openshift-release-dev/ocp-release@sha256:ab: pinging container registry quay.io: Get "https://quay.io/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ),
  ],
  [
    'the certificate of the mirror has no SAN',
    ['registry-untrusted'],
    withLines(
      bootstrapping,
      'release-image',
      'pinging container registry mirror.example.com:5000: Get "https://mirror.example.com:5000/v2/": x509: certificate relies on legacy Common Name field, use SANs instead',
    ),
  ],
  [
    'the mirror lacks the release',
    ['release-missing'],
    withLines(
      bootstrapping,
      'release-image',
      'Error: reading manifest sha256:ab in mirror.example.com:5000/ocp/release: manifest unknown',
    ),
  ],
  [
    'a mirror lacks the signatures',
    ['signatures-missing'],
    withLines(bootstrapping, 'crio', 'Source image rejected: A signature was required, but no signature exists'),
  ],
  [
    'the policy refuses what is not allowed',
    ['image-policy-refuses'],
    withLines(
      bootstrapping,
      'release-image',
      'Error: copying system image from manifest list: Source image rejected: Running image docker://mirror.example.com:5000/ocp/release@sha256:ab is rejected by policy.',
    ),
  ],
  [
    'Docker Hub limits pulls',
    ['registry-limits'],
    withLines(bootstrapping, 'crio', 'pulling image: toomanyrequests: You have reached your pull rate limit.'),
  ],
  [
    'the proxy wants a login',
    ['proxy-fails'],
    withLines(bootstrapping, 'release-image', 'Get "https://quay.io/v2/": Proxy Authentication Required'),
  ],
  // Nodes and the cluster.
  [
    'the disk of etcd is slow',
    ['etcd-disk-slow'],
    withLines(
      bootstrapping,
      'etcd',
      ...times(6, 'apply request took too long","took":"1.2s","expected-duration":"200ms"'),
    ),
  ],
  [
    'etcd waits for its disk, as etcd itself says',
    ['etcd-disk-slow'],
    withLines(
      bootstrapping,
      'etcd',
      ...times(6, '{"level":"warn","msg":"slow fdatasync","took":"2.3s","expected-duration":"1s"}'),
    ),
  ],
  [
    'the kubelet has too little memory',
    ['machine-too-weak'],
    withLines(bootstrapping, 'kernel', 'Out of memory: Killed process 4211 (kube-apiserver) total-vm:1534212kB'),
  ],
  [
    'pods do not fit',
    ['machine-too-weak'],
    operators(
      operator('console', null, '0/6 nodes are available: 6 Insufficient memory.', {
        degraded: true,
        state: 'degraded',
      }),
    ),
  ],
  [
    'the pod network overlaps the machine network',
    ['networks-overlap'],
    withLines(
      complete,
      'ovnkube-controller',
      'failed to start: IP address 172.16.0.21 of the node overlaps with the cluster network CIDR 172.16.0.0/14',
    ),
  ],
  ['a node stops', ['node-gone'], withNotReadyNode('Kubelet stopped posting node status.')],
  ['CRI-O is down', ['node-runtime-down'], withNotReadyNode('container runtime is down')],
  [
    'PLEG',
    ['node-runtime-down'],
    withNotReadyNode('PLEG is not healthy: pleg was last seen active 4m1s ago; threshold is 3m0s'),
  ],
  [
    'FIPS in the design and not on the node',
    ['fips-mismatch'],
    withLines(
      booting,
      'machine-config-daemon',
      'detected FIPS mode is not as expected: FIPS mode set to true, detected false',
    ),
  ],
  [
    'the CPU is too old',
    ['cpu-too-old'],
    withLines(booting, 'bootkube', 'Fatal glibc error: CPU does not support x86-64-v2'),
  ],
  [
    'two clusters share the VRRP id',
    ['vrrp-id-shared'],
    withLines(
      bootstrapping,
      'Keepalived_vrrp',
      '(api) received an invalid passwd!',
      'bogus VRRP packet received on eth0 !!!',
    ),
  ],
  [
    'W1 fetched master.ign',
    ['ignition-of-another-role'],
    {
      ...bootstrapping,
      machines: bootstrapping.machines.map((each) =>
        each.name === W1 ? machine(W1, { stage: 'ignition', requests: [bootRequest('/ignition/master.ign')] }) : each,
      ),
    },
  ],
];
