import { SHORTCUTS } from '../shortcuts.ts';

/** Joins words for a sentence: `a, b or c`. */
const joinWithOr = (words: readonly string[]) =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;

const formatSuggestion = (suggestion: string | null) => (suggestion === null ? '' : ` Did you mean "${suggestion}"?`);

/** Up to this many words are listed in full; of more, only the first ones. */
const MAX_WORDS = 20;
const FIRST_WORDS = 8;
/** Up to this many words are listed even beside a suggestion, which may be wrong. */
const MAX_LISTED_WORDS = 5;

function formatWords(known: readonly string[], listCommand: string | null): string {
  if (listCommand === null || known.length <= MAX_WORDS) return known.join(', ');
  const firstWords = known.slice(0, FIRST_WORDS).join(', ');
  return `${firstWords}, … and ${known.length - FIRST_WORDS} more; "${listCommand}" lists all`;
}

/** The sentences of the table of commands: for help, shell completion and the manual page. */
export const commands = {
  /** One line for each command: its subject, or its action. */
  summaries: {
    '': 'the wizard; it resumes where you left off',
    rehearse: 'the wizard against a simulated site',
    design: 'a design file: example, JSON Schema, check, network diagram, import',
    'design example': 'print an example to start from',
    'design schema': 'print the JSON Schema, for editors',
    'design check': 'check a design file',
    'design diagram': 'print a network diagram of a design, with the machines in each network',
    'design import': 'print a design imported from existing files',
    generate: 'write the files of one stage, by host',
    export: 'Ansible files for the service hosts; scripts that download files or add nodes',
    'export ansible': 'the service hosts as an inventory, a playbook and roles',
    'export downloads': 'print a script that fetches openshift-install, oc and the images',
    'export node-image': 'print a script that adds nodes with an image of the cluster (from 4.17)',
    hosts: 'the service hosts, set up from here over SSH',
    'hosts plan': 'show what install.sh would change on each host',
    'hosts apply': 'run install.sh on the hosts',
    'hosts verify': 'compare the hosts and their services with the design',
    'hosts undo': 'restore the previous files of the hosts',
    doctor: 'what this machine lacks for an installation',
    check: 'the site, compared with the design',
    diagnose: 'what is wrong, most likely cause first',
    status: 'the cluster, compared with the design',
    csr: 'certificate requests, reviewed against the design',
    'csr list': 'list the requests with their verdicts',
    'csr approve': 'approve requests that fit the design',
    'csr deny': 'deny requests, each by its name',
    infra: 'the moves to the infra nodes',
    'infra plan': 'show what each move would change',
    'infra apply': 'apply the moves in their order',
    'infra verify': 'check whether the moves are done',
    'infra undo': 'restore the settings from before the moves',
    'infra job': 'the job that carries out moves for the wizard',
    answer: 'answer the open question of a wizard, from any terminal',
    attach: 'the session of another terminal: watch it or take it over',
    detach: 'end the session of another terminal; its jobs keep running',
    sessions: 'the installations on this machine',
    event: 'test the command of --on-event',
    report: 'the report on the cluster, as Markdown, HTML or JSON',
    bundle: 'a support bundle without secrets',
    completion: 'print a completion script for a shell',
    man: 'print the manual page',
    help: 'reference pages, or the help of a command',
  },
  /** More about some commands, below the first line of their help. */
  details: {
    rehearse:
      'With --answers and --plain it plays to its end without questions, and needs no terminal. It touches nothing outside its directory. More: "upi-wizard help rehearsal".',
    'design check': 'More: "upi-wizard help design" and "upi-wizard help rules".',
    'design import':
      'Reads install-config.yaml, CSV, named.conf, dhcpd.conf, haproxy.cfg and others. A later file overrides an earlier one.',
    generate:
      'A file that you changed since the last run stops the command (exit code 5). More: "upi-wizard help files".',
    'export ansible': 'The same files, order and checks as in the wizard.',
    'export downloads':
      'For a bastion without internet access: run the script on a machine that has it, copy the files over, and start the wizard with --mirror DIR. This command uses no network.',
    'export node-image':
      'The script adds nodes to a running cluster with oc adm node-image instead of worker.ign. It contains nodes-config.yaml, has oc create the boot files, and puts them where the machines fetch them. It also approves the certificate requests. This command only prints the script.',
    'hosts plan': 'A dry run on each host. The bastion is this machine.',
    'hosts apply':
      'It continues if the connection drops. A change that could cut the host or the cluster off reverts on its own unless the checks pass. The bastion is this machine. More: "upi-wizard help hosts".',
    'hosts undo': 'Without --overwrite, files that others changed after "hosts apply" stay. Packages always stay.',
    doctor: 'It changes nothing.',
    check:
      'Queries name servers, load balancer, boot server and network as a machine would. It changes nothing. More: "upi-wizard help checks".',
    diagnose: 'Lists every cause that this machine can detect. It changes nothing. More: "upi-wizard help diagnosis".',
    status: 'More: "upi-wizard help status".',
    'csr list': 'More: "upi-wizard help csr".',
    'csr approve':
      'Names, --expected or --follow select the requests. It never denies a request: "csr deny" does. More: "upi-wizard help csr".',
    'csr deny':
      'For the request of an intruder. A denial is final, and does not block the sender, who can send new requests. Shows the requests and asks first. An approved request cannot be denied. More: "upi-wizard help csr".',
    'infra plan': 'More: "upi-wizard help moves".',
    'infra apply':
      'Shows all changes and asks first. With FILE it applies that plan, once, unless the cluster has changed since the plan was saved. More: "upi-wizard help moves".',
    'infra undo': 'Undoes the last move first, and asks before it writes. More: "upi-wizard help moves".',
    'infra job':
      'The wizard applies and undoes moves in a job that outlives the terminal. This command shows the job. "upi-wizard answer" answers its question. More: "upi-wizard help moves".',
    answer: 'Without an argument, it shows the question.',
    attach: 'It asks whether to watch or take over, if another session is active.',
    event: 'Runs the command as the event would. More: "upi-wizard help events".',
    report:
      'Without an option it prints Markdown. With --kubeconfig alone it reports what the API of that cluster shows. It names the files that hold secrets, and never shows their content. An existing file is replaced; only you can read the new one.',
    bundle: 'Logs, state and versions for the support team. It lists them, then asks. More: "upi-wizard help bundle".',
    completion: 'It completes in the shell that loads it: put the line into the startup file of your shell.',
  },
  /** Meanings of options and arguments. Several commands share a sentence. */
  options: {
    dir: 'the install directory (default: the one used last, else ./upi-cluster)',
    'wizard-dir': 'the install directory (default: the last one that is not finished, else ./upi-cluster)',
    'rehearsal-dir':
      'the directory of the rehearsal (default: ./upi-rehearsal, with --cloud ./upi-rehearsal-aws, or a new one if that is finished; temporary with --answers and --plain)',
    json: 'print one JSON document',
    yes: 'do not ask',
    plain: 'the same steps line by line, with numbered choices; also with ACCESSIBLE=1, and if TERM is dumb',
    'screen-reader': 'the same as --plain',
    'no-bell': 'do not ring when a wait of over a minute ends',
    notify:
      'notify the terminal (OSC 9, OSC 777) and ring its bell when a question or certificate requests wait, or a step ends; tmux needs `set -g allow-passthrough on`',
    'no-mouse': 'leave the mouse to the terminal: the wheel scrolls nothing, and dragging selects text without Shift',
    override:
      'with --plain and no terminal: continue although these blocking checks failed; the report records the reason',
    'on-event':
      'run CMD on events while you are away: a command, wall, write, or off; saved with the install directory',
    'print-version': 'print the version and exit',
    'wizard-answers': 'a design file for a new installation, which then opens at Review',
    mirror:
      'Prepare takes openshift-install, oc and the images from DIR, where the script of "export downloads" put them; saved with the install directory until --mirror off',
    'rehearsal-mirror':
      'Prepare takes openshift-install, oc and the images from DIR; its openshift-install has to be the stand-in: the real one cannot install a simulated cluster',
    answers: 'the design file to rehearse, or "example"; no questions about the design then',
    speed: `time runs N times as fast (default: 60; ${SHORTCUTS.faster} and ${SHORTCUTS.slower} change it)`,
    seed: 'the seed of random events (default: 1)',
    break: 'inject faults into a new rehearsal: "upi-wizard help rehearsal" lists them',
    cloud: 'begin with a cluster that runs on a simulated cloud: infra nodes by MachineSets; not with --answers',
    repair: `repair a simulated fault of a machine or of another team’s network, or reboot the machines that have not joined; "${SHORTCUTS.diagnose}" shows the ID`,
    'stop-site': 'stop the site of the rehearsal in --dir',
    topology: 'the topology',
    'openshift-version': 'the version of OpenShift',
    services: 'services on hosts of their own, or all on the bastion',
    'design-file': 'the design, in YAML or JSON; - reads standard input',
    svg: 'a picture (SVG) that any browser shows',
    'import-file': 'a file to import',
    'out-directory': 'the directory for the files',
    stage: 'the stage for which the files are generated',
    force: 'overwrite files that you changed, and keep the old versions beside them as .orig',
    'exported-design': 'a design file, - for standard input; without it, the design of the install directory',
    imageset:
      'print an ImageSetConfiguration for oc-mirror v2 instead, which copies the release into a mirror registry',
    'export-directory': 'the directory for inventory, playbook and roles',
    host: 'these hosts only',
    'overwrite-files': 'also overwrite files that others changed',
    'side-by-side': 'all hosts at the same time, not one after the other',
    'revert-after': 'seconds until a change that the checks do not confirm is reverted: 10 to 600 (default: 120)',
    'online-names': 'also look up internet names',
    'checked-design': 'a design file; without it, the design of the install directory',
    phase: 'the checks of one phase',
    'only-checks': 'these checks only, including those that are ok',
    'all-checks': 'also list the checks that are ok',
    'online-registries':
      'also log in to the registries on the internet, through the proxy, and query time servers there; those of the site are always queried',
    'log-bundle':
      'read a log bundle of openshift-install or a must-gather instead (archive or directory), or a text file with logs',
    'online-time': 'also query time servers on the internet',
    design: 'with --kubeconfig, instead of an install directory: a design file',
    kubeconfig: 'with --design, instead of an install directory: the kubeconfig of the cluster',
    'kubeconfig-alone': 'instead of an install directory: the kubeconfig of the cluster, with --design or alone',
    watch: 'repeat until Ctrl-C; without a terminal, print what changed, with --json one document per line',
    request: 'a request to approve by name, even where the design cannot decide',
    'denied-request': 'the full name of a request to deny; no pattern',
    expected: 'approve all requests that fit the design',
    follow: 'approve requests that fit the design as they appear, until every node has joined',
    forever: 'like --follow, but without end; in the foreground',
    background: 'like --forever, but as a job with a log that outlives the terminal',
    'stop-job': 'stop the job of --background',
    'follow-moves': 'show what the job does, until it ends or asks',
    'stop-moves': 'stop the job; what it changed stays',
    'carry-out': 'carry out the moves that the wizard confirmed (the job itself)',
    'yes-node': 'confirm a request by the name of its node, without a question',
    'only-moves': 'these moves only: "upi-wizard help moves" lists them',
    'infra-nodes': 'without a design: the infra nodes (default: by label, or a question)',
    'infra-machines': 'without a design, on a cloud: create N infra machines',
    'machine-size': 'the size of the infra machines, as the cloud names it',
    'health-check': 'replace infra machines whose node is not Ready',
    'worker-machines': 'without a design, on a cloud: scale the workers between two limits, such as 3-12',
    'router-replicas': 'without a design: the number of routers (default: unchanged)',
    'out-plan': 'save the plan, for "infra apply FILE"',
    'plan-file': 'a plan that "infra plan --out FILE" saved',
    'override-gitops': 'also change what Argo CD or a similar tool manages',
    journal: 'with --kubeconfig: the file that records the previous settings (default: beside the design)',
    stable: 'wait, and check that the moves stay done for this number of minutes: 1 to 1440',
    'overwrite-moves': 'also restore what others changed, for these moves only',
    'to-defaults': 'set the operator defaults where no previous setting was recorded',
    answer: 'the answer',
    view: 'watch it, read-only',
    'take-over': 'take it over: the other session saves and ends',
    'yes-word': 'end a session that does not answer; detach shows the WORD',
    event: 'the event to raise',
    step: 'the step that the event is about',
    'event-text': 'the text of the event',
    'html-report': 'write one HTML file that needs no script and no network',
    'markdown-report': 'write a Markdown file',
    'out-bundle': 'the file to write (default: upi-wizard-bundle-TIME.tar.gz)',
    shell: 'the shell',
    topic: 'a topic, or the words of a command; without one, the list of topics',
    lang: 'the language (default: that of the terminal)',
    color: 'colours on a terminal, always, or never; auto also respects NO_COLOR',
    help: 'print the help of a command',
  },
  help: {
    tagline: 'From an empty bastion to a running OpenShift UPI cluster with infra nodes.',
    usage: (command: string) => `Usage: ${command}`,
    argumentsTitle: 'Arguments',
    commandsTitle: 'Commands',
    optionsTitle: 'Options',
    examplesTitle: 'Examples',
    wizardTitle: 'Options of the wizard',
    commonTitle: 'Options of every command',
    sharedTitle: 'Options of these commands',
    wizard: 'Without a command, it starts the wizard, or resumes where you left off.',
    oneOf: (sentence: string, words: string) => `${sentence}. One of: ${words}`,
    fallback: (sentence: string, value: string) => `${sentence} (default: ${value})`,
    moreOf: (command: string) => `"upi-wizard ${command} COMMAND --help" shows all options of one command.`,
    more: '"upi-wizard COMMAND --help" shows the options of a command, and "upi-wizard help" lists the reference pages.',
    exitCodes:
      'Exit codes: 0 done and verified, 1 internal error, 2 wrong usage or unreadable file, 3 design errors, 4 negative result, 5 stopped to keep manual changes. 129, 130 and 143: terminated by a signal, with everything saved.',
  },
  /** Errors of a command line. */
  errors: {
    /** @param option the option whose value is empty; `''` for an argument without an option */
    empty: (option: string) =>
      `${option === '' ? 'An argument' : `The value of ${option}`} is empty: perhaps a shell variable is not set.`,
    unknownCommand: (name: string, nearest: string | null, known: readonly string[]) =>
      `There is no command "${name}".${formatSuggestion(nearest)}${nearest === null && known.length > 0 ? ` Specify ${joinWithOr(known)}.` : ''}`,
    noSubcommand: (name: string, known: readonly string[]) => `"${name}" needs a subcommand: ${joinWithOr(known)}.`,
    unknownOption: (option: string, command: string, nearest: string | null) =>
      `${command === '' ? `There is no option ${option}` : `"${command}" has no option ${option}`}.${formatSuggestion(nearest)}`,
    optionOfOther: (option: string, optionCommands: readonly string[], command: string) =>
      `${option} is an option of ${optionCommands.map((taker) => `"${taker}"`).join(' and ')}, not of "${command}". Leave it out.`,
    noValue: (option: string) => `${option} takes no value.`,
    valueMissing: (option: string, name: string) => `${option} needs a value: ${option} ${name}.`,
    valueIsOption: (option: string, value: string) =>
      `${option} needs a value, and "${value}" looks like an option. If it is the value: ${option}=${value}`,
    listGap: (option: string) => `${option} needs names, separated by commas.`,
    /** @param listCommand the command that lists all words, if there are many */
    notAChoice: (
      label: string,
      value: string,
      nearest: string | null,
      known: readonly string[],
      listCommand: string | null,
    ) =>
      [
        `${label} cannot be "${value}".`,
        nearest === null ? '' : formatSuggestion(nearest),
        nearest === null || (known.length > 0 && known.length <= MAX_LISTED_WORDS)
          ? ` Possible: ${formatWords(known, listCommand)}.`
          : '',
      ].join(''),
    notPositive: (label: string, value: string) => `${label} must be a number above 0, not "${value}".`,
    notInteger: (label: string, from: number, to: number, value: string) =>
      `${label} must be a whole number from ${from} to ${to}, not "${value}".`,
    unexpected: (argument: string) => `Unexpected argument "${argument}".`,
    valueOfOption: (argument: string, command: string) => `Unexpected argument "${argument}": use "${command}".`,
    missing: (command: string, argument: string) => `"${command}" needs ${argument}.`,
  },
};
