import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { BootEvidence, MachineEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.boot;

/** A machine that is silent this long after power-on is not just slow: firmware, DHCP and the boot script take 2 to 4 minutes. */
const SILENT_FOR = 10 * MINUTE;

/** A machine sent no request, and an unknown MAC address requests an address: one of the two is a typing error. */
export const unknownMac: Rule<BootEvidence> = {
  code: 'boot-unknown-mac',
  severity: 'fatal',
  judge: (evidence) =>
    silentMachines(evidence).flatMap(({ machine: { name, mac }, stranger }) => {
      if (stranger === null) return [];
      const { title, cause, whatToDo } = words()['boot-unknown-mac'];
      return [
        { subject: name, title: title(name, stranger), cause: cause(name, mac), whatToDo: whatToDo(name, stranger) },
      ];
    }),
};

/** A machine sent no request. With an ISO that holds its ignition file it never does: then this is a warning. */
export const silent: Rule<BootEvidence> = {
  code: 'boot-silent',
  severity: 'fatal',
  judge: (evidence) =>
    silentMachines(evidence).flatMap(({ machine: { name, mac, awaitedSince }, stranger }) => {
      const waited = awaitedSince === null ? 0 : evidence.now - awaitedSince;
      if (stranger !== null || waited < SILENT_FOR) return [];
      const { title, cause, whatToDo } = words()['boot-silent'][evidence.boot];
      return [
        {
          severity: evidence.boot === 'iso' ? 'warning' : 'fatal',
          subject: name,
          title: title(name),
          cause: cause(Math.floor(waited / MINUTE)),
          whatToDo: whatToDo(name, mac),
        },
      ];
    }),
};

/** Powered-on machines without any request, each with the unknown MAC address that may be its own. */
function silentMachines({ machines, strangers, now }: BootEvidence) {
  const off = machines.filter(({ stage, poweredOnAt }) => stage === 'off' && poweredOnAt !== null);
  return off.map((machine) => {
    const isLong = now - (machine.poweredOnAt ?? now) >= SILENT_FOR / 2;
    return { machine, stranger: isLong ? closest(machine, strangers, off) : null };
  });
}

/**
 * The unknown MAC address most like a planned one: a typing error changes few digits. With one silent machine, any stranger
 * matches; with more, a stranger matches only the machine that it is most like.
 */
function closest(
  { mac }: MachineEvidence,
  strangers: readonly string[],
  off: readonly MachineEvidence[],
): string | null {
  const ranked = strangers
    .map((stranger) => ({ stranger, distance: distance(mac, stranger) }))
    .filter(({ stranger, distance: own }) => off.every((other) => distance(other.mac, stranger) >= own))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (!best) return null;
  return best.distance <= 3 || off.length === 1 ? best.stranger : null;
}

function distance(a: string, b: string): number {
  return [...a].filter((digit, index) => digit !== b[index]).length;
}
