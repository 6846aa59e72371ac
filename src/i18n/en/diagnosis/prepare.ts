import { plural } from '../ui.ts';

const usedTitle = 'another installation used this directory';

/** Findings about files and programs before a machine is powered on. */
export const prepare = {
  /** The title of each check if it passes. */
  titles: {
    'installer-missing': 'openshift-install was found',
    'installer-version': 'openshift-install has the version of the design',
    'installer-architecture': 'openshift-install is for the architecture of the design',
    'installer-architecture-unknown': 'openshift-install reports its architecture',
    'images-wrong': 'the boot images have the published checksums',
    'images-missing': 'the boot images are present',
    'images-unchecked': 'the boot images can be compared with published checksums',
    'images-older': 'the boot images have the version of the cluster',
    'install-config-changed': 'the files of the installer were created from this design',
    'install-dir-alive': 'the files of a running cluster are not mixed with those of another run',
    'install-dir-used': 'the files of the installer come from one run',
    'ignition-expired': 'the certificates in the ignition files are valid',
    'ignition-expires': 'the certificates in the ignition files are valid for at least 12 more hours',
    'boot-files-missing': 'the boot server has every file that machines request',
    'worker-ignition': 'the ignition files of new nodes point to this cluster',
  },
  notYet: 'nothing to check yet',
  'site-checks': {
    title: (failedCount: number, blocking: number) =>
      blocking === failedCount
        ? `${plural(failedCount, 'failed check', 'failed checks')} of the site would stop the installation`
        : `${plural(failedCount, 'check', 'checks')} of the site failed${blocking > 0 ? `, ${blocking} of them would stop the installation` : ''}`,
    cause: (title: string, detail: string, failedCount: number) =>
      `${failedCount > 1 ? 'first: ' : ''}${title}${detail === '' ? '' : ` (${detail})`}`,
  },
  'installer-missing': {
    title: 'openshift-install was not found',
    cause: (places: string) => `not in ${places}, nor in PATH`,
    remedyMirror: (version: string, mirror: string) =>
      `Prepare takes openshift-install and oc ${version} from ${mirror} and checks them.`,
    remedy: (version: string) =>
      `Prepare fetches openshift-install and oc ${version} from mirror.openshift.com and checks them. Or download them from console.redhat.com/openshift/install and unpack them into the install directory or a directory in your PATH.`,
    remedyOkd: (version: string) =>
      `Prepare fetches openshift-install and oc ${version} from the releases of OKD and checks them. Or download them from github.com/okd-project/okd/releases and unpack them into the install directory or a directory in your PATH.`,
  },
  'installer-version': {
    title: (actual: string, planned: string) => `openshift-install is ${actual}, but the design says ${planned}`,
    remedy: 'Download the matching version, or change the version on the Cluster page.',
  },
  'installer-architecture': {
    title: (actual: string, planned: string) =>
      `openshift-install installs clusters for ${actual}, but the design says ${planned}`,
    remedy: (planned: string) =>
      `Use the one from the release for ${planned}, or change the architecture on the Cluster page.`,
  },
  'installer-architecture-unknown': {
    title: (taken: string) => `openshift-install does not report its architecture: ${taken} from the design is used`,
    remedy: (taken: string) =>
      `You need not do anything if its release is for ${taken}. Builds of OKD and your own builds do not report it.`,
  },
  'images-wrong': {
    title: 'Boot images are damaged, or from another build',
    remedy: 'Prepare fetches them again: a node that boots from them stops in the middle of its installation.',
  },
  'images-missing': {
    title: (dir: string) => `Boot images are missing in ${dir}`,
    remedyMirror: (mirror: string) => `Prepare takes them from ${mirror} and checks them.`,
    remedy: (names: string) =>
      `Prepare fetches them and checks them. Or download ${names}; this prints the location of each: \`openshift-install coreos print-stream-json\``,
  },
  'images-unchecked': {
    title: 'There is no checksum for these images',
    remedy: 'Compare them with sha256sum.txt beside them on the mirror; this openshift-install lists no checksums.',
  },
  'images-older': {
    title: (images: string, cluster: string) => `The boot images are of ${images}, but the cluster runs ${cluster}`,
    cause: 'A new node installs itself from the images, and is updated to the version of the cluster when it joins.',
    remedy: 'Nothing: older images are fine. A node restarts one more time than with newer ones.',
  },
  'worker-ignition': {
    title: (role: string) => `${role}.ign has to be read from the cluster`,
    remedy: (role: string) => `Prepare reads it from the secret openshift-machine-api/${role}-user-data.`,
  },
  'install-config-changed': {
    title: 'the design changed after these files were created: install-config.yaml differs now',
    cause: (dir: string) => `the files in ${dir} are from the old install-config.yaml`,
    remedy:
      'Prepare moves the old files aside, deletes nothing, and creates new ones. Then boot every machine with the new files, installed ones too.',
    outdated: {
      title: 'the pull secret changed after install-config.yaml was generated',
      evidence: ['install-config.yaml has the old pull secret'],
      remedy: 'Run Generate first: it writes install-config.yaml. Prepare then creates the ignition files from it.',
    },
  },
  'install-dir-alive': {
    title: usedTitle,
    remedy: 'The cluster that was installed from this directory answers: start in a new install directory (--dir).',
  },
  'install-dir-used': {
    title: usedTitle,
    remedy:
      'Its files come from more than one run, and their certificates do not match. Prepare moves them aside, deletes nothing, and starts again.',
  },
  'ignition-expired': {
    title: 'the certificates in the ignition files have expired',
    remedy:
      'They expire after 24 hours. Prepare moves the old files aside (running the installer over them reuses the old certificates), creates new ones and serves them. Then every machine has to boot from the network again, installed ones too.',
    remedyClusterUp: 'Nothing: the cluster answers, so its nodes fetched the files in time.',
  },
  'ignition-expires': {
    title: (hours: string) => `the certificates in the ignition files expire in ${hours}`,
    cause: 'The first certificates of a cluster expire after 24 hours; their first renewal is after 16 hours.',
    remedy: 'Boot the machines soon: all nodes have to be up before these certificates expire.',
  },
  'boot-files-missing': {
    title: (count: number) =>
      `${plural(count, 'file')} that machines will request ${count === 1 ? 'is' : 'are'} not served`,
    remedy: 'Go back to Generate and write the files again; then Prepare serves them.',
    remedyOtherServer: (dir: string, images: string, files: string) =>
      `The web server that uses the port needs them below /var/www/upi-wizard: \`cp -r ${files}/var/www/upi-wizard /var/www/\` \`cp ${images}/* /var/www/upi-wizard/images/\` \`install -D -m 0644 -t /var/www/upi-wizard/ignition ${dir}/*.ign\` With SELinux also: \`restorecon -R /var/www\` Or stop that web server, and Prepare starts the boot server of upi-wizard.`,
  },
};
