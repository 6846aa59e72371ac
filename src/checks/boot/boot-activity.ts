import { parseArpTable } from '../../probes/neighbour-probe.ts';
import { parseLeasedAddress, parseLeasedMacs, parseRefusedMacs } from './dhcp-log.ts';

/** Traces of booting machines on service hosts. MAC addresses in lower case; `at`: ms, null if unknown. */
export interface BootActivity {
  readonly leases: readonly { readonly mac: string; readonly address: string | null; readonly at: number | null }[];
  /** Read requests over TFTP. */
  readonly tftpRequests: readonly { readonly address: string; readonly path: string; readonly at: number | null }[];
  readonly refusedMacs: readonly string[];
  /** Entries of the neighbour tables. `isFresh`: the neighbour answered recently. */
  readonly neighbours: readonly { readonly mac: string; readonly address: string; readonly isFresh: boolean }[];
}

export const NO_BOOT_ACTIVITY: BootActivity = { leases: [], tftpRequests: [], refusedMacs: [], neighbours: [] };

const MAC = '[0-9a-f]{2}(?::[0-9a-f]{2}){5}';

/**
 * Parses the active leases of an ISC dhcpd (dhcpd.leases(5)): a later entry of an address replaces an earlier one, and
 * times are UTC. Hosts with a fixed address are not in the file, but only in the log.
 */
export function parseDhcpdLeases(text: string): BootActivity['leases'] {
  const byAddress = new Map<string, BootActivity['leases'][number] | null>();
  for (const [, address = '', body = ''] of text.matchAll(/^lease (\S+) \{\n(.*?)^\}/gms)) {
    const [, mac] = new RegExp(`^\\s*hardware ethernet (${MAC});`, 'im').exec(body) ?? [];
    const isActive = /^\s*binding state active;/m.test(body);
    byAddress.set(
      address,
      mac !== undefined && isActive ? { mac: mac.toLowerCase(), address, at: parseLeaseStart(body) } : null,
    );
  }
  return [...byAddress.values()].filter((lease) => lease !== null);
}

/** `starts 5 2024/03/01 12:00:00;`, or with db-time-format local `starts epoch 1709294400; # …`. */
function parseLeaseStart(body: string): number | null {
  const [, epoch, day, time] = /^\s*starts (?:epoch (\d+)|\d (\d{4}\/\d\d\/\d\d) (\d\d:\d\d:\d\d));/m.exec(body) ?? [];
  if (epoch !== undefined) return Number(epoch) * 1000;
  return day === undefined ? null : Date.parse(`${day.replaceAll('/', '-')}T${time}Z`);
}

/**
 * Parses the leases of Kea's memfile (CSV with a header line; Kea Administrator Reference Manual, "Memfile"). A later
 * line of an address replaces an earlier one. A lease began `valid_lifetime` before it expires; state 0 is active.
 */
export function parseKeaLeases(text: string): BootActivity['leases'] {
  const byAddress = new Map<string, BootActivity['leases'][number] | null>();
  let columns: readonly string[] = [];
  for (const line of text.split('\n')) {
    const cells = line.split(',');
    if (cells[0] === 'address') columns = cells;
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const [address, mac, expire, lifetime] = ['address', 'hwaddr', 'expire', 'valid_lifetime'].map(cell);
    if (!address || !new RegExp(`^${MAC}$`, 'i').test(mac ?? '')) continue;
    const [expirySeconds, lifetimeSeconds] = [Number(expire), Number(lifetime)];
    // A lease with a lifetime of 0 was released; infinity is 0xffffffff.
    const isActive = cell('state') === '0' && lifetimeSeconds > 0;
    const at =
      Number.isFinite(expirySeconds) && lifetimeSeconds < 0xffff_ffff ? (expirySeconds - lifetimeSeconds) * 1000 : null;
    byAddress.set(address, isActive ? { mac: (mac ?? '').toLowerCase(), address, at } : null);
  }
  return [...byAddress.values()].filter((lease) => lease !== null);
}

/** Parses the log lines of dhcpd, Kea and in.tftpd, as in journald (`short-unix`) or a syslog. */
export function parseBootLog(text: string): BootActivity {
  const lines = text.split('\n');
  const leases = lines.flatMap((line) => {
    const address = parseLeasedAddress(line);
    return parseLeasedMacs(line).map((mac) => ({ mac, address, at: parseLineTime(line) }));
  });
  const tftpRequests = lines.flatMap((line) => {
    const [, client, path] = /tftpd\[\d+\]: RRQ from (\S+) filename (\S+)/.exec(line) ?? [];
    if (client === undefined || path === undefined) return [];
    return [{ address: client.replace(/^::ffff:/, ''), path, at: parseLineTime(line) }];
  });
  return { ...NO_BOOT_ACTIVITY, leases, tftpRequests, refusedMacs: parseRefusedMacs(text) };
}

/**
 * Parses the time at the start of a line: `1709294400.123456 …` or ISO 8601. Null for a traditional syslog, whose times
 * have no year.
 */
function parseLineTime(line: string): number | null {
  const [, epoch, iso] = /^(?:(\d{9,11}\.\d+) |(\d{4}-\d\d-\d\dT\S+) )/.exec(line) ?? [];
  const at = epoch === undefined ? Date.parse(iso ?? '') : Math.round(Number(epoch) * 1000);
  return Number.isNaN(at) ? null : at;
}

/** Parses `ip neigh`. A STALE entry may belong to a machine that had the address long ago (ip-neighbour(8)). */
export function parseNeighbours(text: string): BootActivity['neighbours'] {
  const pattern = new RegExp(`^(\\S+) dev \\S+ lladdr (${MAC}) .*?(REACHABLE|STALE|DELAY|PROBE)`, 'gim');
  return [...text.matchAll(pattern)].map(([, address = '', mac = '', state = '']) => ({
    address,
    mac: mac.toLowerCase(),
    isFresh: state === 'REACHABLE' || state === 'DELAY',
  }));
}

/** Sections in the output of the service host probe, each after a header line. */
const PROBE_SECTIONS = ['dhcpd', 'kea', 'log', 'neighbours', 'arp'] as const;
const SECTION_PREFIX = 'upi-wizard-part ';

/** Formats the header line of a section. */
export function formatSectionHeader(section: (typeof PROBE_SECTIONS)[number]): string {
  return `${SECTION_PREFIX}${section}`;
}

/** Parses the output of the service host probe. */
export function parseBootProbeOutput(text: string): BootActivity {
  const parts = `\n${text}`.split(`\n${SECTION_PREFIX}`).slice(1);
  const listSectionTexts = (name: (typeof PROBE_SECTIONS)[number]) =>
    parts.filter((part) => part.startsWith(`${name}\n`)).map((part) => part.slice(name.length + 1));
  const log = parseBootLog(listSectionTexts('log').join('\n'));
  return {
    ...log,
    leases: [
      ...listSectionTexts('dhcpd').flatMap(parseDhcpdLeases),
      ...parseKeaLeases(listSectionTexts('kea').join('\n')),
      ...log.leases,
    ],
    neighbours: [
      ...listSectionTexts('neighbours').flatMap(parseNeighbours),
      ...listSectionTexts('arp').flatMap((table) => parseArpTable(table, false)),
    ],
  };
}

/** Merges the boot activity of several hosts. */
export function mergeBootActivity(activities: readonly BootActivity[]): BootActivity {
  return {
    leases: activities.flatMap(({ leases }) => leases),
    tftpRequests: activities.flatMap(({ tftpRequests }) => tftpRequests),
    refusedMacs: [...new Set(activities.flatMap(({ refusedMacs }) => refusedMacs))],
    neighbours: activities.flatMap(({ neighbours }) => neighbours),
  };
}

/**
 * Derives the time from which a request is expected from each machine, in the order of the machines. It is the power-on
 * if the wizard powers the machines on. A user confirms power-on for all machines together, and then goes from console
 * to console. So the next machine counts from the latest sign of the machines before it, and later ones are not due yet
 * (null).
 * @param machines in boot order; `hasSign`: it has shown some sign; `firstSignAt`: its first sign with a time (ms), or
 * null
 * @param isManual whether the user powers the machines on
 */
export function deriveExpectedRequestTimes(
  machines: readonly {
    readonly poweredOnAt: number | null;
    readonly hasSign: boolean;
    readonly firstSignAt: number | null;
  }[],
  isManual: boolean,
): (number | null)[] {
  if (!isManual) return machines.map(({ poweredOnAt }) => poweredOnAt);
  const nextIndex = machines.findLastIndex(({ hasSign }) => hasSign) + 1;
  const lastSignAt = Math.max(0, ...machines.map(({ firstSignAt }) => firstSignAt ?? 0));
  return machines.map(({ poweredOnAt }, index) =>
    poweredOnAt === null || index > nextIndex ? null : Math.max(poweredOnAt, lastSignAt),
  );
}
