/** From the configuration to ignition files that are served. */
import { plural } from '../plural.ts';

export const prepareWords = {
  prepare: {
    noInstaller: 'openshift-install was not found',
    lookedIn: (places: string) => `not in ${places}, nor in PATH`,
    noInstallerFix: (version: string) =>
      `Enter fetches openshift-install and oc ${version} from mirror.openshift.com and checks them. Or download them from console.redhat.com/openshift/install and unpack them into the install directory or a directory of PATH.`,
    backToPrepare: 'Go back to Prepare (Esc): it fetches openshift-install, or says where it comes from.',
    wrongArchitecture: (found: string, wanted: string) =>
      `openshift-install makes clusters for ${found}, and the design says ${wanted}`,
    wrongArchitectureFix: (wanted: string) =>
      `Take the one of the release for ${wanted}, or change the architecture on the Cluster page.`,
    noOc: 'not found (wanted later)',
    images: {
      ok: (count: number) => `${count} with the checksums that the installer names`,
      unchecked: 'there, not checked',
    },
    wrongImages: 'RHCOS images are damaged, or of another build',
    wrongImagesFix: 'Enter fetches them again: a node that boots from them stops in the middle of its installation.',
    uncheckedImages: 'There is no checksum for these images',
    uncheckedImagesFix: 'Compare them with sha256sum.txt beside them on the mirror; this openshift-install names none.',
    wrongVersion: (found: string, wanted: string) => `openshift-install is ${found}, and the design says ${wanted}`,
    wrongVersionFix: 'Download the matching version, or change the version on the Cluster page.',
    noImages: (dir: string) => `RHCOS images are missing in ${dir}`,
    noImagesFix: (names: string) =>
      `Enter fetches them and checks them. Or download ${names}: "openshift-install coreos print-stream-json" prints where each lies.`,
    ignitionReady: (hours: string) => `ignition files are ready and served; their certificates expire in ${hours}`,
    expired: 'the certificates in the ignition files have expired',
    expiredFix:
      'They live 24 hours. Enter moves the old files aside (running the installer over them gives back the old certificates), makes new ones and serves them. Then every machine has to boot from the network again, also one that was installed already.',
    expiredAliveFix: 'Nothing: the cluster answers, so its nodes have had them in time.',
    expiresWhy: 'The first certificates of a cluster live 24 hours, and are renewed for the first time after 16.',
    lasts: (life: string) => `ignition files last ${life}`,
    isOver: 'the ignition files have expired: go back to Prepare',
    expiresSoon: (hours: string) => `the certificates in the ignition files expire in ${hours}`,
    expiresSoonFix: 'Boot soon: all nodes have to be up before that.',
    usedDirectory: 'this directory was used by another installation',
    usedDirectoryFix:
      'Its files are of more than one run, and their certificates do not fit each other. Enter moves them aside, deletes nothing, and begins anew.',
    otherConfig: {
      title: 'the design was changed after this was made: install-config.yaml is another one now',
      cause: (dir: string) => `what openshift-install made in ${dir} is of the one before`,
      whatToDo:
        'Enter moves it aside, deletes nothing, and makes everything anew. Then every machine boots with the new files, also one that was installed already.',
    },
    askAgain: 'asking for half a minute whether a cluster lives from what lies here',
    aliveDirectoryFix: 'A cluster answers that was made from here: start in a new install directory (--dir).',
    installerFailed: (what: string) => `openshift-install ${what} failed`,
    imagesNeeded: (count: number) => `RHCOS images to fetch (${count} files, more than 1 GB)`,
    needed: 'manifests and ignition files to make',
    serverNeeded: 'the boot server is to be started',
    serverOutdated: 'the nodes were changed: the boot server has to know their addresses',
    change: {
      aside: (where: string) => `what the installer left is moved to ${where}; nothing is deleted`,
      machines: 'all machines',
      bootAnew: 'every machine boots from the network again, with the new files',
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
      progress: (line: string, megabytes: number) => `${line} ${megabytes} MB`,
      failed: 'openshift-install and the images could not be fetched',
      failedFix: (path: string) =>
        `Does this host reach mirror.openshift.com (a proxy goes into https_proxy)? If it may not: copy ${path} to a machine that does, run it there with bash, and bring what it fetched back into this directory.`,
    },
    unserved: (count: number) =>
      `${plural(count, 'file')} that machines will ask for ${count === 1 ? 'is' : 'are'} not served`,
    unservedFix: 'Go back to Generate (Esc) and write the files again; then Enter here.',
    unservedByOther: (dir: string, images: string, files: string) =>
      `The web server that has the port needs them below /var/www/upi-wizard: cp -r ${files}/var/www/upi-wizard /var/www/; cp ${images}/* /var/www/upi-wizard/images/; install -D -m 0644 -t /var/www/upi-wizard/ignition ${dir}/*.ign; with SELinux restorecon -R /var/www. Or stop it, and Enter starts our own.`,
    otherServer: (detail: string) => `another web server: ${detail}`,
    otherSize: (url: string, served: number | null, here: number | null) =>
      `${url} has ${served} bytes, and the image here has ${here}`,
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
};
