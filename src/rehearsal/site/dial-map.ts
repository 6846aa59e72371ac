import { setTimeout as realSleep } from 'node:timers/promises';
import { type Clock, SECOND } from '../../platform/clock.ts';
import type { Endpoint, ResolveEndpoint } from '../../platform/manual-actions.ts';

/** Maps an address or a name of the design to a loopback address; ports below 1024 are shifted. */
export interface DialMap {
  readonly hosts: Readonly<Record<string, string>>;
  readonly lowPortShift: number;
  /** The loopback addresses that no machine holds now; missing: none. */
  readonly unassigned?: readonly string[];
}

/** The kernel sends three ARP requests for an address, a second apart (arp(7)). */
export const NEIGHBOUR_TIMEOUT = 3 * SECOND;
/** Real milliseconds: a connection fails even while the clock of the rehearsal stands still. */
const MAX_REAL_WAIT_MS = 1000;

/**
 * Resolves endpoints with a dial map that may change at run time. Hosts that the map lacks are not changed. On the
 * loopback interface every address answers: a connection to an address that no machine holds fails here instead, as on
 * a real network.
 */
export function createMappedEndpoints(readDialMap: () => DialMap, clock: Pick<Clock, 'sleep'>): ResolveEndpoint {
  const lookup: Endpoint['lookup'] = (hostname, _options, callback) => {
    const error = Object.assign(new Error(`connect EHOSTUNREACH ${hostname}`), { code: 'EHOSTUNREACH' });
    const sleepController = new AbortController();
    const fail = () => {
      sleepController.abort();
      callback(error, '', 0);
    };
    Promise.race([
      clock.sleep(NEIGHBOUR_TIMEOUT, sleepController.signal),
      realSleep(MAX_REAL_WAIT_MS, undefined, sleepController),
    ]).then(fail, fail);
  };
  return (host, port) => {
    const { hosts, lowPortShift, unassigned = [] } = readDialMap();
    const mappedHost = hosts[host.toLowerCase()];
    if (mappedHost === undefined) return { host, port };
    // Node.js calls `lookup` only for names, so the address becomes a name. With port 0 the caller wants only the
    // address.
    if (port !== 0 && unassigned.includes(mappedHost)) return { host: `${host}.unassigned`, port, lookup };
    return { host: mappedHost, port: port < 1024 ? port + lowPortShift : port };
  };
}
