import { SHORTCUTS } from '../../shortcuts.ts';

/** The help pages `directory`, `rehearsal`, `exit-codes`, `environment` and `languages`. */
export const environmentHelp = {
  directory: {
    intro:
      'The install directory holds everything; openshift-install works in the same one. "--dir D" selects it. Without the option, upi-wizard uses the directory used last, else ./upi-cluster; the wizard begins a new one after a finished installation.',
    contentsTitle: 'Contents',
    contents: {
      'files/<host>/…': 'The generated files, by host: "upi-wizard help files".',
      'auth/': 'The kubeconfig and the password of kubeadmin, created by openshift-install.',
      'images/': 'The boot images that the bastion serves.',
      'report.md': 'The report on the cluster and its installation, written at the end.',
      'report.html': 'The same for a browser, with the network diagram.',
      '.upi-wizard/':
        'Your answers, the jobs that outlive the terminal and their logs, and a copy of install-config.yaml with the pull secret. Only you can read it.',
      '.upi-wizard/session.json':
        'Your answers, with a checksum. session.previous.json is the copy before the last save.',
      '.upi-wizard/infra-before.ndjson':
        'The values of each object before an infra move wrote to it, for "infra undo". Keep it as long as the cluster exists.',
      '.upi-wizard/journal.ndjson':
        'One line of JSON per event: every save, every start and end of an action, every start and end of the program. journal.1.ndjson to journal.5.ndjson are older. A damaged session is recovered from the journal.',
      '.upi-wizard/on-event': 'The command that runs on events: "upi-wizard help events".',
      '.upi-wizard/events.ndjson': 'The events, and the exit code and output of the command.',
    },
    downloadsTitle: 'Files that you put there',
    downloads:
      'You download openshift-install, oc and the boot images, or let Prepare fetch them. Put the programs into the install directory or into a directory in your PATH, and the images into images/. Prepare lists what is missing.',
    inUseTitle: 'Sessions',
    inUse:
      'One session at a time changes the directory. A second one shows who holds it, from where and since when. "upi-wizard attach" then watches it read-only, or takes it over: the other session saves and ends. To take over one that does not answer for 10 seconds, type its process ID, or its hostname if it runs on another machine. "upi-wizard detach" ends a session from another terminal, and its jobs continue. "upi-wizard sessions" lists all installations. An open question is saved and asked again; "upi-wizard answer" shows and answers it. Silence is never taken as an answer.',
    copies:
      'A copy of the directory is independent: processes of the original (session, jobs, simulated site) are never found, used or stopped from the copy. A copied rehearsal gets a simulated site of its own, and a copied installation works on the same cluster.',
    secrets: 'The pull secret and the SSH key stay in their files. upi-wizard saves their paths only.',
  },
  rehearsal: {
    intro:
      '"upi-wizard rehearse" is the wizard against a simulated site: machines that boot, a load balancer, a name server, an API and operators. The site is a process of its own, which acts on the files that you generated. It touches nothing outside its directory.',
    plain: `"--answers FILE --plain" plays a design to its end in plain lines, unattended and without a terminal; "--answers example" plays the documented example. With "--speed N" time runs N times as fast, and "--seed N" sets the seed of random events. "--stop" stops the site. On the screens ${SHORTCUTS.faster} and ${SHORTCUTS.slower} change the speed, and ${SHORTCUTS.pause} pauses. On the page of ${SHORTCUTS.diagnose}, ${SHORTCUTS.simulateRepair} simulates the repair of an injected fault. On the report, ${SHORTCUTS.installForReal} begins the real installation with the same answers.`,
    cloud:
      '"--cloud aws" begins with a cluster that runs on a simulated AWS. Each of three zones has a control plane node and a worker MachineSet; the load balancers are those of the cloud. The wizard then has the pages of the design, Infra nodes and the report; with "--plain" it plays to the end without questions. It does not accept --answers; of the faults below it accepts only those of the cloud: "machine-fails", "storage-class-missing" and "operator-degraded".',
    iso: 'The simulated machines boot from the network only. With boot.kind iso the rehearsal ends at Boot.',
    faultsTitle: 'Faults',
    faults: `"--break ID[,ID]" injects a fault, so that you see how the wizard reports it. The rehearsal then names the fault and exits with code 4. The code is 0 if the wizard repaired the fault itself by putting files in place again, or if the cluster works despite it. "rehearse --repair reboot" switches the machines that have not joined off and on: they boot from the network. On the page of ${SHORTCUTS.diagnose}, ${SHORTCUTS.simulateRepair} does the same where a remedy needs it.`,
    /** How the user repairs the faults listed below each text. */
    repairs: {
      files: 'Put the files of the host in place again (Hosts step; after the bootstrap, the Removal step):',
      'files-and-reboot': 'Put the files of the host in place again, then reboot the machines that have not joined:',
      design: 'Correct the design (Nodes), generate, and put the files in place; then reboot a machine that stopped:',
      ignition: 'Create the ignition files again (Prepare), and power the machines on again (Boot):',
      'boot-files': 'Let Prepare fetch the file again:',
      reboot: 'Reboot the machines that have not joined:',
      simulated: `Faults of machines, images and networks outside your control: "rehearse --repair ID", or ${SHORTCUTS.simulateRepair} on the page of ${SHORTCUTS.diagnose}, simulates the repair:`,
      cluster: `Faults of a running cluster: ${SHORTCUTS.diagnose} or "upi-wizard diagnose" names them some minutes later. The remedy is a step of the wizard or a command of oc; both show how oc (or kubectl) reaches the simulated cluster:`,
    },
  },
  exitCodes: {
    intro: 'Every command ends with one of these codes.',
    codes: {
      0: 'Done and verified.',
      1: 'An internal error. The message names the log.',
      2: 'Wrong usage, or a file that cannot be read.',
      3: 'The design has errors.',
      4: 'The command ran, and the result is negative: a failed check that would stop the installation, findings of "diagnose", a move that is blocked or not verified, a refused request, an unverified rehearsal.',
      5: 'Stopped to keep changes made by hand. Nothing was written.',
      129: 'Terminated by SIGHUP (the terminal was closed). Everything is saved.',
      130: 'Terminated by Ctrl-C (SIGINT). Everything is saved.',
      143: 'Terminated by SIGTERM. Everything is saved.',
    },
  },
  environment: {
    intro: 'upi-wizard reads these variables and no others.',
    variables: {
      LC_ALL: 'The locale: language and character set. It overrides LC_MESSAGES, LC_CTYPE and LANG.',
      LC_MESSAGES: 'The language, if LC_ALL is not set.',
      LC_CTYPE: 'The character set, if LC_ALL is not set. Without UTF-8 the screens use ASCII.',
      LANG: 'Language and character set, if none of the three above is set.',
      TERM: 'The kind of terminal. On "dumb" the wizard asks one question per line; on serial lines nothing is animated.',
      TERM_PROGRAM:
        'The program that draws the terminal. With TERM and the SSH client it names the terminal for which the wizard remembers how wide characters such as the ellipsis are.',
      ACCESSIBLE:
        'Anything but 0: the wizard asks one question per line and never redraws a line, as with --screen-reader; status --watch prints what changed.',
      NO_COLOR: 'If set, there are no colours, unless --color turns them on.',
      COLORFGBG:
        'The background of the terminal, as rxvt and Konsole set it, if the terminal does not report its colour.',
      FORCE_COLOR:
        '0: there are no colours. Anything else: commands print colours into pipes too, as with --color always.',
      PAGER: 'The program that shows long output on a terminal (default: less). Empty or cat: none.',
      LESS: 'The options of less (default for output of upi-wizard: FRX).',
      HOME: 'Your home directory: ~ in a design, .config without XDG_CONFIG_HOME, .cache without XDG_CACHE_HOME.',
      XDG_CONFIG_HOME: 'The directory whose upi-wizard/ holds the list of install directories.',
      SSH_TTY: 'Set by sshd: a lost connection ends what runs in this terminal.',
      TMUX: 'Set by tmux: what runs inside it survives a lost connection, so the wizard does not suggest it.',
      STY: 'Set by GNU screen: the same as TMUX.',
      SSH_CONNECTION:
        'Set by sshd: the address you logged in from, shown to others if the install directory is in use.',
      XDG_CACHE_HOME:
        'The directory whose upi-wizard/ holds the compile cache of Node.js, unless others could write there.',
      XDG_RUNTIME_DIR:
        'The directory with the socket of your systemd user manager. With lingering (loginctl enable-linger) the jobs are its units.',
      TMPDIR: 'The directory of temporary files and of temporary rehearsals (default: /tmp).',
      INIT_CWD: 'Set by npm: the directory in which npm was started. In that directory, printed commands are shorter.',
      UPI_WIZARD_LAUNCHER:
        'Set by the start script of a package: the name of the program in the commands that upi-wizard shows.',
      PATH: 'The directories of programs: openshift-install, oc, ssh and others.',
      HTTP_PROXY: 'The proxy for http, used by openshift-install, oc and the download of both.',
      HTTPS_PROXY: 'The same for https.',
      NO_PROXY: 'Hosts that are reached without a proxy.',
      http_proxy: 'Like HTTP_PROXY.',
      https_proxy: 'Like HTTPS_PROXY.',
      no_proxy: 'Like NO_PROXY.',
      RELEASE_KEY: 'The file with the public key of Red Hat that verifies the downloads, on systems other than RHEL.',
      NODE_TLS_REJECT_UNAUTHORIZED:
        'upi-wizard does not start while it is set, because it would accept any server as your cluster.',
      NODE_COMPILE_CACHE:
        'Another directory for the compile cache of Node.js. upi-wizard does not start if others could change files there.',
    },
  },
  languages: {
    intro:
      '"--lang L" chooses the language of screens and messages. Without it, LC_ALL, LC_MESSAGES or LANG decides, in this order; English if upi-wizard does not support that language.',
    known: (codes: string) => `Languages: ${codes}.`,
    data: 'JSON, identifiers, file contents and exit codes are the same in every language.',
  },
};

/** The page `help events`: the events and the command that runs on them. */
export const eventsHelp = {
  intro:
    '"upi-wizard --on-event CMD" runs your command when something happens, so that you need not watch the terminal. The setting is saved with the install directory; "--on-event off" removes it. "upi-wizard event NAME" tries it.',
  eventsTitle: 'Events',
  events: {
    question: 'A question of the wizard has waited for an answer for a minute.',
    'step-done': 'A step that was open is done.',
    'step-failed': 'An action of a step has failed.',
    'step-blocked': 'A step cannot continue: something is missing or wrong.',
    'job-ended': 'A job has ended and is not restarted: boot server, openshift-install, the approval of requests.',
    'job-restarted': 'The program of a job has ended, and is restarted.',
    'certificate-refused': 'A certificate request was not approved, because it does not match the design. Raised once.',
    'installation-complete': 'All operators are available, or openshift-install reports it. Raised once.',
  },
  raisedBy:
    'The wizard raises them while it runs, full-screen or line by line; jobs raise theirs after it has ended. No event is raised for something that you stop yourself.',
  commandTitle: 'The command',
  command:
    'CMD is run by "sh -c" as you, in the install directory, without input and in its own process group. It is killed after 30 seconds. At most two run at once; others wait. Its exit code and output are in .upi-wizard/events.ndjson. A failure is reported once, and stops nothing. Other users can see its arguments while it runs: keep secrets in a script.',
  variablesTitle: 'Its environment',
  variables: {
    UPI_WIZARD_EVENT: 'The event, as above.',
    UPI_WIZARD_DIR: 'The install directory.',
    UPI_WIZARD_STEP: 'The step: generate, hosts, prepare, boot, bootstrap, bootstrap-removal, certificates and others.',
    UPI_WIZARD_TEXT: 'One line of text, without secrets or control characters.',
  },
  builtInTitle: 'Built-in commands',
  builtIn: {
    wall: 'The line goes to all users of this machine.',
    write: 'The line goes to your other terminals that accept messages.',
  },
};

/** The page `help hosts`: service hosts that are set up from here. */
export const hostsHelp = {
  intro:
    'Each service host has an install.sh among its generated files: packages, files, checks of the files, firewall, SELinux, services. Run it yourself there, or have it run from here: on the Hosts page, or by these commands, which do the same.',
  commands: {
    'hosts plan': 'what install.sh would change on each host now; writes nothing there',
    'hosts apply': 'shows these changes, asks, runs install.sh, follows it, and runs the checks of that host',
    'hosts verify': 'whether each host is as generated, runs its services and answers',
    'hosts undo': 'shows what would be restored to the state before the first run, asks, and restores it',
    'export ansible': 'the same files, order and checks as an inventory and roles, for sites that outgrow one bastion',
  },
  access: [
    'The bastion is this machine. The others are reached over SSH by their addresses, with your keys, agent and SSH configuration. Set a user, a port or a jump host for an address there. On the host install.sh runs as root, or with "sudo -n". It never prompts for a password.',
    '"--host A,B" selects hosts. They are set up one after the other, DNS first, stopping at the first failure; "--side-by-side" sets them up in parallel. Files that were changed on a host are overwritten only with "--overwrite".',
  ],
  commitConfirmedTitle: 'Automatic revert',
  commitConfirmed: [
    'Some changes could cut off the host or the cluster: firewall, DNS, DHCP, load balancer, addresses. The host reverts a run with such changes two minutes after its end. The run stays only if the checks of that host, made from here, pass before that. A host that reboots in between reverts the run as soon as it is up. "--revert-after SECONDS" sets another time (10 to 600). After a revert the host is checked again, and any difference from before is reported.',
    'A run that fails is reverted at once. Packages stay in any case.',
  ],
  lostConnectionTitle: 'When the connection is lost',
  lostConnection:
    'The run continues on the host, and so does the countdown. When the connection is back, or when you open the screen or give the command again, the wizard finds the run and follows it.',
  packagesTitle: 'Packages',
  packages:
    'Packages that install.sh adds, by service, from the repositories of the host. Kea on RHEL 8 and 9 comes from EPEL.',
  systems: { rhel8: 'RHEL 8', rhel9: 'RHEL 9', rhel10: 'RHEL 10', debian: 'Debian 12' },
  uses: {
    dns: 'DNS',
    dhcpd: 'DHCP (isc-dhcpd)',
    kea: 'DHCP (kea)',
    'load-balancer': 'load balancer',
    addresses: 'virtual addresses',
    tftp: 'TFTP',
    ipxe: 'network boot',
    'ipxe-arm': 'network boot, ARM',
    'secure-boot': 'Secure Boot',
    time: 'time',
    selinux: 'SELinux',
  },
  source: (system: string, site: string) => `Source: the package list of ${system} (${site}).`,
};

/** The pages about a running cluster: `help status`, `help csr`, `help moves`. */
export const clusterHelp = {
  status: {
    intro:
      '"upi-wizard status" shows the state of the cluster: API, version, operators and what they wait for, the nodes against the design, and the certificate requests. Its exit code is 0 if the API answered, whatever it reports; "diagnose" and "infra verify" end with 4 if something is wrong.',
    watch: `"--watch" repeats it until ${SHORTCUTS.close} or Ctrl-C: in place on a terminal. Elsewhere it prints the lines that changed, or with "--json" a new line if something changed.`,
    clusterTitle: 'Which cluster',
    cluster:
      'status, csr and infra work with the install directory used last, or with another one by "--dir D". With "--design FILE --kubeconfig K" they work with any cluster; infra needs no design. The moves of the load balancer need the install directory.',
    kubeconfigTitle: 'Kubeconfig',
    kubeconfig:
      'A kubeconfig is used as it is. A proxy-url in it (http, https or socks5) works. A kubeconfig that runs programs to log in (exec, auth-provider) or turns verification off is refused; there is no option that allows it.',
    jsonTitle: 'JSON',
    json: '"--json" prints one document. A value that is null is not available, because the API is down or does not have it yet. "stage" is the step that the installation is at:',
  },
  csr: {
    intro:
      'Each node requests two certificates: one to join, and one to serve once it has joined. upi-wizard treats the network as hostile: it approves a request only when everything in it fits the design.',
    verdictsTitle: 'Verdicts',
    verdicts: {
      expected: 'The request fits the design. "csr approve --expected" approves it.',
      refused: 'The request does not fit the design, or the design cannot decide. The reason codes show why.',
      'not-ours': 'The request is not from a node. upi-wizard leaves it alone.',
      approved: 'The request is approved already (in JSON: decided).',
      denied: 'The request was denied; its node sends a new one (in JSON: decided, with the reason TERMINAL).',
      failed:
        'The request failed after its approval; its node sends a new one (in JSON: decided, with the reason TERMINAL).',
      superseded: 'The same node sent a newer request, or has got its certificate since.',
    },
    reasonsTitle: 'Reason codes of refused requests',
    manual: (codes: string) =>
      `You may approve a request whose only reasons are among ${codes}: use "csr approve NAME". On a terminal, the command asks for the name of the node; without a terminal, add "--yes NODE".`,
    denial:
      'A refused request stays pending, and disappears after 24 hours. "csr deny NAME" denies it at once: it cannot be approved afterwards. A denial does not block the sender: find out which machine it is, and take it off the network.',
    followTitle: 'Following',
    follow:
      '"csr approve --follow" approves expected requests until every node has joined. "--background" does the same without end, as a job that outlives the terminal: for sites with changing nodes. The saved design is the list of nodes that may join; a log lists what was approved and refused. "--stop" ends the job; "--forever" is the same in the foreground.',
  },
  moves: {
    intro:
      '"upi-wizard infra plan" shows what each move would change, and "apply" applies the moves in this order. "verify" checks whether they are done; with "--stable 5" they must stay so for five minutes, with all operators healthy. "undo" reverts them in reverse order. "--only A,B" selects moves. "apply" and "undo" ask first, unless you use "--yes". Only changes that were shown are written: if a change differs by then, "apply" shows it and asks again; with "--yes" it stops there. The plan shows what restarts, the outage, what is known only later, and who manages the fields that change. It also lists what was checked before each move: its operator, updates in progress, MachineConfigPools, capacity of the infra nodes, StorageClass, PodDisruptionBudgets. Objects that GitOps (Argo CD, Flux, Red Hat ACM …) manages need a separate confirmation; "--yes" needs "--override-gitops" for them. "plan --out FILE" saves the plan, and "apply FILE" applies it, once, while the design and the objects are unchanged. Otherwise it reports what changed and who changed it.',
    jobTitle: 'The job',
    job: [
      'The wizard applies and undoes moves in a job, which continues when you leave or the connection is lost. The page follows it when you come back. "upi-wizard infra job" shows what it is doing and where its log is, "--follow" follows it, "--stop" stops it, and "status" has a line about it. Esc on the page stops it, too. While it runs, "infra apply" and "infra undo" write nothing.',
      'If a change differs from those that you confirmed, the job asks and waits, however long: answer on the page, or with "upi-wizard answer yes" or "no". If the job is killed, what it changed stays, and the page says so; Enter continues from there.',
    ],
    order:
      'The order avoids an outage. Pods on infra nodes tolerate the taint before it is set, and the load balancer has the infra nodes before the routers move.',
    cloudTitle: 'Clouds, and clusters without a design',
    cloud: [
      'With "--kubeconfig K" alone, infra proposes a design from the nodes that it finds. Infra nodes are those with the label node-role.kubernetes.io/infra, or those that you specify ("--infra-nodes A,B"). On a terminal it asks. The storage of the registry and the load balancer stay as they are. The record for undo is beside the kubeconfig.',
      'If a cloud provides the machines, "--infra-machines N" (infra.machineSets in a design) begins with the move machine-sets. It creates an infra MachineSet in each zone, cloned from the worker set there, with the label and the taint of infra nodes. "--machine-size" sets another size (m6i.2xlarge; on vSphere and Nutanix 8x32, CPUs x GiB). Sets for Windows, edge zones, GPUs and spot machines are not cloned, and ControlPlaneMachineSets are left alone. If the Cluster API is authoritative, the move is blocked. The plan and the screens show a new set by its differences from the worker set of its zone. "upi-wizard rehearse --cloud aws" plays all of it on a simulated cloud.',
      'A set is created without machines, then scaled, and followed until its nodes are Ready. A machine that the cloud cannot create is shown with the cloud’s message. With "--health-check", a MachineHealthCheck replaces infra machines that are not Ready for five minutes. Undo scales to 0, waits until the machines are gone, and deletes the set, once no pod on them needs infra nodes. It removes only sets that were created here according to its record. Without the record, undo removes no MachineSet, autoscaler or health check, not even with "--to-defaults"; use oc scale and oc delete.',
    ],
    elasticTitle: 'Autoscaling of workers',
    elastic:
      'On a cloud, the Machine API creates workers and cluster-machine-approver approves their certificate requests. A ClusterAutoscaler with MachineAutoscalers sets their number: "--worker-machines 3-12" (infra.autoscaler in a design) creates these autoscalers; the limits count all zones together. On platform none there is no such approver: the design lists the nodes that may join, and "csr approve --background" admits only those. For that, OpenShift 3.11 had an approver in the cluster (openshift_master_bootstrap_auto_approve). It approved every request of the node-bootstrapper account and of nodes; upi-wizard compares each one with the design.',
    undoTitle: 'Undo',
    undo: [
      'Before a move writes to an object, it records the value of every field that it changes. "infra undo" restores exactly these values, in reverse order, from any machine that has the install directory. Without one, the file is beside the design (site.yaml: site.infra-before.ndjson), or at the path given with "--journal FILE".',
      'Fields that others have changed since then are shown and left as they are, and the exit code is 4: "--overwrite MOVE,MOVE" restores them anyway. If nothing was recorded, undo can only set the operators’ defaults, with "--to-defaults" or after your confirmation on a terminal.',
      'Not removed: the PersistentVolumeClaim of the registry and the images in it. If the registry was off before, it is off again, and its images are served again after the next "infra apply".',
    ],
    where: { cluster: 'Changes objects of the cluster.', files: 'Changes the files of the load balancers.' },
    needs: (moves: string) => `Comes after: ${moves}.`,
  },
};
