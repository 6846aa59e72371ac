import type { Problem } from '../../design/model.ts';
import type { ClockStatus, PortInUse, SystemFacts } from '../../host/local-machine.ts';
import type { UserError } from '../../i18n/user-error.ts';

/**
 * The services that a machine can run for the installation, with the programs that implement them: one program is
 * enough. The wizard serves files over HTTP itself if there is no other web server.
 */
export const SERVICE_PROGRAMS = {
  dns: ['named'],
  dhcp: ['dhcpd', 'kea-dhcp4'],
  'load-balancer': ['haproxy'],
  tftp: ['in.tftpd'],
  web: ['nginx', 'httpd', 'apache2'],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type Service = keyof typeof SERVICE_PROGRAMS;

/** The requirements of the design for this machine. */
export interface MachineRequirements {
  /** "4.18" or "4.18.11". */
  readonly version: string;
  /** As releases call it: "amd64". */
  readonly goArchitecture: string;
  /** The services of those hosts of the design that have an address of this machine. */
  readonly localServices: readonly Service[];
}

/** The result of searching for a program. */
export interface ProgramStatus {
  /** Null: not installed. */
  readonly file: string | null;
  /** Null: not reported, or not requested. */
  readonly version: string | null;
  readonly architecture: string | null;
}

/** A credential file of the design. */
interface CredentialStatus {
  readonly file: string;
  /** The problem with the file, including a missing file; null: it is usable. */
  readonly problem: Pick<Problem, 'message' | 'fix' | 'rule'> | null;
}

/** Facts about this machine. Sizes in bytes; null: not reported by the machine. */
export interface MachineEvidence extends Omit<SystemFacts, 'user'> {
  /** Null before a design is decided. */
  readonly requirements: MachineRequirements | null;
  /** Port of the boot server, from the design. */
  readonly httpPort: number;
  readonly node: { readonly version: string; readonly file: string };
  readonly terminal: {
    /** False if the output is not a terminal: its other properties are unknown then. */
    readonly isTerminal: boolean;
    readonly term: string;
    readonly columns: number;
    readonly rows: number;
    readonly hasUnicode: boolean;
    readonly hasColour: boolean;
    readonly multiplexer: 'tmux' | 'screen' | null;
    /** Whether the terminal is connected over SSH. */
    readonly isRemote: boolean;
  };
  /** By name; a missing name was not searched for. */
  readonly programs: Readonly<Partial<Record<string, ProgramStatus>>>;
  /** Directories that are searched before PATH for openshift-install and oc. */
  readonly programDirectories: readonly string[];
  /** `file` is null if none is named, which only OKD allows without a problem. */
  readonly pullSecret: { readonly file: string | null; readonly problem: CredentialStatus['problem'] };
  readonly sshKey: CredentialStatus;
  readonly dir: { readonly path: string; readonly problem: UserError | null; readonly freeBytes: number | null };
  readonly clock: ClockStatus;
  /**
   * Names that were looked up at the user's request, each with the reason of a failure; `isUnanswered`: no name server
   * answered, so the name may exist. Null: no lookup was requested.
   */
  readonly lookups:
    | readonly { readonly name: string; readonly problem: string | null; readonly isUnanswered?: boolean }[]
    | null;
  readonly user: SystemFacts['user'] & { readonly hasSudo: boolean };
  /** Null: no systemd-logind. */
  readonly logout: { readonly hasLinger: boolean; readonly areProcessesKilled: boolean } | null;
  readonly ports: readonly PortInUse[];
}
