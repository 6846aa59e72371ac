import type { Design, Stage } from '../../design/model.ts';
import type { PodView } from '../../objects/pod.ts';
import type { Unwell } from '../../objects/unwell.ts';
import type { BootStage } from '../boot/evidence.ts';
import type { BootstrapStatus, PortState } from '../bootstrap/evidence.ts';
import type { Finding } from '../finding.ts';
import type { OperatorState } from '../operators/states.ts';
import type { SiteCode } from '../site/index.ts';

/** The answer of a check of the site, with the command that repeats it by hand. */
export interface CheckAnswer {
  readonly code: SiteCode;
  readonly state: Finding['state'];
  readonly subject: string;
  readonly detail: string;
  readonly command: string;
  /** Of HTTP, where a server answered with another one than 200. */
  readonly status?: number;
  /** Of a reverse name that is wrong: the names that the address has. */
  readonly names?: readonly string[];
}

/** A line that some program wrote, sanitised and without secrets. */
export interface Line {
  /** `openshift-install`, a unit (`bootkube`, `kubelet`), `dhcp`, or a file of a bundle. */
  readonly source: string;
  /** The machine that wrote it, as far as known. */
  readonly host: string | null;
  readonly text: string;
  /** Ms; null for a line without a time. */
  readonly at: number | null;
}

/** A member of a load balancer's pool, as the balancer itself sees it. */
export interface PoolMember {
  /** The balancer's name, and where its status page is. */
  readonly balancer: string;
  readonly page: string;
  readonly pool: string;
  readonly name: string;
  readonly status: string;
  /** What its last check said ("L7STS/404", "L4CON"); empty where the page does not tell. */
  readonly check: string;
  /** Its address and port, and how its pool passes traffic on; left out where the page does not tell. */
  readonly address?: string;
  readonly mode?: 'tcp' | 'http';
}

/** A port, seen from here: of a node, or of an endpoint through the load balancer. */
export interface PortSeen {
  readonly host: string;
  readonly kind: 'bootstrap' | 'control-plane' | 'compute' | 'api' | 'api-int';
  readonly address: string;
  readonly port: 22 | 6443 | 22623;
  readonly state: PortState;
  /** The state in words, with its reason. */
  readonly detail?: string;
}

/** A machine on its way into the cluster. Times in ms of the clock. */
export interface MachineSeen {
  readonly name: string;
  readonly address: string;
  readonly mac: string;
  readonly role: Design['nodes'][number]['role'];
  readonly stage: BootStage;
  readonly poweredOnAt: number | null;
  readonly awaitedSince: number | null;
  /** The MAC address, not its own, that answers ARP at its address; null: none that can be seen. */
  readonly takenBy: string | null;
  readonly lastRequest: { readonly path: string; readonly status: number; readonly at: number } | null;
  readonly requests: readonly { readonly path: string; readonly status: number; readonly at: number }[];
  /** The API has its Node, or had it at some look. */
  readonly hasJoined: boolean;
}

/** A Node of the API, as far as rules judge it. */
export interface NodeSeen {
  readonly name: string;
  readonly isReady: boolean;
  /** Since when it is Ready, ms; null: it is not, or nobody knows. */
  readonly readySince: number | null;
  /** Since when it is not Ready, ms; null: Ready, or not known. */
  readonly goneSince: number | null;
  /** What its Ready condition says. */
  readonly message: string;
  readonly addresses: readonly string[];
  readonly hasDiskPressure: boolean;
  /** No new pods come to it. */
  readonly isCordoned: boolean;
  /** The machine config operator changes it just now: it is cordoned, and restarts. */
  readonly isChanging: boolean;
  /** The size of the file system that holds containers; null where the Node does not say. */
  readonly diskGiB: number | null;
}

/** A certificate request with its judgement by the design. */
export interface RequestSeen {
  readonly name: string;
  readonly node: string | null;
  readonly kind: 'client' | 'serving' | 'other';
  /** `unjudged`: it waits, and nobody knows what is planned. */
  readonly verdict: 'expected' | 'refused' | 'not-ours' | 'decided' | 'superseded' | 'unjudged';
  readonly reasons: readonly string[];
  readonly requester: string;
  readonly requestedAt: number | null;
}

/** A claim without a volume. */
export interface PendingClaim {
  /** `namespace/name`. */
  readonly name: string;
  /** The class that it asks for; null: the default one. */
  readonly storageClass: string | null;
  /** Who has to make its volume now; null: nobody yet (no such class, or no pod uses it yet). Missing: not known. */
  readonly provisioner?: string | null;
  /** When it was made, ms. */
  readonly since?: number | null;
  /** The last event about its volume, `ProvisioningFailed: why`; empty: none. */
  readonly said?: string;
}

/** What the API says. A part is null where it cannot be read, or nobody asked. */
export interface ClusterSeen {
  readonly bootstrapStatus: BootstrapStatus | null;
  readonly isEtcdAlone: boolean | null;
  readonly version: {
    readonly available: boolean;
    readonly failing: boolean;
    readonly message: string;
    readonly since: number | null;
  } | null;
  readonly nodes: readonly NodeSeen[] | null;
  readonly requests: readonly RequestSeen[] | null;
  readonly operators: readonly OperatorState[] | null;
  /** The router pods. */
  readonly routers: readonly PodView[] | null;
  /** The Proxy of the cluster: whether one is in use, and what goes past it. */
  readonly proxy: { readonly isUsed: boolean; readonly noProxy: string } | null;
  readonly storageClasses: readonly string[] | null;
  /** Claims that have no volume. */
  readonly pendingClaims: readonly PendingClaim[] | null;
  /** Objects that say of themselves that they are not well, as far as they can be read. */
  readonly unwell: readonly Unwell[];
}

/** The ignition files of this installation. */
export interface IgnitionSeen {
  /** When the first certificate in them ends, ms; null: no files, or none that says. */
  readonly expiresAt: number | null;
  /** What is wrong with master.ign and worker.ign against bootstrap.ign: lines. */
  readonly problems: readonly string[];
  /** Those that lead to the configuration of another role: lines. */
  readonly otherRole?: readonly string[];
  /** Those that no machine can use, with why: lines. */
  readonly unusable: readonly string[];
  /** How the machine config server answers to whoever trusts the authority in master.ign; null: nobody asked. */
  readonly server: 'answers' | 'untrusted' | 'silent' | null;
}

/** Everything that is known of an installation at one moment, gathered once: what every rule of diagnosis judges. Plain data. */
export interface Evidence {
  /** Ms of the clock. */
  readonly now: number;
  /** Null: a bundle of an installation that nothing is known of. */
  readonly design: Design | null;
  /** What a bundle holds: nobody can ask again, and what it ends with is how it stayed. */
  readonly isBundle?: boolean;
  /** The stage that was put in place on the service hosts last. */
  readonly stage: Stage;
  /** Answers of the checks of the site, as far as they matter by now. */
  readonly checks: readonly CheckAnswer[];
  readonly pools: readonly PoolMember[];
  readonly ports: readonly PortSeen[];
  /** Short names of the nodes whose own /readyz answers 200. */
  readonly ready: readonly string[];
  /** Configuration files as they are on the service hosts. */
  readonly files: readonly {
    readonly host: string;
    readonly kind: 'haproxy' | 'keepalived' | 'isc-dhcpd' | 'kea-dhcp4';
    readonly path: string;
    readonly text: string;
    /** What was generated for this place. */
    readonly planned: string;
  }[];
  readonly machines: readonly MachineSeen[];
  /** MAC addresses that asked for an address and are nobody's. */
  readonly strangers: readonly string[];
  /** Requests for the boot script of a node from an address that is not its own. */
  readonly misplaced: readonly { readonly node: string; readonly from: string; readonly path: string }[];
  readonly ignition: IgnitionSeen | null;
  /** RHCOS images whose bytes are not the published ones, or whose names tell different builds. */
  readonly images: { readonly names: readonly string[]; readonly wrong: readonly string[] };
  /** Registries that the pull secret has; null: it cannot be read. */
  readonly registries: readonly string[] | null;
  /** `code`: why the API does not answer (`cluster-…`); null while it does, or before there is a kubeconfig. */
  readonly api: {
    readonly isUp: boolean;
    readonly code: string | null;
    readonly line: string;
    /** The API's clock minus ours, ms; null: not known. */
    readonly skew: number | null;
  } | null;
  readonly cluster: ClusterSeen | null;
  /** How far the time servers are from this machine's clock, ms. */
  readonly clocks: readonly { readonly server: string; readonly offset: number }[];
  /** The latest lines of every log that can be read. */
  readonly lines: readonly Line[];
}
