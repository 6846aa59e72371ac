/** Messages of `upi-wizard check`, the preflight checks of a site. */
import { plural } from '../plural.ts';

export const check = {
  unknownPhase: (phase: string, known: string) => `There is no phase "${phase}". Known: ${known}.`,
  unknownCheck: (ids: string, known: string) => `There is no check "${ids}". Known: ${known}.`,
  oneFile: (argument: string) => `check takes one design file, not also "${argument}".`,
  fileAndDirectory: 'Name a design file or an install directory with --dir, not both.',
  noChecks: 'No check applies to this choice.',
  dependentChecks: (cause: string, count: number) =>
    `${cause} (${plural(count, 'check says', 'checks say')} nothing without it)`,
  /** Explains the steps that the remedies above it name. */
  wizardStepsHint: (command: string) =>
    `Steps that are named here (Generate, Prepare, …) are taken in the wizard: \`${command}\``,
  verdict: (counts: { ok: number; failed: number; blocking: number; unknown: number; pending: number }) =>
    [
      `${counts.ok} in order`,
      `${counts.failed} failed (${counts.blocking} of them block the installation)`,
      ...(counts.pending > 0 ? [`${counts.pending} come later`] : []),
      ...(counts.unknown > 0 ? [`${counts.unknown} cannot be told from here`] : []),
    ].join(', '),
  page: {
    intro:
      '"upi-wizard check" asks the site what its machines will ask, and compares the answers with the design. It changes nothing. A check that nothing could be seen for is "unknown", never "failed". Checks that block end the command with 4.',
    start: 'The phase "start" is about this machine: "upi-wizard doctor" tells the same.',
    prepare: 'ignition, too: what Prepare makes and downloads',
    phases: {
      hosts: 'hosts: the service hosts, seen over SSH',
      dns: 'dns: name servers',
      dhcp: 'dhcp: addresses of the nodes',
      'load-balancer': 'load-balancer',
      'boot-files': 'boot-files: boot server and TFTP server',
      ignition: 'ignition: what machines become nodes with',
      'before-boot': 'before-boot: addresses, time and hosts',
    },
    severities: { fatal: 'blocks', warning: 'warning', note: 'note' },
  },
};
