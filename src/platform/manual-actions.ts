/**
 * Actions outside this machine. On a real site you do them by hand: the wizard shows how, and waits until it observes
 * the result. A rehearsal does them at once. The caller does not know which of the two it uses.
 */
export interface ManualActions {
  /** True if the user does the actions and therefore needs instructions. */
  readonly isManual: boolean;
  /**
   * Installs the files generated for a host there and reloads its services.
   * @param host the service host's short name
   * @param filesDir the directory that holds the host's files under their paths on the host
   */
  installHostFiles(host: string, filesDir: string): Promise<ManualActionResult>;
  /** Powers on a node (its short name) so that it boots from the network. */
  powerOn(node: string): Promise<ManualActionResult>;
  /** Powers off a node for good (the bootstrap node, when it is no longer needed). */
  powerOff(node: string): Promise<ManualActionResult>;
  /**
   * Runs the runner of a host (`host-run.sh`) with arguments; null on a real site, where it runs here or over SSH.
   * @param filesDir as above
   * @returns its output lines; `onLine` gets each as it comes
   */
  readonly runOnHost:
    | ((
        host: string,
        filesDir: string,
        argv: readonly string[],
        options: { readonly signal: AbortSignal; readonly onLine?: (line: string) => void },
      ) => Promise<readonly string[]>)
    | null;
  /**
   * The command that makes the rehearsal repair a problem of a machine or of a network outside the cluster. Null on a
   * real site, and for rules with another remedy.
   * @param ruleId the id of a diagnostic rule
   * @returns a whole command
   */
  readonly repairCommand: ((ruleId: string) => string | null) | null;
  /** Reads a file on a host; null if it cannot be read from here. */
  readFile(host: string, path: string): Promise<string | null>;
}

/** `done`: the action was done. `asked`: the user has to do it, and the caller shows how. */
type ManualActionResult = 'done' | 'asked';

/** A real site: the user does every action. */
export const byHandActions: ManualActions = {
  isManual: true,
  installHostFiles: () => Promise.resolve('asked'),
  powerOn: () => Promise.resolve('asked'),
  powerOff: () => Promise.resolve('asked'),
  runOnHost: null,
  repairCommand: null,
  readFile: () => Promise.resolve(null),
};

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
