/** Messages of `upi-wizard diagnose`, and of the page that shows the same findings. */
import { plural } from '../plural.ts';

export const diagnose = {
  title: (count: number) =>
    count === 0
      ? 'What is wrong: nothing found'
      : `What is wrong: ${plural(count, 'finding', 'findings')}, most likely first`,
  progress: 'Checking everything; problems that may pass are checked twice (up to a minute) …',
  nothing: 'Nothing is wrong as far as this machine can see.',
  nothingNext: 'A long wait may still be normal: each step of the wizard shows how long it usually takes.',
  rehearsalRepair: (remedy: string, command: string) =>
    `${remedy} In this rehearsal, simulate that with: \`${command}\``,
  recheck: (seconds: number) => `Checking again in ${seconds} s: some problems may pass …`,
  journals: {
    unread: (host: string, why: string) => `The journal of ${host} was not read: ${why}`,
    timeout: (seconds: number) => `it did not answer within ${seconds} s.`,
  },
  heading: (title: string, likelihood: string) => `${title} (${likelihood})`,
  likelihoods: { certain: 'certain', likely: 'likely', possible: 'possible' },
  about: (subjects: string) => `About: ${subjects}`,
  symptomLabel: 'Evidence',
  causeLabel: 'Cause',
  confirmLabel: 'To confirm',
  confirmInBundleLabel: 'To see it in the bundle',
  confirmOnSiteLabel: 'To confirm, on site',
  remedyLabel: 'Do this',
  moreLabel: 'More',
  more: (count: number) => `and ${count} more`,
  inHelp: (rule: string) => `rule ${rule} in "upi-wizard help diagnosis"`,
  inHelpAndLinks: (rule: string) => `rule ${rule} in "upi-wizard help diagnosis", and`,
  verdict: (count: number) =>
    `${plural(count, 'finding', 'findings')}. Begin with the first: it may have caused the others.`,
  /** Shown in a rehearsal only. */
  kubeconfigHint: (file: string) =>
    `In another terminal, this points oc (or kubectl) to the simulated cluster: \`export KUBECONFIG=${file}\``,
  unexpected: (argument: string) =>
    `diagnose takes no argument "${argument}". Specify a log bundle with --bundle FILE.`,
  bundleOnline: 'A bundle is read offline: leave --online out.',
  bundle: {
    nothing: 'The bundle shows no problem.',
    nothingNext:
      'It holds what machines logged, but nothing from machines that were off or refused SSH, or from load balancers, DNS and DHCP. "upi-wizard diagnose" without --bundle checks those.',
    title: 'The bundle cannot be read',
    remedy:
      'Specify the unchanged original: log-bundle-….tar.gz of "openshift-install gather bootstrap", or the must-gather of "oc adm must-gather", as a directory or packed with tar.',
    unreadable: (file: string, reason: string) => `${file}: ${reason}`,
    noArchive: (file: string) => `${file} is not a tar archive (plain or gzip), and not a directory.`,
    otherFormats: {
      xz: (file: string, word: string) =>
        `${file} is packed with xz, which is not supported. Unpack it, and specify the .tar: xz -dk ${word}`,
      bzip2: (file: string, word: string) =>
        `${file} is packed with bzip2, which is not supported. Unpack it, and specify the .tar: bunzip2 -k ${word}`,
      zstd: (file: string, word: string) =>
        `${file} is packed with zstd, which is not supported. Unpack it, and specify the .tar: zstd -dk ${word}`,
      zip: (file: string, word: string) =>
        `${file} is a zip archive. Unpack it, and specify the directory: unzip -d bundle ${word}`,
      '7z': (file: string, word: string) =>
        `${file} is a 7z archive. Unpack it, and specify the directory: 7z x -obundle ${word}`,
    },
    nothingUsable: (file: string) => `${file} holds no journals, logs or objects of an installation.`,
    holdsArchive: (directory: string, file: string) =>
      `${directory} contains a bundle, but is not one itself. Specify ${file}`,
    otherInstallation: (directory: string) =>
      `Its machines are not those of the installation in ${directory}: the bundle is evaluated alone.`,
    read: (files: number, isCut: boolean) =>
      `${plural(files, 'file', 'files')} of the bundle read${isCut ? '; the rest is missing or too large, and was left out' : ''}.`,
  },
  page: {
    intro:
      '"upi-wizard diagnose" checks everything that this machine can reach of an installation: name servers, load balancers, addresses, boot server, ports, the API with its nodes, requests and operators, the log of openshift-install, and journals over SSH. It changes nothing, and lists what is wrong, the most likely cause first. "!" shows the same on every live screen. With findings, the exit code is 4.',
    bundle:
      '"--bundle FILE" evaluates the journals and objects in a log bundle of "openshift-install gather bootstrap" or in a must-gather by the same rules, here or on another machine. FILE is the archive (.tar.gz or .tar), or the directory of one that was unpacked. Nothing is unpacked to the disk; keys and ignition files in it are not read.',
    likelihoods:
      '"certain": the evidence proves it. "likely": the evidence usually means this. "possible": one of several causes that fit the evidence.',
    rulesTitle: 'Rules, in the order in which equally likely causes are listed',
  },
};
