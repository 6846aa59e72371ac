import { SHORTCUTS } from '../../shortcuts.ts';

/** The help pages about directory, rehearsal, exit codes, environment and languages. */
export const environmentHelp = {
  directory: {
    intro:
      'The install directory holds everything; openshift-install works in the same one. "--dir D" names it. Without the option, upi-wizard takes the directory used last, else ./upi-cluster.',
    contentsTitle: 'What it holds',
    contents: {
      'files/<host>/…': 'The generated files, by host: "upi-wizard help files".',
      'auth/': 'The kubeconfig and the password of kubeadmin, made by openshift-install.',
      'images/': 'The RHCOS images that the bastion serves.',
      'report.md': 'What was built, and what happened and when, written at the end.',
      '.upi-wizard/':
        'Your answers, the jobs that outlive the terminal and their logs, and a copy of install-config.yaml with the pull secret. Only you may read it.',
      '.upi-wizard/session.json':
        'Your answers, with a checksum. session.previous.json is the copy before the last save.',
      '.upi-wizard/infra-before.ndjson':
        'What each object of the cluster had before an infra move wrote to it, for "infra undo". Keep it as long as the cluster lives.',
      '.upi-wizard/journal.ndjson':
        'What happened, a line of JSON each: every save, every act before and after it, who came and left. journal.1.ndjson to journal.5.ndjson are older. A damaged session is recovered from it.',
      '.upi-wizard/on-event': 'The command that runs on events: "upi-wizard help events".',
      '.upi-wizard/events.ndjson': 'What was raised, how the command ended, and what it printed.',
    },
    downloadsTitle: 'What you put there',
    downloads:
      'You download openshift-install, oc and the RHCOS images, or let Prepare fetch them. Put the programs into the install directory or into a directory of PATH, and the images into images/. Prepare names what is missing.',
    inUseTitle: 'Who works on it',
    inUse:
      'One session at a time changes it. A second one is told who has it, from where and since when. "upi-wizard attach" then watches it read-only, or takes it over: the other session saves and ends. One that does not answer for 10 seconds is taken over only by typing its process number, or its machine where it is elsewhere. "upi-wizard detach" ends a session from another terminal, and its jobs go on. "upi-wizard sessions" lists all installations. A question that nobody has answered is saved and asked again; "upi-wizard answer" shows and answers it, and silence never does.',
    copies:
      'A copy of the directory is of its own: what runs for the original (session, jobs, simulated site) is never found, used or stopped from the copy. A copied rehearsal gets a simulated site of its own, and a copied installation works on the same cluster.',
    secrets: 'The pull secret and the SSH key stay in their files. upi-wizard saves their paths only.',
  },
  rehearsal: {
    intro:
      '"upi-wizard rehearse" is the wizard against a simulated site: a process of its own with machines that boot, a load balancer, a name server, an API and operators, which acts on the files that you generated. It touches nothing outside its directory.',
    plain: `"--answers FILE --plain" plays a design to its end in plain lines, without a terminal and without a person; "--answers example" plays the documented example. With "--speed N" time runs N times as fast, and "--seed N" sets the seed of random events. "--stop" stops the site. On the screens ${SHORTCUTS.faster} and ${SHORTCUTS.slower} change the speed, ${SHORTCUTS.pause} pauses, and ${SHORTCUTS.installForReal} on the report begins the real installation with the same answers.`,
    cloud:
      '"--cloud aws" begins at a cluster that runs on a simulated AWS, with a control plane node and a worker MachineSet in each of three zones, and load balancers of the cloud. The wizard then has the pages of the design, Infra nodes and the report; with "--plain" it plays to the end without questions. It takes no --answers, and of the faults below those of the cloud: "machine-fails", "storage-class-missing" and "operator-degraded".',
    iso: 'The simulated machines boot from the network only. With boot.kind iso the rehearsal ends at Boot.',
    faultsTitle: 'Faults',
    faults:
      '"--break ID[,ID]" breaks something, so that you see what the wizard says about it. The rehearsal then names what is wrong and exits with code 4. What lies in a file of a service host is mended when the same files are put in place again, what lies in the ignition files when they are made again; a machine that is switched off and on before it is a node starts from the network; what lies at a machine or in a network of others, "rehearse --repair ID" has done there. What strikes a cluster that runs is named by "!" or "upi-wizard diagnose" some minutes later, and mended by oc; both say how oc (or kubectl) reaches the simulated cluster.',
  },
  exitCodes: {
    intro: 'Every command ends with one of these codes.',
    codes: {
      0: 'Done and verified.',
      1: 'A fault of upi-wizard. The message names the log.',
      2: 'Wrong usage, or a file that cannot be read.',
      3: 'The design has errors.',
      4: 'The command did what you asked, and the answer is no: a check failed, a move is blocked or not verified, a request was refused, or a rehearsal did not end verified.',
      5: 'Stopped to keep what a person changed. Nothing was written.',
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
        'Anything but 0: the wizard asks in lines and draws nothing again, as with --screen-reader; status --watch prints what changed.',
      NO_COLOR: 'When set, there are no colours.',
      FORCE_COLOR: '0: there are no colours.',
      HOME: 'Your home directory: ~ in a design, .config without XDG_CONFIG_HOME, .cache without XDG_CACHE_HOME.',
      XDG_CONFIG_HOME: 'Where upi-wizard keeps the list of install directories: in upi-wizard/ below it.',
      SSH_TTY: 'Set by sshd: a lost connection ends what runs in this terminal.',
      TMUX: 'Set by tmux: what runs inside it survives a lost connection, so that nobody is told to use it.',
      STY: 'Set by screen: the same as TMUX.',
      SSH_CONNECTION: 'Set by sshd: where you logged in from, told to others who find the install directory in use.',
      XDG_CACHE_HOME:
        'Where Node.js keeps the compiled code of upi-wizard: in upi-wizard/ below it, unless others could write there.',
      XDG_RUNTIME_DIR: 'Where your systemd is asked. With lingering (loginctl enable-linger) the jobs are units of it.',
      TMPDIR: 'Where rehearsals without --dir and temporary files are, in place of /tmp.',
      PATH: 'Where programs are: openshift-install, oc, ssh and others.',
      HTTP_PROXY: 'The proxy for http, given to openshift-install, oc and the download of both.',
      HTTPS_PROXY: 'The same for https.',
      NO_PROXY: 'Hosts that are reached without proxy.',
      http_proxy: 'Like HTTP_PROXY.',
      https_proxy: 'Like HTTPS_PROXY.',
      no_proxy: 'Like NO_PROXY.',
      RELEASE_KEY: 'The public key of Red Hat that signed the downloads, where RHEL does not have it.',
      NODE_TLS_REJECT_UNAUTHORIZED:
        'upi-wizard does not start while it is set, because it would accept any server as your cluster.',
      NODE_COMPILE_CACHE:
        'Another place for the compiled code. upi-wizard does not start when others could change what lies there.',
    },
  },
  languages: {
    intro:
      '"--lang L" chooses the language of screens and messages. Without it, LC_ALL, LC_MESSAGES or LANG decides, in this order; English where upi-wizard does not speak that language.',
    known: (codes: string) => `Languages: ${codes}.`,
    data: 'JSON, identifiers, file contents and exit codes are the same in every language.',
  },
};
