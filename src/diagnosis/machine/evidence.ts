import type { Problem } from '../../design/model.ts';
import type { Trouble } from '../../text/trouble.ts';

/**
 * The services that a machine can have for the installation, and the programs that do them: one of them is enough. The wizard
 * serves files over HTTP itself where there is no other web server.
 */
export const SERVICES = {
  dns: ['named'],
  dhcp: ['dhcpd', 'kea-dhcp4'],
  'load-balancer': ['haproxy'],
  tftp: ['in.tftpd'],
  web: ['nginx', 'httpd', 'apache2'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Service = keyof typeof SERVICES;

/** What this machine is to do by the design. */
export interface Duties {
  /** "4.18" or "4.18.11". */
  readonly version: string;
  /** As releases call it: "amd64". */
  readonly goArchitecture: string;
  /** The services of the hosts of the design that have an address of this machine. */
  readonly serves: readonly Service[];
}

/** A program that was searched. */
export interface ProgramFound {
  /** Null: it is not there. */
  readonly file: string | null;
  /** Null: it does not say, or nobody asked. */
  readonly version: string | null;
  readonly architecture: string | null;
}

/** A credential file of the design. */
interface CredentialFound {
  readonly file: string;
  /** What is wrong with it, one that is missing too; null: it can be used. */
  readonly problem: Pick<Problem, 'message' | 'fix' | 'rule'> | null;
}

/** A port of this machine that somebody has, on an address that others reach. */
export interface PortInUse {
  readonly protocol: 'tcp' | 'udp';
  readonly port: number;
  /** The program's name and process id; null: the system does not show it to us. */
  readonly owner: { readonly program: string; readonly pid: number } | null;
}

/** What is known of this machine. Sizes in bytes; null: the machine does not say. */
export interface MachineEvidence {
  /** Null while nobody has decided a design. */
  readonly duties: Duties | null;
  /** Of the boot server, by the design. */
  readonly httpPort: number;
  readonly node: { readonly version: string; readonly file: string };
  readonly terminal: {
    /** False where the output is no terminal: then nothing is known of one. */
    readonly isTerminal: boolean;
    readonly term: string;
    readonly columns: number;
    readonly rows: number;
    readonly hasUnicode: boolean;
    readonly hasColour: boolean;
    readonly multiplexer: 'tmux' | 'screen' | null;
    /** Comes over SSH. */
    readonly isRemote: boolean;
  };
  /** By name; a name that is missing was not searched. */
  readonly programs: Readonly<Partial<Record<string, ProgramFound>>>;
  /** Where openshift-install and oc were searched before PATH. */
  readonly programPath: readonly string[];
  readonly pullSecret: CredentialFound;
  readonly sshKey: CredentialFound;
  readonly dir: { readonly path: string; readonly problem: Trouble | null; readonly freeBytes: number | null };
  readonly memory: { readonly total: number; readonly available: number | null };
  readonly processors: number;
  readonly clock: { readonly isSynchronised: boolean | null; readonly source: string; readonly timeZone: string };
  /** The name servers that this machine asks. */
  readonly nameServers: readonly string[];
  /**
   * Names that were looked up because a person asked for it, and why one was not found; `isUnheard`: no name server said so, none
   * was heard. Null: nobody asked.
   */
  readonly lookedUp:
    | readonly { readonly name: string; readonly problem: string | null; readonly isUnheard?: boolean }[]
    | null;
  readonly selinux: 'enforcing' | 'permissive' | 'none';
  readonly firewall: 'firewalld' | 'ufw' | null;
  readonly user: {
    readonly name: string;
    readonly isRoot: boolean;
    readonly sudoGroup: string | null;
    readonly hasSudo: boolean;
  };
  /** Of the shell that started us. */
  readonly umask: number | null;
  /** Null: no systemd-logind. */
  readonly logout: { readonly lingers: boolean; readonly killsProcesses: boolean } | null;
  readonly ports: readonly PortInUse[];
}
