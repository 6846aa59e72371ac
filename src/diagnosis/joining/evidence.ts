import type { Served } from '../served.ts';

/** What was seen of one node that is to join, before its machine is powered on. */
export interface JoiningNode {
  readonly name: string;
  readonly fqdn: string;
  /** The Node object of that name; null while the API does not say. */
  readonly object: 'absent' | 'ready' | 'not-ready' | null;
  /** A person said that its machine is installed anew: its old Node object may be there. */
  readonly isInstalledAnew: boolean;
  /** Another Node that has one of its addresses. */
  readonly addressOwner: string | null;
  /** What answers at its address although it should be off: "172.16.0.44 port 22"; null where nothing does. */
  readonly answering: string | null;
  /** What every name server says of its name and addresses. */
  readonly names: readonly { readonly server: string; readonly isOk: boolean; readonly detail: string }[];
  /** Its entry in the file on the DHCP server. `none`: the design has no DHCP. Null: the file cannot be read from here. */
  readonly dhcp: 'there' | 'missing' | 'none' | null;
  /** Its line in the pools of the load balancers' files. `none`: it is not wanted there. */
  readonly balancer: 'there' | 'missing' | 'none' | null;
  /** Its boot script at the boot server; null where it needs none. */
  readonly script: Served | null;
  /** The boot server lets its addresses have worker.ign. */
  readonly mayFetch: boolean;
}

/** What was seen before nodes join a running cluster. */
export interface JoiningEvidence {
  readonly api: { readonly isUp: boolean; readonly detail: string };
  /** The machine config server, asked as a new node does; null where worker.ign does not say whom to ask. */
  readonly configServer: { readonly state: 'answers' | 'untrusted' | 'silent'; readonly detail: string } | null;
  /** The pool that new nodes join; null while the API does not say. */
  readonly pool: { readonly isDegraded: boolean; readonly isPaused: boolean; readonly message: string } | null;
  readonly images: readonly Served[];
  /** worker.ign lies where it is served from. */
  readonly hasIgnition: boolean;
  readonly nodes: readonly JoiningNode[];
}
