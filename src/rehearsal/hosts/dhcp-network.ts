import type { DhcpClient, Lease } from './dhcp.ts';
import type { RunningHost } from './running-host.ts';

/** Creates the network between the site's DHCP servers and their clients. Each server logs its messages on its host. */
export function createDhcpNetwork(hosts: readonly RunningHost[]) {
  const listServers = () =>
    hosts.flatMap(({ host, getDhcpServer, log }) => {
      const dhcp = getDhcpServer();
      return dhcp === null ? [] : [{ host, server: dhcp.server, log: (line: string) => log(dhcp.program, line) }];
    });
  type RunningServer = ReturnType<typeof listServers>[number];

  /** Offers a lease to a client. Null: the server has no lease for this client. */
  function offerLease({ server, log }: RunningServer, client: DhcpClient, via = 'eth0'): Lease | null {
    const result = server.findLease(client);
    if (!('lease' in result)) {
      log(`DHCPDISCOVER from ${client.mac} via ${via}: network ${result.network}: no free leases`);
      return null;
    }
    log(`DHCPDISCOVER from ${client.mac} via ${via}`);
    log(`DHCPOFFER on ${result.lease.address} to ${client.mac} via ${via}`);
    return result.lease;
  }

  return {
    /** Requests a lease from the DHCP servers of the site, one after the other. Null: none has a lease. */
    requestLease(client: DhcpClient): Lease | null {
      for (const dhcpServer of listServers()) {
        const lease = offerLease(dhcpServer, client);
        if (lease === null) continue;
        dhcpServer.log(`DHCPREQUEST for ${lease.address} (${dhcpServer.host.ip[0]}) from ${client.mac} via eth0`);
        dhcpServer.log(`DHCPACK on ${lease.address} to ${client.mac} via eth0`);
        return lease;
      }
      return null;
    },
    /**
     * Logs a request that also reaches the servers of the site, although the machine takes the address that a foreign
     * DHCP server offered.
     */
    logForeignOffer(client: DhcpClient, address: string, foreignServer: string): void {
      for (const dhcpServer of listServers()) {
        if (offerLease(dhcpServer, client) === null) continue;
        dhcpServer.log(
          `DHCPREQUEST for ${address} (${foreignServer}) from ${client.mac} via eth0: unknown lease ${address}.`,
        );
      }
    },
    /**
     * Collects the offers of the DHCP server on `host` to a client behind a relay agent. If `host` is null, it collects
     * the offers of all servers to a broadcast. No offer is accepted.
     * @param relay address of the relay agent, which the server logs
     */
    collectOffers(
      client: DhcpClient,
      host: string | null,
      relay: string,
    ): { readonly lease: Lease; readonly server: string }[] {
      const servers = listServers().filter((candidate) => host === null || candidate.host.name === host);
      return servers.flatMap((dhcpServer) => {
        const lease = offerLease(dhcpServer, client, host === null ? 'eth0' : relay);
        const server = dhcpServer.host.ip.find((address) => !address.includes(':')) ?? '';
        return lease === null ? [] : [{ lease, server }];
      });
    },
    /** Writes a line to the log of every DHCP server. */
    logLine(line: string): void {
      for (const { log } of listServers()) log(line);
    },
  };
}

export type DhcpNetwork = ReturnType<typeof createDhcpNetwork>;
