import { plural } from './ui.ts';

const formatSize = (bytes: number) => (bytes < 10_240 ? `${bytes} B` : `${Math.round(bytes / 1024)} KiB`);

/** Messages of `upi-wizard bundle`. */
export const bundle = {
  parts: {
    about: 'versions of upi-wizard and the system',
    programs: 'programs on this machine, with their versions',
    design: 'the saved design, without passwords',
    session: 'the saved answers and facts',
    journal: 'what was done and saved, and when',
    programLog: 'errors of upi-wizard itself',
    generated: 'generated files and their checksums',
    installerLog: 'log of openshift-install, last 4 MiB',
    bootServer: 'allowed clients and their requests',
    report: 'the report of the finished cluster',
    job: 'a background job, and the end of its log',
    listing: 'names, sizes and modes of all files',
  },
  exclusions: 'It never holds kubeconfigs, ignition files, the pull secret, passwords or private keys.',
  preview: (dir: string) => `The support bundle of ${dir} will hold these files, with secrets hidden:`,
  size: formatSize,
  leftOut: 'Left out:',
  missing: (path: string, reason: string) => `  ${path}: ${reason}`,
  withheld: 'it still held a secret after the redaction',
  notFile: 'it is not a regular file',
  question: (file: string, count: number, bytes: number) =>
    `Write ${file} (${plural(count, 'file')}, ${formatSize(bytes)})? [y/N] `,
  declined: 'Nothing was written.',
  needsYes: '"bundle" asks before it writes: without a terminal, use --yes.',
  noDirectory: (dir: string) => `There is no directory ${dir}: specify the install directory with --dir.`,
  alreadyExists: (file: string) => `${file} exists already. Nothing was written; specify another file with --out.`,
  result: (file: string, digest: string) => `${file}\nsha256 ${digest}`,
  inspectHint: (file: string) => `To see what is in it: tar -xzOf ${file} | less`,
};

/** Messages of `upi-wizard doctor`, the check of this machine before an installation. */
export const doctor = {
  title: 'This machine, before an installation',
  groups: {
    needed: 'Missing, and needed for an installation',
    warning: 'Should be fixed',
    note: 'Good to know',
    pending: 'Comes later',
    unknown: 'Cannot be checked here',
    ok: 'OK',
  },
  line: (title: string, evidence: string) => (evidence === '' ? title : `${title}: ${evidence}`),
  command: (command: string) => `$ ${command}`,
  consequences: 'Because of this:',
  unknownConsequences: (count: number) =>
    `Because of this, ${plural(count, 'more check has', 'more checks have')} no result.`,
  sameFailure: 'Failed for the same reason:',
  more: (count: number) => `and ${count} more`,
  ready: (count: number) =>
    `Nothing that an installation needs is missing here (${plural(count, 'check', 'checks')} ok).`,
  // A title may begin with a capital: each is a sentence of its own.
  missing: (titles: readonly string[]) => `To fix first: ${titles.join('. ')}.`,
};

/** Messages of `upi-wizard check`, the preflight checks of a site. */
export const check = {
  fileAndDirectory: 'Specify a design file or an install directory with --dir, not both.',
  noChecks: 'None of these checks applies to this design.',
  emptySelection: (phase: string) =>
    `None of the checks in --only is in the phase ${phase}. "upi-wizard help checks" lists the checks of each phase.`,
  bootServer: {
    later: 'Prepare starts the boot server',
    over: (count: number) =>
      `No longer needed: the boot server, because all nodes have joined (${plural(count, 'check depends', 'checks depend')} on it).`,
  },
  dependentChecks: (cause: string, count: number) =>
    `${cause} (${plural(count, 'check depends', 'checks depend')} on it)`,
  waiting: 'Checking the site: about 10 s, up to 30 s where something does not answer.',
  allHint: 'Checks that are ok are listed with --all.',
  groups: {
    ...doctor.groups,
    needed: 'Failed, and would stop the installation',
    warning: 'Failed, and should be fixed',
  },
  /** Shown below remedies that name steps of the wizard. */
  wizardStepsHint: (command: string) =>
    `Steps that are named here (Generate, Prepare, …) are run in the wizard: \`${command}\``,
  verdict: (counts: { ok: number; failed: number; blocking: number; unknown: number; pending: number }) =>
    [
      `${counts.ok} ok`,
      counts.failed === 0
        ? '0 failed'
        : counts.blocking === 0
          ? `${counts.failed} failed (none would stop the installation: exit code 0)`
          : `${counts.failed} failed (${counts.blocking} would stop the installation)`,
      ...(counts.pending > 0 ? [`${counts.pending} ${counts.pending === 1 ? 'comes' : 'come'} later`] : []),
      ...(counts.unknown > 0 ? [`${counts.unknown} cannot be checked here`] : []),
    ].join(', '),
  page: {
    intro:
      '"upi-wizard check" sends the queries that the machines will send, and compares the answers with the design. It changes nothing. A check without evidence is "unknown", never "failed". If a check fails that would stop the installation, the exit code is 4. It is 0 if only other checks fail.',
    start: 'The phase "start" is about this machine: "upi-wizard doctor" shows the same checks.',
    prepare: 'ignition, continued: files that Prepare creates or downloads',
    phases: {
      hosts: 'hosts: the service hosts, checked over SSH',
      dns: 'dns: name servers',
      dhcp: 'dhcp: addresses of the nodes',
      'load-balancer': 'load-balancer',
      'boot-files': 'boot-files: boot server and TFTP server',
      ignition: 'ignition: files that machines install with',
      'before-boot': 'before-boot: addresses, time and hosts',
    },
    severities: { fatal: 'blocks', warning: 'warning', note: 'note' },
  },
};

/** Messages of the command line: `--help`, questions and usage errors. */
export const cli = {
  /** Shown if the shell does not find `upi-wizard` in PATH. */
  invocationHint: 'In this shell, run upi-wizard as:',
  unknownLanguage: (code: string, known: string) => `There is no language "${code}". Known: ${known}.`,
  unknownColor: (value: string) =>
    `${value === '' ? '--color needs a value' : `--color cannot be "${value}"`}. Possible: auto, always, never.`,
  noWorkingDirectory: 'The directory that you are in was removed: change to another one (cd), and start again.',
  usageError: (message: string, help: string) => `${message.replace(/(?<![.?])$/, '.')} See "${help}".`,
  overridePlain: '--override is for --plain without a terminal; otherwise the wizard asks for the reason.',
  noTerminal: (rehearse: string, plain: string) =>
    `This terminal cannot show full screens. "${rehearse}" plays the documented example in plain lines, and "${plain}" asks one question per line.`,
  plainNeedsAnswers:
    'Without a terminal the wizard cannot ask: specify the design with --answers FILE, or use --answers example.',
  unexpected: (message: string, log: string) =>
    `upi-wizard failed: ${message}\nYour saved answers are still there. Details: ${log}`,
  outputFailed: (reason: string) =>
    `Standard output could not be written: ${reason}. The output is incomplete; the command itself ran to its end.`,
  unexpectedUnlogged: (message: string, log: string) =>
    `upi-wizard failed: ${message}\nYour saved answers are still there. The details could not be written to ${log}.`,
  answersInUse: (dir: string) =>
    `${dir} has answers already, and --answers is for a new installation. Specify another directory with --dir, or leave out --answers.`,
  designErrors: (file: string) => `The design in ${file} has errors:`,
  siteOptionsConflict: (seed: number, faults: string) =>
    `The rehearsal in this directory began with seed ${seed} and ${faults === '' ? 'no faults' : `the faults ${faults}`}, and keeps them: leave out --seed and --break, or specify a new directory with --dir.`,
  siteCloudConflict: (cloud: string) =>
    `The rehearsal in this directory does not simulate ${cloud}: leave out --cloud, or specify a new directory with --dir.`,
  cloudOrAnswers: '--cloud begins with a running cluster, so it cannot be used with --answers: leave out one of them.',
  faultOfCloud: (fault: string) => `--break ${fault} applies only to machines of a cloud: add --cloud aws.`,
  faultNotOfCloud: (fault: string, possible: string) =>
    `--break ${fault} applies only to an installation, but with --cloud the cluster already runs. Possible faults: ${possible}.`,
  noIsoBoot:
    'The simulated machines boot from the network only: with boot.kind iso this rehearsal ends at Boot. All steps before it work.',
  siteStarting: (dir: string) => `Starting the simulated site in ${dir}`,
  siteCopied: (from: string) =>
    `This rehearsal was copied from ${from}. It has a simulated site of its own from now on; nothing that runs for ${from} is touched.`,
  siteKeepsRunning: (command: string, isPaused: boolean) =>
    `The simulated site keeps running${isPaused ? '' : ', and its time goes on while you are away'}. To stop it: \`${command}\``,
  repairDone: (fault: string) => `Repaired: ${fault}. Steps that wait for it continue on their own.`,
  siteStopping: 'Stopping the simulated site.',
  siteStopped: (command: string) => `The simulated site is stopped. To start it again: \`${command}\``,
  siteFinished: (command: string) =>
    `The rehearsal is finished, so its simulated site is stopped. To start it again: \`${command}\``,
  noSite: (dir: string) => `No rehearsal runs in ${dir}.`,
  notSavedIn: (dir: string) => `Your last answers could not be saved in ${dir}.`,
  rehearsalStarting: (dir: string) => `Starting the simulated site. The rehearsal is saved in ${dir}`,
  abruptEnd: 'The last run ended abruptly. If the shell looks odd later, run: `reset`',
  reportIn: (file: string) => `The report is in ${file}.`,
  savedIn: (dir: string) => `Everything is saved in ${dir}.`,
  approvalsStop: (command: string) =>
    `Certificate requests are no longer approved: nodes that boot wait until you continue, or until you run: ${command}`,
  resume: (command: string) => `Continue with: ${command}`,
  injected: (faults: string) => `Injected faults: ${faults}.`,
  injectedVerified: 'Every step is verified anyway. The injected faults, as a diagnosis at the end sees them:',
  /** @param finding the title of its finding; null: there is none */
  injectedFault: (fault: string, finding: string | null) =>
    finding === null
      ? `  ${fault}: no sign of it now. The wizard repaired it by putting files in place again, or it has no effect.`
      : `  ${fault}: still there: ${finding}`,
  filesIn: (dir: string, hasReport: boolean) =>
    `The generated files${hasReport ? ', the log and the report' : ' and the log'} are in ${dir}.`,
  faults: 'Faults in this rehearsal:',
};

/** Event messages for the command of `--on-event`, and messages about that command. */
export const events = {
  rehearsal: (text: string) => `Rehearsal: ${text}`,
  question: (title: string, question: string) => `${title}: ${question} upi-wizard waits for your answer.`,
  done: (title: string, summary: string) => `${title}: done. ${summary}`,
  failedStep: (title: string, error: string, cause: string) => `${title} failed: ${error}: ${cause}`,
  blocked: (title: string, finding: string, cause: string) => `${title} cannot continue: ${finding}: ${cause}`,
  jobEnded: (job: string, code: number) => `${job} exited${code === 0 ? ' successfully' : ` with code ${code}`}.`,
  jobRestarted: (job: string, code: number) => `${job} exited with code ${code} and is restarted.`,
  refused: (name: string, owner: string, reason: string) =>
    `The certificate request ${name} of ${owner} was not approved: ${reason}`,
  refusedMany: (count: number) =>
    `${plural(count, 'certificate request')} ${count === 1 ? 'was' : 'were'} not approved.`,
  complete: 'The installation is complete: all operators are available.',
  installed: 'openshift-install reports: the installation is complete.',
  test: (event: string) => `This is a test of the command for events (${event}).`,
  failed: (event: string, ending: string) => `The command for events failed (event ${event}): it ${ending}.`,
  ends: {
    done: 'exited successfully',
    code: (code: number) => `exited with code ${code}`,
    signal: (signal: string) => `was terminated by ${signal}`,
    timeout: (seconds: number) => `was killed after ${seconds} seconds`,
    notStarted: (reason: string) => `could not be started: ${reason}`,
  },
  configured: (command: string, help: string) => `On events this runs: ${command}. More: "${help}".`,
  off: 'Events no longer run a command.',
  none: (command: string) => `No command is set for events. To set one: ${command}`,
  noCommand: '--on-event requires a command, or: wall, write, off.',
};

/** Messages of `upi-wizard export`: the service hosts for other tools, and what is fetched from the internet. */
export const exportWords = {
  edited: (file: string) => `Changed since the last export: ${file}.\n`,
  stopped: 'Nothing was written. --force overwrites changed files, and keeps the old versions beside them as .orig.\n',
  saved: (file: string, savedName: string) => `${file}: the old version is now ${savedName}\n`,
  obsoleteFile: (file: string) =>
    `${file} no longer belongs to the export, but was changed by hand; it was left in place.\n`,
  leftOut: (path: string) => `Left out, because it needs a credential that is missing: ${path}\n`,
  summary: (dir: string, files: number, written: number, removed: number) =>
    `${dir}: ${plural(files, 'file')}, ${written} written, ${removed} removed\n` +
    `See what it would change:  ansible-playbook -i ${dir}/inventory.yml ${dir}/site.yml --check --diff\n` +
    `Set up the hosts:          ansible-playbook -i ${dir}/inventory.yml ${dir}/site.yml\n`,
  fileAndDirectory: 'FILE and --dir exclude each other: specify the design file, or the install directory.',
  nodeImage: {
    unsupported: (minor: string) =>
      `OpenShift ${minor} has no \`oc adm node-image\` (4.17 is the first): add nodes on the Nodes page of the wizard, which serves them worker.ign and the images of the installation.\n`,
    noNodes: 'The design has no compute, infra or storage node that could join a cluster.\n',
    allJoined:
      'Every compute, infra and storage node of the design has joined the cluster. Add nodes to the design first.\n',
    notCompared: (count: number) =>
      `The nodes of the cluster were not read: the script has all compute, infra and storage nodes of the design (${count}). It stops if one of them has joined. With --dir and an API that answers, the script has only the nodes that have not joined.\n`,
    openDetails: {
      mac: (node: string, port: string) =>
        `${node}: the design has no MAC address of ${port}. Put it into nodes-config.yaml in place of MAC-OF-${port}.\n`,
      disk: (node: string, disk: string) =>
        `${node}: a root device hint cannot be ${disk}. Put another hint into nodes-config.yaml, for example /dev/disk/by-path/… or serialNumber.\n`,
    },
  },
  downloads: {
    jsonOrImageSet: '--json and --imageset exclude each other: an ImageSetConfiguration is YAML.',
    /** Also a comment of a script: no quotes, and no characters with a meaning in a shell. */
    unknown: (minor: string, isExact: boolean) =>
      `No openshift-install ${minor} was found here, and only that program names the build of the images${isExact ? '' : ' and the last part of the version'}. These are the newest ${minor} images of the mirror, with the checksums in its sha256sum.txt. For the exact files, run this first, put the fetched openshift-install into a directory in your PATH, and run upi-wizard export downloads again.`,
    unknownOkd: (version: string) =>
      `No openshift-install ${version} was found here, and only that program names the images of SCOS: they are not fetched. Run this first, put the fetched openshift-install into a directory in your PATH, and run upi-wizard export downloads again.`,
    /** Comment lines of the ImageSetConfiguration. */
    imageSet: (isExact: boolean) => [
      'For oc-mirror v2 of 4.21 or later, which also copies the signatures that nodes verify.',
      'With internet access:    oc mirror --v2 -c imageset.yaml file://DIRECTORY',
      'At the mirror registry:  oc mirror --v2 -c imageset.yaml --from file://DIRECTORY docker://REGISTRY',
      ...(isExact
        ? []
        : ['It copies the newest release of the channel: the design does not name the last part of its version.']),
    ],
    /** Comment lines of the ImageSetConfiguration for OKD. Source: openshift/oc-mirror docs/okd-mirror.md. */
    imageSetOkd: [
      'For oc-mirror v2. The releases of OKD are signed with a key of their own, verifier-public-key-openshift-ci-4 of',
      'https://github.com/openshift/cluster-update-keys (directory keys). Before you run oc mirror:',
      '  export OCP_SIGNATURE_VERIFICATION_PK=FILE',
      '  export OCP_SIGNATURE_URL=https://storage.googleapis.com/openshift-ci-release/releases/signatures/openshift/release/',
      'With internet access:    oc mirror --v2 -c imageset.yaml file://DIRECTORY',
      'At the mirror registry:  oc mirror --v2 -c imageset.yaml --from file://DIRECTORY docker://REGISTRY',
    ],
  },
};

/** Texts of the manual page. */
export const manualPage = {
  man: {
    title: 'upi-wizard manual',
    name: 'NAME',
    synopsis: 'SYNOPSIS',
    what: 'from an empty bastion to a running OpenShift UPI cluster with infra nodes',
  },
};
