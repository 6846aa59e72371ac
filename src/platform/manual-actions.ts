/**
 * Actions outside this machine, as far as the wizard can do them. You do the other actions yourself: the wizard shows
 * how, and waits until it observes the result.
 */
export interface ManualActions {
  /** Whether the wizard can power machines on and off. */
  readonly canPowerOn: boolean;
  /** Powers on a node (its short name) so that it boots from the network; does nothing if that is a manual action. */
  powerOn(node: string): Promise<void>;
  /** Powers off a node for good (the bootstrap node, when it is no longer needed). */
  powerOff(node: string): Promise<void>;
  /** Whether the wizard can install files on the service hosts without the user. */
  readonly canInstallHostFiles: boolean;
  /**
   * Installs the files generated for a host there and reloads its services; does nothing if that is a manual action.
   * @param host the service host's short name
   * @param filesDir the directory that holds the host's files under their paths on the host
   */
  installHostFiles(host: string, filesDir: string): Promise<void>;
  /** Whether hosts and nodes accept the user's SSH login, and the bastion is this machine. */
  readonly canLogIn: boolean;
  /** Reads a file on a host that accepts no login; null if it does not exist, or has to be read with a login. */
  readFile(host: string, path: string): Promise<string | null>;
  /** The time zone of the log files that `readFile` reads; empty: that of this machine. */
  readonly logTimeZone: 'UTC' | '';
  /** Returns the address on the networks of the site for a client that a log of this machine names. */
  getSiteAddress(client: string): string;
  /** Whether the site's networks exist before its services are set up: without networks, site checks cannot probe. */
  readonly canCheckSite: boolean;
  /**
   * Runs the runner of a host (`host-run.sh`) with arguments; null on a real site, where it runs here or over SSH.
   * @param filesDir as for `installHostFiles`
   * @returns its output lines; `onLine` receives each line as it arrives
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
   * Finds the repair of a machine, or of a network outside the cluster, that the rehearsal simulates. Null on a real
   * site, and for rules with another remedy.
   * @param ruleId the id of a diagnostic rule
   */
  readonly findRepair: ((ruleId: string) => SimulatedRepair | null) | null;
  /**
   * Makes the rehearsal simulate a repair now; null on a real site.
   * @param repair the id of the repair
   */
  readonly simulateRepair: ((repair: string) => Promise<void>) | null;
  /** Directory that replaces the internet in a rehearsal, which fetches nothing from there; null on a real site. */
  readonly simulatedDownloadsDir: string | null;
}

/** The id of the repair that switches the machines that have not joined off and on. */
export const REBOOT = 'reboot';

/** A repair that a rehearsal simulates. */
export interface SimulatedRepair {
  readonly id: string;
  /** Whether it only switches machines off and on: a wrong file or answer has to be corrected first. */
  readonly isReboot: boolean;
  /** A whole command that does it. */
  readonly command: string;
}

/** A real site: the user does every action. */
export const realSiteActions: ManualActions = {
  canPowerOn: false,
  powerOn: () => Promise.resolve(),
  powerOff: () => Promise.resolve(),
  canInstallHostFiles: false,
  installHostFiles: () => Promise.resolve(),
  canLogIn: true,
  readFile: () => Promise.resolve(null),
  logTimeZone: '',
  getSiteAddress: (client) => client,
  canCheckSite: true,
  runOnHost: null,
  findRepair: null,
  simulateRepair: null,
  simulatedDownloadsDir: null,
};

/** A network address to connect to. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  /** Resolves `host`; missing: the resolver of this machine. Node.js calls it in every connection to a name. */
  readonly lookup?: (
    hostname: string,
    options: object,
    callback: (error: NodeJS.ErrnoException, address: string, family: number) => void,
  ) => void;
}

/**
 * Maps a host and port of the design to the address to connect to. `host` is an address or a name of the design,
 * `port` its port. On a real site it is the identity function. Listeners on an address of the design use it too.
 */
export type ResolveEndpoint = (host: string, port: number) => Endpoint;

/** Resolves endpoints on a real site: every host has its own address. */
export const directEndpoints: ResolveEndpoint = (host, port) => ({ host, port });
