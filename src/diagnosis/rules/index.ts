import { apiHealthCheckWrong } from './balancer/api-health-check-wrong.ts';
import { balancerBackendPortMismatch } from './balancer/balancer-backend-port-mismatch.ts';
import { balancerConnectionLimit } from './balancer/balancer-connection-limit.ts';
import { balancerHttpMode } from './balancer/balancer-http-mode.ts';
import { balancerNotListening } from './balancer/balancer-not-listening.ts';
import { balancerProxyProtocol } from './balancer/balancer-proxy-protocol.ts';
import { balancerTerminatesTls } from './balancer/balancer-terminates-tls.ts';
import { balancerTimeoutShort } from './balancer/balancer-timeout-short.ts';
import { bootstrapLeftInBalancer } from './balancer/bootstrap-left-in-balancer.ts';
import { bootstrapNotInBalancer } from './balancer/bootstrap-not-in-balancer.ts';
import { ingressHealthCheckWrong } from './balancer/ingress-health-check-wrong.ts';
import { machineConfigServerUnreachable } from './balancer/machine-config-server-unreachable.ts';
import { memberInMaintenance } from './balancer/member-in-maintenance.ts';
import { memberMissing } from './balancer/member-missing.ts';
import { memberUnreachable } from './balancer/member-unreachable.ts';
import { membersWithoutHealthCheck } from './balancer/members-without-health-check.ts';
import { routersOutsidePool } from './balancer/routers-outside-pool.ts';
import { selinuxDenies } from './balancer/selinux-denies.ts';
import { vrrpIdConflict } from './balancer/vrrp-id-conflict.ts';
import { vrrpMisconfigured } from './balancer/vrrp-misconfigured.ts';
import { bootFileForbidden } from './boot/boot-file-forbidden.ts';
import { bootFileMissing } from './boot/boot-file-missing.ts';
import { bootProgramMissing } from './boot/boot-program-missing.ts';
import { bootServerUnreachable } from './boot/boot-server-unreachable.ts';
import { bootsFromDisk } from './boot/boots-from-disk.ts';
import { dhcpBootOptionsWrong } from './boot/dhcp-boot-options-wrong.ts';
import { dhcpOptionsWrong } from './boot/dhcp-options-wrong.ts';
import { dhcpPoolOverlaps } from './boot/dhcp-pool-overlaps.ts';
import { diskTooSmall } from './boot/disk-too-small.ts';
import { duplicateIpAddress } from './boot/duplicate-ip-address.ts';
import { gatewayWrong } from './boot/gateway-wrong.ts';
import { ignitionInvalid } from './boot/ignition-invalid.ts';
import { installDiskWrong } from './boot/install-disk-wrong.ts';
import { installLoop } from './boot/install-loop.ts';
import { mtuTooSmall } from './boot/mtu-too-small.ts';
import { nodeNeverBoots } from './boot/node-never-boots.ts';
import { rhcosBuildMismatch } from './boot/rhcos-build-mismatch.ts';
import { rogueDhcpServer } from './boot/rogue-dhcp-server.ts';
import { serviceConfigInvalid } from './boot/service-config-invalid.ts';
import { tftpServerUnreachable } from './boot/tftp-server-unreachable.ts';
import { wrongMac } from './boot/wrong-mac.ts';
import { apiServiceUnavailable } from './cluster/api-service-unavailable.ts';
import { bootkubeTornDown } from './cluster/bootkube-torn-down.ts';
import { bootstrapApiDown, bootstrapEtcdDown, controlPlanePending } from './cluster/bootstrap-stuck.ts';
import { clusterVersionFailing } from './cluster/cluster-version-failing.ts';
import { etcdBootstrapMemberRemains } from './cluster/etcd-bootstrap-member-remains.ts';
import { etcdDiskSlow } from './cluster/etcd-disk-slow.ts';
import { etcdMemberUnhealthy } from './cluster/etcd-member-unhealthy.ts';
import { machineConfigPoolDegraded } from './cluster/machine-config-pool-degraded.ts';
import { monitoringConfigInvalid } from './cluster/monitoring-config-invalid.ts';
import { namespaceTerminating } from './cluster/namespace-terminating.ts';
import { operatorDegraded } from './cluster/operator-degraded.ts';
import { releaseNotAccepted } from './cluster/release-not-accepted.ts';
import { routersNotRunning } from './cluster/routers-not-running.ts';
import { routersWithoutNodes } from './cluster/routers-without-nodes.ts';
import { storageClassMissing } from './cluster/storage-class-missing.ts';
import { volumeNotProvisioned } from './cluster/volume-not-provisioned.ts';
import { webhookUnavailable } from './cluster/webhook-unavailable.ts';
import { imageArchitectureMismatch } from './images/image-architecture-mismatch.ts';
import { imageRejectedByPolicy } from './images/image-rejected-by-policy.ts';
import { noProxyIncomplete } from './images/no-proxy-incomplete.ts';
import { proxyFails } from './images/proxy-fails.ts';
import { pullSecretRejected } from './images/pull-secret-rejected.ts';
import { pullSecretWithoutRegistry } from './images/pull-secret-without-registry.ts';
import { registryRateLimit } from './images/registry-rate-limit.ts';
import { registryUnreachable } from './images/registry-unreachable.ts';
import { registryUntrusted } from './images/registry-untrusted.ts';
import { releaseImageMissing } from './images/release-image-missing.ts';
import { apiIntMissing } from './names/api-int-missing.ts';
import { apiNameWrong } from './names/api-name-wrong.ts';
import { appsWildcardMissing } from './names/apps-wildcard-missing.ts';
import { dnsServerUnreachable } from './names/dns-server-unreachable.ts';
import { externalNamesUnresolved } from './names/external-names-unresolved.ts';
import { localResolverWrong } from './names/local-resolver-wrong.ts';
import { nodeRecordMissing } from './names/node-record-missing.ts';
import { nodeResolverFails } from './names/node-resolver-fails.ts';
import { ptrMissing } from './names/ptr-missing.ts';
import { ptrTrailingDotMissing } from './names/ptr-trailing-dot-missing.ts';
import { wildcardTooWide } from './names/wildcard-too-wide.ts';
import { zoneNotServed } from './names/zone-not-served.ts';
import { clientCsrsPending } from './nodes/client-csrs-pending.ts';
import { containerRuntimeDown } from './nodes/container-runtime-down.ts';
import { controlPlaneNotJoining } from './nodes/control-plane-not-joining.ts';
import { controlPlaneSshFailed } from './nodes/control-plane-ssh-failed.ts';
import { csrDenied } from './nodes/csr-denied.ts';
import { fipsMismatch } from './nodes/fips-mismatch.ts';
import { hostnameLocalhost } from './nodes/hostname-localhost.ts';
import { machineBelowRequirements } from './nodes/machine-below-requirements.ts';
import { networkTypeUnsupported } from './nodes/network-type-unsupported.ts';
import { networksOverlap } from './nodes/networks-overlap.ts';
import { noRouteToCluster } from './nodes/no-route-to-cluster.ts';
import { nodeAddressUnexpected } from './nodes/node-address-unexpected.ts';
import { nodeCordoned } from './nodes/node-cordoned.ts';
import { nodeNameUnexpected } from './nodes/node-name-unexpected.ts';
import { nodeNotReady } from './nodes/node-not-ready.ts';
import { nodeNotReporting } from './nodes/node-not-reporting.ts';
import { podNetworkBlocked } from './nodes/pod-network-blocked.ts';
import { podNetworkNotReady } from './nodes/pod-network-not-ready.ts';
import { portBlockedBetweenNodes } from './nodes/port-blocked-between-nodes.ts';
import { servingCsrsPending } from './nodes/serving-csrs-pending.ts';
import { unexpectedCsr } from './nodes/unexpected-csr.ts';
import { apiCertificateExpired } from './trust/api-certificate-expired.ts';
import { clockSkew } from './trust/clock-skew.ts';
import { ignitionExpired } from './trust/ignition-expired.ts';
import { ignitionOfAnotherCluster } from './trust/ignition-of-another-cluster.ts';
import { ignitionOfAnotherRole } from './trust/ignition-of-another-role.ts';
import { kubeconfigOfAnotherCluster } from './trust/kubeconfig-of-another-cluster.ts';
import { kubeconfigRejected } from './trust/kubeconfig-rejected.ts';
import { nodeCertificatesExpired } from './trust/node-certificates-expired.ts';

/**
 * All rules. Of equally certain faults, the first in this order is reported first: causes before their consequences,
 * and names, files and addresses before the services that depend on them.
 */
export const DIAGNOSTIC_RULES = [
  // First: without a route from here, no other rule can be trusted.
  noRouteToCluster,
  serviceConfigInvalid,
  dnsServerUnreachable,
  zoneNotServed,
  apiIntMissing,
  apiNameWrong,
  appsWildcardMissing,
  wildcardTooWide,
  ptrMissing,
  ptrTrailingDotMissing,
  nodeRecordMissing,
  nodeResolverFails,
  clockSkew,
  ignitionExpired,
  // A load balancer that forwards 22623 to another port, or terminates TLS, also presents a certificate of another
  // authority.
  balancerTerminatesTls,
  balancerProxyProtocol,
  balancerBackendPortMismatch,
  ignitionOfAnotherCluster,
  ignitionOfAnotherRole,
  ignitionInvalid,
  nodeCertificatesExpired,
  rogueDhcpServer,
  dhcpPoolOverlaps,
  duplicateIpAddress,
  gatewayWrong,
  mtuTooSmall,
  dhcpOptionsWrong,
  dhcpBootOptionsWrong,
  selinuxDenies,
  vrrpIdConflict,
  vrrpMisconfigured,
  bootstrapNotInBalancer,
  memberUnreachable,
  machineConfigServerUnreachable,
  apiHealthCheckWrong,
  balancerHttpMode,
  bootstrapLeftInBalancer,
  memberMissing,
  memberInMaintenance,
  ingressHealthCheckWrong,
  balancerConnectionLimit,
  membersWithoutHealthCheck,
  balancerTimeoutShort,
  balancerNotListening,
  routersOutsidePool,
  bootServerUnreachable,
  rhcosBuildMismatch,
  bootFileForbidden,
  bootFileMissing,
  tftpServerUnreachable,
  bootProgramMissing,
  wrongMac,
  bootsFromDisk,
  nodeNeverBoots,
  installDiskWrong,
  diskTooSmall,
  installLoop,
  fipsMismatch,
  noProxyIncomplete,
  proxyFails,
  registryUntrusted,
  imageRejectedByPolicy,
  imageArchitectureMismatch,
  registryRateLimit,
  pullSecretWithoutRegistry,
  releaseImageMissing,
  pullSecretRejected,
  externalNamesUnresolved,
  registryUnreachable,
  hostnameLocalhost,
  nodeNameUnexpected,
  nodeAddressUnexpected,
  unexpectedCsr,
  clientCsrsPending,
  csrDenied,
  servingCsrsPending,
  storageClassMissing,
  volumeNotProvisioned,
  monitoringConfigInvalid,
  kubeconfigOfAnotherCluster,
  kubeconfigRejected,
  apiCertificateExpired,
  localResolverWrong,
  etcdDiskSlow,
  etcdBootstrapMemberRemains,
  containerRuntimeDown,
  machineBelowRequirements,
  networkTypeUnsupported,
  networksOverlap,
  portBlockedBetweenNodes,
  podNetworkBlocked,
  nodeNotReporting,
  // Faults of a running cluster: those that block others come first.
  webhookUnavailable,
  etcdMemberUnhealthy,
  releaseNotAccepted,
  machineConfigPoolDegraded,
  nodeCordoned,
  routersWithoutNodes,
  routersNotRunning,
  apiServiceUnavailable,
  operatorDegraded,
  namespaceTerminating,
  podNetworkNotReady,
  nodeNotReady,
  bootstrapEtcdDown,
  bootstrapApiDown,
  controlPlaneSshFailed,
  controlPlaneNotJoining,
  bootkubeTornDown,
  controlPlanePending,
  clusterVersionFailing,
] as const;

export type DiagnosticRuleId = (typeof DIAGNOSTIC_RULES)[number]['id'];

/** User-visible texts of a rule. */
export interface DiagnosticRuleTexts {
  readonly title: string;
  readonly cause: string;
  readonly remedy: string;
}
