/** What can be made to go wrong in a rehearsal, from the first file to the last operator. */
export const FAULTS = [
  // Names.
  'ptr-missing',
  'wildcard-too-wide',
  'api-int-missing',
  'apps-wildcard-missing',
  'hostname-localhost',
  // The load balancer.
  'config-server-closed',
  'api-health-check-wrong',
  'bootstrap-left-in-balancer',
  'balancer-timeout-short',
  'routers-outside-pool',
  // A file that no program takes.
  'service-file-broken',
  // The network between the machines, and to the outside.
  'foreign-dhcp',
  'gateway-wrong',
  'address-taken-twice',
  'mtu-too-small',
  'proxy-without-no-proxy',
  'registry-unreachable',
  'pull-secret-without-registry',
  // What machines boot.
  'ignition-stale',
  'ignition-of-another-cluster',
  'rhcos-mixed',
  'boot-file-missing',
  'boot-program-missing',
  'tftp-silent',
  // The machines themselves.
  'node-never-boots',
  'wrong-mac',
  'clock-skew',
  'disk-too-small',
  'install-disk-wrong',
  'boots-old-disk',
  'machine-fails',
  // The cluster.
  'hostile-csr',
  'storage-class-missing',
  'operator-degraded',
  'request-denied',
  'node-credentials-expired',
  'node-cordoned',
  'pool-degraded',
  'etcd-member-lost',
  'routers-not-running',
  'volume-not-provisioned',
  'release-not-loaded',
  'webhook-unanswered',
  'api-service-unavailable',
  'namespace-terminating',
] as const;
export type FaultId = (typeof FAULTS)[number];

/** Those that can strike a cluster which runs on a cloud already. */
export const CLOUD_FAULTS: readonly FaultId[] = ['machine-fails', 'storage-class-missing', 'operator-degraded'];

/**
 * Those that somebody has to put right at the machine, or who runs the network: neither a file of ours nor oc reaches them. In a rehearsal
 * `rehearse --repair ID` does it.
 */
export const REPAIRED: readonly FaultId[] = [
  'clock-skew',
  'node-never-boots',
  'foreign-dhcp',
  'address-taken-twice',
  'mtu-too-small',
  'registry-unreachable',
  'etcd-member-lost',
  // The disk of a node is full.
  'operator-degraded',
];

export function isFaultId(text: string): text is FaultId {
  return (FAULTS as readonly string[]).includes(text);
}
