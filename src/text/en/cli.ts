/** The words of the commands: help, questions, what is wrong with their arguments. */
export const cli = {
  usage: (version: string, faults: string, languages: string) => `upi-wizard ${version}
From an empty bastion to a running OpenShift UPI cluster with infra nodes.

Usage: upi-wizard [--dir D] [--plain]     the wizard; goes on where you left
       upi-wizard rehearse [options]      the same against a simulated site
       upi-wizard design COMMAND          example, JSON Schema, check, import
       upi-wizard generate FILE --out DIR write the files of one stage
       upi-wizard status                  the cluster, compared with the design
       upi-wizard csr list|approve        list and approve certificate requests
       upi-wizard infra plan|apply|verify|undo
                                          the moves to the infra nodes
       upi-wizard help [TOPIC]            reference: rules, files, design, …

Wizard
  --dir D            install directory (default: the last, else ./upi-cluster)
  --plain            one question per line instead of full screens
  --screen-reader    linear output for a screen reader

rehearse
  --dir D            where the rehearsal lives (default ./upi-rehearsal;
                     with --answers a new one)
  --answers FILE     a design file, or "example"; no questions then
  --plain            plain lines; needs no terminal
  --speed N          time runs N times as fast (default 60)
  --seed N           the seed of random events (default 1)
  --break ID[,ID]    break something:
${faults}
  --stop             stop the site of the rehearsal in --dir

design example [--topology standard|compact|single-node] [--version X.Y]
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
infra plan|apply|verify|undo [--only MOVE,MOVE] [--yes]

  --lang L           the language: ${languages} (default: that of the terminal)
  -h, --help         this text
  -V, --version      the version

Exit codes: 0 done and verified, 1 a fault of upi-wizard, 2 wrong usage or
unreadable file, 3 the design has errors, 4 done what was asked and the answer
is no, 5 stopped before overwriting what a person changed, 129/130/143 ended by
a signal with everything saved.
`,
  unknownLanguage: (code: string, known: string) => `There is no language "${code}". Known: ${known}.`,
  unknownCommand: (name: string) => `There is no command "${name}".`,
  usageError: (message: string) => `${message.replace(/\.?$/, '.')} See "upi-wizard --help".`,
  noTerminal:
    'This terminal cannot show full screens. "npm run rehearsal" plays the documented example in plain lines, and "upi-wizard --plain" asks one question per line.',
  plainNeedsAnswers:
    '"rehearse --plain" asks nothing: name the design to play with --answers FILE, or --answers example.',
  unexpected: (message: string, log: string) =>
    `upi-wizard failed: ${message}\nYour saved answers are still there. Details: ${log}`,
  badNumber: (option: string, value: string) => `${option} wants a number above 0, not "${value}".`,
  unknownFault: (id: string, known: string) => `There is no fault "${id}". Known: ${known}.`,
  cannotRead: (file: string, why: string) => `Cannot read ${file}: ${why}`,
  designErrors: (file: string) => `The design in ${file} has errors:`,
  siteKept: (speed: number) =>
    `A rehearsal is already running here, at speed ${speed}. It keeps its own speed, seed and faults.`,
  noIsoBoot:
    'The simulated machines boot from the network only: with boot: iso this rehearsal ends at Boot. Everything before it is real.',
  siteStarting: (dir: string) => `Starting the rehearsal site in ${dir}`,
  siteLivesOn: (command: string) => `The simulated site keeps running. To stop it: ${command}`,
  siteStopped: 'The rehearsal site is stopped.',
  noSite: (dir: string) => `No rehearsal runs in ${dir}.`,
  notSavedIn: (dir: string) => `Your last answers could not be saved in ${dir}.`,
  savedIn: (dir: string) => `Everything is saved in ${dir}.`,
  resume: (command: string) => `Go on with: ${command}`,
  filesIn: (dir: string) => `The generated files, the log and the report are in ${dir}.`,
  faults: 'Faults in this rehearsal:',
};
