import { clusterHelp, environmentHelp, eventsHelp, hostsHelp } from './commands.ts';
import { designHelp, rulesHelp } from './design.ts';
import { filesHelp } from './files.ts';
import { versionsHelp } from './versions.ts';

/** Texts of `upi-wizard help`. */
export const help = {
  intro: 'Reference pages, generated from the tables that upi-wizard itself uses: "upi-wizard help TOPIC".',
  topics: {
    commands: 'all commands and options',
    design: 'every key of the design file',
    rules: 'what a design is checked for: all rules, by family',
    versions: 'what differs between the versions of OpenShift, and the source of each fact',
    files: 'every kind of generated file, its host, path and reader',
    hosts: 'the service hosts set up from here, and the packages of each system',
    directory: 'what the install directory holds, and what you put there',
    rehearsal: 'the simulated site, and the faults it can have',
    status: 'what "status" shows, and which cluster and kubeconfig a command uses',
    csr: 'how certificate requests are reviewed: verdicts and reason codes',
    moves: 'the moves to the infra nodes, in their order',
    checks: 'what "check" checks at the site, by phase: every check and its remedy',
    diagnosis: 'what "diagnose" looks for: every rule, its cause and remedy',
    events: 'your command that runs when something happens',
    bundle: 'what a support bundle holds, and what it never holds',
    'exit-codes': 'what the exit code of a command means',
    environment: 'the environment variables that upi-wizard reads',
    languages: 'the languages, and how one is chosen',
  },
  more: 'Start with "upi-wizard" (the wizard) or "upi-wizard rehearse" (the same against a simulated site).',
  command: (name: string) => `The options of the command: "upi-wizard ${name} --help".`,
  oneTopic: 'help takes one topic.',
  unknownTopic: (topic: string, known: string) => `There is no help topic "${topic}". Topics: ${known}.`,
  didYouMean: (topic: string, near: string) => `There is no help topic "${topic}". The nearest one is "${near}".`,
  bundle: {
    intro:
      '"upi-wizard bundle" collects what others need to understand your installation into one archive that can be mailed: "upi-wizard-bundle-TIME.tar.gz", or "--out FILE". It lists the files and asks before it writes; "--yes" skips the question; "--json" prints the list as JSON.',
    contentsTitle: 'Contents',
    redacted:
      'Every text goes through the same redaction as the logs on the screens. It hides passwords, tokens, private keys and logins in URLs, and searches for the secrets of your installation in every form. A file in which a secret is still found is not included, but listed. Names and addresses of your hosts are not secrets, and stay.',
    partial:
      'Unreadable items are listed, and the exit code is 4. An existing file is never overwritten (exit code 5).',
  },
  events: eventsHelp,
  design: designHelp,
  rules: rulesHelp,
  versions: versionsHelp,
  files: filesHelp,
  hosts: hostsHelp,
  ...environmentHelp,
  ...clusterHelp,
};
