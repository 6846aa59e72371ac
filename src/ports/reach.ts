/** Where to connect for a host and port of the design. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

/**
 * The one way to reach a host: `host` is an address or a name of the design, `port` the port it has there; the answer is
 * where to connect. On a real site it is the identity. Listeners on an address of the design use it too.
 */
export type Reach = (host: string, port: number) => Endpoint;

/** In life: every host is where its address says. */
export const directReach: Reach = (host, port) => ({ host, port });

/** What a rehearsal site hands over: an address (or name) of the design -> a loopback address; ports below 1024 are shifted. */
export interface DialMap {
  readonly hosts: Readonly<Record<string, string>>;
  readonly lowPortShift: number;
}

/** Reaches hosts along a dial map that may change while we run. Hosts that are not in it are left as they are. */
export function mappedReach(read: () => DialMap): Reach {
  return (host, port) => {
    const { hosts, lowPortShift } = read();
    const mapped = hosts[host.toLowerCase()];
    if (mapped === undefined) return { host, port };
    return { host: mapped, port: port < 1024 ? port + lowPortShift : port };
  };
}
