import { getOsProfile } from '../../artifacts/hosts/os.ts';
import { listServiceHosts } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { ProbeAnswer, Unmeasurable } from '../../probes/probe-types.ts';
import { createSiteCheckFactory, isLocalHost, type SiteCheckContext, type SiteResult, type Verdict } from './site.ts';

const words = () => catalogue().diagnosis.site.details.clocks;

/** Maximum clock offset in ms. Nodes compare certificates with their clock; etcd and kubelets tolerate a second. */
const MAX_OFFSET_MS = 1000;

/** A clock, as read from this machine. */
export interface ClockReading {
  readonly kind: 'this-machine' | 'time-server' | 'api' | 'host';
  /** The address of a time server, the name of a host. */
  readonly name: string;
  /** Its time minus the time of this machine. */
  readonly offsetMs: number;
  /** Half of the time that the query took. */
  readonly uncertaintyMs: number;
}

/** The clock of this machine: the offsets of the others are measured from it. */
export const THIS_CLOCK: ClockReading = { kind: 'this-machine', name: '', offsetMs: 0, uncertaintyMs: 0 };

/**
 * Result of comparing several clocks. Two clocks that differ, and groups of equal weight, do not prove which one is
 * wrong: then `correctClocks` is empty.
 */
interface ClockComparison {
  readonly correctClocks: readonly ClockReading[];
  /** Clocks that are wrong, or, if none is proven correct, those that differ from each other; empty: all agree. */
  readonly wrongClocks: readonly ClockReading[];
}

/**
 * Finds the clocks that disagree with the others. The time servers of the design are the reference as soon as one other
 * clock agrees with them. A time server with which no other clock agrees is itself wrong.
 */
export function compareClocks(readings: readonly ClockReading[]): ClockComparison {
  const groups: ClockReading[][] = [];
  // Precise readings come first: a coarse reading may agree with several groups, and then proves nothing.
  for (const reading of readings.toSorted((a, b) => a.uncertaintyMs - b.uncertaintyMs)) {
    const matchingGroups = groups.filter(([first]) => first !== undefined && haveSameTime(first, reading));
    if (matchingGroups.length === 0) groups.push([reading]);
    else if (matchingGroups.length === 1) matchingGroups[0]?.push(reading);
  }
  if (groups.length < 2) return { correctClocks: groups[0] ?? [], wrongClocks: [] };
  const countServers = (group: readonly ClockReading[]) => group.filter(({ kind }) => kind === 'time-server').length;
  const confirmedGroups = groups.filter((group) => group.length > 1);
  const groupsWithServers = confirmedGroups.filter((group) => countServers(group) > 0);
  const correctClocks =
    findLargest(groupsWithServers, countServers) ?? findLargest(confirmedGroups, (group) => group.length);
  return { correctClocks: correctClocks ?? [], wrongClocks: groups.filter((group) => group !== correctClocks).flat() };
}

function haveSameTime(a: ClockReading, b: ClockReading): boolean {
  return Math.abs(a.offsetMs - b.offsetMs) <= MAX_OFFSET_MS + a.uncertaintyMs + b.uncertaintyMs;
}

/** Returns the largest of several groups; null if there is none, or two are equally large. */
function findLargest<Group>(groups: readonly Group[], measure: (group: Group) => number): Group | null {
  const [first, second] = groups.toSorted((a, b) => measure(b) - measure(a));
  if (first === undefined || (second !== undefined && measure(second) === measure(first))) return null;
  return first;
}

/** A clock that differs: which clocks, from which other ones, by how much. */
interface ClockDifference {
  /** Whether it is known that these clocks are wrong, and not the others. */
  readonly isProven: boolean;
  readonly offsetMs: number;
  readonly clocks: readonly ClockReading[];
  readonly otherClocks: readonly ClockReading[];
}

/**
 * Returns the difference to report at a clock; null if there is none. Each difference is reported once: at the first
 * wrong clock or, if none is proven wrong, at the first that differs from this machine.
 */
export function findClockDifference(comparison: ClockComparison, clock: ClockReading): ClockDifference | null {
  const { correctClocks, wrongClocks } = comparison;
  if (!wrongClocks.includes(clock)) return null;
  if (correctClocks.length > 0) {
    const firstEqualClock = wrongClocks.find((wrongClock) => haveSameTime(wrongClock, clock)) ?? clock;
    if (firstEqualClock !== clock) return null;
    const clocks = wrongClocks.filter((wrongClock) => haveSameTime(wrongClock, clock));
    return {
      isProven: true,
      offsetMs: clock.offsetMs - getReferenceOffset(correctClocks),
      clocks,
      otherClocks: correctClocks,
    };
  }
  // Nothing proves which one is wrong: the difference from this machine is reported once, at the first other clock.
  const localGroup = wrongClocks.filter((wrongClock) => haveSameTime(wrongClock, THIS_CLOCK));
  const otherClocks = wrongClocks.filter((wrongClock) => !localGroup.includes(wrongClock));
  if (clock !== otherClocks[0]) return null;
  return {
    isProven: false,
    offsetMs: clock.offsetMs,
    clocks: otherClocks.filter((otherClock) => haveSameTime(otherClock, clock)),
    otherClocks: localGroup,
  };
}

/** Returns the offset of the first clock, which is the most precise one. */
function getReferenceOffset([first]: readonly ClockReading[]): number {
  return first?.offsetMs ?? 0;
}

/** Reads all clocks of the site: this machine's, those of the time servers, of the API and of the service hosts. */
async function readClocks({ design, probes, ...site }: SiteCheckContext): Promise<ClockReading[]> {
  const [apiHost = ''] = design.endpoints.api;
  const hosts = listServiceHosts(design).filter((host) => !isLocalHost(site, host));
  const readClock = async (
    kind: ClockReading['kind'],
    name: string,
    answer: Promise<ProbeAnswer<'time' | 'date' | 'host'> | Unmeasurable>,
  ): Promise<ClockReading[]> => {
    const reply = await answer;
    if (!('offsetMs' in reply) || reply.offsetMs === null) return [];
    return [{ kind, name, offsetMs: reply.offsetMs, uncertaintyMs: reply.uncertaintyMs ?? 0 }];
  };
  const answers = await Promise.all([
    ...design.services.time.servers.map((server) => readClock('time-server', server, probes.time({ server }))),
    readClock('api', '', probes.date({ host: apiHost, port: 6443 })),
    ...hosts.map(({ name, ip: [address] }) => readClock('host', name, probes.host({ name, address, isSelf: false }))),
  ]);
  return [THIS_CLOCK, ...answers.flat()];
}

/**
 * Evaluates a clock of the site that answered. Its offset from this machine alone does not prove that it is wrong: all
 * clocks are compared.
 */
export async function evaluateClock(
  site: SiteCheckContext,
  kind: ClockReading['kind'],
  name: string,
): Promise<Verdict> {
  const readings = await readClocks(site);
  const clock = readings.find((reading) => reading.kind === kind && reading.name === name);
  if (clock === undefined || readings.length < 2) return { state: 'unknown', detail: words().none };
  const comparison = compareClocks(readings);
  const difference = findClockDifference(comparison, clock);
  if (difference === null) {
    if (kind === 'this-machine') return { state: 'ok', detail: words().compared(readings.slice(1)) };
    return { state: 'ok', detail: words().offset(clock.offsetMs) };
  }
  const { isProven, offsetMs } = difference;
  const { bastion, time } = site.design.services;
  const { os } = listServiceHosts(site.design).find((host) => kind === 'host' && host.name === name) ?? bastion;
  return {
    state: 'failed',
    title: words().title(difference),
    detail: words().detail(difference),
    remedy: isProven
      ? words().remedies[kind](difference, time.servers, getOsProfile(os).chrony)
      : words().remedies.unproven,
    // Nodes refuse certificates that are not valid yet by their clocks.
    severity: isProven && clock === THIS_CLOCK && offsetMs > MINUTE ? 'fatal' : 'warning',
  };
}

/** The clock of this machine, compared with all others that can be read from here. */
export const CLOCK_CHECKS = [
  createSiteCheckFactory('hosts')('machine-clock', 'warning', (site) => [
    evaluateClock(site, 'this-machine', '').then(
      ({ detail, ...verdict }): SiteResult => ({
        ...verdict,
        subject: words().thisMachine,
        command: 'date -u; chronyc tracking; chronyc sources',
        evidence: [detail],
      }),
    ),
  ]),
];
