/** Messages of the rules about the features of an OpenShift version. */
export const versionWords = {
  versionKnown: {
    title: 'upi-wizard supports the OpenShift version',
    message: (text: string) => `upi-wizard does not support OpenShift "${text}"`,
    fix: 'Use "4.5" to "4.23" or "5.0", with or without the last number ("4.18.11").',
  },
  networkType: {
    title: 'The network type is one that the version can install',
    message: (type: string, version: string) =>
      `OpenShift ${version} cannot be installed with the network type ${type}`,
    fix: (types: string) => `Use ${types}, or leave it out.`,
  },
  networkTypeOther: {
    title: 'Network types of other vendors need manifests of their own',
    message: (type: string) => `${type} is not part of OpenShift: you have to add its manifests by hand`,
    fix: 'Use OVNKubernetes unless you plan another network plug-in.',
  },
  singleNodeVersion: {
    title: 'Single-node needs OpenShift 4.8 or later',
    message: (version: string) => `OpenShift ${version} cannot be installed on a single node`,
    fix: 'Use 4.8 or later, or another topology.',
  },
};
