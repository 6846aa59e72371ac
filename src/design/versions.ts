/** What a version of OpenShift changes for the files, boot arguments and judgements made here. */
export interface VersionProfile {
  /** `4.18`, without z. */
  readonly minor: string;
  /** How the names of the RHCOS images are built: `4.5`: installer images; `dash`: `live-kernel-x86_64`; `dot`: `live-kernel.x86_64`. */
  readonly imageNames: 'installer' | 'dash' | 'dot';
  /** A live system with a root file system of its own (`coreos.live.rootfs_url`), instead of a raw disk image. */
  readonly hasLiveRootfs: boolean;
  readonly ignitionSpec: '2.2.0' | '3.1.0' | '3.2.0';
  readonly defaultNetworkType: 'OpenShiftSDN' | 'OVNKubernetes';
  /** The network types that a new installation may choose. */
  readonly networkTypes: readonly string[];
  /** The key of install-config for mirrors. */
  readonly mirrorKey: 'imageDigestSources' | 'imageContentSources';
  readonly hasTrustBundlePolicy: boolean;
  /** `bootstrapInPlace`, needed for single-node. */
  readonly hasSingleNode: boolean;
  /** `openshift-install coreos print-stream-json`. */
  readonly hasStreamJson: boolean;
  /** IPv6 may come first in dual-stack lists on platform none. */
  readonly canIpv6BeFirst: boolean;
  /** OVN's own networks: nothing of the design may overlap them. */
  readonly internalNetworks: readonly { readonly name: 'join' | 'transit' | 'masquerade'; readonly cidr: string }[];
  /** Least vCPUs of a single-node cluster. */
  readonly singleNodeVcpu: number;
  /** The installer's own patience, in minutes. */
  readonly waits: { readonly api: number; readonly bootstrap: number; readonly initialize: number };
  /** The RHCOS stream that is used by default. */
  readonly osStream: 'rhel-8' | 'rhel-9' | 'rhel-10';
}

const VERSION = /^([45])\.(0|[1-9]\d?)(?:\.(0|[1-9]\d{0,2}))?$/;

// The versions that are known: 4.5 to 4.23, and 5.0.
const OLDEST_MINOR = 5;
const NEWEST_MINOR = 23;

/** `4.18.11` -> `4.18`; null when the text is not a version or not one that is known ("4.5" to "4.23", "5.0"). */
export function minorOf(version: string): string | null {
  const [, major = '', minor = ''] = VERSION.exec(version) ?? [];
  const number = Number(minor);
  const isKnown = major === '4' ? number >= OLDEST_MINOR && number <= NEWEST_MINOR : major === '5' && minor === '0';
  return isKnown ? `${major}.${minor}` : null;
}

/** A number that orders versions: 4.9 before 4.10 before 5.0. */
function rank(minor: string): number {
  const [major = '0', number = '0'] = minor.split('.');
  return Number(major) * 100 + Number(number);
}

/**
 * What the version means. An unknown version gets the profile of the nearest known one; a rule refuses it elsewhere.
 * Sources: openshift/installer release branches (data/data/coreos, pkg/types/defaults, pkg/types/validation), by branch.
 */
export function versionProfile(version: string): VersionProfile {
  const minor = minorOf(version) ?? (version.startsWith('5') ? '5.0' : '4.18');
  const at = rank(minor);
  const since = (name: string) => at >= rank(name);
  return {
    minor,
    imageNames: since('4.19') ? 'dot' : since('4.6') ? 'dash' : 'installer',
    hasLiveRootfs: since('4.6'),
    ignitionSpec: since('4.8') ? '3.2.0' : since('4.6') ? '3.1.0' : '2.2.0',
    defaultNetworkType: since('4.12') ? 'OVNKubernetes' : 'OpenShiftSDN',
    networkTypes: since('4.15') ? ['OVNKubernetes'] : ['OVNKubernetes', 'OpenShiftSDN'],
    mirrorKey: since('4.14') ? 'imageDigestSources' : 'imageContentSources',
    hasTrustBundlePolicy: since('4.12'),
    hasSingleNode: since('4.8'),
    hasStreamJson: since('4.8'),
    canIpv6BeFirst: since('4.21'),
    internalNetworks: [
      { name: 'join', cidr: '100.64.0.0/16' },
      { name: 'transit', cidr: '100.88.0.0/16' },
      { name: 'masquerade', cidr: since('4.18') ? '169.254.0.0/17' : '169.254.169.0/29' },
      { name: 'join', cidr: 'fd98::/64' },
      { name: 'transit', cidr: 'fd97::/64' },
      { name: 'masquerade', cidr: since('4.18') ? 'fd69::/112' : 'fd69::/125' },
    ],
    singleNodeVcpu: since('4.22') ? 4 : 8,
    waits: {
      api: 20,
      bootstrap: since('4.16') ? 45 : since('4.6') ? 30 : 40,
      initialize: since('4.6') ? 40 : 30,
    },
    osStream: since('5.0') ? 'rhel-10' : since('4.13') ? 'rhel-9' : 'rhel-8',
  };
}
