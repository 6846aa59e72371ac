import { SHORTCUTS } from '../../shortcuts.ts';

/** The help pages about directory, rehearsal, exit codes, environment and languages. */
export const environmentHelp = {
  directory: {
    intro:
      'The install directory holds everything; openshift-install works in the same one. "--dir D" selects it. Without the option, upi-wizard uses the directory used last, else ./upi-cluster; the wizard begins a new one after a finished installation.',
    contentsTitle: 'What it holds',
    contents: {
      'files/<host>/…': 'The generated files, by host: "upi-wizard help files".',
      'auth/': 'The kubeconfig and the password of kubeadmin, created by openshift-install.',
      'images/': 'The RHCOS images that the bastion serves.',
      'report.md': 'The report on the cluster and its installation, written at the end.',
      '.upi-wizard/':
        'Your answers, the jobs that outlive the terminal and their logs, and a copy of install-config.yaml with the pull secret. Only you may read it.',
      '.upi-wizard/session.json':
        'Your answers, with a checksum. session.previous.json is the copy before the last save.',
      '.upi-wizard/infra-before.ndjson':
        'The values of each object before an infra move wrote to it, for "infra undo". Keep it as long as the cluster exists.',
      '.upi-wizard/journal.ndjson':
        'One line of JSON per event: every save, every action before and after it, every start and end. journal.1.ndjson to journal.5.ndjson are older. A damaged session is recovered from it.',
      '.upi-wizard/on-event': 'The command that runs on events: "upi-wizard help events".',
      '.upi-wizard/events.ndjson': 'The events, and the exit code and output of the command.',
    },
    downloadsTitle: 'Files that you put there',
    downloads:
      'You download openshift-install, oc and the RHCOS images, or let Prepare fetch them. Put the programs into the install directory or into a directory of PATH, and the images into images/. Prepare lists what is missing.',
    inUseTitle: 'Sessions',
    inUse:
      'One session at a time changes it. A second one shows who holds it, from where and since when. "upi-wizard attach" then watches it read-only, or takes it over: the other session saves and ends. One that does not answer for 10 seconds is taken over only by typing its process number, or its host name if it runs on another machine. "upi-wizard detach" ends a session from another terminal, and its jobs go on. "upi-wizard sessions" lists all installations. An open question is saved and asked again; "upi-wizard answer" shows and answers it. Silence is never taken as an answer.',
    copies:
      'A copy of the directory is independent: processes of the original (session, jobs, simulated site) are never found, used or stopped from the copy. A copied rehearsal gets a simulated site of its own, and a copied installation works on the same cluster.',
    secrets: 'The pull secret and the SSH key stay in their files. upi-wizard saves their paths only.',
  },
  rehearsal: {
    intro:
      '"upi-wizard rehearse" is the wizard against a simulated site: a process of its own with machines that boot, a load balancer, a name server, an API and operators, which acts on the files that you generated. It touches nothing outside its directory.',
    plain: `"--answers FILE --plain" plays a design to its end in plain lines, unattended and without a terminal; "--answers example" plays the documented example. With "--speed N" time runs N times as fast, and "--seed N" sets the seed of random events. "--stop" stops the site. On the screens ${SHORTCUTS.faster} and ${SHORTCUTS.slower} change the speed, ${SHORTCUTS.pause} pauses, and ${SHORTCUTS.installForReal} on the report begins the real installation with the same answers.`,
    cloud:
      '"--cloud aws" begins at a cluster that runs on a simulated AWS, with a control plane node and a worker MachineSet in each of three zones, and load balancers of the cloud. The wizard then has the pages of the design, Infra nodes and the report; with "--plain" it plays to the end without questions. It does not accept --answers, and of the faults below only those of the cloud: "machine-fails", "storage-class-missing" and "operator-degraded".',
    iso: 'The simulated machines boot from the network only. With boot.kind iso the rehearsal ends at Boot.',
    faultsTitle: 'Faults',
    faults:
      '"--break ID[,ID]" injects a fault, so that you see how the wizard reports it. The rehearsal then names the fault and exits with code 4. A fault in a file of a service host is repaired by putting the files in place again, one in the ignition files by creating them again; a machine that is power cycled before it is a node boots from the network; "rehearse --repair ID" repairs faults of machines and of networks that are not yours. Faults of a running cluster are named by "!" or "upi-wizard diagnose" some minutes later, and repaired with oc; both show how oc (or kubectl) reaches the simulated cluster.',
  },
  exitCodes: {
    intro: 'Every command ends with one of these codes.',
    codes: {
      0: 'Done and verified.',
      1: 'An internal error. The message names the log.',
      2: 'Wrong usage, or a file that cannot be read.',
      3: 'The design has errors.',
      4: 'The command ran, and the result is negative: a check failed, a move is blocked or not verified, a request was refused, or a rehearsal did not end verified.',
      5: 'Stopped to keep changes made by hand. Nothing was written.',
      129: 'Ended by SIGHUP (the terminal went away). Everything is saved.',
      130: 'Ended by Ctrl-C (SIGINT). Everything is saved.',
      143: 'Ended by SIGTERM. Everything is saved.',
    },
  },
  environment: {
    intro: 'upi-wizard reads these variables and no others.',
    variables: {
      LC_ALL: 'The locale: language and character set, before LC_MESSAGES, LC_CTYPE and LANG.',
      LC_MESSAGES: 'The language, where LC_ALL is not set.',
      LC_CTYPE: 'The character set, where LC_ALL is not set. Without UTF-8 the screens use ASCII.',
      LANG: 'Language and character set, where none of the others is set.',
      TERM: 'The kind of terminal. On "dumb" the wizard asks in lines; on serial lines nothing is animated.',
      TERM_PROGRAM:
        'The program that draws the terminal. With TERM and the SSH client it names the terminal for which the wizard remembers how wide signs such as the ellipsis are.',
      ACCESSIBLE:
        'Anything but 0: the wizard asks in lines and never redraws a line, as with --screen-reader; status --watch prints what changed.',
      NO_COLOR: 'When set, there are no colours.',
      FORCE_COLOR: '0: there are no colours.',
      HOME: 'Your home directory: ~ in a design, .config without XDG_CONFIG_HOME, .cache without XDG_CACHE_HOME.',
      XDG_CONFIG_HOME: 'Where upi-wizard keeps the list of install directories: in upi-wizard/ below it.',
      SSH_TTY: 'Set by sshd: a lost connection ends what runs in this terminal.',
      TMUX: 'Set by tmux: what runs inside it survives a lost connection, so the wizard does not suggest it.',
      STY: 'Set by screen: the same as TMUX.',
      SSH_CONNECTION:
        'Set by sshd: the address you logged in from, shown to others if the install directory is in use.',
      XDG_CACHE_HOME:
        'Where Node.js keeps the compiled code of upi-wizard: in upi-wizard/ below it, unless others could write there.',
      XDG_RUNTIME_DIR:
        'Where your systemd user manager is queried. With lingering (loginctl enable-linger) the jobs are its units.',
      TMPDIR: 'Where rehearsals without --dir and temporary files are, in place of /tmp.',
      PATH: 'Where programs are: openshift-install, oc, ssh and others.',
      HTTP_PROXY: 'The proxy for http, used by openshift-install, oc and the download of both.',
      HTTPS_PROXY: 'The same for https.',
      NO_PROXY: 'Hosts that are reached without proxy.',
      http_proxy: 'Like HTTP_PROXY.',
      https_proxy: 'Like HTTPS_PROXY.',
      no_proxy: 'Like NO_PROXY.',
      RELEASE_KEY: 'The public key of Red Hat that signed the downloads, where RHEL does not have it.',
      NODE_TLS_REJECT_UNAUTHORIZED:
        'upi-wizard does not start while it is set, because it would accept any server as your cluster.',
      NODE_COMPILE_CACHE:
        'Another place for the compiled code. upi-wizard does not start if others could change files there.',
    },
  },
  languages: {
    intro:
      '"--lang L" chooses the language of screens and messages. Without it, LC_ALL, LC_MESSAGES or LANG decides, in this order; English if upi-wizard does not support that language.',
    known: (codes: string) => `Languages: ${codes}.`,
    data: 'JSON, identifiers, file contents and exit codes are the same in every language.',
  },
};
