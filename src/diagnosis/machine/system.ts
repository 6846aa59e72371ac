import { catalogue } from '../../text/catalogue.ts';
import { check, type Rule, worded } from '../rule.ts';
import type { MachineEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;

/** Certificates in the ignition files are valid from the time of this machine on: one that is ahead makes nodes refuse them. */
export const clockSync = check('clock-synchronised', 'warning', ({ clock }: MachineEvidence) => {
  const { isSynchronised, source } = clock;
  if (isSynchronised === null) return { state: 'unknown', command: 'chronyc tracking' };
  return isSynchronised
    ? { state: 'ok', detail: source }
    : { state: 'failed', detail: source, command: 'chronyc tracking' };
});

export const timeZone = check('time-zone', 'note', ({ clock }: MachineEvidence) => ({
  state: 'ok',
  detail: clock.timeZone,
}));

/** Says only that name servers are set: asking one is traffic, which a person has to ask for. */
export const nameServers = check('name-servers', 'warning', ({ nameServers: servers }: MachineEvidence) =>
  servers.length === 0 ? { state: 'failed' } : { state: 'ok', detail: servers.join(', ') },
);

/** The names that an installation with the internet asks for first. */
export const outsideNames: Rule<MachineEvidence, 'outside-names'> = {
  code: 'outside-names',
  severity: 'warning',
  judge: ({ lookedUp }) =>
    (lookedUp ?? []).map(({ name, problem, isUnheard = false }) =>
      worded(
        {
          state: problem === null ? 'ok' : isUnheard ? 'unknown' : 'failed',
          subject: name,
          detail: problem ?? '',
          command: `getent hosts ${name}`,
        },
        words()['outside-names'],
      ),
    ),
};

export const selinux = check('selinux', 'note', ({ selinux: mode }: MachineEvidence) => ({
  state: 'ok',
  detail: words().selinux.modes[mode],
}));

export const firewall = check('firewall', 'note', ({ firewall: found }: MachineEvidence) => ({
  state: 'ok',
  detail: found ?? words().firewall.none,
}));

/** install.sh of a service host runs as root. */
export const rights = check('rights', 'warning', ({ user }: MachineEvidence) => {
  const { name, isRoot, sudoGroup, hasSudo } = user;
  if (isRoot) return { state: 'ok', detail: words().rights.root };
  if (hasSudo && sudoGroup !== null) return { state: 'ok', detail: words().rights.inGroup(name, sudoGroup) };
  // A rule of its own in sudoers shows only to sudo, which may tell its administrator that we asked.
  return hasSudo ? { state: 'unknown', command: 'sudo -v' } : { state: 'failed', detail: name };
});

/** Files that a person copies to a web server's directory take this mask, and a server that cannot read them says 403. */
export const umask = check('umask', 'note', ({ umask: mask }: MachineEvidence) => {
  if (mask === null) return { state: 'unknown' };
  const detail = mask.toString(8).padStart(4, '0');
  return { state: (mask & 0o004) === 0 ? 'ok' : 'failed', detail };
});

/** Whether what runs for this user goes on after logout: the boot server, the wait for the installation. */
export const lingering = check('lingering', 'warning', ({ user, logout }: MachineEvidence) => {
  if (logout === null) return null;
  const { lingers, killsProcesses } = logout;
  if (lingers || !killsProcesses)
    return { state: 'ok', detail: lingers ? words().lingering.lingers : words().lingering.kept };
  return { state: 'failed', detail: words().lingering.killed, command: `loginctl enable-linger ${user.name}` };
});
