import { MINUTE } from '../../../ports/clock.ts';
import type { Evidence, MachineSeen } from '../evidence.ts';
import { reachable } from './reachable.ts';

/** The root file system is checked in seconds, and the ignition file is asked for. */
const LIVE = 10 * MINUTE;
/** Writing the disk takes 3 to 10 minutes, then the machine asks for its address anew. */
const WRITING = 15 * MINUTE;
/** And then the first boot, the fetch of the configuration, and the overlay of the node image. */
const JOINING = 25 * MINUTE;

/** Machines that fetched all that the live system boots with, and then nothing. */
export function stoppedInLive(evidence: Evidence): MachineSeen[] {
  return silentSince(evidence, 'rootfs', LIVE);
}

/** Machines that fetched their ignition file and never came back from the installation: on the disk, as far as anybody can say. */
export function stoppedInstalling(evidence: Evidence): MachineSeen[] {
  return silentSince(evidence, 'ignition', WRITING).filter((machine) => {
    if (leasedAgain(evidence, machine) === false) return true;
    return leasedAgain(evidence, machine) === null && isLong(evidence, machine);
  });
}

/** Machines that started from their disk, or may have, and get no further, while all that they need next is there. */
export function stoppedJoining(evidence: Evidence): MachineSeen[] {
  return silentSince(evidence, 'ignition', JOINING).filter(
    (machine) =>
      machine.role !== 'bootstrap' &&
      leasedAgain(evidence, machine) === true &&
      isServed(evidence) &&
      !hasAsked(evidence, machine),
  );
}

/** The bootstrap machine started from its disk and serves nothing: it waits for what it has to pull. */
export function stoppedBootstrap(evidence: Evidence): MachineSeen[] {
  const { ports } = evidence;
  const isServing = (name: string) =>
    ports.some(({ host, port, state }) => host === name && port === 6443 && state === 'open');
  return silentSince(evidence, 'ignition', JOINING).filter(
    (machine) => machine.role === 'bootstrap' && leasedAgain(evidence, machine) !== false && !isServing(machine.name),
  );
}

/** Machines that were installed with the same files and asked for their address anew: the log of the DHCP server shows restarts. */
export function cameBack(evidence: Evidence): MachineSeen[] {
  return evidence.machines.filter(
    (machine) => machine.role !== 'bootstrap' && machine.stage !== 'off' && leasedAgain(evidence, machine) === true,
  );
}

function silentSince(evidence: Evidence, wanted: MachineSeen['stage'], age: number): MachineSeen[] {
  return evidence.machines.filter(
    ({ name, stage, lastRequest, hasJoined }) =>
      stage === wanted &&
      !hasJoined &&
      lastRequest !== null &&
      lastRequest.status < 400 &&
      evidence.now - lastRequest.at > age &&
      !reachable(evidence, name),
  );
}

/** It asked the API for its certificate: whatever keeps it out now comes after its configuration and its clock. */
function hasAsked({ cluster }: Evidence, { name }: MachineSeen): boolean {
  return (cluster?.requests ?? []).some(({ node }) => node?.split('.')[0] === name);
}

/** Without a log of the DHCP server, time alone tells; a node needs its configuration served before it can be late. */
function isLong(evidence: Evidence, { role, lastRequest }: MachineSeen): boolean {
  const isLate = lastRequest !== null && evidence.now - lastRequest.at > JOINING;
  return isLate && (role === 'bootstrap' || isServed(evidence));
}

function isServed({ ports }: Evidence): boolean {
  return ports.some(({ kind, port, state }) => kind === 'api-int' && port === 22623 && state === 'open');
}

/** Whether a machine asked for its address anew after it had its ignition file; null: no log with times is known. */
export function leasedAgain({ lines }: Evidence, { mac, lastRequest }: MachineSeen): boolean | null {
  const own = lines.filter(
    ({ source, text, at }) => source === 'dhcp' && at !== null && text.toLowerCase().includes(mac),
  );
  if (own.length === 0 || lastRequest === null) return null;
  return own.some(
    ({ text, at }) => /DHCPACK|LEASE_ALLOC|DHCPREQUEST/.test(text) && (at ?? 0) > lastRequest.at + MINUTE / 2,
  );
}
