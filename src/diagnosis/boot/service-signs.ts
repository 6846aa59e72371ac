import { leasedAddress, leasedMacs, refusedMacs } from './dhcp-log.ts';

/** What service hosts have of machines that boot. MAC addresses in lower case; `at`: ms, null where it is not known. */
export interface ServiceSigns {
  readonly leases: readonly { readonly mac: string; readonly address: string | null; readonly at: number | null }[];
  /** Files over TFTP. */
  readonly fetched: readonly { readonly address: string; readonly path: string; readonly at: number | null }[];
  readonly refused: readonly string[];
  /** Of their neighbour tables. `isFresh`: it answered just now. */
  readonly neighbours: readonly { readonly mac: string; readonly address: string; readonly isFresh: boolean }[];
}

export const NO_SIGNS: ServiceSigns = { leases: [], fetched: [], refused: [], neighbours: [] };

const MAC = '[0-9a-f]{2}(?::[0-9a-f]{2}){5}';

/**
 * The leases of an ISC dhcpd that are in force (dhcpd.leases(5)): a later entry of an address takes the place of an earlier one, and
 * times are UTC. Hosts with a fixed address are not in it: only the log tells of theirs.
 */
export function dhcpdLeases(text: string): ServiceSigns['leases'] {
  const byAddress = new Map<string, ServiceSigns['leases'][number] | null>();
  for (const [, address = '', body = ''] of text.matchAll(/^lease (\S+) \{\n(.*?)^\}/gms)) {
    const [, mac] = new RegExp(`^\\s*hardware ethernet (${MAC});`, 'im').exec(body) ?? [];
    const isActive = /^\s*binding state active;/m.test(body);
    byAddress.set(
      address,
      mac !== undefined && isActive ? { mac: mac.toLowerCase(), address, at: startOf(body) } : null,
    );
  }
  return [...byAddress.values()].filter((lease) => lease !== null);
}

/** `starts 5 2024/03/01 12:00:00;`, or with db-time-format local `starts epoch 1709294400; # …`. */
function startOf(body: string): number | null {
  const [, epoch, day, time] = /^\s*starts (?:epoch (\d+)|\d (\d{4}\/\d\d\/\d\d) (\d\d:\d\d:\d\d));/m.exec(body) ?? [];
  if (epoch !== undefined) return Number(epoch) * 1000;
  return day === undefined ? null : Date.parse(`${day.replaceAll('/', '-')}T${time}Z`);
}

/**
 * The leases of Kea's memfile (CSV with a heading; ARM, "Memfile"): a later line of an address takes the place of an earlier one; a
 * lease began `valid_lifetime` before it expires; state 0 is in force.
 */
export function keaLeases(text: string): ServiceSigns['leases'] {
  const byAddress = new Map<string, ServiceSigns['leases'][number] | null>();
  let columns: readonly string[] = [];
  for (const line of text.split('\n')) {
    const cells = line.split(',');
    if (cells[0] === 'address') columns = cells;
    const cell = (name: string) => cells[columns.indexOf(name)] ?? '';
    const [address, mac, expire, lifetime] = ['address', 'hwaddr', 'expire', 'valid_lifetime'].map(cell);
    if (!address || !new RegExp(`^${MAC}$`, 'i').test(mac ?? '')) continue;
    const [end, length] = [Number(expire), Number(lifetime)];
    // A lease of no time was given back; infinity is 0xffffffff.
    const isGiven = cell('state') === '0' && length > 0;
    const at = Number.isFinite(end) && length < 0xffff_ffff ? (end - length) * 1000 : null;
    byAddress.set(address, isGiven ? { mac: (mac ?? '').toLowerCase(), address, at } : null);
  }
  return [...byAddress.values()].filter((lease) => lease !== null);
}

/** What dhcpd, Kea and in.tftpd log, as journald (`short-unix`) or a syslog has it. */
export function logSigns(text: string): ServiceSigns {
  const lines = text.split('\n');
  const leases = lines.flatMap((line) => {
    const address = leasedAddress(line);
    return leasedMacs(line).map((mac) => ({ mac, address, at: timeOf(line) }));
  });
  const fetched = lines.flatMap((line) => {
    const [, client, path] = /tftpd\[\d+\]: RRQ from (\S+) filename (\S+)/.exec(line) ?? [];
    if (client === undefined || path === undefined) return [];
    return [{ address: client.replace(/^::ffff:/, ''), path, at: timeOf(line) }];
  });
  return { ...NO_SIGNS, leases, fetched, refused: refusedMacs(text) };
}

/** `1709294400.123456 …`, or an ISO time first; a syslog of old has no year. */
function timeOf(line: string): number | null {
  const [, epoch, iso] = /^(?:(\d{9,11}\.\d+) |(\d{4}-\d\d-\d\dT\S+) )/.exec(line) ?? [];
  const at = epoch === undefined ? Date.parse(iso ?? '') : Math.round(Number(epoch) * 1000);
  return Number.isNaN(at) ? null : at;
}

/** `ip neigh`: who answered an address lately. What is stale may be of a machine that had it long ago (ip-neighbour(8)). */
export function neighboursIn(text: string): ServiceSigns['neighbours'] {
  const line = new RegExp(`^(\\S+) dev \\S+ lladdr (${MAC}) .*?(REACHABLE|STALE|DELAY|PROBE)`, 'gim');
  return [...text.matchAll(line)].map(([, address = '', mac = '', state = '']) => ({
    address,
    mac: mac.toLowerCase(),
    isFresh: state === 'REACHABLE' || state === 'DELAY',
  }));
}

/** ATF_COM of linux/if_arp.h: the entry is complete. */
const COMPLETE = 2;

/** /proc/net/arp (proc_net(5)), which does not say how old an entry is. @param isFresh whether it was asked for just now */
export function arpTable(text: string, isFresh: boolean): ServiceSigns['neighbours'] {
  const line = new RegExp(`^(\\S+) +0x\\S+ +0x([0-9a-f]+) +(${MAC}) `, 'gim');
  return [...text.matchAll(line)].flatMap(([, address = '', flags = '', mac = '']) =>
    (Number.parseInt(flags, 16) & COMPLETE) === 0 ? [] : [{ address, mac: mac.toLowerCase(), isFresh }],
  );
}

/** The parts of a look at a service host, each begun by a line of its own. */
export const LOOK_PARTS = ['dhcpd', 'kea', 'log', 'neighbours', 'arp'] as const;
const MARK = 'upi-wizard-part ';

/** The line that begins a part. */
export function partLine(part: (typeof LOOK_PARTS)[number]): string {
  return `${MARK}${part}`;
}

/** What a look at a service host printed. */
export function lookSigns(text: string): ServiceSigns {
  const parts = `\n${text}`.split(`\n${MARK}`).slice(1);
  const of = (name: (typeof LOOK_PARTS)[number]) =>
    parts.filter((part) => part.startsWith(`${name}\n`)).map((part) => part.slice(name.length + 1));
  const log = logSigns(of('log').join('\n'));
  return {
    ...log,
    leases: [...of('dhcpd').flatMap(dhcpdLeases), ...keaLeases(of('kea').join('\n')), ...log.leases],
    neighbours: [...of('neighbours').flatMap(neighboursIn), ...of('arp').flatMap((table) => arpTable(table, false))],
  };
}

/** The signs of several hosts together. */
export function togetherOf(all: readonly ServiceSigns[]): ServiceSigns {
  return {
    leases: all.flatMap(({ leases }) => leases),
    fetched: all.flatMap(({ fetched }) => fetched),
    refused: [...new Set(all.flatMap(({ refused }) => refused))],
    neighbours: all.flatMap(({ neighbours }) => neighbours),
  };
}
