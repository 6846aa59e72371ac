import { plural } from './ui.ts';

/** Headings of the kinds of changes on a host. */
const KINDS = {
  package: 'Packages',
  file: 'Files',
  service: 'Services',
  firewall: 'Firewall',
  selinux: 'SELinux',
};

/** Texts of `upi-wizard hosts`: plan, apply, verify and undo. */
export const hosts = {
  nothing: 'Nothing to do.',
  unreachable: (names: string) =>
    `Nothing was changed, because ${names} cannot be checked. Specify the other hosts with --host to continue without them.`,
  needsYes: (action: string) => `There is no terminal to ask on: use --yes to ${action} without a question.`,
  confirmApply: (names: string) => `Run install.sh on ${names}? [y/N] `,
  confirmUndo: (names: string) => `Put everything back on ${names} as it was before the first run? [y/N] `,
  confirmOverwrite: (path: string, host: string) =>
    `There are local changes to ${path} on ${host}. Overwrite them? [y/N] `,
  editedStop: (paths: string, host: string) =>
    `Nothing was written: there are local changes to ${paths} on ${host}. --overwrite overwrites them.`,
  editedStay: (paths: string, host: string) => `Changed on ${host}, left as they are: ${paths}`,
  declined: 'Nothing was changed.',
  packagesStay: (names: string) => `  Packages that stay: ${names}`,
  nothingToUndo: 'nothing to undo',
  hostLine: (host: string, line: string) => `${host}: ${line}`,
  checksFine: (count: number) => `  ${plural(count, 'check')} of this host passed`,
  checkWrong: (title: string, cause: string) => `  ✘ ${title}: ${cause}`,
  unknownHost: (name: string, known: string) => `The design has no service host "${name}". It has: ${known}.`,
  head: (name: string, address: string) => `${name} (${address})`,
  unchanged: 'as generated: nothing to change',
  kinds: KINDS,
  changeModes: {
    new: 'new',
    changed: 'not as generated',
    edited: 'changed since it was put in place',
    restore: 'restored to its state before the first run',
    remove: 'removed',
  },
  file: (path: string, mode: string) => `${path}: ${mode}`,
  diffMore: (lines: number) => `… ${plural(lines, 'line')} more`,
  running: 'A run is in progress there.',
  reverts: (seconds: number) => `The last run is not confirmed: it reverts in ${seconds} s.`,
  neverConfirmed: 'The last run was never confirmed and has not been reverted: its changes are still in place.',
  unitStopped: (unit: string, host: string) => ({
    title: `${unit} does not run on ${host}`,
    cause: 'systemd reports that it is not active.',
    remedy: `See why, on ${host}: \`journalctl -u ${unit} -n 30\``,
  }),
  progress: {
    found: 'A run was found there; following it.',
    start: {
      install: (seconds: number) =>
        seconds > 0
          ? `install.sh runs there on its own; its changes are reverted ${seconds} s after it ends unless the checks pass.`
          : 'install.sh runs there on its own; none of its changes can cut off the host.',
      undo: () => 'install.sh --undo runs there on its own.',
    },
    stages: {
      packages: 'packages',
      files: 'files',
      checks: 'checks of the files',
      firewall: 'firewall and SELinux',
      services: 'services',
      revert: 'the run failed, and is being reverted',
    },
    connectionLost: (reason: string) =>
      `The connection is lost (${reason}). While the host is up, the run continues there. Trying again.`,
    connectionRestored: 'The connection is back.',
    revertDue: (seconds: number, minutes: number) =>
      `No connection for ${seconds} s. Unless install.sh still runs there, the host has restored its previous files by now. Log in on its console, or wait: the wizard keeps trying, for ${minutes} min in all.`,
    checksPassed: 'Every check of this host passes.',
    checksFailing: (first: string, count: number, seconds: number | null) =>
      `${plural(count, 'check fails', 'checks fail')}, first: ${first}${seconds === null ? '' : `; reverts in ${Math.max(0, seconds)} s`}`,
    statusUnknown: (reason: string) => `A run was started there; its status is unknown (${reason}).`,
    unconfirmed: 'in place, and not confirmed yet',
    notFollowed: 'no session followed it',
    rebootedBeforeConfirmation: 'the host rebooted before the run was confirmed',
    confirmedTooLate: 'The confirmation came a moment too late.',
    failed: (reason: string) => `Failed, and reverted there: ${reason}`,
    reverted: (reason: string) => `Reverted, and verified to be as before. Why: ${reason}`,
    revertedWithDifferences: (reason: string) =>
      `Reverted, but the host is not as it was before: "upi-wizard hosts plan" shows the differences. Why: ${reason}`,
    checksFailed: (reason: string) => `In place, but a check fails: ${reason}`,
    revertFailed: (reason: string) => `The run could not be reverted: see /run/upi-wizard/log there. Why: ${reason}`,
    ends: {
      same: 'Nothing to change.',
      confirmed: 'Confirmed: the changes stay.',
      undone: 'The host is as it was before the first run.',
      lost: 'The host has no record of the run any more: it has rebooted since. "upi-wizard hosts plan" shows its state.',
    },
  },
};
