import { nodesWithRole } from '../../design/derived-facts.ts';
import type { Design, DesignNode, NodeRole } from '../../design/model.ts';
import { deriveRandom } from './seeded-random.ts';

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
 * Faults that need a repair at the machine or by the network's owner: neither our files nor oc reach them. In a
 * rehearsal, `rehearse --repair ID` repairs them.
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

/** Roles for faults of one node: the control plane if the installation shall wait for it, else compute. */
const AFFECTED_ROLES: Readonly<Partial<Record<FaultId, NodeRole>>> = {
  'ptr-missing': 'control-plane',
  'hostname-localhost': 'control-plane',
  'foreign-dhcp': 'control-plane',
  'address-taken-twice': 'control-plane',
  'clock-skew': 'control-plane',
  'install-disk-wrong': 'control-plane',
  'boots-old-disk': 'control-plane',
  'disk-too-small': 'compute',
};

/**
 * Finds the node that a fault affects, selected by the seed; null: the fault does not affect a single node, or is not
 * injected.
 */
export function findAffectedNode(
  fault: FaultId,
  { design, faults, seed }: { readonly design: Design; readonly faults: ReadonlySet<FaultId>; readonly seed: number },
): DesignNode | null {
  const role = AFFECTED_ROLES[fault];
  if (role === undefined || !faults.has(fault)) return null;
  const preferred = nodesWithRole(design, role);
  const candidates = preferred.length > 0 ? preferred : nodesWithRole(design, 'control-plane');
  return candidates[Math.floor(deriveRandom(seed, fault) * candidates.length)] ?? null;
}
