/** Texts about openshift-install: its exit, and problems with its files. */
export const installer = {
  cannotRun: {
    title: 'openshift-install cannot be run',
    remedy: 'Check that the file is the one for this machine (x86_64 or arm64 Linux) and that it is executable.',
  },
  notInstaller: {
    title: 'This program is not openshift-install',
    cause: (program: string) => `"${program} version" prints no version.`,
    remedy: 'Extract openshift-install from openshift-install-linux.tar.gz of your version again.',
  },
  badStream: {
    title: 'openshift-install lists its images in an unknown format',
    remedy: 'Download openshift-install of your version again; it may be damaged.',
  },
  noOutput: 'openshift-install printed no reason.',
  exits: {
    fatal: {
      title: 'openshift-install stopped with an error',
      remedy: 'Read the cause; details are in .openshift_install.log in the install directory.',
    },
    'install-config': {
      title: 'openshift-install rejected install-config.yaml',
      remedy: 'The cause names the field. Correct it in the design, generate again, and repeat this step.',
    },
    infrastructure: {
      title: 'openshift-install could not create the infrastructure',
      remedy: 'Platform "none" needs no infrastructure: check that none is the only platform in install-config.yaml.',
    },
    bootstrap: {
      title: 'The bootstrap did not complete in time',
      remedy:
        'The cluster continues on its own: waiting again is safe. The first stage that is not done shows what is missing. Also read the log of the bootstrap node: `journalctl -u bootkube.service`',
    },
    install: {
      title: 'The cluster did not initialize in time',
      remedy: 'The cluster continues on its own: waiting again is safe. Look at the operators that are not available.',
    },
    operators: {
      title: 'Cluster Operators do not become stable',
      remedy: 'The cluster is initialized. Look at the operators that keep progressing, then wait again.',
    },
    interrupted: {
      title: 'openshift-install was interrupted',
      remedy: 'Nothing is lost: run the step again.',
    },
    signal: {
      title: 'openshift-install was killed',
      remedy: 'Check whether memory ran out (dmesg), then run the step again.',
    },
  },
  endedBySignal: (signal: string) => `It was terminated by ${signal}.`,
  pointer: {
    unreadable: {
      title: 'An ignition file cannot be read',
      cause: (role: string) => `${role}.ign is not an ignition file.`,
      remedy: 'Create the ignition files again, in a new directory.',
    },
    wrongUrl: {
      title: 'An ignition file points to another cluster',
      cause: (role: string, actual: string, expected: string) => `${role}.ign fetches ${actual}, not ${expected}.`,
      remedy: 'The file belongs to another design. Create the ignition files of this design, in a new directory.',
    },
    noAuthority: {
      title: 'An ignition file has no certificate authority',
      cause: (role: string) =>
        `${role}.ign contains no CA, so the node would reject the certificate of the Machine Config Server.`,
      remedy: 'Create the ignition files again, in a new directory.',
    },
    foreignAuthority: {
      title: 'Ignition files of two installations are mixed',
      cause: (role: string) => `The CA in ${role}.ign is not the one in bootstrap.ign.`,
      remedy: 'Use bootstrap.ign, master.ign and worker.ign of one run of openshift-install.',
    },
  },
  directory: {
    noInstallConfig: {
      title: 'There is no install-config.yaml',
      cause: (dir: string) => `${dir} does not contain this file.`,
      remedy: 'Generate the files first; install-config.yaml is one of them.',
    },
    used: {
      title: 'This install directory is already used',
      cause: (dir: string, state: string) =>
        `${dir} holds ${state}. Running the installer there again reuses the old certificates, or mixes old and new ones.`,
      remedy: 'Start in a new, empty directory.',
    },
    states: {
      empty: 'nothing',
      config: 'install-config.yaml',
      manifests: 'manifests',
      ignition: 'ignition files',
      mixed: 'results of more than one run',
    },
    noScheduler: {
      title: 'The manifest of the scheduler is missing',
      cause: (file: string) => `${file} cannot be read. openshift-install would continue without reporting this.`,
      remedy: 'Create the manifests again, in a new directory.',
    },
  },
};
