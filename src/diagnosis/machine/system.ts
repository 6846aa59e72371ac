import { catalogue } from '../../i18n/catalogue.ts';
import { check, type Rule, toFinding } from '../rule.ts';
import type { MachineEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;

/**
 * Certificates in the ignition files are valid from the current time of this machine: if its clock is ahead, nodes
 * reject them.
 */
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

/** Checks only that name servers are configured: a query is network traffic, which the user has to request. */
export const nameServers = check('name-servers', 'warning', ({ nameServers: servers }: MachineEvidence) =>
  servers.length === 0 ? { state: 'failed' } : { state: 'ok', detail: servers.join(', ') },
);

/** The names that an installation with internet access resolves first. */
export const outsideNames: Rule<MachineEvidence, 'outside-names'> = {
  code: 'outside-names',
  severity: 'warning',
  evaluate: ({ lookups }) =>
    (lookups ?? []).map(({ name, problem, isUnanswered = false }) =>
      toFinding(
        {
          state: problem === null ? 'ok' : isUnanswered ? 'unknown' : 'failed',
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
export const rootAccess = check('rights', 'warning', ({ user }: MachineEvidence) => {
  const { name, isRoot, sudoGroup, hasSudo } = user;
  if (isRoot) return { state: 'ok', detail: words().rights.root };
  if (hasSudo && sudoGroup !== null) return { state: 'ok', detail: words().rights.inGroup(name, sudoGroup) };
  // An individual rule in sudoers is visible to sudo only, which may report our attempt to its administrator.
  return hasSudo ? { state: 'unknown', command: 'sudo -v' } : { state: 'failed', detail: name };
});

/** Files that you copy to a web server's directory get this mask; a server that cannot read them answers 403. */
export const umask = check('umask', 'note', ({ umask: mask }: MachineEvidence) => {
  if (mask === null) return { state: 'unknown' };
  const detail = mask.toString(8).padStart(4, '0');
  return { state: (mask & 0o004) === 0 ? 'ok' : 'failed', detail };
});

/** Whether the processes of this user keep running after logout: the boot server, the wait for the installation. */
export const logoutSurvival = check('lingering', 'warning', ({ user, logout }: MachineEvidence) => {
  if (logout === null) return null;
  const { lingers, killsProcesses } = logout;
  if (lingers || !killsProcesses)
    return { state: 'ok', detail: lingers ? words().lingering.lingers : words().lingering.killDisabled };
  return { state: 'failed', detail: words().lingering.killEnabled, command: `loginctl enable-linger ${user.name}` };
});
