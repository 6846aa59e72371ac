/** The service hosts set up from here: plan, apply, verify, undo. */
import { plural } from './plural.ts';

const KINDS = {
  package: 'Packages',
  file: 'Files',
  service: 'Services',
  firewall: 'Firewall',
  selinux: 'SELinux',
};

export const hosts = {
  noAction: 'Say what: hosts plan, apply, verify or undo.',
  unknownAction: (action: string) => `There is no "hosts ${action}". Known: plan, apply, verify, undo.`,
  unknownHost: (name: string, known: string) => `The design has no service host "${name}". It has: ${known}.`,
  rehearsal: {
    title: 'The hosts of a rehearsal are no machines',
    cause: 'They are simulated, so there is nothing to run install.sh on.',
    whatToDo: 'Press Enter on the screen "Service hosts" of the rehearsal: it puts the files in place.',
  },
  head: (name: string, address: string) => `${name} (${address})`,
  same: 'as generated: nothing to change',
  kinds: KINDS,
  hows: {
    new: 'new',
    changed: 'other than generated',
    edited: 'somebody changed it since it was put in place',
    restore: 'as it was before',
    remove: 'removed',
  },
  file: (path: string, how: string) => `${path}: ${how}`,
  diffMore: (lines: number) => `… ${plural(lines, 'line')} more`,
  running: 'A run is under way there.',
  reverts: (seconds: number) => `The last run is not confirmed: it is reverted in ${seconds} s.`,
  unsettled:
    'The last run was never confirmed, because the host was started again meanwhile: what it changed is in place.',
};
