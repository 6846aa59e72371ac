import { OC_NEEDED_FROM } from '../diagnosis/machine.ts';
import { formatMinutes, plural } from '../ui.ts';

/** Explains how to fetch a file of the downloads directory again. */
const formatRefetchRemedy = (name: string, dir: string, command: string) =>
  `A machine with internet access fetches ${name} with the script that this command prints: \`${command}\` Put ${name === 'them' ? 'them' : 'it'} into ${dir}, then run Prepare again.`;

/** Text of the step that creates ignition files and serves them. */
export const prepareWords = {
  prepare: {
    backToPrepare: 'Go back to Prepare: it fetches openshift-install, or shows where to get it.',
    noOc: `not found (${OC_NEEDED_FROM})`,
    noOcSimulated: 'not found (a rehearsal needs none)',
    /** The end of a path gives way in a narrow window. */
    directory: (state: string, dir: string) => `${state} in ${dir}`,
    /** The installer’s files in the install directory. */
    directoryStates: {
      empty: 'nothing of the installer yet',
      config: 'install-config.yaml',
      manifests: 'manifests',
      ignition: 'ignition files',
      mixed: 'files of several installer runs',
    },
    images: {
      ok: (count: number) => `${count} with the checksums that the installer lists`,
      unchecked: 'present, not checked',
    },
    ignitionReady: (hours: string) => `ignition files are ready and served; their certificates expire in ${hours}`,
    minutes: formatMinutes,
    override: {
      title: 'this is not a valid reason',
      cause: (text: string) => `"${text}"`,
      remedy: 'Explain in one sentence of at least three words why the installation works although the checks failed.',
      done: (checks: string) => `overridden: ${checks}`,
    },
    expiresIn: (duration: string) => `ignition files expire in ${duration}`,
    expired: 'the ignition files have expired: go back to Prepare',
    /** For an openshift-install that is not a release build. */
    noVersion: '(reports no version; that of the design is used)',
    checkingAgain: 'checking for half a minute whether a running cluster uses these files',
    installerFailed: (subcommand: string) => `openshift-install ${subcommand} failed`,
    imagesNeeded: (count: number) => `Boot images to fetch (${count} files, more than 1 GB)`,
    needed: 'manifests and ignition files to create',
    serverNeeded: 'the boot server does not run yet',
    serverOutdated: 'the nodes were changed: the boot server needs their addresses',
    change: {
      movedAside: (dir: string) => `files of earlier installer runs are moved to ${dir}; nothing is deleted`,
      machines: 'all machines',
      bootAgain: 'every machine boots from the network again, with the new files',
      config: 'install-config.yaml is put in place; a copy is saved, because the installer deletes the original',
      manifests: 'openshift-install create manifests',
      schedulable: (value: boolean) =>
        value
          ? 'the control plane runs applications (mastersSchedulable: true)'
          : 'applications stay off the control plane (mastersSchedulable: false)',
      ignition: (isSingle: boolean) =>
        `openshift-install create ${isSingle ? 'single-node-ignition-config' : 'ignition-configs'}: their certificates are valid for 24 hours`,
      serverUnit: (unit: string) => `the boot server is the unit ${unit} of your systemd (systemctl --user)`,
      server: (url: string) => `the boot server serves scripts, images and ignition at ${url}`,
    },
    fetch: {
      programs: (version: string) =>
        `openshift-install and oc ${version} are fetched from ${/okd/.test(version) ? 'the releases of OKD on GitHub' : 'Red Hat’s mirror'} and checked`,
      images: (count: number, dir: string) => `${plural(count, 'boot image')} fetched into ${dir} and checked`,
      progress: (line: string, megabytes: number) => `${line} ${megabytes} MB`,
      failed: 'openshift-install and the images could not be fetched',
      failedFix: (path: string) =>
        `Check that this host reaches mirror.openshift.com, or for OKD github.com and rhcos.mirror.openshift.com (set a proxy in https_proxy). If it has no access: copy ${path} to a machine that has, run it there with bash, and copy the downloaded files back into the install directory. Or fetch them there with the script that \`upi-wizard export downloads\` prints, copy the directory to this host, and enter it on the Credentials page or with --mirror DIRECTORY.`,
    },
    /** Downloads in a directory, such as a USB stick. */
    mirror: {
      set: (dir: string) => `Prepare takes openshift-install, oc and the images from ${dir}.`,
      off: 'Prepare fetches openshift-install, oc and the images from the internet.',
      notADirectory: (dir: string) => `--mirror: ${dir} is not a directory that can be read here.`,
      programs: (version: string, dir: string) =>
        `openshift-install and oc ${version} are taken from ${dir} and checked`,
      images: (count: number, dir: string) => `${plural(count, 'boot image')} taken from ${dir} and checked`,
      reading: (name: string, dir: string) => `Reading ${name} in ${dir}`,
      unchecked: (name: string) => `${name}: no published checksum is known here`,
      missing: (name: string, dir: string, sha256: string | null, other: string | null, command: string) => ({
        title: `${name} is missing in ${dir}`,
        cause: `${other === null ? 'The directory has no other file of this kind' : `The directory has ${other}, which is from another build`}${sha256 === null ? '' : `; the SHA-256 of the right file is ${sha256}`}.`,
        remedy: formatRefetchRemedy(name, dir, command),
      }),
      missingFiles: (
        files: readonly { readonly name: string; readonly sha256: string | null }[],
        dir: string,
        command: string,
      ) => ({
        title: `${files.length} files are missing in ${dir}`,
        cause: `${files.map(({ name, sha256 }) => (sha256 === null ? name : `${name} (SHA-256 ${sha256})`)).join(', ')}.`,
        remedy: formatRefetchRemedy('them', dir, command),
      }),
      wrong: (name: string, dir: string, expected: string, actual: string, command: string) => ({
        title: `${name} in ${dir} is truncated, damaged or from another build`,
        cause: `Its SHA-256 is ${actual}, and the published one is ${expected}.`,
        remedy: formatRefetchRemedy(name, dir, command),
      }),
      truncated: (name: string, dir: string, program: string, command: string) => ({
        title: `${name} in ${dir} is truncated or damaged`,
        cause: `${program} could not be unpacked from it completely.`,
        remedy: formatRefetchRemedy(name, dir, command),
      }),
      otherRelease: (name: string, dir: string, actual: string, planned: string, command: string) => ({
        title: `${name} in ${dir} is from a release other than that of the design`,
        cause: `It is ${actual}, but the design says ${planned}.`,
        remedy: `Put the files of ${planned} into ${dir}: a machine with internet access fetches them with the script that this command prints: \`${command}\` Or change the version on the Cluster page.`,
      }),
      notPlain: (name: string, dir: string) => ({
        title: `${name} in ${dir} is not a regular file`,
        cause: 'Devices, pipes, directories and links that lead out of the directory are not read.',
        remedy: `Put the file itself into ${dir}.`,
      }),
      unreadable: (path: string, reason: string) => ({
        title: `${path} cannot be read`,
        cause: reason,
        remedy:
          'Mount the medium there again, then run Prepare again. Or name another directory: on the Credentials page, or with --mirror DIRECTORY at the start. The option "--mirror off" makes the wizard fetch the files from the internet.',
      }),
      unwritable: (path: string, reason: string) => ({
        title: `${path} cannot be written`,
        cause: reason,
        remedy: 'Fix that, then run Prepare again: files that are present and correct are kept.',
      }),
    },
    notCreated: 'not created yet (valid for 24 h once they are)',
    otherServer: (detail: string) => `another web server: ${detail}`,
    otherSize: (url: string, servedBytes: number | null, here: number | null) =>
      `${url} has ${servedBytes} bytes, but the image here has ${here}`,
    serverFailed: 'the boot server did not start',
    serverFailedFix: 'Look at its log, shown above; then run Prepare again.',
    /** The cluster runs, and nodes only join it. */
    later: {
      ready: 'the cluster runs, and the files that new nodes need are served',
      nothingToServe: 'the cluster runs, and every node of the design has joined: nothing is served',
      ignitionNeeded: (files: readonly string[]) =>
        `${files.join(' and ')} ${files.length === 1 ? 'has' : 'have'} to be read from the cluster`,
      readIgnition: (secret: string) =>
        `read from the cluster (secret ${secret}), stored readable by this user only, and served to nodes that join`,
    },
  },
  nodeIgnition: {
    missing: (role: string) => `there is no ${role}.ign for new nodes`,
    missingFix: 'Continue: the wizard reads it from the cluster.',
    notInCluster: {
      cause: (role: string, secrets: string) =>
        `Either none of the secrets ${secrets} holds a ${role}.ign in an Ignition version that these boot images support, or the API does not answer.`,
      remedy: (role: string) =>
        `Put the ${role}.ign of the installation into the install directory, or check that this kubeconfig has permission to read secrets there.`,
    },
    fetched: (role: string, secret: string) => `${role}.ign was read from the secret ${secret}`,
    untrusted: (role: string) => `the Machine Config Server uses a CA other than that in ${role}.ign`,
    from: { installer: 'as the installer created it', cluster: 'as read from the cluster' },
    nodeImage: 'Alternatively, boot new nodes from an image that the cluster creates: `upi-wizard export node-image`',
  },
};
