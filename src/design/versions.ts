import { catalogue } from '../i18n/catalogue.ts';
import { MIN_DISK_GIB, OLD_MIN_DISK_GIB } from '../i18n/field-words.ts';
import type { Architecture, OsImageStream } from './choices.ts';

/** A documented size of a node for a cluster of up to `workers` worker nodes. */
interface ScaleSize {
  readonly maxWorkers: number;
  readonly vcpu: number;
  readonly memoryGiB: number;
}

/** The product that is installed. */
export type Product = 'OpenShift' | 'OKD';

/** Differences between versions of OpenShift and of OKD that affect the generated files, boot arguments and checks. */
export interface VersionProfile {
  /** `4.18`, without z. */
  readonly minor: string;
  readonly product: Product;
  /**
   * Scheme of the RHCOS image names. `installer` (4.5): installer images; `dash`: `live-kernel-x86_64`; `dot`:
   * `live-kernel.x86_64`.
   */
  readonly imageNames: 'installer' | 'dash' | 'dot';
  /**
   * A live system with a separate root file system (`coreos.live.rootfs_url`) installs RHCOS, instead of a raw disk
   * image.
   */
  readonly hasLiveRootfs: boolean;
  /**
   * The RHEL of RHCOS in a new cluster: 9 since 4.13 (openshift-docs#75457), 10 since 5.0 (openshift/installer
   * pkg/rhcos/stream.go). With OKD the CentOS Stream of SCOS: 10 since 4.20 (openshift/installer#9817, scos.json).
   */
  readonly rhel: 8 | 9 | 10;
  /**
   * `osImageStream` of install-config (openshift/installer#10192): unknown before 4.22. Until 5.0 it is refused without
   * the feature set TechPreviewNoUpgrade (pkg/types/validation/featuregates.go, openshift/api features.go). 4.21.2
   * supports streams only in a running cluster (machine-config-operator#5515).
   */
  readonly osImageStream: 'unknown' | 'preview' | 'supported';
  readonly ignitionSpec: '2.2.0' | '3.1.0' | '3.2.0';
  readonly defaultNetworkType: 'OpenShiftSDN' | 'OVNKubernetes';
  /** The network types that a new installation may choose. */
  readonly networkTypes: readonly string[];
  /** `noProxy: "*"` is accepted (openshift/installer#4172). */
  readonly canNoProxyBeWildcard: boolean;
  /** A source or mirror may be a whole registry, `quay.io` (openshift/installer#5297, #5346). */
  readonly canMirrorBeRegistry: boolean;
  /** The key of install-config for mirrors. */
  readonly mirrorKey: 'imageDigestSources' | 'imageContentSources';
  /**
   * The tool that copies a release into a mirror: `oc adm release mirror`, or oc-mirror v2 (preview in 4.16, supported
   * from 4.18 on). Only oc-mirror copies signatures (openshift-docs#104865). Nothing verifies signatures of OKD, so the
   * first tool is enough for OKD.
   */
  readonly mirrorTool: 'release-mirror' | 'oc-mirror';
  /**
   * Verifier of the sigstore signature of a Red Hat release; OKD's have none. From 4.21 on: the cluster, by its policy
   * `openshift` (openshift-docs#102375, #104865). From 4.22 on: each node at its first boot, also for the images of the
   * release (openshift-docs#118944, openshift/installer#10742, openshift/cluster-update-keys).
   */
  readonly signatureVerifiedBy: 'none' | 'cluster' | 'node';
  readonly hasTrustBundlePolicy: boolean;
  /** `bootstrapInPlace`, needed for single-node. */
  readonly hasSingleNode: boolean;
  /**
   * A single node with a bootstrap node. openshift/installer#9048 refuses it ("does not support Single Node
   * installation on platform none"), #9763 allows it again: both are in 4.20.0 (release notes, OCPBUGS-6508 and
   * OCPBUGS-58216). `some`: #9048 was to be backported (#9756), so that releases of this version may refuse it.
   */
  readonly singleNodeBootstrap: 'no' | 'some' | 'yes';
  /**
   * install-config accepts `arbiter` on platform none (openshift/installer#10236). 4.20 and 4.21 accept it only on
   * platform baremetal: "arbiter.platform: Unsupported value" (okd-project/okd discussion 2316).
   */
  readonly hasArbiter: boolean;
  /**
   * `controlPlane.fencing` of install-config on platform none (openshift/installer#9624), behind the feature gate
   * DualReplica. Before 4.20 only DevPreviewNoUpgrade has that gate (openshift/api#2283). 4.20 and 4.21 need
   * TechPreviewNoUpgrade (openshift-docs#98503); from 4.22 on the gate is enabled (assisted-service#10507,
   * openshift-docs#108177).
   */
  readonly fencing: 'no' | 'preview' | 'supported';
  /** IPv6 may come first in dual-stack lists on platform none. */
  readonly canIpv6BeFirst: boolean;
  /** Support of coreos-installer for live ISOs: none (null), changing kernel arguments (0.9), or customizing (0.11). */
  readonly isoTool: null | 'kargs' | 'customize';
  /** Internal networks of OVN-Kubernetes: no network of the design may overlap them. */
  readonly internalNetworks: readonly { readonly name: 'join' | 'transit' | 'masquerade'; readonly cidr: string }[];
  /** Internal networks of later versions, which an upgrade adds. */
  readonly laterInternalNetworks: readonly string[];
  /** Minimum vCPUs of a single-node cluster. */
  readonly singleNodeVcpu: number;
  /** Minimum disk size of a machine, in GiB. */
  readonly minDiskGiB: number;
  /** Architectures with RHCOS images for platform none. */
  readonly architectures: readonly Architecture[];
  /** Documented maximum of control plane nodes on bare metal. */
  readonly maxControlPlaneNodes: 3 | 5;
  /** With `fips: true` the installer refuses to run on a machine that is not in FIPS mode. */
  readonly requiresFipsHost: boolean;
  /** Recommended sizes of control plane and infra nodes by number of workers, smallest first. */
  readonly controlPlaneSizes: readonly ScaleSize[];
  readonly infraSizes: readonly ScaleSize[];
  /**
   * Nodes may reach the bootstrap node by konnectivity, at its TCP port 8091 (openshift/installer#10344, behind a
   * feature gate).
   */
  readonly hasKonnectivity: boolean;
  /**
   * The machine-config-operator stops updates to the next minor version if the recorded boot image is too old (feature
   * gate BootImageSkewEnforcement, also of OKD: openshift/api#2758, features.go).
   */
  readonly enforcesBootImageSkew: boolean;
  /**
   * `oc adm node-image create` for nodes that join later. It refuses clusters before 4.17 (openshift/oc
   * pkg/cli/admin/nodeimage/create.go). The node-joiner of the cluster's release makes PXE files from 4.18 on, before
   * only an ISO (openshift/installer#9097, openshift-docs#86243).
   */
  readonly nodeImage: 'no' | 'iso' | 'pxe';
  /** Timeouts of openshift-install, in minutes. */
  readonly installerTimeouts: { readonly api: number; readonly bootstrap: number; readonly initialize: number };
}

const VERSION = /^([45])\.(0|[1-9]\d?)(?:\.(0|[1-9]\d{0,2}))?$/;
/** A release of OKD, `4.20.0-okd-scos.3`, or a candidate, `4.21.0-okd-scos.ec.9` (okd-project/okd, releases). */
const OKD_VERSION = /^([45])\.(0|[1-9]\d?)\.(?:0|[1-9]\d{0,2})-okd-scos\.(?:ec\.)?(?:0|[1-9]\d{0,2})$/;

// The versions that are known: 4.5 to 4.23, and 5.0.
const OLDEST_MINOR = 5;
const NEWEST_MINOR = 23;
/** From this version on, OKD boots with SCOS and runs SCOS (okd-project/okd#2077, discussion 2015). */
const OLDEST_OKD = '4.19';
/** From this version on, OKD changes from Fedora CoreOS to SCOS during the installation (okd-project/okd#2186). */
const OLDEST_OKD_PIVOT = '4.16';

/** Lists the minor versions that are known, oldest first. */
export function listKnownVersions(product: Product = 'OpenShift'): readonly string[] {
  const minorVersions = Array.from(
    { length: NEWEST_MINOR - OLDEST_MINOR + 1 },
    (_, index) => `4.${OLDEST_MINOR + index}`,
  );
  return [...minorVersions, '5.0'].filter((minor) => product === 'OpenShift' || isVersionAtLeast(minor, OLDEST_OKD));
}

/** Returns the first two parts of a full version that a program reports: `4.18.11` becomes `4.18`. */
export function toMinorVersion(version: string): string {
  return version.split('.').slice(0, 2).join('.');
}

/** Whether a version names one release: `4.18.11`, not `4.18`. */
export const isExactVersion = (version: string) => version.split('.').length > 2;

/**
 * Whether a version is one of OKD, also one that is not supported: `4.20.0-okd-scos.3`,
 * `4.15.0-0.okd-2024-03-10-010116`.
 */
export const isOkd = (version: string) => /-(?:0\.)?okd-/.test(version);

/** Formats the product with its version: `OpenShift 4.18.11`, `OKD 4.20.0-okd-scos.3`. */
export const formatRelease = (version: string) => catalogue().ui.release(version);

/** Formats the product with its minor version, if that is known: `OpenShift 4.18`, `OKD 4.20`. */
export function formatMinorRelease(version: string): string {
  const { product, minor } = getVersionProfile(version);
  return catalogue().ui.release(minor, product === 'OKD');
}

/** Returns the name of the nodes' operating system: SCOS with OKD, else RHCOS. */
export const getNodeOsName = (version: string) => (isOkd(version) ? 'SCOS' : 'RHCOS');

/** Whether a release is this version, or one of this minor version: 4.18.11 is of 4.18; an OKD release is of none. */
export const isReleaseOfVersion = (release: string, version: string) =>
  release === version || (!isOkd(release) && release.startsWith(`${version}.`));

/** The reason why a version is refused; `getUnknownVersionReason` describes each. */
export type UnknownVersionReason = 'okd-fedora' | 'okd-pivot' | 'okd-inexact' | 'unknown';

/**
 * Returns why a version is refused; null if it is known. `okd-fedora`: OKD on Fedora CoreOS. `okd-pivot`: OKD 4.16 to
 * 4.18, which changes from Fedora CoreOS to SCOS during the installation (okd-project/okd#1509, #2018, #2222).
 * `okd-inexact`: OKD without the full name of a release. `unknown`: any other version.
 */
export function getUnknownVersionReason(version: string): UnknownVersionReason | null {
  if (parseMinorVersion(version) !== null) return null;
  if (!/okd/i.test(version)) return 'unknown';
  if (!isVersionAtLeast(version, '4.0') || isVersionAtLeast(version, OLDEST_OKD)) return 'okd-inexact';
  return isVersionAtLeast(version, OLDEST_OKD_PIVOT) ? 'okd-pivot' : 'okd-fedora';
}

/**
 * Parses a version: `4.18.11` -> `4.18`, `4.20.0-okd-scos.3` -> `4.20`.
 * @returns null when the text is not a version or not one that is known: "4.5" to "4.23", "5.0"; OKD from 4.19 on
 */
export function parseMinorVersion(version: string): string | null {
  const [, major = '', minor = ''] = VERSION.exec(version) ?? OKD_VERSION.exec(version) ?? [];
  const number = Number(minor);
  const isKnown = major === '4' ? number >= OLDEST_MINOR && number <= NEWEST_MINOR : major === '5' && minor === '0';
  return isKnown && (!isOkd(version) || isVersionAtLeast(version, OLDEST_OKD)) ? `${major}.${minor}` : null;
}

/** Returns a number that orders versions by their first two parts, 4.9 before 4.10 before 5.0; -1 for no version. */
function rankVersion(version: string): number {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return major === undefined || minor === undefined ? -1 : Number(major) * 100 + Number(minor);
}

/**
 * Whether a version, also one that a program reports, is of this minor version or a later one:
 * `isVersionAtLeast('4.10.3', '4.9')`. False when it is no version.
 */
export function isVersionAtLeast(version: string, minor: string): boolean {
  return rankVersion(version) >= rankVersion(minor);
}

// Networks with which OVN-Kubernetes connects its zones (one per node from 4.14 on).
const TRANSIT = ['100.88.0.0/16', 'fd97::/64'] as const;

// Sources of the sizes: openshift-docs, "Recommended control plane practices" and "Recommended infrastructure
// practices" (4.10 and later), "Recommended host practices" (4.6 to 4.9).
const toScaleSizes = (...rows: readonly (readonly [number, number, number])[]): ScaleSize[] =>
  rows.map(([maxWorkers, vcpu, memoryGiB]) => ({ maxWorkers, vcpu, memoryGiB }));
const CONTROL_PLANE_SIZES = toScaleSizes([24, 4, 16], [120, 8, 32], [252, 16, 64], [501, 16, 96]);
const OLD_CONTROL_PLANE_SIZES = toScaleSizes([25, 4, 16], [100, 8, 32], [250, 16, 96]);
const INFRA_SIZES = toScaleSizes([27, 4, 24], [120, 8, 48], [252, 16, 128], [501, 32, 128]);
const OLD_INFRA_SIZES = toScaleSizes([25, 4, 16], [100, 8, 32], [250, 16, 128], [500, 32, 128]);

/**
 * Returns the profile of a version. An unknown version gets that of 4.18 or 5.0; the design rule `version-known`
 * rejects it.
 * Sources: openshift/installer release branches (data/data/coreos, pkg/types/defaults, pkg/types/validation), by
 * branch.
 */
export function getVersionProfile(version: string): VersionProfile {
  const product = isOkd(version) ? 'OKD' : 'OpenShift';
  const minor = parseMinorVersion(version) ?? (version.startsWith('5') ? '5.0' : '4.18');
  return getCachedProfile(minor, product);
}

function getCachedProfile(minor: string, product: Product): VersionProfile {
  const key = `${product} ${minor}`;
  const profile = profileCache.get(key) ?? createProfile(minor, product);
  profileCache.set(key, profile);
  return profile;
}

const profileCache = new Map<string, VersionProfile>();

function createProfile(minor: string, product: Product): VersionProfile {
  const isAtLeast = (version: string) => isVersionAtLeast(minor, version);
  const isRedHat = product === 'OpenShift';
  return {
    minor,
    product,
    imageNames: isAtLeast('4.19') ? 'dot' : isAtLeast('4.6') ? 'dash' : 'installer',
    hasLiveRootfs: isAtLeast('4.6'),
    rhel: isAtLeast(isRedHat ? '5.0' : '4.20') ? 10 : isAtLeast('4.13') ? 9 : 8,
    osImageStream: !isRedHat ? 'unknown' : isAtLeast('5.0') ? 'supported' : isAtLeast('4.22') ? 'preview' : 'unknown',
    ignitionSpec: isAtLeast('4.8') ? '3.2.0' : isAtLeast('4.6') ? '3.1.0' : '2.2.0',
    defaultNetworkType: isAtLeast('4.12') ? 'OVNKubernetes' : 'OpenShiftSDN',
    networkTypes: isAtLeast('4.15') ? ['OVNKubernetes'] : ['OVNKubernetes', 'OpenShiftSDN'],
    mirrorKey: isAtLeast('4.14') ? 'imageDigestSources' : 'imageContentSources',
    canNoProxyBeWildcard: isAtLeast('4.6'),
    canMirrorBeRegistry: isAtLeast('4.10'),
    mirrorTool: isRedHat && isAtLeast('4.16') ? 'oc-mirror' : 'release-mirror',
    signatureVerifiedBy: !isRedHat ? 'none' : isAtLeast('4.22') ? 'node' : isAtLeast('4.21') ? 'cluster' : 'none',
    hasTrustBundlePolicy: isAtLeast('4.12'),
    hasSingleNode: isAtLeast('4.8'),
    singleNodeBootstrap: !isAtLeast('4.8') ? 'no' : isAtLeast('4.18') && !isAtLeast('4.20') ? 'some' : 'yes',
    hasArbiter: isAtLeast('4.22'),
    fencing: isAtLeast('4.22') ? 'supported' : isAtLeast('4.20') ? 'preview' : 'no',
    canIpv6BeFirst: isAtLeast('4.21'),
    isoTool: isAtLeast('4.10') ? 'customize' : isAtLeast('4.8') ? 'kargs' : null,
    internalNetworks: [
      { name: 'join', cidr: '100.64.0.0/16' },
      ...(isAtLeast('4.14') ? ([{ name: 'transit', cidr: TRANSIT[0] }] as const) : []),
      { name: 'masquerade', cidr: isAtLeast('4.18') ? '169.254.0.0/17' : '169.254.169.0/29' },
      { name: 'join', cidr: 'fd98::/64' },
      ...(isAtLeast('4.14') ? ([{ name: 'transit', cidr: TRANSIT[1] }] as const) : []),
      { name: 'masquerade', cidr: isAtLeast('4.18') ? 'fd69::/112' : 'fd69::/125' },
    ],
    laterInternalNetworks: isAtLeast('4.14') ? [] : TRANSIT,
    singleNodeVcpu: isAtLeast('4.22') ? 4 : 8,
    minDiskGiB: isAtLeast('4.6') ? MIN_DISK_GIB : OLD_MIN_DISK_GIB,
    architectures: !isRedHat
      ? ['x86_64']
      : isAtLeast('4.10')
        ? ['x86_64', 'aarch64', 'ppc64le', 's390x']
        : ['x86_64', 'ppc64le', 's390x'],
    maxControlPlaneNodes: isAtLeast('4.18') ? 5 : 3,
    requiresFipsHost: isRedHat && isAtLeast('4.16'),
    controlPlaneSizes: isAtLeast('4.10') ? CONTROL_PLANE_SIZES : OLD_CONTROL_PLANE_SIZES,
    infraSizes: isAtLeast('4.10') ? INFRA_SIZES : OLD_INFRA_SIZES,
    hasKonnectivity: isAtLeast('4.22'),
    enforcesBootImageSkew: isAtLeast('4.22'),
    nodeImage: isAtLeast('4.18') ? 'pxe' : isAtLeast('4.17') ? 'iso' : 'no',
    installerTimeouts: {
      api: 20,
      bootstrap: isAtLeast('4.16') ? 45 : isAtLeast('4.6') ? 30 : 40,
      initialize: isAtLeast('4.6') ? 40 : 30,
    },
  };
}

/** A property of a profile that differs between versions. */
export type VersionProperty = Exclude<keyof VersionProfile, 'minor' | 'product'>;

const INSTALLER_BRANCHES = 'openshift/installer, release branches';
const OVN_NETWORKS =
  'openshift/installer pkg/types/validation/installconfig.go; OVN-Kubernetes, the transit switch of 4.14';

/** The source of each property of a profile. */
export const VERSION_SOURCES: Readonly<Record<VersionProperty, string>> = {
  imageNames: 'openshift/installer data/data/coreos/rhcos.json of the release branches; commit 194cc0682c',
  hasLiveRootfs: INSTALLER_BRANCHES,
  rhel: 'openshift-docs#75457; openshift/installer pkg/rhcos/stream.go; OKD: openshift/installer#9520, #9817',
  osImageStream: 'openshift/installer#10192, pkg/types/validation/featuregates.go; openshift/api features.go',
  ignitionSpec: INSTALLER_BRANCHES,
  defaultNetworkType: 'openshift/installer pkg/types/defaults of the release branches',
  networkTypes: 'openshift/installer pkg/types/validation; openshift-docs: no new installations with OpenShiftSDN',
  canNoProxyBeWildcard: 'openshift/installer#4172',
  canMirrorBeRegistry: 'openshift/installer#5297, #5346',
  mirrorKey: 'openshift/installer pkg/types/installconfig.go of the release branches',
  mirrorTool: 'openshift/oc-mirror; openshift-docs#104865',
  signatureVerifiedBy: 'openshift-docs#102375, #104865, #118944; openshift/cluster-update-keys',
  hasTrustBundlePolicy: 'openshift/installer pkg/types/installconfig.go of the release branches',
  hasSingleNode: 'openshift/installer release-4.8: bootstrapInPlace',
  singleNodeBootstrap:
    'openshift/installer#9048, #9756, #9763; OpenShift 4.20 release notes: OCPBUGS-6508, OCPBUGS-58216',
  hasArbiter: 'openshift/installer#10236; openshift-docs#110815; before: platform baremetal only',
  fencing:
    'openshift/installer#9624; openshift/api#2283, features.go; openshift-docs#98503, #108177; openshift/assisted-service#10507',
  canIpv6BeFirst: 'openshift/installer pkg/types/validation/installconfig.go of the release branches',
  isoTool: 'coreos/coreos-installer: iso kargs (0.9), iso customize (0.11)',
  internalNetworks: OVN_NETWORKS,
  laterInternalNetworks: OVN_NETWORKS,
  singleNodeVcpu: 'openshift-docs modules/installation-minimum-resource-requirements.adoc',
  minDiskGiB: 'openshift-docs modules/installation-minimum-resource-requirements.adoc',
  architectures: 'OpenShift 4.10 release notes: 64-bit ARM on bare metal; OKD: openshift-docs#27053',
  maxControlPlaneNodes: 'openshift-docs: 4 and 5 nodes on bare metal; openshift/assisted-service',
  requiresFipsHost: 'openshift/installer pkg/hostcrypt',
  controlPlaneSizes: 'openshift-docs, recommended control plane practices',
  infraSizes: 'openshift-docs, recommended infrastructure practices',
  hasKonnectivity: 'openshift/installer#10344',
  enforcesBootImageSkew: 'openshift/api#2758, features.go; openshift-docs#108103, boot image skew enforcement',
  nodeImage: 'openshift/oc pkg/cli/admin/nodeimage/create.go; openshift/installer#9097; openshift-docs#86243',
  installerTimeouts: INSTALLER_BRANCHES,
};

/** Lists the values of a property, each with the first version that has it, oldest first. */
export function listVersionChanges<Fact extends VersionProperty>(
  fact: Fact,
  product: Product = 'OpenShift',
): readonly { readonly since: string; readonly value: VersionProfile[Fact] }[] {
  const values = listKnownVersions(product).map((since) => ({ since, value: getCachedProfile(since, product)[fact] }));
  return values.filter(({ value }, index) => JSON.stringify(value) !== JSON.stringify(values[index - 1]?.value));
}

/** Whether a version of OKD has another value of this property than the same version of OpenShift. */
export function isDifferentForOkd(fact: VersionProperty): boolean {
  const format = (minor: string, product: Product) => JSON.stringify(getCachedProfile(minor, product)[fact]);
  return listKnownVersions('OKD').some((minor) => format(minor, 'OKD') !== format(minor, 'OpenShift'));
}

/** The version of a design, and its stream of RHCOS; null: the default stream of the version. */
export interface ChosenRelease {
  readonly version: string;
  readonly osImageStream: OsImageStream | null;
}

/** Returns the RHEL of RHCOS in this cluster: of the chosen stream, or of the version. */
export function getRhelMajor({ version, osImageStream }: ChosenRelease): 8 | 9 | 10 {
  return osImageStream === null ? getVersionProfile(version).rhel : osImageStream === 'rhel-9' ? 9 : 10;
}

/** Finds the chosen stream if it is not that of the version, else null. */
export function findNonDefaultStream(release: ChosenRelease): OsImageStream | null {
  return getRhelMajor(release) === getVersionProfile(release.version).rhel ? null : release.osImageStream;
}

/**
 * Returns the level of x86 processors that this RHEL is built for: RHEL 9 x86-64-v2, RHEL 10 x86-64-v3 (RHEL release
 * notes, architectures).
 */
export function getCpuLevel(release: ChosenRelease): 'v1' | 'v2' | 'v3' {
  return ({ 8: 'v1', 9: 'v2', 10: 'v3' } as const)[getRhelMajor(release)];
}

/** A component that accepts a placement, with the versions in which it does. */
interface PlacementKey {
  readonly key: string;
  /** The first and the last minor version that accept the key; undefined: no limit. */
  readonly since?: string;
  readonly until?: string;
}

/**
 * Monitoring components that accept a placement. Source: the branches of cluster-monitoring-operator
 * (pkg/manifests/config.go, types.go). From 4.18 an unknown key makes the operator degraded.
 */
const MONITORING_KEYS: readonly PlacementKey[] = [
  { key: 'alertmanagerMain' },
  { key: 'prometheusK8s' },
  { key: 'prometheusOperator' },
  { key: 'kubeStateMetrics' },
  { key: 'openshiftStateMetrics' },
  { key: 'telemeterClient' },
  { key: 'thanosQuerier' },
  { key: 'grafana', until: '4.10' },
  { key: 'k8sPrometheusAdapter', until: '4.15' },
  { key: 'monitoringPlugin', since: '4.14' },
  { key: 'metricsServer', since: '4.16' },
];

/** Components of user workload monitoring (same branches; for the preview in 4.5, the operator's documentation). */
const USER_WORKLOAD_KEYS: readonly PlacementKey[] = [
  { key: 'prometheusOperatorUserWorkload', until: '4.5' },
  { key: 'prometheusUserWorkload', until: '4.5' },
  { key: 'prometheusOperator', since: '4.6' },
  { key: 'prometheus', since: '4.6' },
  { key: 'thanosRuler' },
  { key: 'alertmanager', since: '4.11' },
];

/**
 * Lists the keys of cluster-monitoring-config that accept a placement in this version ("4.18.9"); null when the version
 * cannot be parsed.
 */
export function listMonitoringPlacementKeys(version: string): string[] | null {
  return listPlacementKeys(MONITORING_KEYS, version);
}

/**
 * Returns the keys that place user workload monitoring in this version; null when the version cannot be parsed.
 * `hasOwnConfigMap`: they are in a separate ConfigMap, not in the settings of cluster monitoring.
 */
export function getUserWorkloadPlacement(
  version: string,
): { readonly keys: string[]; readonly hasOwnConfigMap: boolean } | null {
  const keys = listPlacementKeys(USER_WORKLOAD_KEYS, version);
  return keys && { keys, hasOwnConfigMap: isVersionAtLeast(version, '4.6') };
}

function listPlacementKeys(table: readonly PlacementKey[], version: string): string[] | null {
  if (!isVersionAtLeast(version, '4.0')) return null;
  const isIncluded = ({ since, until }: PlacementKey) =>
    (since === undefined || isVersionAtLeast(version, since)) &&
    (until === undefined || rankVersion(version) <= rankVersion(until));
  return table.filter(isIncluded).map(({ key }) => key);
}
