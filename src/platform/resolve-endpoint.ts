/** A network address to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * Maps a host and port of the design to the address to connect to. `host` is an address or a name of the design, `port`
 * the port there. On a real site it is the identity. Listeners on an address of the design use it too.
 */
export type ResolveEndpoint = (host: string, port: number) => Endpoint;

/** Returns a real site: every host has its own address. */
export const directEndpoints: ResolveEndpoint = (host, port) => ({ host, port });

/**
 * Written by a rehearsal: maps an address (or name) of the design to a loopback address; ports below 1024 are shifted.
 */
export interface DialMap {
  readonly hosts: Readonly<Record<string, string>>;
  readonly lowPortShift: number;
}

/** Resolves endpoints with a dial map that may change at run time. Hosts that are not in it are left as they are. */
export function createMappedEndpoints(read: () => DialMap): ResolveEndpoint {
  return (host, port) => {
    const { hosts, lowPortShift } = read();
    const mapped = hosts[host.toLowerCase()];
    if (mapped === undefined) return { host, port };
    return { host: mapped, port: port < 1024 ? port + lowPortShift : port };
  };
}
