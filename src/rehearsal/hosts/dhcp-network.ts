import type { DhcpClient, Lease } from './dhcp.ts';
import type { RunningHost } from './running-host.ts';

/** Creates the DHCP servers of the site as its machines reach them, with the lines that each writes to its log. */
export function createDhcpNetwork(hosts: readonly RunningHost[]) {
  const listServers = () =>
    hosts.flatMap((on) => {
      const dhcp = on.dhcp();
      return dhcp === null ? [] : [{ ...dhcp, on, log: (line: string) => on.log(dhcp.program, line) }];
    });
  return {
    /** Sends the request to the DHCP servers of the site. Null: no answer. */
    requestLease(client: DhcpClient): Lease | null {
      for (const { server, on, log } of listServers()) {
        const found = server.findLease(client);
        if (!('lease' in found)) {
          log(`DHCPDISCOVER from ${client.mac} via eth0: network ${found.network}: no free leases`);
          continue;
        }
        const { address } = found.lease;
        log(`DHCPDISCOVER from ${client.mac} via eth0`);
        log(`DHCPOFFER on ${address} to ${client.mac} via eth0`);
        log(`DHCPREQUEST for ${address} (${on.host.ip[0]}) from ${client.mac} via eth0`);
        log(`DHCPACK on ${address} to ${client.mac} via eth0`);
        return found.lease;
      }
      return null;
    },
    /** A machine also asks the servers of the site, and then takes the address that another DHCP server offered. */
    observeForeignOffer(client: DhcpClient, address: string, other: string): void {
      for (const { server, log } of listServers()) {
        const found = server.findLease(client);
        if (!('lease' in found)) continue;
        log(`DHCPDISCOVER from ${client.mac} via eth0`);
        log(`DHCPOFFER on ${found.lease.address} to ${client.mac} via eth0`);
        log(`DHCPREQUEST for ${address} (${other}) from ${client.mac} via eth0: unknown lease ${address}.`);
      }
    },
    /**
     * The offers of the DHCP server on `host` to a client behind a relay agent; null: of all servers to its broadcast.
     * No offer is accepted.
     */
    collectOffers(
      client: DhcpClient,
      host: string | null,
      relay: string,
    ): { readonly lease: Lease; readonly server: string }[] {
      const servers = listServers().filter(({ on }) => host === null || on.host.name === host);
      const via = host === null ? 'eth0' : relay;
      return servers.flatMap(({ server, on, log }) => {
        const found = server.findLease(client);
        if (!('lease' in found)) {
          log(`DHCPDISCOVER from ${client.mac} via ${via}: network ${found.network}: no free leases`);
          return [];
        }
        log(`DHCPDISCOVER from ${client.mac} via ${via}`);
        log(`DHCPOFFER on ${found.lease.address} to ${client.mac} via ${via}`);
        return [{ lease: found.lease, server: on.host.ip.find((address) => !address.includes(':')) ?? '' }];
      });
    },
    /** A line in the log of every DHCP server. */
    logLine(line: string): void {
      for (const { log } of listServers()) log(line);
    },
  };
}

export type DhcpNetwork = ReturnType<typeof createDhcpNetwork>;
