/** The pages about what is around the commands: directory, rehearsal, exit codes, environment, languages. */
export const placesHelp = {
  directory: {
    intro:
      'The install directory holds everything; openshift-install works in the same one. "--dir D" names it. Without the option, upi-wizard takes the directory used last, else ./upi-cluster.',
    holdsTitle: 'What it holds',
    holds: {
      'files/<host>/…': 'The generated files, by host: "upi-wizard help files".',
      'auth/': 'The kubeconfig and the password of kubeadmin, made by openshift-install.',
      'images/': 'The RHCOS images that the bastion serves.',
      'report.md': 'What was built, written at the end.',
      '.upi-wizard/':
        'Your answers, the jobs that outlive the terminal and their logs, and a copy of install-config.yaml with the pull secret. Only you may read it.',
    },
    downloadsTitle: 'What you put there',
    downloads:
      'You download openshift-install, oc and the RHCOS images, or let Prepare fetch them. Put the programs into the install directory or into a directory of PATH, and the images into images/. Prepare names what is missing.',
    secrets: 'The pull secret and the SSH key stay in their files. upi-wizard saves their paths only.',
  },
  rehearsal: {
    intro:
      '"upi-wizard rehearse" is the wizard against a simulated site: a process of its own with machines that boot, a load balancer, a name server, an API and operators, which acts on the files that you generated. It touches nothing outside its directory.',
    plain:
      '"--answers FILE --plain" plays a design to its end in plain lines, without a terminal and without a person; "--answers example" plays the documented example. With "--speed N" time runs N times as fast, and "--seed N" sets the seed of random events. "--stop" stops the site.',
    iso: 'The simulated machines boot from the network only. With boot.kind iso the rehearsal ends at Boot.',
    faultsTitle: 'Faults',
    faults:
      '"--break ID[,ID]" breaks something, so that you see what the wizard says about it. The rehearsal then names what is wrong and exits with code 4.',
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
      TERM: 'The kind of terminal. On "dumb" there are no full screens; on serial lines nothing is animated.',
      NO_COLOR: 'When set, there are no colours.',
      FORCE_COLOR: '0: there are no colours.',
      HOME: 'Your home directory: ~ in a design, and .config without XDG_CONFIG_HOME.',
      XDG_CONFIG_HOME: 'Where upi-wizard keeps the list of install directories: in upi-wizard/ below it.',
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
    },
  },
  languages: {
    intro:
      '"--lang L" chooses the language of screens and messages. Without it, LC_ALL, LC_MESSAGES or LANG decides, in this order; English where upi-wizard does not speak that language.',
    known: (codes: string) => `Languages: ${codes}.`,
    data: 'JSON, identifiers, file contents and exit codes are the same in every language.',
  },
};
