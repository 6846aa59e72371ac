/** Checks for problems that would stop the next update. */
export const updateChecks = {
  checks: {
    'update-cluster-version': {
      title: 'no update is in progress, and the Cluster Version Operator allows one (Upgradeable, no overrides)',
      wrong: 'the Cluster Version Operator refuses an update to the next minor version',
      remedy: 'Resolve the reason that it reports: `oc adm upgrade`',
    },
    'update-operators': {
      title: 'every cluster Operator allows an update to the next minor version',
      wrong: 'the cluster Operator blocks updates to the next minor version (Upgradeable=False)',
      remedy: 'Do what its message says. Updates within the minor version are still possible.',
    },
    'update-boot-image': {
      title: 'the recorded boot image is recent enough',
      wrong: 'the recorded boot image is too old (ClusterBootImageSkewError)',
      remedy:
        'Put the boot images of a current release on your boot server, for nodes that you add later. Then record their build in MachineConfiguration cluster (spec.bootImageSkewEnforcement).',
    },
    'update-acks': {
      title: 'no administrator acknowledgment is pending (admin-gates)',
      wrong: 'the administrator has to acknowledge a change of the next version',
      remedy: 'Read what the change affects, and adapt that. Only then acknowledge the change:',
    },
    'update-removed-apis': {
      title: 'no API in use is removed by the next version',
      wrong: 'clients use an API that the next version removes',
      remedy:
        'This does not block the update, but these clients fail after it. Migrate them to the newer API version. To list the clients:',
    },
    'update-pools': {
      title: 'the MachineConfigPools are updated, and none is paused or degraded',
      wrong: 'the MachineConfigPool is degraded: an update would stop there',
      remedy: 'Resolve the cause that it reports. To see its nodes and the cause:',
    },
    'update-signatures': {
      title: 'the mirror has the signature of the release',
      wrong: 'the mirror has the release without its signature, or with a wrong one',
      remedy:
        'Copy the next release with oc-mirror v2, which copies signatures; `oc adm release mirror` and `oc image mirror` do not.',
    },
    'update-feature-set': {
      title: 'the feature set allows updates',
      wrong: 'the feature set of the cluster forbids updates to the next minor version, and cannot be changed back',
      remedy: 'If you need such updates, install a new cluster without this feature set.',
    },
    'update-runc': {
      title: 'no node uses the runtime runc',
      wrong: 'sets the runtime runc, which RHEL 10 does not have',
      remedy:
        'The update keeps RHEL 9, but a pool cannot change to RHEL 10 until it uses crun. Set crun, or remove this setting:',
    },
    'update-os-stream': {
      title: 'the MachineConfigPools are on the newest stream of RHCOS',
      wrong: 'MachineConfigPools are on the stream rhel-9, and stay there',
      remedy:
        'An update does not change the stream. Test RHEL 10 with one pool (spec.osImageStream.name rhel-10); its nodes need processors of level x86-64-v3. New nodes of these pools need boot images of rhel-9.',
    },
  },
  texts: {
    onRecord: (image: string) => `recorded: ${image}`,
    noBootImage: 'the Machine Config Operator reports no boot image (MachineConfiguration cluster)',
    unrecorded: 'the boot image of the nodes is not recorded',
    assumed: (image: string) =>
      `the Machine Config Operator assumes the boot image of the release that installed the cluster, ${image}`,
    recordFix:
      'Record it with the infra move boot-image-record, which knows the build that was used. After you change the boot images, record the new build. By hand:',
    skewOff: 'the comparison of boot images is turned off (mode None)',
    skewOffFix:
      'No update stops because of this, but an old boot image may fail to install new nodes, and nothing warns of that. To turn it on, record the build that new nodes boot (mode Manual).',
    noRelease: 'it does not report whether it has the release of openshift-install and the signature of the release',
    signed: 'it has the release image of this openshift-install, and its signature',
    unsigned: (digest: string, next: string) =>
      `it has ${digest} without its signature; ${next} refuses a release that is copied in the same way`,
    refusedSignature: (digest: string, next: string) =>
      `it has ${digest} with a signature that the policy of the release refuses; ${next} refuses a release that is copied in the same way`,
    removed: (version: string, users: string) =>
      `removed in Kubernetes ${version}; in the last 24 hours used by ${users}`,
    operatorUnhealthy: (name: string) => `${name}: the operator is degraded or not available`,
    operatorUnhealthyFix: 'An update waits for it, or fails. Repair it first:',
    poolDegraded: (pool: string) => `${pool}: the MachineConfigPool is degraded, and an update would stop there`,
    poolPaused: (pool: string) => `${pool}: the MachineConfigPool is paused, and its nodes would stay behind`,
    poolPausedFix:
      'Resume it before the update, or soon after: its certificates and kubelets become too old. To resume it:',
    poolUpdating: (pool: string) => `${pool}: the MachineConfigPool is still updating its nodes`,
    poolUpdatingFix: 'Wait until it is updated:',
    featureSet: (name: string) => `FeatureGate cluster: featureSet ${name}`,
    oldStream: (pools: string) => `pools on rhel-9: ${pools}`,
    noGates: 'the ConfigMap admin-gates of openshift-config-managed is missing',
    noClusterVersion: 'there is no ClusterVersion',
    progressing: 'an installation or an update is in progress',
    progressingFix: 'Let it complete first:',
    overrides: 'ClusterVersion has overrides (spec.overrides, unmanaged), which forbid updates',
    overridesFix: 'Remove the overrides: `oc edit clusterversion version`',
  },
};
