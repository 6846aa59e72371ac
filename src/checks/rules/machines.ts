import { MINUTE } from '../../platform/clock.ts';
import { quoteShellCommand } from '../../platform/shell-quoting.ts';
import { bootSilent } from '../boot/checks.ts';
import { deriveBootEvidence, listLeaseOnlyMachines } from './dhcp.ts';
import {
  allChecksPassed,
  createDiagnosticRule,
  createSymptom,
  isPoweredOnFor,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine, ObservedMachine } from './evidence.ts';
import { isLiveSystemTooLarge } from './nodes.ts';

/** Firmware and a network boot request a script within this time. */
const GRACE_PERIOD = 5 * MINUTE;
/** A slow boot program sends its next request within this time. */
const LEASE_GRACE_PERIOD = 10 * MINUTE;

/**
 * A powered-on machine sent no request to the boot server, and a system runs on it: it booted an existing system from
 * its disk.
 */
export const bootsFromDisk = createDiagnosticRule('boots-old-disk', 'boot', (evidence) => {
  const { design, machines } = evidence;
  // Silence proves something only where requests are observed.
  if (design?.services.boot.kind !== 'ipxe' || evidence.isRequestLogComplete === false) return [];
  return machines.flatMap((machine) => {
    const { name, address, stage, hasJoined, requests } = machine;
    const ports = listOpenPorts(evidence, name);
    const isSilent = (stage === 'off' || stage === 'lease') && requests.length === 0 && !hasJoined;
    if (
      !isSilent ||
      !(ports.length > 0 ? isPoweredOnFor(evidence, machine, GRACE_PERIOD) : hasOnlyLease(evidence, machine))
    )
      return [];
    const proof = ports.length > 0 ? `port ${ports.join(', ')} open` : 'has its lease';
    return [
      createSymptom(
        'likely',
        name,
        `${name} ${address}: ${proof}, no request to the boot server`,
        `ssh core@${address} cat /proc/cmdline /etc/os-release`,
      ),
    ];
  });
});

/** Whether the machine has an address and sends no other request, while another machine reached the boot server. */
function hasOnlyLease(evidence: Evidence, machine: ObservedMachine): boolean {
  const isBootServerReachable =
    evidence.machines.some(({ requests }) => requests.length > 0) || allChecksPassed(evidence, 'tftp');
  // If all machines stop at this stage, the cause is not the disk of each of them.
  const isSingleFault = listLeaseOnlyMachines(evidence).length === 0;
  return (
    isSingleFault &&
    machine.stage === 'lease' &&
    isBootServerReachable &&
    isPoweredOnFor(evidence, machine, LEASE_GRACE_PERIOD)
  );
}

/** The live system verifies the root file system in seconds, then requests the ignition file. */
const LIVE_SYSTEM_TIMEOUT = 10 * MINUTE;
/** Writing the disk takes 3 to 10 minutes, then the machine requests its address again. */
const WRITE_TIMEOUT = 15 * MINUTE;
/** After the restart come the first boot, the fetch of the configuration, and the overlay of the node image. */
const JOIN_TIMEOUT = 25 * MINUTE;

/** Lists the machines that fetched all files of the live system and then sent no request. */
export function listStalledLiveSystems(evidence: Evidence): ObservedMachine[] {
  return listSilentMachines(evidence, 'rootfs', LIVE_SYSTEM_TIMEOUT);
}

/**
 * Lists the machines that fetched their ignition file and show no sign of the reboot after the installation to disk.
 */
function listStalledInstalls(evidence: Evidence): ObservedMachine[] {
  return listSilentMachines(evidence, 'ignition', WRITE_TIMEOUT).filter((machine) => {
    if (hasLeasedAgain(evidence, machine) === false) return true;
    return hasLeasedAgain(evidence, machine) === null && isOverdue(evidence, machine);
  });
}

/**
 * Lists the machines that restarted, presumably from disk, and get no further although their configuration is served.
 */
export function listStalledJoins(evidence: Evidence): ObservedMachine[] {
  return listSilentMachines(evidence, 'ignition', JOIN_TIMEOUT).filter(
    (machine) => machine.role !== 'bootstrap' && hasLeasedAgain(evidence, machine) === true && isConfigServed(evidence),
  );
}

/**
 * Lists the bootstrap machines that started from disk and serve nothing: they wait for images that they have to pull.
 */
export function listStalledBootstraps(evidence: Evidence): ObservedMachine[] {
  const { ports } = evidence;
  const isServing = (name: string) =>
    ports.some(({ host, port, state }) => host === name && port === 6443 && state === 'open');
  return listSilentMachines(evidence, 'ignition', JOIN_TIMEOUT).filter(
    (machine) =>
      machine.role === 'bootstrap' && hasLeasedAgain(evidence, machine) !== false && !isServing(machine.name),
  );
}

/**
 * Lists the nodes that requested their address again after they had their ignition file: the log of the DHCP server
 * shows their restart.
 */
function listRebootedMachines(evidence: Evidence): ObservedMachine[] {
  return evidence.machines.filter(
    (machine) => machine.role !== 'bootstrap' && machine.stage !== 'off' && hasLeasedAgain(evidence, machine) === true,
  );
}

function listSilentMachines(
  evidence: Evidence,
  requiredStage: ObservedMachine['stage'],
  minimumMs: number,
): ObservedMachine[] {
  return evidence.machines.filter(
    ({ name, stage, lastRequest, hasJoined }) =>
      stage === requiredStage &&
      !hasJoined &&
      lastRequest !== null &&
      lastRequest.status < 400 &&
      evidence.now - lastRequest.at > minimumMs &&
      !isReachable(evidence, name) &&
      !hasRequestedCertificate(evidence, name, lastRequest.at),
  );
}

/**
 * Whether the machine requested its certificate from the API after its last file: the remaining fault comes after its
 * disk, its configuration and its clock.
 */
function hasRequestedCertificate({ cluster }: Evidence, machine: string, lastFetchAt: number): boolean {
  return (cluster?.requests ?? []).some(
    ({ node, requestedAt }) => node?.split('.')[0] === machine && (requestedAt ?? lastFetchAt) >= lastFetchAt,
  );
}

/**
 * Whether a machine is late by the elapsed time alone, for sites without a log of the DHCP server. A node is late only
 * once its configuration is served.
 */
function isOverdue(evidence: Evidence, { role, lastRequest }: ObservedMachine): boolean {
  const isLate = lastRequest !== null && evidence.now - lastRequest.at > JOIN_TIMEOUT;
  return isLate && (role === 'bootstrap' || isConfigServed(evidence));
}

function isConfigServed({ ports }: Evidence): boolean {
  return ports.some(({ kind, port, state }) => kind === 'api-int' && port === 22623 && state === 'open');
}

/** Whether a machine requested its address again after it had its ignition file; null if there is no log with times. */
function hasLeasedAgain({ lines }: Evidence, { mac, lastRequest }: ObservedMachine): boolean | null {
  const leaseLines = lines.filter(
    ({ source, text, at }) => source === 'dhcp' && at !== null && text.toLowerCase().includes(mac),
  );
  if (leaseLines.length === 0 || lastRequest === null) return null;
  return leaseLines.some(
    ({ text, at }) => /DHCPACK|LEASE_ALLOC|DHCPREQUEST/.test(text) && (at ?? 0) > lastRequest.at + MINUTE / 2,
  );
}

/** "Minimum resource requirements": 100 GB; the file system on it is a little smaller. */
const MIN_FILE_SYSTEM_GIB = 88;

/** A disk is smaller than an installation needs, or full. */
export const diskTooSmall = createDiagnosticRule('disk-too-small', 'requirements', (evidence) => {
  const nodeSymptoms = (evidence.cluster?.nodes ?? []).flatMap(({ name, diskGiB, hasDiskPressure }): Symptom[] => {
    const isSmall = diskGiB !== null && diskGiB < MIN_FILE_SYSTEM_GIB;
    if (!isSmall && !hasDiskPressure) return [];
    const size = diskGiB === null ? [] : [`ephemeral-storage ${diskGiB} GiB`];
    const evidenceText = `${name}: ${[...(hasDiskPressure ? ['DiskPressure=True'] : []), ...size].join(', ')}`;
    return [createSymptom('certain', name, evidenceText, quoteShellCommand`oc describe node ${name}`)];
  });
  const lines = matchLogLines(
    evidence,
    /no space left on device|disk (?:is )?too small|(?:target|destination|disk).*(?:smaller|too small|not enough (?:space|room))/i,
    // An operator's message about its own volume says nothing about a node's disk; a live system is in memory.
  ).filter((line) => !/^Cluster operator \S+ /.test(line.text) && !isLiveSystemTooLarge(line));
  const stallSymptoms = listStalledInstalls(evidence).map(({ name, address, lastRequest }): Symptom => {
    const evidenceText = `${lastRequest?.path ?? ''} fetched; then nothing from ${address}`;
    return createSymptom('possible', name, evidenceText, 'lsblk -d -o NAME,SIZE,MODEL,WWN');
  });
  return [
    ...nodeSymptoms,
    ...symptomsFromLines(lines, 'certain', 'df -h / /sysroot; lsblk -d -o NAME,SIZE'),
    ...stallSymptoms,
  ];
});

/** The machine has no disk with the name of the installation disk. */
export const installDiskWrong = createDiagnosticRule('install-disk-wrong', 'boot', (evidence) => {
  const lines = matchLogLines(
    evidence,
    /(?:coreos-installer|install_dev|opening|checking for exclusive access).*\/dev\/\S+.*(?:No such file|not found|does not exist|not a block device)|\/dev\/\S+ (?:is not a block device|does not exist)/i,
  );
  const errorLines = [...lines, ...listDeviceErrors(evidence)];
  if (errorLines.length > 0) return symptomsFromLines(errorLines, 'certain', 'lsblk -d -o NAME,SIZE,MODEL,WWN');
  const rebootedMachines = listRebootedMachines(evidence);
  return [
    ...listStalledLiveSystems(evidence).map((machine) => {
      const continuedMachines = listContinuedMachines(evidence, machine);
      return continuedMachines.length > 0
        ? createComparisonSymptom(machine, continuedMachines, 'no request for its ignition file')
        : createSilenceSymptom(machine);
    }),
    ...listStalledInstalls(evidence).map((machine) =>
      rebootedMachines.length > 0 && hasLeasedAgain(evidence, machine) === false
        ? createComparisonSymptom(machine, rebootedMachines, 'no DHCP request')
        : createSilenceSymptom(machine),
    ),
  ];
});

/** Lines between an error of coreos-installer and its cause: "Caused by:", and the steps in between. */
const MAX_CAUSE_DISTANCE = 4;

/** Lists errors of coreos-installer that name the device in one line and the reason in a later one. */
function listDeviceErrors({ lines }: Evidence): EvidenceLine[] {
  return lines.flatMap((line, index) => {
    const openErrorPattern =
      /(?:Error|\d+|by): (?:opening|getting sector size of|checking for exclusive access to) "?\/dev\//;
    if (!openErrorPattern.test(line.text)) return [];
    const laterLines = lines.slice(index + 1, index + 1 + MAX_CAUSE_DISTANCE).filter(({ host }) => host === line.host);
    const cause = laterLines.find(({ text }) => /No such file or directory|not a block device/.test(text));
    return cause === undefined ? [] : [{ ...line, text: `${line.text.trim()}; ${cause.text.trim()}` }];
  });
}

/** Creates a symptom of a silent machine: a missing installation disk shows itself from outside only by silence. */
function createSilenceSymptom({ name, address, lastRequest }: ObservedMachine): Symptom {
  const evidenceText = `${lastRequest?.path ?? ''} fetched; then nothing from ${address}`;
  return createSymptom('possible', name, evidenceText, 'lsblk -d -o NAME,SIZE,MODEL,WWN');
}

/** Lists the machines that continued with the same root file system. */
function listContinuedMachines({ machines }: Evidence, { lastRequest }: ObservedMachine): ObservedMachine[] {
  const hasRequest = (requests: ObservedMachine['requests'], matches: (path: string) => boolean) =>
    requests.some(({ path, status }) => status < 400 && matches(path));
  return machines.filter(
    ({ requests }) =>
      hasRequest(requests, (path) => path === lastRequest?.path) &&
      hasRequest(requests, (path) => path.startsWith('/ignition/')),
  );
}

/**
 * Creates a symptom from the comparison with machines that continued with the same files. The difference is the
 * hardware of this machine, most likely its disk.
 * @param missingRequest request that the machine did not send
 */
function createComparisonSymptom(
  machine: ObservedMachine,
  otherMachines: readonly ObservedMachine[],
  missingRequest: string,
): Symptom {
  const { name, lastRequest } = machine;
  const otherNames = otherMachines.map((otherMachine) => otherMachine.name).join(', ');
  const evidenceText = `${name}: ${lastRequest?.path ?? ''} fetched, ${missingRequest} since; ${otherNames} went on`;
  return { ...createSilenceSymptom(machine), likelihood: 'likely', evidence: [evidenceText] };
}

/** A second fetch may come from a machine that was powered on again by the user. */
const MIN_FETCHES = 3;

/**
 * A machine fetches the root file system again and again: it boots from the network first, and reinstalls itself
 * forever.
 */
export const installLoop = createDiagnosticRule('installs-again', 'boot', ({ machines }) =>
  machines.flatMap(({ name, requests, hasJoined }) => {
    const fetchCount = requests.filter(
      ({ path, status }) => status < 400 && /^\/images\/.*(?:rootfs|metal)/.test(path),
    ).length;
    if (fetchCount < MIN_FETCHES || hasJoined) return [];
    const command = `grep -c rootfs .upi-wizard/boot-requests.ndjson`;
    return [createSymptom('likely', name, `${name}: rootfs ${fetchCount}×`, command)];
  }),
);

/** A powered-on machine sent no request, and nothing answers at its address. */
export const nodeNeverBoots = createDiagnosticRule('node-never-boots', 'boot', (evidence) => {
  const { design } = evidence;
  // A machine with an ISO that contains its ignition file never sends a request.
  const likelihood = design?.services.boot.kind === 'iso' ? 'possible' : 'certain';
  return bootSilent
    .run(deriveBootEvidence(evidence))
    .filter(({ subject }) => !isReachable(evidence, subject))
    .map(({ subject, evidence: [detail = ''] }) => {
      const address = evidence.machines.find(({ name }) => name === subject)?.address ?? '';
      return createSymptom(likelihood, subject, detail, `ping -c 3 ${address}`);
    });
});

/** Lists the open ports of a machine, by its short name; empty if it answers on none. */
export function listOpenPorts({ ports }: Evidence, machine: string): number[] {
  const machinePorts = ports.filter(({ host, kind }) => host === machine && kind !== 'api' && kind !== 'api-int');
  return machinePorts.filter(({ state }) => state === 'open').map(({ port }) => port);
}

/** Whether the machine answers on any of its ports. */
function isReachable(evidence: Evidence, machine: string): boolean {
  return listOpenPorts(evidence, machine).length > 0;
}
