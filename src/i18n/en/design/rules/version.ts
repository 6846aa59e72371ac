const FIX_OKD = 'Use a release of OKD from 4.19 on, in full: "4.20.0-okd-scos.3".';

/** Messages of the rules about the features of an OpenShift version. */
export const versionWords = {
  versionKnown: {
    title: 'upi-wizard supports the OpenShift version',
    reasons: {
      unknown: {
        message: (text: string) => `upi-wizard does not support OpenShift "${text}"`,
        fix: 'Use "4.5" to "4.23" or "5.0", with or without the last number ("4.18.11").',
      },
      'okd-fedora': {
        message: (text: string) =>
          `OKD "${text}" is too old: OKD before 4.16 runs on Fedora CoreOS, which upi-wizard does not install`,
        fix: FIX_OKD,
      },
      'okd-pivot': {
        message: (text: string) =>
          `OKD "${text}" cannot be installed reliably: 4.16 to 4.18 start from Fedora CoreOS, and change to CentOS Stream CoreOS during the installation`,
        fix: FIX_OKD,
      },
      'okd-inexact': {
        message: (text: string) => `"${text}" is not a release of OKD that upi-wizard knows`,
        fix: FIX_OKD,
      },
    },
  },
  networkType: {
    title: 'The network type is one that the version can install',
    /** @param release product and minor version, such as OpenShift 4.18 */
    message: (type: string, release: string) => `${release} cannot be installed with the network type ${type}`,
    fix: (types: string) => `Use ${types}, or leave it out.`,
  },
  networkTypeOther: {
    title: 'Network types of other vendors need manifests of their own',
    message: (type: string) => `${type} is not part of the release: you have to add its manifests by hand`,
    fix: 'Use OVNKubernetes unless you plan another network plugin.',
  },
  singleNodeVersion: {
    title: 'Single-node needs OpenShift 4.8 or later',
    message: (version: string) => `OpenShift ${version} cannot be installed on a single node`,
    fix: 'Use 4.8 or later, or another topology.',
  },
  singleNodeBootstrap: {
    title: 'Some releases refuse a single node with a bootstrap node',
    /** @param release product and minor version, such as OpenShift 4.18 */
    message: (release: string) =>
      `Some releases of ${release} refuse a single node with a bootstrap node: "this install method does not support Single Node installation on platform none"`,
    fix: 'openshift-install reports this before it creates a file. Use 4.20 or later, or the topology single-node, which needs no bootstrap node.',
  },
  arbiterVersion: {
    title: 'An arbiter needs version 4.22 or later',
    /** @param release product and minor version, such as OpenShift 4.18 */
    message: (release: string) => `openshift-install of ${release} accepts no arbiter on user-provisioned machines`,
    fix: 'Use 4.22 or later (4.20 and 4.21 accept an arbiter only on platform baremetal), or the topology compact.',
  },
  fencingVersion: {
    title: 'Two nodes with fencing need version 4.20 or later',
    /** @param release product and minor version, such as OpenShift 4.18 */
    message: (release: string) => `openshift-install of ${release} does not install two nodes with fencing`,
    fix: 'Use 4.22 or later (in 4.20 and 4.21 it is a Technology Preview), or the topology compact with three nodes.',
  },
  fencingPreview: {
    title: 'Before 4.22, two nodes with fencing are only for a test cluster',
    /** @param release product and minor version, such as OpenShift 4.20 */
    message: (release: string) =>
      `Two nodes with fencing are a Technology Preview in ${release}: install-config gets featureSet TechPreviewNoUpgrade, and the cluster can never be updated to another minor version`,
    fix: 'Use 4.22 or later, unless this is a test cluster.',
  },
};
