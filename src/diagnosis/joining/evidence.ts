import type { Served } from '../served.ts';

/** What we saw of one node before its machine is powered on to join. */
export interface JoiningNode {
  readonly name: string;
  readonly fqdn: string;
  /** The Node object of that name; null while the API does not say. */
  readonly object: 'absent' | 'ready' | 'not-ready' | null;
  /** A person said that they reinstalled its machine: its old Node object may exist. */
  readonly isInstalledAnew: boolean;
  /** Another Node that has one of its addresses. */
  readonly addressOwner: string | null;
  /** What answers at its address although it should be off: "172.16.0.44 port 22"; null where nothing does. */
  readonly answering: string | null;
  /** The answers of every name server for its name and addresses. */
  readonly names: readonly { readonly server: string; readonly isOk: boolean; readonly detail: string }[];
  /** Its entry in the file on the DHCP server. `none`: the design has no DHCP. Null: the file cannot be read from here. */
  readonly dhcp: 'there' | 'missing' | 'none' | null;
  /** Its line in the pools of the load balancers' files. `none`: it does not belong there. */
  readonly balancer: 'there' | 'missing' | 'none' | null;
  /** Its boot script at the boot server; null where it needs none. */
  readonly script: Served | null;
  /** Its addresses may fetch worker.ign from the boot server. */
  readonly mayFetch: boolean;
}

/** The answer of the machine config server to a request in the way of a new node. */
export interface ConfigServerAnswer {
  /** `untrusted`: it exists, and worker.ign does not know its authority (replaced since the file was made). */
  readonly state: 'answers' | 'untrusted' | 'silent';
  readonly detail: string;
}

/** What we saw before nodes join a running cluster. */
export interface JoiningEvidence {
  readonly api: { readonly isUp: boolean; readonly detail: string };
  /** Null where worker.ign does not name the machine config server. */
  readonly configServer: ConfigServerAnswer | null;
  /** The pool that new nodes join; null while the API does not say. */
  readonly pool: { readonly isDegraded: boolean; readonly isPaused: boolean; readonly message: string } | null;
  readonly images: readonly Served[];
  /** worker.ign is in the place from which it is served. */
  readonly hasIgnition: boolean;
  readonly nodes: readonly JoiningNode[];
}
