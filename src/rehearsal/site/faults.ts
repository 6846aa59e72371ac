/** Faults that a rehearsal can inject, from the first file to the last operator. */
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
  // A file that its program refuses.
  'service-file-broken',
  // The network between the machines, and to the outside.
  'foreign-dhcp',
  'gateway-wrong',
  'address-taken-twice',
  'mtu-too-small',
  'proxy-without-no-proxy',
  'registry-unreachable',
  'pull-secret-without-registry',
  // Files that machines boot.
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

/** Faults that can affect a cluster that runs on a cloud already. */
export const CLOUD_FAULTS: readonly FaultId[] = ['machine-fails', 'storage-class-missing', 'operator-degraded'];

/**
 * Faults that need a repair at the machine or by the network's owner: neither generated files nor oc can repair them.
 * In a rehearsal, `rehearse --repair ID` repairs them.
 */
export const REPAIRABLE_FAULTS: readonly FaultId[] = [
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
