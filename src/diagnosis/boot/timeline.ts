import type { NodeRole } from '../../design/model.ts';
import { MINUTE } from '../../ports/clock.ts';
import { stageOf } from './stages.ts';

/** What a machine shows of itself from power-on to the cluster, in order. */
export const SIGNS = [
  ...(['power', 'lease', 'arp', 'tftp', 'script', 'kernel', 'rootfs', 'ignition'] as const),
  ...(['ssh', 'config', 'kubelet', 'node', 'ready'] as const),
] as const;
export type Sign = (typeof SIGNS)[number];
/** Those that each machine shows; a neighbour table is not always one that can be seen. */
export type Awaited = Exclude<Sign, 'power' | 'arp'>;

/** How long after the sign before it each one usually comes, and how long nobody calls late: minutes. */
export const USUAL: Readonly<Record<Awaited, { readonly usual: number; readonly late: number }>> = {
  // Firmware checks its memory first, and tries other devices.
  lease: { usual: 3, late: 10 },
  tftp: { usual: 1, late: 5 },
  script: { usual: 1, late: 10 },
  kernel: { usual: 2, late: 10 },
  // A gigabyte.
  rootfs: { usual: 3, late: 10 },
  ignition: { usual: 3, late: 10 },
  // The disk is written, and the machine starts from it.
  ssh: { usual: 6, late: 20 },
  // The bootstrap node pulls the release first.
  config: { usual: 8, late: 25 },
  kubelet: { usual: 8, late: 30 },
  node: { usual: 3, late: 20 },
  ready: { usual: 5, late: 20 },
};

/** What is known of one machine. Times in ms of the clock; null: not known when. */
export interface TimelineEvidence {
  readonly role: NodeRole;
  readonly boot: 'ipxe' | 'iso';
  readonly poweredOnAt: number | null;
  /** Left out: there is none. */
  readonly lease?: { readonly at: number | null };
  readonly tftp?: { readonly at: number | null };
  /** It answers ARP at its address, with its own MAC address. */
  readonly answersArp: boolean;
  readonly requests: readonly { readonly path: string; readonly status: number; readonly at: number }[];
  readonly ports: readonly { readonly port: 22 | 22623 | 10250; readonly since: number }[];
  readonly node: { readonly createdAt: number | null; readonly isReady: boolean } | null;
}

export interface Timeline {
  readonly seen: readonly { readonly sign: Sign; readonly at: number | null }[];
  /** The first thing that did not happen yet; null: all of it did, or nobody waits for it. `since`: the sign before it. */
  readonly next: {
    readonly sign: Awaited;
    readonly since: number | null;
    readonly isLate: boolean;
  } | null;
}

const PORT_SIGNS = { 22: 'ssh', 22623: 'config', 10250: 'kubelet' } as const;

/** What a machine showed, and what comes next. @param now ms of the clock */
export function timelineOf(evidence: TimelineEvidence, now: number): Timeline {
  const { poweredOnAt, lease, tftp, answersArp, requests, ports, node } = evidence;
  const found = new Map<Sign, number | null>();
  if (poweredOnAt !== null) found.set('power', poweredOnAt);
  if (lease) found.set('lease', lease.at);
  if (answersArp) found.set('arp', null);
  if (tftp) found.set('tftp', tftp.at);
  for (const { path, status, at } of requests) {
    const sign = status < 400 ? stageOf(path) : null;
    if (sign !== null && sign !== 'off' && !found.has(sign)) found.set(sign, at);
  }
  // The live system that installs has sshd too: before its ignition file, an open port is of an earlier life.
  if (found.has('ignition')) for (const { port, since } of ports) found.set(PORT_SIGNS[port], since);
  if (node !== null) found.set('node', node.createdAt);
  if (node?.isReady) found.set('ready', null);
  const seen = SIGNS.filter((sign) => found.has(sign)).map((sign) => ({ sign, at: found.get(sign) ?? null }));
  const last = seen.at(-1);
  if (last === undefined) return { seen, next: null };
  const expected = SIGNS.filter((sign) => isAwaited(sign)).filter((sign) => isExpected(sign, evidence));
  const sign = expected.find((each) => SIGNS.indexOf(each) > SIGNS.indexOf(last.sign));
  if (sign === undefined) return { seen, next: null };
  const since = Math.max(0, ...seen.map(({ at }) => at ?? 0)) || null;
  return { seen, next: { sign, since, isLate: since !== null && now - since >= USUAL[sign].late * MINUTE } };
}

function isAwaited(sign: Sign): sign is Awaited {
  return sign !== 'power' && sign !== 'arp';
}

/** Whether a machine of this role shows it; an ISO needs neither TFTP nor, with its ignition file in it, any of our files. */
function isExpected(sign: Awaited, { role, boot }: TimelineEvidence): boolean {
  if (sign === 'config') return role === 'bootstrap';
  if (sign === 'kubelet' || sign === 'node' || sign === 'ready') return role !== 'bootstrap';
  const isOfNetwork =
    sign === 'lease' || sign === 'tftp' || sign === 'script' || sign === 'kernel' || sign === 'rootfs';
  return boot === 'ipxe' || !isOfNetwork;
}
