import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Rule } from '../rule.ts';
import type { BootEvidence, MachineEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.boot;

/**
 * A machine that is silent for this long after power-on is not just slow: firmware, DHCP and the boot script take 2 to
 * 4 minutes.
 */
const SILENCE_LIMIT = 10 * MINUTE;

/** A machine sent no request, and an unknown MAC address requests an address: one of the two is a typing error. */
export const unknownMac: Rule<BootEvidence> = {
  code: 'boot-unknown-mac',
  severity: 'fatal',
  evaluate: (evidence) =>
    listSilentMachines(evidence).flatMap(({ machine: { name, mac }, stranger }) => {
      if (stranger === null) return [];
      const { title, cause, remedy } = words()['boot-unknown-mac'];
      return [{ subject: name, title: title(name, stranger), cause: cause(name, mac), remedy: remedy(name, stranger) }];
    }),
};

/**
 * A machine sent no request. With an ISO that contains its ignition file it never sends one: then this is a warning.
 */
export const bootSilent: Rule<BootEvidence> = {
  code: 'boot-silent',
  severity: 'fatal',
  evaluate: (evidence) =>
    listSilentMachines(evidence).flatMap(({ machine: { name, mac, awaitedSince }, stranger }) => {
      const waited = awaitedSince === null ? 0 : evidence.now - awaitedSince;
      if (stranger !== null || waited < SILENCE_LIMIT) return [];
      const { title, cause, remedy } = words()['boot-silent'][evidence.boot];
      return [
        {
          severity: evidence.boot === 'iso' ? 'warning' : 'fatal',
          subject: name,
          title: title(name),
          cause: cause(Math.floor(waited / MINUTE)),
          remedy: remedy(name, mac),
        },
      ];
    }),
};

/** Powered-on machines without any request, each with the unknown MAC address that may be its own. */
function listSilentMachines({ machines, unknownMacs, now }: BootEvidence) {
  const off = machines.filter(({ stage, poweredOnAt }) => stage === 'off' && poweredOnAt !== null);
  return off.map((machine) => {
    const isLong = now - (machine.poweredOnAt ?? now) >= SILENCE_LIMIT / 2;
    return { machine, stranger: isLong ? findClosestMac(machine, unknownMacs, off) : null };
  });
}

/**
 * Finds the unknown MAC address most like a planned one: a typing error changes few digits. With one silent machine,
 * any unknown address matches; with more, it matches only the machine that it is most like.
 */
function findClosestMac(
  { mac }: MachineEvidence,
  unknownMacs: readonly string[],
  off: readonly MachineEvidence[],
): string | null {
  const ranked = unknownMacs
    .map((stranger) => ({ stranger, distance: countDifferences(mac, stranger) }))
    .filter(({ stranger, distance: own }) => off.every((other) => countDifferences(other.mac, stranger) >= own))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (!best) return null;
  return best.distance <= 3 || off.length === 1 ? best.stranger : null;
}

function countDifferences(a: string, b: string): number {
  return [...a].filter((digit, index) => digit !== b[index]).length;
}
