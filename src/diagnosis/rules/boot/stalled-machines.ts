import { MINUTE } from '../../../platform/clock.ts';
import type { Evidence, ObservedMachine } from '../evidence.ts';
import { isReachable } from './reachability.ts';

/** The live system verifies the root file system in seconds, then requests the ignition file. */
const LIVE_TIMEOUT = 10 * MINUTE;
/** Writing the disk takes 3 to 10 minutes, then the machine requests its address again. */
const WRITE_TIMEOUT = 15 * MINUTE;
/** Then follow the first boot, the fetch of the configuration, and the overlay of the node image. */
const JOIN_TIMEOUT = 25 * MINUTE;

/** Machines that fetched everything for the live system, and then nothing. */
export function listStalledInLiveSystem(evidence: Evidence): ObservedMachine[] {
  return listSilentMachines(evidence, 'rootfs', LIVE_TIMEOUT);
}

/**
 * Machines that fetched their ignition file and did not come back from the installation to disk, as far as is visible.
 */
export function listStalledInstalls(evidence: Evidence): ObservedMachine[] {
  return listSilentMachines(evidence, 'ignition', WRITE_TIMEOUT).filter((machine) => {
    if (hasLeasedAgain(evidence, machine) === false) return true;
    return hasLeasedAgain(evidence, machine) === null && isOverdue(evidence, machine);
  });
}

/** Machines that restarted, presumably from their disk, and get no further although their configuration is served. */
export function listStalledJoins(evidence: Evidence): ObservedMachine[] {
  return listSilentMachines(evidence, 'ignition', JOIN_TIMEOUT).filter(
    (machine) =>
      machine.role !== 'bootstrap' &&
      hasLeasedAgain(evidence, machine) === true &&
      isConfigServed(evidence) &&
      !hasRequestedCertificate(evidence, machine),
  );
}

/** Bootstrap machines that started from their disk and serve nothing: they wait for images that they have to pull. */
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
 * Machines that were installed with the same files and requested their address again: the log of the DHCP server shows
 * restarts.
 */
export function listRebootedMachines(evidence: Evidence): ObservedMachine[] {
  return evidence.machines.filter(
    (machine) => machine.role !== 'bootstrap' && machine.stage !== 'off' && hasLeasedAgain(evidence, machine) === true,
  );
}

function listSilentMachines(evidence: Evidence, wanted: ObservedMachine['stage'], age: number): ObservedMachine[] {
  return evidence.machines.filter(
    ({ name, stage, lastRequest, hasJoined }) =>
      stage === wanted &&
      !hasJoined &&
      lastRequest !== null &&
      lastRequest.status < 400 &&
      evidence.now - lastRequest.at > age &&
      !isReachable(evidence, name),
  );
}

/**
 * The machine requested its certificate from the API: the remaining fault comes after its configuration and its clock.
 */
function hasRequestedCertificate({ cluster }: Evidence, { name }: ObservedMachine): boolean {
  return (cluster?.requests ?? []).some(({ node }) => node?.split('.')[0] === name);
}

/**
 * Without a log of the DHCP server, only the elapsed time counts. A node is late only once its configuration is served.
 */
function isOverdue(evidence: Evidence, { role, lastRequest }: ObservedMachine): boolean {
  const isLate = lastRequest !== null && evidence.now - lastRequest.at > JOIN_TIMEOUT;
  return isLate && (role === 'bootstrap' || isConfigServed(evidence));
}

function isConfigServed({ ports }: Evidence): boolean {
  return ports.some(({ kind, port, state }) => kind === 'api-int' && port === 22623 && state === 'open');
}

/** Whether a machine requested its address again after it had its ignition file; null if there is no log with times. */
export function hasLeasedAgain({ lines }: Evidence, { mac, lastRequest }: ObservedMachine): boolean | null {
  const own = lines.filter(
    ({ source, text, at }) => source === 'dhcp' && at !== null && text.toLowerCase().includes(mac),
  );
  if (own.length === 0 || lastRequest === null) return null;
  return own.some(
    ({ text, at }) => /DHCPACK|LEASE_ALLOC|DHCPREQUEST/.test(text) && (at ?? 0) > lastRequest.at + MINUTE / 2,
  );
}
