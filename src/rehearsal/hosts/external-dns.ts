import { join } from 'node:path';
import type { Design } from '../../design/model.ts';
import type { Addresses } from '../site/addresses.ts';
import { readText } from '../site/files.ts';
import { type NameServer, startNameServer, type Zone } from './dns.ts';

const RECORDS_PATH = '/root/upi-wizard/dns-records.csv';
const DNS_PORT = 53;
const TTL = 3600;

/**
 * Creates the name servers of the company, if the design names any. Their administrators enter the records of
 * dns-records.csv as soon as the bastion has the file; the servers resolve outside names at any time.
 * @param bastionRoot directory with the files of the bastion
 */
export function createExternalDns(design: Design, addresses: Addresses, bastionRoot: string) {
  const { kind, forwarders } = design.services.dns;
  const serverAddresses = kind === 'external' ? forwarders : [];
  const runningServers: NameServer[] = [];
  /** Returns the zones, which all servers share. */
  const listZones = (): readonly Zone[] =>
    serverAddresses.length === 0 ? [] : buildZones(design, readText(join(bastionRoot, RECORDS_PATH)));
  return {
    /** Starts a server at each forwarder address of the design; none if DNS is not external. */
    async start(): Promise<void> {
      for (const serverAddress of serverAddresses.slice(runningServers.length)) {
        const address = addresses.getLoopbackAddress(serverAddress);
        runningServers.push(await startNameServer(address, addresses.getLocalPort(DNS_PORT), listZones, () => true));
      }
    },
    /** Returns the zones of the server at an address of the site; null: there is no such server. */
    findZones: (address: string) => (serverAddresses.includes(address) ? listZones() : null),
    listZones,
    stop(): void {
      for (const server of runningServers.splice(0)) server.stop();
    },
  };
}

/**
 * Builds the base domain's zone and the reverse zones from the rows of dns-records.csv.
 * @param csv the file; null: the bastion has no file yet, and the zones hold no record of the cluster
 */
export function buildZones(design: Design, csv: string | null): Zone[] {
  const origins = [design.cluster.baseDomain.toLowerCase(), 'in-addr.arpa', 'ip6.arpa'];
  const records = (csv ?? '')
    .split(/\r?\n/)
    .slice(1)
    .filter((line) => line !== '')
    .map((line) => {
      const [name = '', type = '', data = ''] = line.split(',');
      return { name: name.toLowerCase(), type, ttl: TTL, data };
    });
  return origins.map((origin) => ({
    origin,
    records: [
      { name: origin, type: 'SOA', ttl: TTL, data: `ns.${origin} hostmaster.${origin} 1 7200 3600 604800 3600` },
      ...records.filter(({ name }) => name === origin || name.endsWith(`.${origin}`)),
    ],
  }));
}
