/** Words of the rules about what a version can install. */
export const versionWords = {
  versionKnown: {
    title: 'The OpenShift version is one that is known here',
    message: (text: string) => `OpenShift "${text}" is not known here`,
    fix: 'Give "4.5" to "4.23" or "5.0", with or without the last number ("4.18.11").',
  },
  networkType: {
    title: 'The network type is one that the version can install',
    message: (type: string, version: string) =>
      `OpenShift ${version} cannot be installed with the network type ${type}`,
    fix: (types: string) => `Use ${types}, or leave it out.`,
  },
  networkTypeOther: {
    title: 'Network types of other vendors need manifests of their own',
    message: (type: string) => `${type} is not part of OpenShift: its manifests have to be added by hand`,
    fix: 'Use OVNKubernetes unless another network plug-in is really planned.',
  },
  singleNodeVersion: {
    title: 'Single-node needs OpenShift 4.8 or later',
    message: (version: string) => `OpenShift ${version} cannot be installed on a single node`,
    fix: 'Use 4.8 or later, or another topology.',
  },
};
