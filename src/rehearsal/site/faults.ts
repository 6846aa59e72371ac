import { REBOOT } from '../../platform/manual-actions.ts';

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

/** Ways to repair a fault of a rehearsal, in the order of the help. */
export const REPAIR_KINDS = [
  'files',
  'files-and-reboot',
  'design',
  'ignition',
  'boot-files',
  'reboot',
  'simulated',
  'cluster',
] as const;
type RepairKind = (typeof REPAIR_KINDS)[number];

/** How the user repairs each fault. Tests play the repairs, and the help lists them. */
export const REPAIR_KIND_BY_FAULT: Readonly<Record<FaultId, RepairKind>> = {
  'ptr-missing': 'files-and-reboot',
  'wildcard-too-wide': 'files',
  'api-int-missing': 'files',
  'apps-wildcard-missing': 'files',
  'hostname-localhost': 'files-and-reboot',
  'config-server-closed': 'files',
  'api-health-check-wrong': 'files',
  'bootstrap-left-in-balancer': 'files',
  'balancer-timeout-short': 'files',
  'routers-outside-pool': 'files',
  'service-file-broken': 'files',
  'foreign-dhcp': 'simulated',
  'gateway-wrong': 'files-and-reboot',
  'address-taken-twice': 'simulated',
  'mtu-too-small': 'simulated',
  'proxy-without-no-proxy': 'cluster',
  'registry-unreachable': 'simulated',
  'pull-secret-without-registry': 'ignition',
  'ignition-stale': 'ignition',
  'ignition-of-another-cluster': 'ignition',
  'rhcos-mixed': 'simulated',
  'boot-file-missing': 'boot-files',
  'boot-program-missing': 'files',
  'tftp-silent': 'files',
  'node-never-boots': 'simulated',
  'wrong-mac': 'design',
  'clock-skew': 'simulated',
  'disk-too-small': 'simulated',
  'install-disk-wrong': 'design',
  'boots-old-disk': 'reboot',
  'machine-fails': 'cluster',
  'hostile-csr': 'cluster',
  'storage-class-missing': 'cluster',
  'operator-degraded': 'simulated',
  'request-denied': 'cluster',
  'node-credentials-expired': 'cluster',
  'node-cordoned': 'cluster',
  'pool-degraded': 'cluster',
  'etcd-member-lost': 'simulated',
  'routers-not-running': 'cluster',
  'volume-not-provisioned': 'cluster',
  'release-not-loaded': 'cluster',
  'webhook-unanswered': 'cluster',
  'api-service-unavailable': 'cluster',
  'namespace-terminating': 'cluster',
};

/**
 * Faults that need a repair at the machine or by the network's owner: neither generated files nor oc can repair them.
 * In a rehearsal, `rehearse --repair ID` repairs them.
 */
export const SIMULATED_REPAIR_FAULTS: readonly FaultId[] = FAULTS.filter(
  (fault) => REPAIR_KIND_BY_FAULT[fault] === 'simulated',
);

/** All values of `rehearse --repair`. */
export const REPAIRS = [...SIMULATED_REPAIR_FAULTS, REBOOT] as const;

/** Diagnostic rules whose remedy ends with a reboot of machines. */
export const REBOOT_RULES: readonly string[] = [
  'gateway-wrong',
  'dhcp-options-wrong',
  'hostname-localhost',
  'install-disk-wrong',
  'boots-old-disk',
];

export function isFaultId(text: string): text is FaultId {
  return (FAULTS as readonly string[]).includes(text);
}
