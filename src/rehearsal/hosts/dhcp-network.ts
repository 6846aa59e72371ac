import type { DhcpClient, Lease } from './dhcp.ts';
import type { RunningHost } from './running-host.ts';

/** The DHCP servers of the site as its machines meet them, with what each writes into its log. */
export function createDhcpNetwork(hosts: readonly RunningHost[]) {
  const running = () =>
    hosts.flatMap((on) => {
      const dhcp = on.dhcp();
      return dhcp === null ? [] : [{ ...dhcp, on, log: (line: string) => on.log(dhcp.program, line) }];
    });
  return {
    /** Sends the request to every DHCP server of the site. Null: no answer. */
    ask(client: DhcpClient): Lease | null {
      for (const { server, on, log } of running()) {
        const found = server.lease(client);
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
    /** A machine asks ours too, and then takes the address that another DHCP server offered. */
    overhear(client: DhcpClient, address: string, other: string): void {
      for (const { server, log } of running()) {
        const found = server.lease(client);
        if (!('lease' in found)) continue;
        log(`DHCPDISCOVER from ${client.mac} via eth0`);
        log(`DHCPOFFER on ${found.lease.address} to ${client.mac} via eth0`);
        log(`DHCPREQUEST for ${address} (${other}) from ${client.mac} via eth0: unknown lease ${address}.`);
      }
    },
    /** What is offered to who asks through a relay agent, or (null) to who asks everybody; nobody takes it. */
    offers(
      client: DhcpClient,
      host: string | null,
      relay: string,
    ): { readonly lease: Lease; readonly server: string }[] {
      const asked = running().filter(({ on }) => host === null || on.host.name === host);
      const via = host === null ? 'eth0' : relay;
      return asked.flatMap(({ server, on, log }) => {
        const found = server.lease(client);
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
    note(line: string): void {
      for (const { log } of running()) log(line);
    },
  };
}

export type DhcpNetwork = ReturnType<typeof createDhcpNetwork>;
