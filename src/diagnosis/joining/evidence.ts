import type { ServedFile } from '../served-file.ts';

/** Evidence about one node before its machine is powered on to join. */
export interface JoinCandidate {
  readonly name: string;
  readonly fqdn: string;
  /** The Node object of that name; null if the API does not answer. */
  readonly object: 'absent' | 'ready' | 'not-ready' | null;
  /** The user marked its machine as reinstalled: its old Node object may exist. */
  readonly isReinstalled: boolean;
  /** Another Node that has one of its addresses. */
  readonly addressOwner: string | null;
  /**
   * The service that answers at its address although the machine should be off: "172.16.0.44 port 22"; null if none
   * does.
   */
  readonly unexpectedAnswer: string | null;
  /** The answers of every name server for its name and addresses. */
  readonly names: readonly { readonly server: string; readonly isOk: boolean; readonly detail: string }[];
  /** Its entry in the DHCP server's file. `none`: the design has no DHCP. Null: the file is not readable from here. */
  readonly dhcp: 'there' | 'missing' | 'none' | null;
  /**
   * Its line in the pools of the load balancers' files. `none`: it has no place there. Null: the files are not readable
   * from here.
   */
  readonly balancer: 'there' | 'missing' | 'none' | null;
  /** Its boot script on the boot server; null if it needs none. */
  readonly script: ServedFile | null;
  /** The boot server lets its addresses fetch worker.ign. */
  readonly mayFetch: boolean;
}

/** The machine config server's answer to a request like a new node's. */
export interface ConfigServerAnswer {
  /** `untrusted`: the server exists, but worker.ign does not trust its CA (replaced after the file was created). */
  readonly state: 'answers' | 'untrusted' | 'silent';
  readonly detail: string;
}

/** Evidence before nodes join a running cluster. */
export interface JoinEvidence {
  readonly api: { readonly isUp: boolean; readonly detail: string };
  /** Null if worker.ign does not name the machine config server. */
  readonly configServer: ConfigServerAnswer | null;
  /** The MachineConfigPool that new nodes join; null if the API does not answer. */
  readonly pool: { readonly isDegraded: boolean; readonly isPaused: boolean; readonly message: string } | null;
  readonly images: readonly ServedFile[];
  /** worker.ign exists at the path from which it is served. */
  readonly hasIgnition: boolean;
  readonly nodes: readonly JoinCandidate[];
}
