/** Texts of "help versions". */
export const versionsHelp = {
  intro:
    'Generated files, rules, checks and advice follow from this table. "from" names the first version with a value; repository#number is a pull request on GitHub.',
  none: 'none',
  flags: { true: 'yes', false: 'no' },
  since: (version: string, value: string) => `from ${version}: ${value}`,
  source: (source: string) => `Source: ${source}`,
  size: (size: { readonly workers: number; readonly vcpu: number; readonly memoryGiB: number }) =>
    `up to ${size.workers} workers ${size.vcpu} vCPU and ${size.memoryGiB} GiB`,
  timeouts: (minutes: { readonly api: number; readonly bootstrap: number; readonly initialize: number }) =>
    `API ${minutes.api}, bootstrap ${minutes.bootstrap}, Operators ${minutes.initialize}`,
  facts: {
    imageNames: 'Names of the RHCOS images',
    hasLiveRootfs: 'Live system with a root file system of its own',
    rhel: 'RHEL of RHCOS in a new cluster',
    osImageStream: 'Choice of the RHCOS stream (osImageStream)',
    ignitionSpec: 'Version of the ignition files',
    defaultNetworkType: 'Network type, unless the design has one',
    networkTypes: 'Network types that a new cluster can have',
    canNoProxyBeWildcard: 'noProxy may be * alone',
    canMirrorBeRegistry: 'An image mirror may be a whole registry',
    mirrorKey: 'Key of install-config for image mirrors',
    mirrorTool: 'Tool that copies a release into a mirror',
    signatureVerifiedBy: 'Refuses a release without its signature',
    hasTrustBundlePolicy: 'install-config has additionalTrustBundlePolicy',
    hasSingleNode: 'Single-node clusters',
    canIpv6BeFirst: 'IPv6 may be first in dual stack',
    isoTool: 'Live ISOs get their settings with coreos-installer',
    internalNetworks: 'Internal networks of OVN-Kubernetes',
    laterInternalNetworks: 'Internal networks that an update adds',
    singleNodeVcpu: 'Least vCPUs of a single-node cluster',
    minDiskGiB: 'Least disk of a machine, in GiB',
    architectures: 'Architectures',
    maxControlPlaneNodes: 'Most control plane nodes',
    requiresFipsHost: 'FIPS mode needs a bastion in FIPS mode',
    controlPlaneSizes: 'Recommended control plane nodes',
    infraSizes: 'Recommended infra nodes',
    hasKonnectivity: 'Port 8091 of the bootstrap node (konnectivity)',
    installerTimeouts: 'openshift-install waits, in minutes',
  },
  values: {
    rhel: {
      8: 'RHEL 8',
      9: 'RHEL 9, for processors of level x86-64-v2',
      10: 'RHEL 10, for processors of level x86-64-v3',
    },
    imageNames: {
      installer: 'rhcos-installer-kernel-x86_64',
      dash: 'rhcos-live-kernel-x86_64',
      dot: 'rhcos-live-kernel.x86_64',
    },
    osImageStream: {
      unknown: 'no',
      preview: 'rhel-10 is a technology preview, which needs the feature set TechPreviewNoUpgrade',
      supported: 'rhel-9 and rhel-10',
    },
    mirrorTool: {
      'release-mirror': '`oc adm release mirror`',
      'oc-mirror': 'oc-mirror v2 (a technology preview before 4.18); of 4.21 or later it copies signatures, too',
    },
    signatureVerifiedBy: {
      none: 'nothing',
      cluster: 'the cluster, once it runs',
      node: 'each node, at its first boot',
    },
    isoTool: { kargs: 'kernel arguments only', customize: 'all settings' },
  },
};
