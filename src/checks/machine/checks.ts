import type { PortInUse } from '../../host/machine.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { type CheckResult, check, checkRules, evaluateRules, type Finding, type Rule, toFinding } from '../check.ts';
import { type MachineEvidence, SERVICE_PROGRAMS, type Service } from './evidence.ts';
import { installer, nodeVersion, oc, servicePrograms, ssh } from './programs.ts';

/** The ports that the services of an installation use, each with its service. */
export const SERVICE_PORTS: readonly Pick<
  PortInUse & { readonly service: Service },
  'protocol' | 'port' | 'service'
>[] = [
  { protocol: 'udp', port: 53, service: 'dns' },
  { protocol: 'tcp', port: 53, service: 'dns' },
  { protocol: 'udp', port: 67, service: 'dhcp' },
  { protocol: 'udp', port: 69, service: 'tftp' },
  { protocol: 'tcp', port: 80, service: 'load-balancer' },
  { protocol: 'tcp', port: 443, service: 'load-balancer' },
  { protocol: 'tcp', port: 6443, service: 'load-balancer' },
  { protocol: 'tcp', port: 22_623, service: 'load-balancer' },
];

/** Other legitimate owners of a service's port: systemd's sockets, and our own boot server. */
const OTHER_OWNERS: Readonly<Partial<Record<Service, readonly string[]>>> = {
  tftp: ['systemd', 'tftpd'],
  web: ['node', 'upi-wizard'],
};

/**
 * Another program uses a port that a service needs. It is more than a note only if this machine runs the service by the
 * design. Loopback does not count (systemd-resolved uses port 53 there, and named uses it on other addresses).
 */
const servicePorts: Rule<MachineEvidence, 'ports'> = {
  code: 'ports',
  severity: 'note',
  evaluate({ ports: inUse, duties, httpPort }) {
    const own = words().ports;
    const wanted = [...SERVICE_PORTS, { protocol: 'tcp', port: httpPort, service: 'web' } as const];
    const busy = wanted.flatMap(({ protocol, port, service }) => {
      const found = inUse.find((each) => each.port === port && each.protocol === protocol);
      return found === undefined ? [] : [{ ...found, service }];
    });
    if (busy.length === 0) return [toFinding({ state: 'ok', detail: own.free }, own)];
    return busy.map(({ protocol, port, owner, service }) => {
      const subject = `${protocol.toUpperCase()} ${port}`;
      const detail = owner === null ? own.unknownOwner : own.owner(owner.program, owner.pid);
      const command = `ss -l${protocol === 'tcp' ? 't' : 'u'}np sport = :${port}`;
      const isExpectedOwner =
        owner !== null && [...SERVICE_PROGRAMS[service], ...(OTHER_OWNERS[service] ?? [])].includes(owner.program);
      if (isExpectedOwner) return toFinding({ state: 'ok', subject, detail, command }, { ...own, title: own.right });
      // Only root sees the owner, which may well be the expected one.
      const state = owner === null ? 'unknown' : 'failed';
      const serves = duties?.serves.includes(service) ?? false;
      return { ...toFinding({ state, subject, command, severity: serves ? 'warning' : 'note' }, own), cause: detail };
    });
  },
};

const GIB = 1024 ** 3;

/**
 * openshift-install (0.7 GiB unpacked), oc, three RHCOS images (1.2 GiB), logs: with less, the downloads do not fit.
 */
const MIN_DISK = 4 * GIB;
const RECOMMENDED_DISK = 10 * GIB;
/** The wizard needs 0.2 GiB, and openshift-install about 1 GiB while it creates the ignition files. */
const MIN_MEMORY = 1.5 * GIB;

/** One directory holds everything of an installation: keys, ignition files, logs, saved answers. */
const directory = check('install-directory', 'fatal', ({ dir: { path, problem } }: MachineEvidence) => {
  if (problem === null) return { state: 'ok', detail: path };
  const { title, cause, remedy } = problem;
  return { state: 'failed', detail: cause, words: { wrong: title, remedy: remedy } };
});

const diskSpace = check('disk-space', 'fatal', ({ dir: { path, freeBytes } }: MachineEvidence) => {
  if (freeBytes === null) return { state: 'unknown' };
  const detail = words()['disk-space'].free(formatGib(freeBytes), path);
  const command = `df -h ${quoteShellArg(path)}`;
  if (freeBytes >= RECOMMENDED_DISK) return { state: 'ok', detail };
  return { state: 'failed', detail, command, severity: freeBytes < MIN_DISK ? 'fatal' : 'warning' };
});

const memory = check('memory', 'warning', ({ memory: { total, available } }: MachineEvidence) => {
  const detail = words().memory.amounts(formatGib(total), available === null ? null : formatGib(available));
  return { state: (available ?? total) < MIN_MEMORY ? 'failed' : 'ok', detail };
});

const processors = check('processors', 'note', ({ processors: count }: MachineEvidence) => ({
  state: 'ok',
  detail: words().processors.count(count),
}));

/** The ignition files contain the pull secret. A missing registry is only a warning: a mirror may have the images. */
const pullSecret = check('pull-secret', 'fatal', ({ pullSecret: found }: MachineEvidence) => {
  const isRegistryMissing = found.problem?.rule === 'pull-secret-registry';
  return isRegistryMissing ? { ...checkCredential(found), severity: 'warning' } : checkCredential(found);
});

/** Without an SSH key, a machine that does not come up cannot be debugged. */
const sshKey = check('ssh-key', 'warning', ({ sshKey: found }: MachineEvidence) => checkCredential(found));

/** Returns the result of a credential check, with the texts of the problem. */
function checkCredential({ file, problem }: MachineEvidence['sshKey']): CheckResult {
  if (problem === null) return { state: 'ok', detail: file };
  return { state: 'failed', detail: file, words: { wrong: problem.message, remedy: problem.fix } };
}

/** Formats bytes as GiB with one decimal. */
function formatGib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}

/**
 * Certificates in the ignition files are valid from the current time of this machine: if its clock is ahead, nodes
 * reject them.
 */
const clockSync = check('clock-synchronised', 'warning', ({ clock }: MachineEvidence) => {
  const { isSynchronised, source } = clock;
  if (isSynchronised === null) return { state: 'unknown', command: 'chronyc tracking' };
  return isSynchronised
    ? { state: 'ok', detail: source }
    : { state: 'failed', detail: source, command: 'chronyc tracking' };
});

const timeZone = check('time-zone', 'note', ({ clock }: MachineEvidence) => ({
  state: 'ok',
  detail: clock.timeZone,
}));

/** Checks only that name servers are configured: a query is network traffic, which the user has to request. */
const nameServers = check('name-servers', 'warning', ({ nameServers: servers }: MachineEvidence) =>
  servers.length === 0 ? { state: 'failed' } : { state: 'ok', detail: servers.join(', ') },
);

/** The names that an installation with internet access resolves first. */
const outsideNames: Rule<MachineEvidence, 'outside-names'> = {
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

const selinux = check('selinux', 'note', ({ selinux: mode }: MachineEvidence) => ({
  state: 'ok',
  detail: words().selinux.modes[mode],
}));

const firewall = check('firewall', 'note', ({ firewall: found }: MachineEvidence) => ({
  state: 'ok',
  detail: found ?? words().firewall.none,
}));

/** install.sh of a service host runs as root. */
const rootAccess = check('rights', 'warning', ({ user }: MachineEvidence) => {
  const { name, isRoot, sudoGroup, hasSudo } = user;
  if (isRoot) return { state: 'ok', detail: words().rights.root };
  if (hasSudo && sudoGroup !== null) return { state: 'ok', detail: words().rights.inGroup(name, sudoGroup) };
  // An individual rule in sudoers is visible to sudo only, which may report our attempt to its administrator.
  return hasSudo ? { state: 'unknown', command: 'sudo -v' } : { state: 'failed', detail: name };
});

/** Files that you copy to a web server's directory get this mask; a server that cannot read them answers 403. */
const umask = check('umask', 'note', ({ umask: mask }: MachineEvidence) => {
  if (mask === null) return { state: 'unknown' };
  const detail = mask.toString(8).padStart(4, '0');
  return { state: (mask & 0o004) === 0 ? 'ok' : 'failed', detail };
});

/** Whether the processes of this user keep running after logout: the boot server, the wait for the installation. */
const logoutSurvival = check('lingering', 'warning', ({ user, logout }: MachineEvidence) => {
  if (logout === null) return null;
  const { lingers, killsProcesses } = logout;
  if (lingers || !killsProcesses)
    return { state: 'ok', detail: lingers ? words().lingering.lingers : words().lingering.killDisabled };
  return { state: 'failed', detail: words().lingering.killEnabled, command: `loginctl enable-linger ${user.name}` };
});

/** The size that every screen is designed for, and the minimum below which nothing is drawn. */
const RECOMMENDED_SIZE = { columns: 80, rows: 24 };
const MIN_SIZE = { columns: 60, rows: 15 };

const terminalSize = check('terminal-size', 'warning', ({ terminal }: MachineEvidence) => {
  const { isTerminal, columns, rows, term } = terminal;
  if (!isTerminal) return { state: 'unknown' };
  const detail = words()['terminal-size'].size(columns, rows, term);
  if (columns >= RECOMMENDED_SIZE.columns && rows >= RECOMMENDED_SIZE.rows) return { state: 'ok', detail };
  const isTooSmall = columns < MIN_SIZE.columns || rows < MIN_SIZE.rows;
  return { state: 'failed', detail, severity: isTooSmall ? 'warning' : 'note' };
});

const terminalUnicode = check('terminal-utf8', 'note', ({ terminal }: MachineEvidence) => {
  if (!terminal.isTerminal) return null;
  return { state: terminal.hasUnicode ? 'ok' : 'failed' };
});

const terminalColour = check('terminal-colour', 'note', ({ terminal }: MachineEvidence) => {
  if (!terminal.isTerminal) return null;
  return { state: terminal.hasColour ? 'ok' : 'failed' };
});

/** A lost connection ends the programs in the terminal; saved answers and background jobs survive. */
const multiplexer = check('terminal-multiplexer', 'note', ({ terminal }: MachineEvidence) => {
  const { isTerminal, isRemote, multiplexer: current } = terminal;
  if (!isTerminal) return null;
  if (current !== null) return { state: 'ok', detail: current };
  return isRemote
    ? { state: 'failed', command: 'tmux new -A -s upi' }
    : { state: 'ok', detail: words()['terminal-multiplexer'].local };
});

const words = () => catalogue().diagnosis.machine;

const RULES: readonly Rule<MachineEvidence>[] = [
  ...checkRules([nodeVersion, installer, oc, pullSecret, sshKey, directory, diskSpace, memory, processors, ssh], words),
  servicePrograms,
  servicePorts,
  ...checkRules([rootAccess, umask, logoutSurvival, clockSync, timeZone, nameServers], words),
  outsideNames,
  ...checkRules([firewall, selinux, terminalSize, terminalUnicode, terminalColour, multiplexer], words),
];

/** The ids of these checks. */
export const MACHINE_CODES: readonly string[] = RULES.map(({ code }) => code);

/**
 * Checks, before the installation begins, whether this machine has everything that an installation needs. `fatal`: no
 * installation without it.
 */
export function checkMachine(evidence: MachineEvidence): Finding[] {
  return evaluateRules(RULES, evidence);
}
