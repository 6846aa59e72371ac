import { apiHealthCheckWrong } from './balancer/api-health-check-wrong.ts';
import { balancerClosed } from './balancer/balancer-closed.ts';
import { balancerHttpMode } from './balancer/balancer-http-mode.ts';
import { balancerLimits } from './balancer/balancer-limits.ts';
import { balancerPortMixed } from './balancer/balancer-port-mixed.ts';
import { balancerProxyProtocol } from './balancer/balancer-proxy-protocol.ts';
import { balancerTimeoutShort } from './balancer/balancer-timeout-short.ts';
import { balancerTlsEnds } from './balancer/balancer-tls-ends.ts';
import { bootstrapLeftInBalancer } from './balancer/bootstrap-left-in-balancer.ts';
import { bootstrapNotInBalancer } from './balancer/bootstrap-not-in-balancer.ts';
import { configServerClosed } from './balancer/config-server-closed.ts';
import { ingressHealthCheckWrong } from './balancer/ingress-health-check-wrong.ts';
import { memberMissing } from './balancer/member-missing.ts';
import { memberOff } from './balancer/member-off.ts';
import { memberUnreachable } from './balancer/member-unreachable.ts';
import { membersUnchecked } from './balancer/members-unchecked.ts';
import { routersOutsidePool } from './balancer/routers-outside-pool.ts';
import { selinuxDenies } from './balancer/selinux-denies.ts';
import { vrrpIdShared } from './balancer/vrrp-id-shared.ts';
import { vrrpSplit } from './balancer/vrrp-split.ts';
import { addressTakenTwice } from './boot/address-taken-twice.ts';
import { bootFileForbidden } from './boot/boot-file-forbidden.ts';
import { bootFileMissing } from './boot/boot-file-missing.ts';
import { bootProgramMissing } from './boot/boot-program-missing.ts';
import { bootServerSilent } from './boot/boot-server-silent.ts';
import { bootsOldDisk } from './boot/boots-old-disk.ts';
import { dhcpBootWrong } from './boot/dhcp-boot-wrong.ts';
import { dhcpOptionsWrong } from './boot/dhcp-options-wrong.ts';
import { dhcpPoolOverlaps } from './boot/dhcp-pool-overlaps.ts';
import { diskTooSmall } from './boot/disk-too-small.ts';
import { foreignDhcp } from './boot/foreign-dhcp.ts';
import { gatewayWrong } from './boot/gateway-wrong.ts';
import { ignitionBroken } from './boot/ignition-broken.ts';
import { installDiskWrong } from './boot/install-disk-wrong.ts';
import { installsAgain } from './boot/installs-again.ts';
import { mtuTooSmall } from './boot/mtu-too-small.ts';
import { nodeNeverBoots } from './boot/node-never-boots.ts';
import { rhcosMixed } from './boot/rhcos-mixed.ts';
import { serviceFileBroken } from './boot/service-file-broken.ts';
import { tftpSilent } from './boot/tftp-silent.ts';
import { wrongMac } from './boot/wrong-mac.ts';
import { apiServiceUnavailable } from './cluster/api-service-unavailable.ts';
import { bootkubeTornDown } from './cluster/bootkube-torn-down.ts';
import { bootstrapApiDown, bootstrapEtcdDown, controlPlaneAwaited } from './cluster/bootstrap-stuck.ts';
import { etcdBootstrapMember } from './cluster/etcd-bootstrap-member.ts';
import { etcdDiskSlow } from './cluster/etcd-disk-slow.ts';
import { etcdMemberLost } from './cluster/etcd-member-lost.ts';
import { monitoringConfigInvalid } from './cluster/monitoring-config-invalid.ts';
import { namespaceTerminating } from './cluster/namespace-terminating.ts';
import { operatorDegraded } from './cluster/operator-degraded.ts';
import { poolDegraded } from './cluster/pool-degraded.ts';
import { releaseNotLoaded } from './cluster/release-not-loaded.ts';
import { routersNotRunning } from './cluster/routers-not-running.ts';
import { routersWithoutNodes } from './cluster/routers-without-nodes.ts';
import { storageClassMissing } from './cluster/storage-class-missing.ts';
import { versionFailing } from './cluster/version-failing.ts';
import { volumeNotProvisioned } from './cluster/volume-not-provisioned.ts';
import { webhookUnanswered } from './cluster/webhook-unanswered.ts';
import { imageArchitecture } from './images/image-architecture.ts';
import { imagePolicyRefuses } from './images/image-policy-refuses.ts';
import { proxyFails } from './images/proxy-fails.ts';
import { proxyWithoutNoProxy } from './images/proxy-without-no-proxy.ts';
import { pullSecretRejected } from './images/pull-secret-rejected.ts';
import { pullSecretWithoutRegistry } from './images/pull-secret-without-registry.ts';
import { registryLimits } from './images/registry-limits.ts';
import { registryUnreachable } from './images/registry-unreachable.ts';
import { registryUntrusted } from './images/registry-untrusted.ts';
import { releaseMissing } from './images/release-missing.ts';
import { apiIntMissing } from './names/api-int-missing.ts';
import { apiNameWrong } from './names/api-name-wrong.ts';
import { appsWildcardMissing } from './names/apps-wildcard-missing.ts';
import { dnsServerSilent } from './names/dns-server-silent.ts';
import { nodeNameMissing } from './names/node-name-missing.ts';
import { outsideNamesMissing } from './names/outside-names-missing.ts';
import { ptrDotMissing } from './names/ptr-dot-missing.ts';
import { ptrMissing } from './names/ptr-missing.ts';
import { resolverElsewhere } from './names/resolver-elsewhere.ts';
import { resolverFails } from './names/resolver-fails.ts';
import { wildcardTooWide } from './names/wildcard-too-wide.ts';
import { zoneNotServed } from './names/zone-not-served.ts';
import { controlPlaneAbsent } from './nodes/control-plane-absent.ts';
import { controlPlaneUnreached } from './nodes/control-plane-unreached.ts';
import { fipsMismatch } from './nodes/fips-mismatch.ts';
import { hostileCsr } from './nodes/hostile-csr.ts';
import { hostnameLocalhost } from './nodes/hostname-localhost.ts';
import { machineTooWeak } from './nodes/machine-too-weak.ts';
import { networkNotReady } from './nodes/network-not-ready.ts';
import { networkTypeUnsupported } from './nodes/network-type-unsupported.ts';
import { networksOverlap } from './nodes/networks-overlap.ts';
import { noWayFromHere } from './nodes/no-way-from-here.ts';
import { nodeAddressUnexpected } from './nodes/node-address-unexpected.ts';
import { nodeCordoned } from './nodes/node-cordoned.ts';
import { nodeGone } from './nodes/node-gone.ts';
import { nodeNameUnexpected } from './nodes/node-name-unexpected.ts';
import { nodeNotReady } from './nodes/node-not-ready.ts';
import { nodePortClosed } from './nodes/node-port-closed.ts';
import { nodeRuntimeDown } from './nodes/node-runtime-down.ts';
import { podNetworkBlocked } from './nodes/pod-network-blocked.ts';
import { requestDenied } from './nodes/request-denied.ts';
import { requestsWait } from './nodes/requests-wait.ts';
import { servingRequestsWait } from './nodes/serving-requests-wait.ts';
import { apiCertificateExpired } from './trust/api-certificate-expired.ts';
import { clockSkew } from './trust/clock-skew.ts';
import { credentialsRefused } from './trust/credentials-refused.ts';
import { ignitionOfAnotherCluster } from './trust/ignition-of-another-cluster.ts';
import { ignitionOfAnotherRole } from './trust/ignition-of-another-role.ts';
import { ignitionStale } from './trust/ignition-stale.ts';
import { kubeconfigOfAnotherCluster } from './trust/kubeconfig-of-another-cluster.ts';
import { nodeCredentialsExpired } from './trust/node-credentials-expired.ts';

/**
 * Every rule. Of two that are equally sure, the one that stands first is told first: causes before what follows from them,
 * what is nearer to the ground (names, files, addresses) before what stands on it.
 */
export const CAUSES = [
  // What this machine cannot ask, other rules know nothing of.
  noWayFromHere,
  serviceFileBroken,
  dnsServerSilent,
  zoneNotServed,
  apiIntMissing,
  apiNameWrong,
  appsWildcardMissing,
  wildcardTooWide,
  ptrMissing,
  ptrDotMissing,
  nodeNameMissing,
  resolverFails,
  clockSkew,
  ignitionStale,
  // Who leads 22623 elsewhere, or ends TLS, shows a certificate of another authority as well.
  balancerTlsEnds,
  balancerProxyProtocol,
  balancerPortMixed,
  ignitionOfAnotherCluster,
  ignitionOfAnotherRole,
  ignitionBroken,
  nodeCredentialsExpired,
  foreignDhcp,
  dhcpPoolOverlaps,
  addressTakenTwice,
  gatewayWrong,
  mtuTooSmall,
  dhcpOptionsWrong,
  dhcpBootWrong,
  selinuxDenies,
  vrrpIdShared,
  vrrpSplit,
  bootstrapNotInBalancer,
  memberUnreachable,
  configServerClosed,
  apiHealthCheckWrong,
  balancerHttpMode,
  bootstrapLeftInBalancer,
  memberMissing,
  memberOff,
  ingressHealthCheckWrong,
  balancerLimits,
  membersUnchecked,
  balancerTimeoutShort,
  balancerClosed,
  routersOutsidePool,
  bootServerSilent,
  rhcosMixed,
  bootFileForbidden,
  bootFileMissing,
  tftpSilent,
  bootProgramMissing,
  wrongMac,
  bootsOldDisk,
  nodeNeverBoots,
  installDiskWrong,
  diskTooSmall,
  installsAgain,
  fipsMismatch,
  proxyWithoutNoProxy,
  proxyFails,
  registryUntrusted,
  imagePolicyRefuses,
  imageArchitecture,
  registryLimits,
  pullSecretWithoutRegistry,
  releaseMissing,
  pullSecretRejected,
  outsideNamesMissing,
  registryUnreachable,
  hostnameLocalhost,
  nodeNameUnexpected,
  nodeAddressUnexpected,
  hostileCsr,
  requestsWait,
  requestDenied,
  servingRequestsWait,
  storageClassMissing,
  volumeNotProvisioned,
  monitoringConfigInvalid,
  kubeconfigOfAnotherCluster,
  credentialsRefused,
  apiCertificateExpired,
  resolverElsewhere,
  etcdDiskSlow,
  etcdBootstrapMember,
  nodeRuntimeDown,
  machineTooWeak,
  networkTypeUnsupported,
  networksOverlap,
  nodePortClosed,
  podNetworkBlocked,
  nodeGone,
  // Of what a cluster that runs tells: who stops others comes first.
  webhookUnanswered,
  etcdMemberLost,
  releaseNotLoaded,
  poolDegraded,
  nodeCordoned,
  routersWithoutNodes,
  routersNotRunning,
  apiServiceUnavailable,
  operatorDegraded,
  namespaceTerminating,
  networkNotReady,
  nodeNotReady,
  bootstrapEtcdDown,
  bootstrapApiDown,
  controlPlaneUnreached,
  controlPlaneAbsent,
  bootkubeTornDown,
  controlPlaneAwaited,
  versionFailing,
] as const;

export type CauseId = (typeof CAUSES)[number]['id'];

/** What a person reads of a cause. `subjects`: what it is about, between commas. */
export interface CauseWords {
  readonly title: string;
  readonly cause: string;
  readonly whatToDo: string;
}
