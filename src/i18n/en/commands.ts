import { plural } from './ui.ts';

/** Messages of `upi-wizard bundle`. */

const formatSize = (bytes: number) => (bytes < 10_240 ? `${bytes} B` : `${Math.round(bytes / 1024)} KiB`);

export const bundle = {
  parts: {
    about: 'versions of upi-wizard and the system',
    programs: 'programs here, with their versions',
    design: 'the saved design, without passwords',
    session: 'the saved answers and facts',
    journal: 'what was done and saved, and when',
    programLog: 'errors of upi-wizard itself',
    generated: 'generated files and their checksums',
    installerLog: 'log of openshift-install, last 4 MiB',
    bootServer: 'allowed clients and their requests',
    report: 'the report of the finished cluster',
    job: 'a background job, and its last lines',
    listing: 'names, sizes and modes of all files',
  },
  exclusions: 'It never holds kubeconfigs, ignition files, the pull secret, passwords or private keys.',
  preview: (dir: string) => `The support bundle of ${dir} will hold these files, with secrets hidden:`,
  size: formatSize,
  leftOut: 'Left out:',
  missing: (path: string, why: string) => `  ${path}: ${why}`,
  withheld: 'it still held a secret after the redaction',
  notFile: 'it is not a regular file',
  question: (file: string, count: number, bytes: number) =>
    `Write ${file} (${plural(count, 'file')}, ${formatSize(bytes)})? [y/N] `,
  declined: 'Nothing was written.',
  needsYes: '"bundle" asks before it writes: without a terminal, use --yes.',
  noDirectory: (dir: string) => `There is no directory ${dir}: specify the install directory with --dir.`,
  noSession: (dir: string) => `${dir} has no session of upi-wizard. Specify the install directory with --dir.`,
  alreadyExists: (file: string) => `${file} exists already. Nothing was written; specify another file with --out.`,
  unwritable: (file: string, why: string) => `Cannot write ${file}: ${why}.`,
  result: (file: string, digest: string) => `${file}\nsha256 ${digest}`,
  inspectHint: (file: string) => `To see what is in it: tar -xzOf ${file} | less`,
};

/** Messages of `upi-wizard check`, the preflight checks of a site. */

export const check = {
  unknownPhase: (phase: string, known: string) => `There is no phase "${phase}". Known: ${known}.`,
  unknownCheck: (ids: string, known: string) => `There is no check "${ids}". Known: ${known}.`,
  oneFile: (argument: string) => `"check" accepts only one design file: leave out "${argument}".`,
  fileAndDirectory: 'Specify a design file or an install directory with --dir, not both.',
  noChecks: 'No check matches this selection.',
  dependentChecks: (cause: string, count: number) =>
    `${cause} (${plural(count, 'check depends', 'checks depend')} on it)`,
  /** Explains the steps that the remedies above it name. */
  wizardStepsHint: (command: string) =>
    `Steps that are named here (Generate, Prepare, …) are run in the wizard: \`${command}\``,
  verdict: (counts: { ok: number; failed: number; blocking: number; unknown: number; pending: number }) =>
    [
      `${counts.ok} ok`,
      `${counts.failed} failed (${counts.blocking} of them block the installation)`,
      ...(counts.pending > 0 ? [`${counts.pending} come later`] : []),
      ...(counts.unknown > 0 ? [`${counts.unknown} cannot be checked here`] : []),
    ].join(', '),
  page: {
    intro:
      '"upi-wizard check" sends the queries that the machines will send, and compares the answers with the design. It changes nothing. A check without evidence is "unknown", never "failed". If a check that blocks fails, the exit code is 4.',
    start: 'The phase "start" is about this machine: "upi-wizard doctor" shows the same.',
    prepare: 'ignition, too: files that Prepare creates or downloads',
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
  usage: (version: string, faults: string, languages: string) => `upi-wizard ${version}
From an empty bastion to a running OpenShift UPI cluster with infra nodes.

Usage: upi-wizard [--dir D] [--plain]     the wizard; resumes where you left off
       upi-wizard rehearse [options]      the same against a simulated site
       upi-wizard design COMMAND          example, JSON Schema, check, import
       upi-wizard generate FILE --out DIR write the files of one stage
       upi-wizard status                  the cluster, compared with the design
       upi-wizard csr list|approve        list and approve certificate requests
       upi-wizard infra plan|apply|verify|undo
                                          the moves to the infra nodes
       upi-wizard attach | detach         another terminal: watch its session,
                                          take over, end it (jobs keep running)
       upi-wizard answer [yes|no|TEXT]    the question that waits for an answer
       upi-wizard sessions                the installations on this machine
       upi-wizard doctor [--online]       what this machine lacks
       upi-wizard check [FILE]            the site, compared with the design
       upi-wizard hosts plan|apply|verify|undo
                                          the service hosts, set up from here
       upi-wizard export ansible DIR      the service hosts as Ansible roles
       upi-wizard diagnose                what is wrong, likeliest cause first
       upi-wizard bundle [--out FILE]     a support bundle without secrets
       upi-wizard help [TOPIC]            reference: rules, files, design, …
       upi-wizard completion bash|zsh|fish, man
                                          completion for a shell; manual page

Wizard
  --dir D            install directory (default: the last one that is not
                     finished, else ./upi-cluster)
  --plain            the same steps line by line, with numbered choices;
                     also with ACCESSIBLE=1, and if TERM is dumb
  --screen-reader    the same
  --no-bell          do not ring when a wait of over a minute ends
  --no-mouse         leave the mouse to the terminal: the wheel scrolls nothing,
                     and dragging selects text without Shift
  --override 'ID,ID: REASON'   with --plain and no terminal: continue although
                     these blocking checks failed; the report records the reason
  --on-event CMD     run CMD on events, while you are away ("help events"):
                     a command, wall, write, or off; saved in the directory

rehearse
  --dir D            directory of the rehearsal (default ./upi-rehearsal, or
                     beside a finished one; with --answers a new one)
  --answers FILE     a design file, or "example"; no questions then
  --plain            plain lines; with --answers it needs no terminal
  --speed N          time runs N times as fast (default 60; + and - change it)
  --seed N           the seed of random events (default 1)
  --break ID[,ID]    break something (a new rehearsal only):
${faults}
  --cloud aws        begin at a cluster that runs on a simulated AWS: infra
                     nodes by MachineSets; no --answers
                     (default directory ./upi-rehearsal-aws)
  --repair ID        repair a fault of a machine, or of a network that is
                     not yours, in the rehearsal in --dir ("!" shows the ID)
  --stop             stop the site of the rehearsal in --dir

design example [--topology standard|compact|single-node] [--version X.Y]
         [--services hosts|bastion]   each on its own, or all on the bastion
design schema
design check FILE [--json]
design import FILE [FILE…]   a design from install-config.yaml, CSV and others
generate FILE --out DIR [--force] [--json]
         [--stage install|bootstrap-removed|infra-added|infra-only]

status, csr, infra  [--dir D | --design FILE --kubeconfig K] [--json]
status [--watch]   repeat until q or Ctrl-C; piped: print what changed,
                   with --json one document per line
csr list
csr approve [NAME…] [--expected] [--follow] [--yes NODE]
csr approve --background   a job with a log that approves expected requests as
         they appear; --stop ends it, --forever does the same in the foreground
infra plan [--out FILE]   with --out the plan is saved, for "infra apply FILE"
infra apply [FILE] [--only MOVE,MOVE] [--yes] [--override-gitops]  the last one:
         also changes what Argo CD or similar tools manage
infra verify [--only MOVE,MOVE] [--stable MINUTES]
infra undo [--only MOVE,MOVE] [--yes] [--overwrite MOVE,MOVE] [--to-defaults]
         --overwrite also restores what others changed; --to-defaults
         sets defaults for what has no record (--journal FILE)

infra … --kubeconfig K   without a design: [--infra-nodes A,B]
         [--infra-machines N [--machine-size S] [--health-check]]
         [--worker-machines MIN-MAX] [--router-replicas N]; default: infra nodes
         by label, or a question, and the current number of routers

attach [--dir D] [--view | --take-over]
         asks whether to watch or take over, if another session is active
detach [--dir D] [--yes WORD]   that session saves and ends; if it does not
         answer, detach shows the WORD that ends it
answer [--dir D] [yes|no|TEXT] [--json]
         shows or answers the open question, also of a wizard elsewhere
sessions [--json]
doctor [--dir D] [--online] [--json]
         changes nothing; --online also looks up internet names
check [FILE | --dir D] [--phase P] [--only ID,ID] [--online] [--json]
         queries name servers, load balancer, boot server and network as a
         machine would; changes nothing. Phases: start, hosts, dns, dhcp,
         load-balancer, boot-files, ignition, before-boot. --online also
         logs in to the registries of the pull secret, through the proxy, and
         queries time servers on the internet
hosts plan|apply|verify|undo [--dir D] [--host H[,H]] [--json]
         install.sh on each service host, over SSH; the bastion is this machine.
         plan is a dry run there; verify also queries the services
hosts apply [--yes] [--overwrite] [--side-by-side] [--revert-after S]
         continues if the connection drops; a change that could cut the host
         or the cluster off reverts after S seconds (120) unless checks pass
hosts undo [--yes] [--overwrite] [--side-by-side]   without --overwrite,
         files that others changed since stay; packages stay in any case
export ansible DIR [--dir D] [--force] [--json]
         the same files, order and checks as an inventory, a playbook and roles
diagnose [--dir D] [--online] [--json]
         every cause that can be seen from here, most likely first; changes
         nothing. --online also queries time servers on the internet
diagnose --bundle FILE [--dir D] [--json]
         the same for a log bundle of openshift-install, or a must-gather
event NAME [--dir D] [--step S] [--text T]   try the command of --on-event

bundle [--dir D] [--out FILE] [--yes] [--json]
         logs, state and versions for the support team; lists them, then asks

completion bash|zsh|fish   source <(upi-wizard completion bash)
man                upi-wizard man | man -l -

  --lang L           the language: ${languages} (default: that of the terminal)
  -h, --help         this text
  -V, --version      the version

Exit codes: 0 done and verified, 1 an internal error, 2 wrong usage or
unreadable file, 3 the design has errors, 4 the command ran and its result is
negative, 5 stopped before overwriting manual changes, 129/130/143 ended by
a signal with everything saved.
`,
  /** Shown where a shell does not find `upi-wizard` by its name. */
  invocationHint: 'In this shell, run upi-wizard as:',
  unknownLanguage: (code: string, known: string) => `There is no language "${code}". Known: ${known}.`,
  /** @param option the option whose value is empty; `''` for an argument without an option */
  emptyArgument: (option: string) =>
    `${option === '' ? 'An argument' : `The value of ${option}`} is empty: perhaps a variable of the shell is not set.`,
  noWorkingDirectory: 'The directory that you are in was removed: change to another one (cd), and start again.',
  unknownCommand: (name: string) => `There is no command "${name}".`,
  usageError: (message: string, help: string) => `${message.replace(/\.?$/, '.')} See "${help}".`,
  overridePlain: '--override is for --plain without a terminal; otherwise the wizard asks for the reason.',
  noTerminal: (rehearse: string, plain: string) =>
    `This terminal cannot show full screens. "${rehearse}" plays the documented example in plain lines, and "${plain}" asks one question per line.`,
  plainNeedsAnswers:
    'Without a terminal the wizard cannot ask: specify the design with --answers FILE, or use --answers example.',
  unexpected: (message: string, log: string) =>
    `upi-wizard failed: ${message}\nYour saved answers are still there. Details: ${log}`,
  outputFailed: (why: string) =>
    `Standard output could not be written: ${why}. What was printed is not complete; the command itself ran to its end.`,
  unexpectedUnlogged: (message: string, log: string) =>
    `upi-wizard failed: ${message}\nYour saved answers are still there. The details could not be written to ${log}.`,
  badNumber: (option: string, value: string) => `${option} must be a number above 0, not "${value}".`,
  unknownFault: (id: string, known: string) => `There is no fault "${id}". Known: ${known}.`,
  cannotRead: (file: string, why: string) => `Cannot read ${file}: ${why}`,
  designErrors: (file: string) => `The design in ${file} has errors:`,
  siteOptionsConflict: (seed: number, faults: string) =>
    `The rehearsal in this directory began with seed ${seed} and ${faults === '' ? 'no faults' : `the faults ${faults}`}, and keeps them: leave out --seed and --break, or specify a new directory with --dir.`,
  siteCloudConflict: (cloud: string) =>
    `The rehearsal in this directory does not simulate ${cloud}: leave out --cloud, or specify a new directory with --dir.`,
  cloudOrAnswers: '--cloud begins with a running cluster, so it cannot be used with --answers: leave out one of them.',
  unknownCloud: (name: string, known: string) => `--cloud must be ${known}, not "${name}".`,
  faultOfCloud: (fault: string) => `--break ${fault} applies only to machines of a cloud: add --cloud aws.`,
  faultNotOfCloud: (fault: string, possible: string) =>
    `--break ${fault} applies only to an installation, but with --cloud the cluster already runs. Possible faults: ${possible}.`,
  noIsoBoot:
    'The simulated machines boot from the network only: with boot.kind iso this rehearsal ends at Boot. All steps before it work.',
  siteStarting: (dir: string) => `Starting the rehearsal site in ${dir}`,
  siteCopied: (from: string) =>
    `This rehearsal was copied from ${from}. It has a simulated site of its own from now on; nothing that runs for ${from} is touched.`,
  siteKeepsRunning: (command: string) => `The simulated site keeps running. To stop it: ${command}`,
  repairDone: (fault: string) => `Repaired: ${fault}. Steps that wait for it continue on their own.`,
  unknownRepair: (fault: string, known: string) => `--repair must be one of ${known}, not "${fault}".`,
  siteStopped: 'The rehearsal site is stopped.',
  noSite: (dir: string) => `No rehearsal runs in ${dir}.`,
  notSavedIn: (dir: string) => `Your last answers could not be saved in ${dir}.`,
  abruptEnd: 'The last run ended abruptly; what it saved is here. If the shell looks odd, type reset.',
  savedIn: (dir: string) => `Everything is saved in ${dir}.`,
  resume: (command: string) => `Continue with: ${command}`,
  filesIn: (dir: string) => `The generated files, the log and the report are in ${dir}.`,
  faults: 'Faults in this rehearsal:',
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
  ready: (count: number) =>
    `Nothing that an installation needs is missing here (${plural(count, 'check', 'checks')} ok).`,
  missing: (titles: readonly string[]) => `To fix first: ${titles.join('; ')}.`,
  unexpectedArgument: (argument: string) => `doctor takes no argument "${argument}".`,
};

/** Event messages for the command of `--on-event`, and messages about that command. */
export const events = {
  rehearsal: (text: string) => `Rehearsal: ${text}`,
  question: (title: string, question: string) => `${title}: ${question} It waits for an answer.`,
  done: (title: string, summary: string) => `${title}: done. ${summary}`,
  failedStep: (title: string, error: string, cause: string) => `${title} failed: ${error}: ${cause}`,
  blocked: (title: string, finding: string, cause: string) => `${title} cannot continue: ${finding}: ${cause}`,
  jobEnded: (job: string, code: number) => `${job} ended${code === 0 ? ', successfully' : ` with code ${code}`}.`,
  jobRestarted: (job: string, code: number) => `${job} ended with code ${code} and is restarted.`,
  refused: (name: string, owner: string, why: string) =>
    `The certificate request ${name} of ${owner} was not approved: ${why}`,
  refusedMany: (count: number) =>
    `${plural(count, 'certificate request')} ${count === 1 ? 'was' : 'were'} not approved.`,
  complete: 'The installation is complete: all operators are available.',
  installed: 'openshift-install reports: the installation is complete.',
  test: (event: string) => `This is a test of the command for events (${event}).`,
  failed: (event: string, how: string) => `The command for events failed (event ${event}): it ${how}.`,
  ends: {
    done: 'ended successfully',
    code: (code: number) => `ended with code ${code}`,
    signal: (signal: string) => `was ended by ${signal}`,
    timeout: (seconds: number) => `was ended after ${seconds} seconds`,
    notStarted: (why: string) => `could not be started: ${why}`,
  },
  configured: (command: string, help: string) => `On events this runs: ${command}. More: "${help}".`,
  off: 'No command runs on events any more.',
  none: (command: string) => `No command is set for events. To set one: ${command}`,
  unknown: (name: string, known: string) => `There is no event or step "${name}". Known: ${known}.`,
  noCommand: '--on-event requires a command, or: wall, write, off.',
};

/** Messages of `upi-wizard export ansible`, which writes the service hosts for other tools. */

export const exportWords = {
  unknown: (what: string) => `There is no "export ${what}". Known: export ansible DIR.`,
  noDirectory: 'Specify a directory: export ansible DIR.',
  edited: (file: string) => `Changed since the last export: ${file}.\n`,
  stopped: 'Nothing was written. --force overwrites changed files, and keeps the old versions beside them as .orig.\n',
  saved: (file: string, as: string) => `${file}: the old version is kept as ${as}\n`,
  obsoleteFile: (file: string) => `${file} no longer belongs to the export, but was changed by hand: it stays.\n`,
  leftOut: (path: string) => `Left out, because it needs a credential that is missing: ${path}\n`,
  summary: (dir: string, files: number, written: number, removed: number) =>
    `${dir}: ${plural(files, 'file')}, ${written} written, ${removed} removed\n` +
    `See what it would change:  ansible-playbook -i ${dir}/inventory.yml ${dir}/site.yml --check --diff\n` +
    `Set up the hosts:          ansible-playbook -i ${dir}/inventory.yml ${dir}/site.yml\n`,
};

/** Descriptions of the commands for shell completion, and texts of the manual page. */
export const shells = {
  commands: {
    rehearse: 'the wizard against a simulated site',
    design: 'an example, the JSON Schema, check, import',
    'design example': 'print a worked example',
    'design schema': 'print the JSON Schema',
    'design check': 'check a design file',
    'design import': 'a design from files you have',
    generate: 'write the files of one stage',
    status: 'the cluster, compared with the design',
    csr: 'certificate requests',
    'csr list': 'list them, compared with the design',
    'csr approve': 'approve them',
    infra: 'the moves to the infra nodes',
    'infra plan': 'show what each move would change',
    'infra apply': 'apply the moves',
    'infra verify': 'check whether they are done',
    'infra undo': 'undo the moves',
    attach: 'watch or take over the session of another terminal',
    detach: 'end the session of another terminal',
    answer: 'the question that waits for an answer',
    event: 'try the command of --on-event',
    sessions: 'the installations on this machine',
    doctor: 'what this machine has and lacks',
    check: 'the site, compared with the design',
    hosts: 'the service hosts, set up from here',
    'hosts plan': 'show what would change on each',
    'hosts apply': 'run install.sh on them',
    'hosts verify': 'compare them with the design',
    'hosts undo': 'restore the previous files',
    export: 'the service hosts for other tools',
    'export ansible': 'an inventory and roles',
    diagnose: 'what is wrong, most likely cause first',
    bundle: 'a support bundle without secrets',
    completion: 'a completion script for a shell',
    man: 'the manual page',
    help: 'reference pages',
  },
  completion: {
    unknownShell: (known: string) => `completion requires the name of a shell: ${known}.`,
  },
  man: {
    title: 'upi-wizard manual',
    name: 'NAME',
    what: 'from an empty bastion to a running OpenShift UPI cluster with infra nodes',
    none: 'man takes no argument.',
  },
};
