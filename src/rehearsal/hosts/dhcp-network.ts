import type { DhcpClient, Lease } from './dhcp.ts';
import type { RunningHost } from './running-host.ts';

/**
 * Creates the interface of the site's DHCP servers to their clients. Each server writes its messages to the log of its
 * host.
 */
export function createDhcpNetwork(hosts: readonly RunningHost[]) {
  const listServers = () =>
    hosts.flatMap((runningHost) => {
      const dhcp = runningHost.getDhcpServer();
      return dhcp === null
        ? []
        : [{ ...dhcp, runningHost, log: (line: string) => runningHost.log(dhcp.program, line) }];
    });
  return {
    /** Sends the request to the DHCP servers of the site. Null: no answer. */
    requestLease(client: DhcpClient): Lease | null {
      for (const { server, runningHost, log } of listServers()) {
        const result = server.findLease(client);
        if (!('lease' in result)) {
          log(`DHCPDISCOVER from ${client.mac} via eth0: network ${result.network}: no free leases`);
          continue;
        }
        const { address } = result.lease;
        log(`DHCPDISCOVER from ${client.mac} via eth0`);
        log(`DHCPOFFER on ${address} to ${client.mac} via eth0`);
        log(`DHCPREQUEST for ${address} (${runningHost.host.ip[0]}) from ${client.mac} via eth0`);
        log(`DHCPACK on ${address} to ${client.mac} via eth0`);
        return result.lease;
      }
      return null;
    },
    /**
     * Logs a request that also reaches the servers of the site, although the machine takes the address that a foreign
     * DHCP server offered.
     */
    logForeignOffer(client: DhcpClient, address: string, foreignServer: string): void {
      for (const { server, log } of listServers()) {
        const result = server.findLease(client);
        if (!('lease' in result)) continue;
        log(`DHCPDISCOVER from ${client.mac} via eth0`);
        log(`DHCPOFFER on ${result.lease.address} to ${client.mac} via eth0`);
        log(`DHCPREQUEST for ${address} (${foreignServer}) from ${client.mac} via eth0: unknown lease ${address}.`);
      }
    },
    /**
     * Collects the offers of the DHCP server on `host` to a client behind a relay agent. If `host` is null, it collects
     * the offers of all servers to a broadcast. No offer is accepted.
     */
    collectOffers(
      client: DhcpClient,
      host: string | null,
      relay: string,
    ): { readonly lease: Lease; readonly server: string }[] {
      const servers = listServers().filter(({ runningHost }) => host === null || runningHost.host.name === host);
      const via = host === null ? 'eth0' : relay;
      return servers.flatMap(({ server, runningHost, log }) => {
        const result = server.findLease(client);
        if (!('lease' in result)) {
          log(`DHCPDISCOVER from ${client.mac} via ${via}: network ${result.network}: no free leases`);
          return [];
        }
        log(`DHCPDISCOVER from ${client.mac} via ${via}`);
        log(`DHCPOFFER on ${result.lease.address} to ${client.mac} via ${via}`);
        return [{ lease: result.lease, server: runningHost.host.ip.find((address) => !address.includes(':')) ?? '' }];
      });
    },
    /** Writes a line to the log of every DHCP server. */
    logLine(line: string): void {
      for (const { log } of listServers()) log(line);
    },
  };
}

export type DhcpNetwork = ReturnType<typeof createDhcpNetwork>;
