import type { PortInUse } from '../../host/local-machine.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { quoteShellArg } from '../../platform/shell-quoting.ts';
import { type CheckResult, createCheckFactory, type Finding, runChecks } from '../check.ts';
import { type MachineEvidence, SERVICE_PROGRAMS, type Service } from './evidence.ts';
import { installerCheck, nodeVersionCheck, ocCheck, serviceProgramCheck, sshCheck } from './programs.ts';

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

/**
 * Other legitimate owners of a service's port: systemd's sockets, and the wizard's boot server. Node.js 24 names its
 * main thread MainThread, which ss shows instead of the program name.
 */
const OTHER_OWNERS: Readonly<Partial<Record<Service, readonly string[]>>> = {
  tftp: ['systemd', 'tftpd'],
  web: ['node', 'MainThread', 'upi-wizard'],
};

const check = createCheckFactory<MachineEvidence>('start');

/**
 * Another program uses a port that a service needs. It is more than a note only if this machine runs the service by the
 * design. Loopback does not count (systemd-resolved uses port 53 there, and named uses it on other addresses).
 */
const servicePorts = check('ports', 'note', ({ ports: portsInUse, requirements, httpPort }) => {
  const texts = words().ports;
  const watchedPorts = [...SERVICE_PORTS, { protocol: 'tcp', port: httpPort, service: 'web' } as const];
  const busyPorts = watchedPorts.flatMap(({ protocol, port, service }) => {
    const listener = portsInUse.find((portInUse) => portInUse.port === port && portInUse.protocol === protocol);
    return listener === undefined ? [] : [{ ...listener, service }];
  });
  if (busyPorts.length === 0) return { state: 'ok', evidence: [texts.free] };
  return busyPorts.map(({ protocol, port, owner, service }) => {
    const subject = `${protocol.toUpperCase()} ${port}`;
    const detail = owner === null ? texts.unknownOwner : texts.owner(owner.program, owner.pid);
    const command = `ss -l${protocol === 'tcp' ? 't' : 'u'}np sport = :${port}`;
    const isExpectedOwner =
      owner !== null && [...SERVICE_PROGRAMS[service], ...(OTHER_OWNERS[service] ?? [])].includes(owner.program);
    const result = { subject, evidence: [detail], command };
    if (isExpectedOwner) return { ...result, state: 'ok', title: `${subject}: ${texts.expectedOwner}` };
    // Only root sees the owner, which may well be the expected one.
    const state = owner === null ? 'unknown' : 'failed';
    const isLocalService = requirements?.localServices.includes(service) ?? false;
    return { ...result, state, severity: isLocalService ? 'warning' : 'note' };
  });
});

const GIB = 1024 ** 3;

/**
 * openshift-install (0.7 GiB unpacked), oc, three RHCOS images (1.2 GiB), logs: with less, the downloads do not fit.
 */
const MIN_DISK_BYTES = 4 * GIB;
const RECOMMENDED_DISK_BYTES = 10 * GIB;
/** The wizard needs 0.2 GiB, and openshift-install about 1 GiB while it creates the ignition files. */
const MIN_MEMORY_BYTES = 1.5 * GIB;

/** One directory holds everything of an installation: keys, ignition files, logs, saved answers. */
const directory = check('install-directory', 'fatal', ({ dir: { path, problem } }) => {
  if (problem === null) return { state: 'ok', evidence: [path] };
  const { title, cause, remedy } = problem;
  return { state: 'failed', evidence: [cause], title, remedy };
});

const diskSpace = check('disk-space', 'fatal', ({ dir: { path, freeBytes } }) => {
  if (freeBytes === null) return { state: 'unknown' };
  const detail = words()['disk-space'].free(formatGib(freeBytes), path);
  const command = `df -h ${quoteShellArg(path)}`;
  if (freeBytes >= RECOMMENDED_DISK_BYTES) return { state: 'ok', evidence: [detail] };
  return { state: 'failed', evidence: [detail], command, severity: freeBytes < MIN_DISK_BYTES ? 'fatal' : 'warning' };
});

const memory = check('memory', 'warning', ({ memory: { total, available } }) => {
  const detail = words().memory.amounts(formatGib(total), available === null ? null : formatGib(available));
  return { state: (available ?? total) < MIN_MEMORY_BYTES ? 'failed' : 'ok', evidence: [detail] };
});

const processors = check('processors', 'note', ({ processors: count }) => ({
  state: 'ok',
  evidence: [words().processors.count(count)],
}));

const pullSecretCheck = createCheckFactory<Pick<MachineEvidence, 'pullSecret'>>('start');

/**
 * The ignition files contain the pull secret. A missing registry entry is only a warning: a mirror may have the images.
 */
const pullSecret = pullSecretCheck('pull-secret', 'fatal', ({ pullSecret: { file, problem } }) => {
  if (file === null && problem === null) return { state: 'ok', evidence: [words()['pull-secret'].notNeeded] };
  const credential = { file: file ?? '', problem };
  const isRegistryMissing = credential.problem?.rule === 'pull-secret-registry';
  return isRegistryMissing ? { ...checkCredential(credential), severity: 'warning' } : checkCredential(credential);
});

/** Without an SSH key, a machine that does not come up cannot be debugged. */
const sshKey = check('ssh-key', 'warning', ({ sshKey: credential }) => checkCredential(credential));

/** Returns the result of a credential check, with the texts of the problem. */
function checkCredential({ file, problem }: MachineEvidence['sshKey']): CheckResult {
  if (problem === null) return { state: 'ok', evidence: [file] };
  // The message about a missing file has its path already, perhaps with `~`.
  const evidence = problem.message.includes(file) || problem.rule.endsWith('-missing') ? [] : [file];
  return { state: 'failed', evidence, title: problem.message, remedy: problem.fix };
}

/** Formats bytes as GiB with one decimal. */
function formatGib(bytes: number): string {
  return (bytes / GIB).toFixed(1);
}

/**
 * Certificates in the ignition files are valid from the current time of this machine: if its clock is ahead, nodes
 * reject them.
 */
const clockSync = check('clock-synchronised', 'warning', ({ clock }) => {
  const { isSynchronized, source } = clock;
  if (isSynchronized === null) return { state: 'unknown', command: 'chronyc tracking' };
  return isSynchronized
    ? { state: 'ok', evidence: [source] }
    : { state: 'failed', evidence: [source], command: 'chronyc tracking' };
});

const timeZone = check('time-zone', 'note', ({ clock }) => ({
  state: 'ok',
  evidence: [clock.timeZone],
}));

/** Checks only that name servers are configured: a query is network traffic, which the user has to request. */
const nameServers = check('name-servers', 'warning', ({ nameServers: servers }) =>
  servers.length === 0 ? { state: 'failed' } : { state: 'ok', evidence: [servers.join(', ')] },
);

/** The names that an installation with internet access resolves first. */
const internetNames = check('outside-names', 'warning', ({ lookups }) =>
  (lookups ?? []).map(({ name, problem, isUnanswered = false }) => ({
    state: problem === null ? 'ok' : isUnanswered ? 'unknown' : 'failed',
    subject: name,
    evidence: [problem ?? ''],
    command: `getent hosts ${name}`,
  })),
);

const selinux = check('selinux', 'note', ({ selinux: mode }) => ({
  state: 'ok',
  evidence: [words().selinux.modes[mode]],
}));

const firewall = check('firewall', 'note', ({ firewall: program }) => ({
  state: 'ok',
  evidence: [program ?? words().firewall.none],
}));

/** install.sh of a service host runs as root. */
const rootAccess = check('rights', 'warning', ({ user }) => {
  const { name, isRoot, sudoGroup, hasSudo } = user;
  if (isRoot) return { state: 'ok', evidence: [words().rights.root] };
  if (hasSudo && sudoGroup !== null) return { state: 'ok', evidence: [words().rights.inGroup(name, sudoGroup)] };
  // Only sudo can read individual sudoers rules, and an attempt may be reported to the administrator.
  return hasSudo ? { state: 'unknown', command: 'sudo -v' } : { state: 'failed', evidence: [name] };
});

/** Files that you copy to a web server's directory get this mask; a server that cannot read them answers 403. */
const umask = check('umask', 'note', ({ umask: mask }) => {
  if (mask === null) return { state: 'unknown' };
  const detail = mask.toString(8).padStart(4, '0');
  return { state: (mask & 0o004) === 0 ? 'ok' : 'failed', evidence: [detail] };
});

/** Whether the processes of this user keep running after logout: the boot server, the wait for the installation. */
const logoutSurvival = check('lingering', 'warning', ({ user, logout }) => {
  if (logout === null) return null;
  const { hasLinger, areProcessesKilled } = logout;
  if (hasLinger || !areProcessesKilled)
    return { state: 'ok', evidence: [hasLinger ? words().lingering.lingers : words().lingering.killDisabled] };
  return { state: 'failed', evidence: [words().lingering.killEnabled], command: `loginctl enable-linger ${user.name}` };
});

/** The size that every screen is designed for, and the minimum size, below which no screen is drawn. */
const RECOMMENDED_TERMINAL_SIZE = { columns: 80, rows: 24 };
const MIN_TERMINAL_SIZE = { columns: 60, rows: 15 };

const terminalSize = check('terminal-size', 'warning', ({ terminal }) => {
  const { isTerminal, columns, rows, term } = terminal;
  if (!isTerminal) return { state: 'unknown' };
  const detail = words()['terminal-size'].size(columns, rows, term);
  if (columns >= RECOMMENDED_TERMINAL_SIZE.columns && rows >= RECOMMENDED_TERMINAL_SIZE.rows)
    return { state: 'ok', evidence: [detail] };
  const isTooSmall = columns < MIN_TERMINAL_SIZE.columns || rows < MIN_TERMINAL_SIZE.rows;
  return { state: 'failed', evidence: [detail], severity: isTooSmall ? 'warning' : 'note' };
});

const terminalUnicode = check('terminal-utf8', 'note', ({ terminal }) => {
  if (!terminal.isTerminal) return null;
  return { state: terminal.hasUnicode ? 'ok' : 'failed' };
});

const terminalColour = check('terminal-colour', 'note', ({ terminal }) => {
  if (!terminal.isTerminal) return null;
  return { state: terminal.hasColour ? 'ok' : 'failed' };
});

/** A lost connection ends the programs in the terminal; saved answers and background jobs survive. */
const multiplexer = check('terminal-multiplexer', 'note', ({ terminal }) => {
  const { isTerminal, isRemote, multiplexer: current } = terminal;
  if (!isTerminal) return null;
  if (current !== null) return { state: 'ok', evidence: [current] };
  return isRemote
    ? { state: 'failed', command: 'tmux new -A -s upi' }
    : { state: 'ok', evidence: [words()['terminal-multiplexer'].local] };
});

const words = () => catalogue().diagnosis.machine;

const CHECKS_BEFORE_SERVICES = [
  nodeVersionCheck,
  installerCheck,
  ocCheck,
  pullSecret,
  sshKey,
  directory,
  diskSpace,
  memory,
  processors,
  sshCheck,
];
const CHECKS_AFTER_SERVICES = [
  servicePorts,
  ...[rootAccess, umask, logoutSurvival, clockSync, timeZone, nameServers, internetNames],
  ...[firewall, selinux, terminalSize, terminalUnicode, terminalColour, multiplexer],
];

/** The ids of all checks of this machine. */
export const MACHINE_CHECK_IDS: readonly string[] = [
  ...CHECKS_BEFORE_SERVICES,
  serviceProgramCheck,
  ...CHECKS_AFTER_SERVICES,
].map(({ id }) => id);

/** Checks the pull secret alone: Prepare puts it into the ignition files. */
export function checkPullSecret(credential: MachineEvidence['pullSecret']): Finding[] {
  return runChecks([pullSecret], { pullSecret: credential }, words());
}

/**
 * Checks, before the installation begins, whether this machine has everything that an installation needs. `fatal`: no
 * installation without it.
 */
export function checkMachine(evidence: MachineEvidence): Finding[] {
  return [
    ...runChecks(CHECKS_BEFORE_SERVICES, evidence, words()),
    ...runChecks([serviceProgramCheck], evidence),
    ...runChecks(CHECKS_AFTER_SERVICES, evidence, words()),
  ];
}
