/** Messages of `upi-wizard check`, the preflight checks of a site. */
import { plural } from '../plural.ts';

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
