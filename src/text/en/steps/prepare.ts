/** From the configuration to ignition files that are served. */
import { plural } from '../plural.ts';

export const prepareWords = {
  prepare: {
    noInstaller: 'openshift-install was not found',
    noInstallerFix: (version: string) =>
      `Download openshift-install and oc ${version} from console.redhat.com/openshift/install or mirror.openshift.com, unpack them into the install directory or a directory of PATH.`,
    wrongVersion: (found: string, wanted: string) => `openshift-install is ${found}, and the design says ${wanted}`,
    wrongVersionFix: 'Download the matching version, or change the version on the Cluster page.',
    noImages: (dir: string) => `RHCOS images are missing in ${dir}`,
    noImagesFix: (names: string) =>
      `Download ${names}; "openshift-install coreos print-stream-json" prints where each lies and its checksum.`,
    ignitionReady: (hours: string) => `ignition files are ready and served; their certificates expire in ${hours}`,
    expired: 'the certificates in the ignition files have expired',
    expiredFix:
      'They live 24 hours. Start over in a new install directory: running the installer again here gives back the old certificates.',
    expiresSoon: (hours: string) => `the certificates in the ignition files expire in ${hours}`,
    expiresSoonFix: 'Boot soon: all nodes have to be up before that.',
    usedDirectory: 'this directory was used by another installation',
    usedDirectoryFix:
      'Start in a new install directory: half-mixed files give certificates that do not fit each other.',
    installerFailed: (what: string) => `openshift-install ${what} failed`,
    needed: 'manifests and ignition files to make',
    serverNeeded: 'the boot server is to be started',
    serverOutdated: 'the nodes were changed: the boot server has to know their addresses',
    change: {
      config: 'install-config.yaml is put in place; a copy is kept, because the installer deletes it',
      manifests: 'openshift-install create manifests',
      schedulable: (value: boolean) =>
        value
          ? 'the control plane takes applications (mastersSchedulable: true)'
          : 'applications stay off the control plane (mastersSchedulable: false)',
      ignition: (isSingle: boolean) =>
        `openshift-install create ${isSingle ? 'single-node-ignition-config' : 'ignition-configs'}: certificates in them live 24 hours`,
      server: (url: string) => `the boot server serves scripts, images and ignition at ${url}`,
    },
    fetch: {
      programs: (version: string) =>
        `openshift-install and oc ${version} are fetched from Red Hat's mirror and checked`,
      images: (count: number, dir: string) => `${plural(count, 'RHCOS image')} fetched into ${dir} and checked`,
      failed: 'openshift-install and the images could not be fetched',
      failedFix: (path: string) =>
        `Does this host reach mirror.openshift.com (a proxy goes into https_proxy)? If it may not: copy ${path} to a machine that does, run it there with bash, and bring what it fetched back into this directory.`,
    },
    serverFailed: 'the boot server did not start',
    serverFailedFix: 'Look at its log, named above; then press Enter to try again.',
    /** When the cluster runs, and nodes only join it. */
    later: {
      ready: 'the cluster runs; what new nodes need is served',
      nothing: 'the cluster runs, and every node of the design has joined: nothing is served',
      ignitionNeeded: 'worker.ign is to be read from the cluster',
      readIgnition: (secret: string) =>
        `read from the cluster (secret ${secret}), for this user only, and served to nodes that join`,
      olderImages: (images: string, cluster: string) =>
        `The RHCOS images are of ${images}, and the cluster is ${cluster}`,
      olderImagesWhy: 'A new node installs itself from the images, and takes the version of the cluster when it joins.',
      olderImagesFix: 'Nothing: older images are fine. A node restarts once more than with newer ones.',
    },
  },
  workerIgnition: {
    missing: 'there is no worker.ign for new nodes',
    missingFix: 'It is read from the cluster when you go on.',
    notInCluster: {
      cause: (secrets: string) =>
        `None of ${secrets} holds one that these images can read, or the API does not answer.`,
      whatToDo:
        'Put the worker.ign of the installation into the install directory, or check that this kubeconfig may read secrets there.',
    },
    fetched: (secret: string) => `worker.ign was read from the secret ${secret}`,
    untrusted: 'the machine config server has another authority than worker.ign names',
    untrustedFix: 'It is read anew from the cluster when you go on.',
    from: { installer: 'as the installer made it', cluster: 'as read from the cluster' },
  },
} as const;
