import { MINUTE } from '../ports/clock.ts';
import { catalogue } from '../text/catalogue.ts';
import type { Finding } from './finding.ts';

const words = () => catalogue().findings;

/** How far a machine got on its way from power-on to the cluster, in order. */
export const BOOT_STAGES = ['off', 'lease', 'script', 'kernel', 'rootfs', 'ignition', 'ready'] as const;
export type BootStage = (typeof BOOT_STAGES)[number];

/** What was seen of one machine. Times in ms of the clock. */
export interface BootEvidence {
  readonly name: string;
  readonly mac: string;
  readonly stage: BootStage;
  readonly poweredOnAt: number | null;
  /** Since when it ought to have been heard of; null while its turn to be powered on has not come. */
  readonly awaitedSince: number | null;
  readonly lastRequest: { readonly path: string; readonly status: number; readonly at: number } | null;
}

/** A machine that is silent this long after power-on is not just slow: firmware, DHCP and the boot script take 2 to 4 minutes. */
const SILENT_FOR = 10 * MINUTE;
/** Writing the disk and the first reboot need no request; a failed one that is repeated does not get better by itself. */
const STUCK_FOR = 10 * MINUTE;

/**
 * Since when each machine ought to have been heard of, in the order of the machines. One that is powered on from here at once;
 * a person says of all together that they are on, and then goes from console to console: whose turn it is has time from when
 * the machine before it was heard of, and who comes later is not waited for yet.
 * @param machines in boot order; `heardOf`: it has shown some sign, `heardAt` its first with a time (ms), or null
 */
export function awaitedSince(
  machines: readonly {
    readonly poweredOnAt: number | null;
    readonly heardOf: boolean;
    readonly heardAt: number | null;
  }[],
  isPerson: boolean,
): (number | null)[] {
  if (!isPerson) return machines.map(({ poweredOnAt }) => poweredOnAt);
  const turn = machines.findLastIndex(({ heardOf }) => heardOf) + 1;
  const lastNews = Math.max(0, ...machines.map(({ heardAt }) => heardAt ?? 0));
  return machines.map(({ poweredOnAt }, index) =>
    poweredOnAt === null || index > turn ? null : Math.max(poweredOnAt, lastNews),
  );
}

/**
 * Why machines do not come up, from what the boot server and the DHCP server saw.
 * @param unknownMacs MAC addresses that asked for an address and are in no file of ours
 * @param boot what the machines boot from: over the network all of them are heard of
 */
export function bootFindings(
  nodes: readonly BootEvidence[],
  unknownMacs: readonly string[],
  now: number,
  boot: 'ipxe' | 'iso' = 'ipxe',
): Finding[] {
  const silent = nodes.filter((node) => node.stage === 'off' && node.poweredOnAt !== null);
  const found: Finding[] = [];
  for (const node of silent) {
    const waited = now - (node.poweredOnAt ?? now);
    const stranger = closest(node, unknownMacs, silent);
    if (stranger !== null && waited >= SILENT_FOR / 2) found.push(unknownMac(node, stranger));
    else if (node.awaitedSince !== null && now - node.awaitedSince >= SILENT_FOR)
      found.push((boot === 'iso' ? silentIso : neverBooted)(node, now - node.awaitedSince));
  }
  for (const node of nodes) {
    const { lastRequest } = node;
    if (lastRequest && lastRequest.status >= 400 && node.poweredOnAt !== null && now - node.poweredOnAt >= STUCK_FOR) {
      found.push(stuck(node, lastRequest.path, lastRequest.status));
    }
  }
  return found;
}

/**
 * The stranger most like a planned MAC: a typing error changes few digits. With one silent machine, any stranger is it; with
 * more, a stranger is only ever the one that it is most like.
 */
function closest({ mac }: BootEvidence, strangers: readonly string[], silent: readonly BootEvidence[]): string | null {
  const ranked = strangers
    .map((stranger) => ({ stranger, distance: distance(mac, stranger) }))
    .filter(({ stranger, distance: own }) => silent.every((other) => distance(other.mac, stranger) >= own))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  if (!best) return null;
  return best.distance <= 3 || silent.length === 1 ? best.stranger : null;
}

function distance(a: string, b: string): number {
  return [...a].filter((digit, index) => digit !== b[index]).length;
}

function unknownMac(node: BootEvidence, mac: string): Finding {
  const { title, cause, whatToDo } = words().unknownMac;
  return {
    code: 'boot-unknown-mac',
    severity: 'fatal',
    subject: node.name,
    title: title(node.name, mac),
    cause: cause(node.name, node.mac),
    whatToDo: whatToDo(node.name, mac),
  };
}

function neverBooted(node: BootEvidence, waited: number): Finding {
  const { title, cause, whatToDo } = words().neverBooted;
  return {
    code: 'boot-silent',
    severity: 'fatal',
    subject: node.name,
    title: title(node.name),
    cause: cause(Math.floor(waited / MINUTE)),
    whatToDo: whatToDo(node.name, node.mac),
  };
}

/** An ISO may hold all that its machine needs. */
function silentIso(node: BootEvidence, waited: number): Finding {
  const { title, cause, whatToDo } = words().silentIso;
  return {
    code: 'boot-silent',
    severity: 'warning',
    subject: node.name,
    title: title(node.name),
    cause: cause(Math.floor(waited / MINUTE)),
    whatToDo: whatToDo(node.name),
  };
}

function stuck(node: BootEvidence, path: string, status: number): Finding {
  const { title, cause, whatToDo } = words().stuckAt;
  return {
    code: 'boot-stuck',
    severity: 'fatal',
    subject: node.name,
    title: title(node.name, path),
    cause: cause(path, status),
    whatToDo,
  };
}
