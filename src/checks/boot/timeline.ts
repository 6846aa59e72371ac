import type { NodeRole } from '../../design/choices.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { DiagnosticRuleId } from '../rules/index.ts';
import { parseRequestStage } from './checks.ts';

/** The signs of a machine's progress from power-on to a Ready node, in order. */
const BOOT_SIGNS = [
  ...(['power', 'lease', 'arp', 'tftp', 'script', 'kernel', 'rootfs', 'ignition'] as const),
  ...(['restart', 'ssh', 'config', 'kubelet', 'node', 'ready'] as const),
] as const;
type BootSign = (typeof BOOT_SIGNS)[number];
/**
 * Signs that can be expected. Power-on is not always recorded, and the neighbour table is not always readable. An
 * installed machine asks for a boot script only if its firmware tries the network first.
 */
type ExpectedSign = Exclude<BootSign, 'power' | 'arp' | 'restart'>;

/** Minutes from the previous sign: `usual` as a rule; from `late` on the sign counts as overdue. */
export const SIGN_MINUTES: Readonly<Record<ExpectedSign, { readonly usual: number; readonly late: number }>> = {
  // Firmware checks the memory and tries other boot devices first.
  lease: { usual: 3, late: 10 },
  tftp: { usual: 1, late: 5 },
  script: { usual: 1, late: 10 },
  kernel: { usual: 2, late: 10 },
  // About 1 GB.
  rootfs: { usual: 3, late: 10 },
  ignition: { usual: 3, late: 10 },
  // The disk is written, and the machine reboots from it.
  ssh: { usual: 6, late: 20 },
  // The bootstrap node pulls the release first.
  config: { usual: 8, late: 25 },
  kubelet: { usual: 8, late: 30 },
  node: { usual: 3, late: 20 },
  ready: { usual: 5, late: 20 },
};

/** The most likely rule, by the first missing sign of a machine. */
export const RULE_BY_MISSING_SIGN: Readonly<Record<ExpectedSign, DiagnosticRuleId>> = {
  lease: 'node-never-boots',
  // With the generated DHCP files the machine knows the TFTP server: its request got no answer.
  tftp: 'tftp-silent',
  // The machine requested its boot program, and then nothing: the program is missing. A missing script would have been
  // requested.
  script: 'boot-program-missing',
  kernel: 'boot-file-missing',
  rootfs: 'gateway-wrong',
  ignition: 'boot-file-forbidden',
  ssh: 'boots-old-disk',
  config: 'registry-unreachable',
  kubelet: 'api-int-missing',
  node: 'requests-wait',
  ready: 'network-not-ready',
};

/** The observations of one machine. Times in ms of the clock; null: time unknown. */
export interface TimelineEvidence {
  readonly role: NodeRole;
  /** `prepared-iso`: the ISO of the machine holds its ignition file, so the machine never requests one. */
  readonly boot: 'ipxe' | 'iso' | 'prepared-iso';
  readonly poweredOnAt: number | null;
  /** Absent if no lease was observed. */
  readonly lease?: { readonly at: number | null };
  readonly tftp?: { readonly at: number | null };
  /** The machine answers ARP for its address with its own MAC address. */
  readonly answersArp: boolean;
  readonly requests: readonly { readonly path: string; readonly status: number; readonly at: number }[];
  readonly ports: readonly { readonly port: 22 | 22623 | 10250; readonly since: number }[];
  readonly node: { readonly createdAt: number | null; readonly isReady: boolean } | null;
  /** When the machine last started again after it had fetched its ignition file; absent: it did not. */
  readonly restartedAt?: number;
}

export interface BootTimeline {
  readonly signs: readonly { readonly sign: BootSign; readonly at: number | null }[];
  /**
   * The next expected sign; null if none remains or the machine has given no sign yet. `since`: time of the latest
   * sign.
   */
  readonly next: {
    readonly sign: ExpectedSign;
    readonly since: number | null;
    /** It takes longer than usual. It may still come: only a late sign is a fault. */
    readonly isSlow: boolean;
    readonly isLate: boolean;
  } | null;
  /** The signs that are expected after `next`, or from the start. */
  readonly later?: readonly ExpectedSign[];
}

/**
 * Finds where the latest start of a machine begins among its requests, as their index: at the first script, or at a
 * script that follows other boot files. An installed machine whose firmware tries the network first requests only
 * scripts, and then boots from its disk.
 * @returns `start`: of the latest start; `installStart`: of the latest one that loaded boot files
 */
export function findLatestStart(requests: TimelineEvidence['requests']): {
  readonly start: number;
  readonly installStart: number;
} {
  let [start, installStart, hasFiles] = [0, 0, false];
  for (const [index, { path, status }] of requests.entries()) {
    const stage = status < 400 ? parseRequestStage(path) : null;
    if (stage === 'script' && (hasFiles || path === FIRST_SCRIPT)) [start, hasFiles] = [index, false];
    else if (stage !== null && stage !== 'script') [installStart, hasFiles] = [start, true];
  }
  return { start, installStart };
}

/** The script that every machine requests first, and only once for each start. */
const FIRST_SCRIPT = '/boot.ipxe';

const PORT_SIGNS = { 22: 'ssh', 22623: 'config', 10250: 'kubelet' } as const;

/**
 * Derives which signs a machine has given and which one is expected next.
 * @param now ms of the clock
 */
export function deriveBootTimeline(evidence: TimelineEvidence, now: number): BootTimeline {
  const { boot, poweredOnAt, lease, tftp, answersArp, requests, ports, node, restartedAt } = evidence;
  const timeBySign = new Map<BootSign, number | null>();
  if (poweredOnAt !== null) timeBySign.set('power', poweredOnAt);
  if (lease) timeBySign.set('lease', lease.at);
  if (answersArp) timeBySign.set('arp', null);
  if (tftp) timeBySign.set('tftp', tftp.at);
  for (const { path, status, at } of requests) {
    const sign = status < 400 ? parseRequestStage(path) : null;
    if (sign !== null && sign !== 'off' && !timeBySign.has(sign)) timeBySign.set(sign, at);
  }
  // The live system runs sshd, too: before the ignition request, an open port belongs to the previous installation.
  // A prepared ISO makes no such request, so the ports that no live system opens count.
  const hasIgnition = timeBySign.has('ignition');
  if (restartedAt !== undefined && node === null) timeBySign.set('restart', restartedAt);
  for (const { port, since } of ports)
    if (hasIgnition || (boot === 'prepared-iso' && port !== 22)) timeBySign.set(PORT_SIGNS[port], since);
  if (node !== null) timeBySign.set('node', node.createdAt);
  if (node?.isReady) timeBySign.set('ready', null);
  const signs = BOOT_SIGNS.filter((sign) => timeBySign.has(sign)).map((sign) => ({
    sign,
    at: timeBySign.get(sign) ?? null,
  }));
  const lastSign = signs.at(-1);
  const expectedSigns = BOOT_SIGNS.filter((sign) => isExpectedSign(sign)).filter((sign) =>
    appliesToMachine(sign, evidence),
  );
  if (lastSign === undefined) return { signs, next: null, later: expectedSigns };
  const sign = expectedSigns.find((expectedSign) => getSignIndex(expectedSign) > getSignIndex(lastSign.sign));
  if (sign === undefined) return { signs, next: null };
  const since = Math.max(0, ...signs.map(({ at }) => at ?? 0)) || null;
  // A machine with a prepared ISO gives no sign while it installs.
  const isSilentInstall = boot === 'prepared-iso' && lastSign.sign === 'power';
  const installMinutes = isSilentInstall ? SIGN_MINUTES.ignition.late + SIGN_MINUTES.ssh.late : 0;
  const { usual, late } = SIGN_MINUTES[sign];
  const waitedMinutes = since === null ? 0 : (now - since) / MINUTE - installMinutes;
  const isSlow = waitedMinutes >= Math.max(MIN_SLOW_MINUTES, SLOW_FACTOR * usual);
  const later = expectedSigns.slice(expectedSigns.indexOf(sign) + 1);
  return { signs, next: { sign, since, isSlow, isLate: waitedMinutes >= late }, later };
}

/** From this multiple of its usual time on, and from these minutes on, a sign takes longer than usual. */
const SLOW_FACTOR = 2;
const MIN_SLOW_MINUTES = 3;

const getSignIndex = (sign: BootSign) => BOOT_SIGNS.indexOf(sign);

/** Computes which share of the usual time up to `target` has passed, by the signs that the machine has given. */
export function computeBootProgress(
  { signs }: Pick<BootTimeline, 'signs'>,
  machine: Pick<TimelineEvidence, 'role' | 'boot'>,
  target: ExpectedSign,
): number {
  const expectedSigns = BOOT_SIGNS.filter((sign) => isExpectedSign(sign)).filter(
    (sign) => appliesToMachine(sign, machine) && getSignIndex(sign) <= getSignIndex(target),
  );
  const reachedIndex = Math.max(-1, ...signs.map(({ sign }) => getSignIndex(sign)));
  const sumMinutes = (signSubset: readonly ExpectedSign[]) =>
    signSubset.reduce((minutes, sign) => minutes + SIGN_MINUTES[sign].usual, 0);
  return sumMinutes(expectedSigns.filter((sign) => getSignIndex(sign) <= reachedIndex)) / sumMinutes(expectedSigns);
}

function isExpectedSign(sign: BootSign): sign is ExpectedSign {
  return sign !== 'power' && sign !== 'arp' && sign !== 'restart';
}

/**
 * Whether a machine of this role and boot method is expected to give the sign. A machine that boots from an ISO may
 * have no lease, and fetches no boot files. It requests its ignition file, unless the file is embedded in the ISO. sshd
 * is then no sign, because the live system runs it as well.
 */
function appliesToMachine(sign: ExpectedSign, { role, boot }: Pick<TimelineEvidence, 'role' | 'boot'>): boolean {
  if (sign === 'config') return role === 'bootstrap';
  if (sign === 'kubelet' || sign === 'node' || sign === 'ready') return role !== 'bootstrap';
  if (boot === 'prepared-iso' && (sign === 'ignition' || sign === 'ssh')) return false;
  const isNetworkBootSign =
    sign === 'lease' || sign === 'tftp' || sign === 'script' || sign === 'kernel' || sign === 'rootfs';
  return boot === 'ipxe' || !isNetworkBootSign;
}
