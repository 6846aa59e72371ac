import { findEntry } from '../../platform/table-lookup.ts';
import type { Likelihood } from '../check.ts';
import type { SiteCheckId } from '../site/index.ts';
import * as balancer from './balancer.ts';
import * as bootFiles from './boot-files.ts';
import * as bootImage from './boot-image.ts';
import * as bootstrap from './bootstrap.ts';
import * as certificates from './certificates.ts';
import * as dhcp from './dhcp.ts';
import type { DOC_PAGES } from './diagnostic-rule.ts';
import * as dns from './dns.ts';
import type { SiteProblem } from './evidence.ts';
import * as haproxyConfig from './haproxy-config.ts';
import * as images from './images.ts';
import * as machines from './machines.ts';
import * as network from './network.ts';
import * as nodes from './nodes.ts';
import * as operators from './operators.ts';
import * as serviceConfig from './service-config.ts';

/**
 * All rules. Of equally certain faults, the first in this order is reported first: causes before their consequences,
 * and names, files and addresses before the services that depend on them.
 */
export const DIAGNOSTIC_RULES = [
  // First: without a route from here, no other rule can be trusted.
  network.noRouteToCluster,
  serviceConfig.serviceConfigInvalid,
  dns.dnsServerUnreachable,
  dns.zoneNotServed,
  dns.apiIntMissing,
  dns.apiNameWrong,
  dns.appsWildcardMissing,
  dns.wildcardTooWide,
  dns.ptrMissing,
  dns.ptrTrailingDotMissing,
  dns.nodeRecordMissing,
  dns.nodeResolverFails,
  certificates.clockSkew,
  bootFiles.ignitionExpired,
  // A load balancer that forwards 22623 to another port, or terminates TLS, also presents a certificate of another
  // CA.
  haproxyConfig.balancerTerminatesTls,
  haproxyConfig.balancerProxyProtocol,
  haproxyConfig.balancerBackendPortMismatch,
  bootFiles.ignitionOfAnotherCluster,
  bootFiles.ignitionOfAnotherRole,
  bootFiles.ignitionInvalid,
  certificates.nodeCertificatesExpired,
  dhcp.rogueDhcpServer,
  dhcp.dhcpPoolOverlaps,
  network.duplicateIpAddress,
  network.gatewayWrong,
  network.mtuTooSmall,
  dhcp.dhcpOptionsWrong,
  dhcp.dhcpBootOptionsWrong,
  balancer.selinuxDenies,
  balancer.vrrpIdConflict,
  balancer.vrrpMisconfigured,
  balancer.bootstrapNotInBalancer,
  balancer.memberUnreachable,
  bootstrap.machineConfigServerUnreachable,
  haproxyConfig.apiHealthCheckWrong,
  haproxyConfig.balancerHttpMode,
  balancer.bootstrapLeftInBalancer,
  balancer.memberMissing,
  balancer.memberInMaintenance,
  haproxyConfig.ingressHealthCheckWrong,
  haproxyConfig.balancerConnectionLimit,
  haproxyConfig.membersWithoutHealthCheck,
  haproxyConfig.balancerTimeoutShort,
  balancer.balancerNotListening,
  balancer.routersOutsidePool,
  bootFiles.bootServerUnreachable,
  bootImage.bootImageNotOfRelease,
  bootImage.shimSignatureBad,
  bootImage.cpuTooOld,
  bootFiles.rhcosBuildMismatch,
  bootFiles.bootFileForbidden,
  bootFiles.bootFileMissing,
  bootFiles.tftpServerUnreachable,
  bootFiles.bootProgramMissing,
  dhcp.wrongMac,
  machines.bootsFromDisk,
  machines.nodeNeverBoots,
  bootImage.diskBusy,
  machines.installDiskWrong,
  machines.diskTooSmall,
  machines.installLoop,
  nodes.fipsMismatch,
  images.noProxyIncomplete,
  images.proxyFails,
  images.registryUntrusted,
  images.signaturesMissing,
  images.imageRejectedByPolicy,
  images.imageArchitectureMismatch,
  images.registryRateLimit,
  images.pullSecretWithoutRegistry,
  bootImage.releaseBroken,
  images.releaseImageMissing,
  images.pullSecretRejected,
  dns.externalNamesUnresolved,
  images.registryUnreachable,
  nodes.hostnameLocalhost,
  bootImage.hostnameEtcd,
  nodes.nodeNameUnexpected,
  nodes.nodeAddressUnexpected,
  certificates.unexpectedCsr,
  certificates.clientCsrsPending,
  certificates.csrDenied,
  certificates.servingCsrsPending,
  operators.storageClassMissing,
  operators.volumeNotProvisioned,
  operators.monitoringConfigInvalid,
  certificates.kubeconfigOfAnotherCluster,
  certificates.kubeconfigRejected,
  certificates.apiCertificateExpired,
  dns.localResolverWrong,
  bootstrap.etcdDiskSlow,
  bootstrap.etcdBootstrapMemberRemains,
  nodes.containerRuntimeDown,
  nodes.machineBelowRequirements,
  network.networkTypeUnsupported,
  network.networksOverlap,
  network.portBlockedBetweenNodes,
  network.podNetworkBlocked,
  nodes.nodeNotReporting,
  // Faults of a running cluster: those that block others come first.
  operators.webhookUnavailable,
  bootstrap.etcdMemberUnhealthy,
  bootstrap.fencingJobFailed,
  operators.releaseNotAccepted,
  operators.machineConfigPoolDegraded,
  nodes.nodeCordoned,
  operators.routersWithoutNodes,
  operators.routersNotRunning,
  operators.apiServiceUnavailable,
  operators.operatorDegraded,
  operators.namespaceTerminating,
  network.podNetworkNotReady,
  nodes.nodeNotReady,
  bootstrap.bootstrapEtcdDown,
  bootstrap.bootstrapApiDown,
  nodes.controlPlaneNotJoining,
  nodes.controlPlaneSshFailed,
  bootstrap.bootkubeTornDown,
  bootstrap.controlPlanePending,
  operators.clusterVersionFailing,
] as const;

export type DiagnosticRuleId = (typeof DIAGNOSTIC_RULES)[number]['id'];

/** User-visible texts of a rule. */
export interface DiagnosticRuleTexts {
  readonly title: string;
  readonly cause: string;
  /**
   * The remedy, or a function that formats it. `node`: the subject of the first symptom. `isEtcdMember`: whether that
   * node runs an etcd member; null: no node of the design. `objects`: the names of all objects to act on.
   */
  readonly remedy: string | ((node: string, isEtcdMember: boolean | null, objects: readonly string[]) => string);
}

/** A fault that was found, with its subjects. */
export interface Diagnosis {
  /** A rule, or a check of the site that no rule reports. */
  readonly rule: DiagnosticRuleId | SiteCheckId;
  readonly likelihood: Likelihood;
  readonly title: string;
  /** Nodes, names, hosts; empty for the whole site. */
  readonly subjects: readonly string[];
  readonly symptom: string;
  readonly cause: string;
  readonly confirmCommand: string;
  readonly remedy: string;
  /** All symptoms, as observed. */
  readonly evidence: readonly string[];
  /** The page of the OpenShift documentation. */
  readonly documentationUrl: string;
}

/** The checks of the site that observe the same fault as a rule. */
export const CHECKS_BY_RULE: Readonly<Partial<Record<DiagnosticRuleId, readonly SiteCheckId[]>>> = {
  'clock-skew': ['machine-clock', 'host-clock', 'ntp-servers'],
  'bootstrap-not-in-balancer': ['lb-bootstrap-present', 'lb-members'],
  'config-server-closed': ['lb-bootstrap-present', 'lb-members'],
  'bootstrap-left-in-balancer': ['lb-members'],
  'balancer-member-missing': ['lb-members'],
  'balancer-member-unreachable': ['lb-member-silent'],
  'balancer-closed': ['lb-listens'],
  'routers-outside-pool': ['lb-members'],
  'rhcos-mixed': ['rhcos-sums'],
  'selinux-denies': ['host-selinux'],
  'gateway-wrong': ['dhcp-gateway'],
  'mtu-too-small': ['packet-size'],
  'ignition-of-another-cluster': ['ignition-run', 'ignition-same', 'machine-config-certificate', 'api-certificate'],
  'kubeconfig-of-another-cluster': ['api-certificate'],
  'api-certificate-expired': ['api-certificate'],
  'balancer-tls-ends': ['api-certificate', 'machine-config-certificate'],
};

/** Whether a finding is of this fault: of its rule, or of a check of the site that observes the same. */
export function isFindingOfFault(fault: string, rule: Diagnosis['rule']): boolean {
  const checks: readonly string[] = findEntry(CHECKS_BY_RULE, fault) ?? [];
  return rule === fault || checks.includes(rule);
}

/** Lists the faults that a finding may show: its own rule, and the rules whose fault its check observes, too. */
export function listMatchingFaults(rule: Diagnosis['rule']): readonly string[] {
  const rules: readonly string[] = Object.keys(CHECKS_BY_RULE).filter((fault) => isFindingOfFault(fault, rule));
  // The etcd operator reports the same loss minutes later.
  return [...new Set([rule, ...rules, ...(rule === 'node-gone' ? ['etcd-member-lost'] : [])])];
}

/** Pages of the documentation about the phases of the checks. */
export const PAGE_BY_PHASE: Readonly<Record<SiteProblem['phase'], keyof typeof DOC_PAGES>> = {
  hosts: 'network',
  dns: 'dns',
  dhcp: 'network',
  'load-balancer': 'balancer',
  'boot-files': 'boot',
  ignition: 'ignition',
  'before-boot': 'network',
};
