import type { CsrEvidence } from '../../csr/request-policy.ts';
import type { Stage } from '../../design/choices.ts';
import type { Design } from '../../design/model.ts';
import type { ClusterVersionView } from '../../kube/cluster-version.ts';
import type { ClusterSnapshot } from '../../kube/snapshot.ts';
import type { UnhealthyObject } from '../../openshift/object.ts';
import type { PodView } from '../../openshift/pod.ts';
import type { PortState, ProbeAnswer } from '../../probes/probe-types.ts';
import type { BootMachineEvidence } from '../boot/checks.ts';
import type { ProblemTree } from '../causes/explain.ts';
import type { ConfigServerAnswer } from '../join-checks.ts';
import type { OperatorState } from '../operators.ts';
import type { SiteCheckId } from '../site/index.ts';
import type { SiteCheckPhase, SiteResult } from '../site/site.ts';

/** The result of a site check. */
export interface SiteCheckResult extends SiteResult {
  readonly id: SiteCheckId;
}

/** A failed site check that no other failure explains, with the phase of the check. */
export interface SiteProblem extends ProblemTree {
  readonly phase: SiteCheckPhase;
}

/** A line that a program logged, sanitized and without secrets. */
export interface EvidenceLine {
  /** `openshift-install`, a unit (`bootkube`, `kubelet`), `dhcp`, or a file of a bundle. */
  readonly source: string;
  /** The machine that wrote it; null if unknown. */
  readonly host: string | null;
  readonly text: string;
  /** Ms; null for a line without a time. */
  readonly at: number | null;
}

/** A member of a load balancer's pool, as the load balancer itself reports it. */
export interface BalancerMember extends PoolMember {
  /** Name of the load balancer, and address of its status page. */
  readonly balancer: string;
  readonly statusPageUrl: string;
  /** Result of its last check ("L7STS/404", "L4CON"); empty if the page does not show it. */
  readonly check: string;
}

type PoolMember = NonNullable<ProbeAnswer<'members'>>[number];

/** A port as probed from this machine: of a node, or of an endpoint through the load balancer. */
export interface ObservedPort {
  readonly host: string;
  readonly kind: 'bootstrap' | 'control-plane' | 'compute' | 'api' | 'api-int';
  readonly address: string;
  readonly port: 22 | 6443 | 22623;
  readonly state: PortState;
  /** The state with its reason, as text. */
  readonly detail?: string;
}

/** A machine between power-on and joining the cluster. */
export interface ObservedMachine extends BootMachineEvidence {
  readonly role: Design['nodes'][number]['role'];
  readonly requests: readonly NonNullable<BootMachineEvidence['lastRequest']>[];
  /** Whether the API has its Node, or had it at an earlier probe. */
  readonly hasJoined: boolean;
}

/** A Node of the API, reduced to the fields that the rules evaluate. */
export interface ObservedNode {
  readonly name: string;
  readonly isReady: boolean;
  /** Since when it is Ready, ms; null if it is not, or unknown. */
  readonly readySince: number | null;
  /** Since when it is not Ready, ms; null if it is Ready, or unknown. */
  readonly notReadySince: number | null;
  /** Message of its Ready condition. */
  readonly message: string;
  readonly addresses: readonly string[];
  readonly hasDiskPressure: boolean;
  readonly isCordoned: boolean;
  /** Whether its role is master or control-plane; undefined if unknown. */
  readonly isControlPlane?: boolean;
  /** Whether the Machine Config Operator is updating it: then it is cordoned, and restarts. */
  readonly isUpdating: boolean;
  /** Size of the file system that holds containers; null if the Node does not report it. */
  readonly diskGiB: number | null;
}

/** A PersistentVolumeClaim without a volume. */
export interface PendingClaim {
  /** `namespace/name`. */
  readonly name: string;
  /** The requested StorageClass; null for the default one. */
  readonly storageClass: string | null;
  /**
   * The provisioner that has to create its volume now; null if none yet (no such class, or no pod uses the claim yet).
   * Undefined if unknown.
   */
  readonly provisioner?: string | null;
  /** Creation time, ms. */
  readonly since?: number | null;
  /** The last event about its volume, `ProvisioningFailed: why`; empty if there is none. */
  readonly lastEvent?: string;
}

/** The state of the cluster as its API reports it. A part is null if it cannot be read, or was not queried. */
export interface ObservedCluster {
  readonly bootstrapStatus: ClusterSnapshot['bootstrapStatus'];
  /** Whether etcd has removed the bootstrap's member; null if unknown. */
  readonly isBootstrapMemberRemoved: boolean | null;
  readonly version: Pick<ClusterVersionView, 'available' | 'failing' | 'message' | 'since'> | null;
  readonly nodes: readonly ObservedNode[] | null;
  readonly requests: readonly CsrEvidence[] | null;
  readonly operators: readonly OperatorState[] | null;
  /** The router pods. */
  readonly routers: readonly PodView[] | null;
  /** The Proxy of the cluster: whether one is in use, and its exceptions. */
  readonly proxy: { readonly isUsed: boolean; readonly noProxy: string } | null;
  readonly storageClasses: readonly string[] | null;
  readonly pendingClaims: readonly PendingClaim[] | null;
  /** Objects that report themselves as unhealthy, as far as they can be read. */
  readonly unhealthyObjects: readonly UnhealthyObject[];
}

/** The ignition files of this installation. */
export interface ObservedIgnition {
  /** Expiry of the first certificate in them, ms; null if there are no files, or none has a certificate. */
  readonly expiresAt: number | null;
  /** Mismatches of master.ign and worker.ign with bootstrap.ign, as lines. */
  readonly problems: readonly string[];
  /** Files that point to the configuration of another role, as lines. */
  readonly swappedRoleFiles?: readonly string[];
  /** Files that no machine can use, with the reason, as lines. */
  readonly unusableFiles: readonly string[];
  /** Answer of the Machine Config Server to a client that trusts the CA in master.ign; null if it was not queried. */
  readonly server: ConfigServerAnswer['state'] | null;
}

/**
 * Everything that is known of an installation at one moment, gathered once; the input of all diagnostic rules. Plain
 * data.
 */
export interface Evidence {
  /** Ms of the clock. */
  readonly now: number;
  /** Null for a bundle of an unknown installation. */
  readonly design: Design | null;
  /** Addresses of this machine. Missing: no service host is this machine, as in a rehearsal, or it is not known. */
  readonly localAddresses?: ReadonlySet<string>;
  /** The install directory of a rehearsal, whose service hosts have no shell. Null or missing: no rehearsal. */
  readonly simulatedDir?: string | null;
  /** Whether the evidence is from a bundle, which cannot be probed a second time and ends with the final state. */
  readonly isBundle?: boolean;
  /** The stage of the files that were last installed on the service hosts. */
  readonly stage: Stage;
  /** Results of the site checks that matter at this point of the installation. */
  readonly checks: readonly SiteCheckResult[];
  /** Failed site checks that no other failure explains. Results that another failure explains are not in `checks`. */
  readonly siteProblems: readonly SiteProblem[];
  readonly balancerMembers: readonly BalancerMember[];
  readonly ports: readonly ObservedPort[];
  /** Short names of the nodes whose own /readyz answers 200. */
  readonly readyHosts: readonly string[];
  /** Configuration files as they are on the service hosts. */
  readonly files: readonly {
    readonly host: string;
    readonly kind: 'haproxy' | 'keepalived' | 'isc-dhcpd' | 'kea-dhcp4';
    readonly path: string;
    readonly text: string;
    /** The content that was generated for this path. */
    readonly plannedText: string;
  }[];
  /** Service host -> when the wizard last put its files in place, ms. Missing: never, or unknown. */
  readonly filesInstalledAt?: Readonly<Record<string, number>>;
  readonly machines: readonly ObservedMachine[];
  /** MAC addresses that requested an address and belong to no machine of the design. */
  readonly unknownMacs: readonly string[];
  /** False: requests to the boot server may be missing here, so their absence proves nothing. Default: true. */
  readonly isRequestLogComplete?: boolean;
  /** Requests for the boot script of a node from an address that is not its own. */
  readonly mismatchedRequests: readonly {
    readonly node: string;
    readonly clientAddress: string;
    readonly path: string;
  }[];
  readonly ignition: ObservedIgnition | null;
  /** RHCOS images: the file names, and the names of those whose bytes are not the published ones. */
  readonly images: { readonly names: readonly string[]; readonly mismatchedNames: readonly string[] };
  /** Registries in the pull secret; null if it cannot be read. */
  readonly registries: readonly string[] | null;
  /** Path of the pull secret; null or missing: not known. */
  readonly pullSecretFile?: string | null;
  /**
   * `code`: why the API does not answer (`cluster-…`); null while it does, or before a kubeconfig exists. `line`: the
   * reason or the state as text.
   */
  readonly api: {
    readonly isUp: boolean;
    readonly code: string | null;
    readonly detail: string;
    /** The API's clock minus the clock of this machine, ms; null: not known. */
    readonly skewMs: number | null;
  } | null;
  readonly cluster: ObservedCluster | null;
  /** Offsets of the time servers from this machine's clock, ms. */
  readonly timeServerOffsets: readonly { readonly server: string; readonly offsetMs: number }[];
  /** The latest lines of every log that can be read. */
  readonly lines: readonly EvidenceLine[];
}

/** Empty evidence, to be completed with the known facts. */
export const NO_EVIDENCE: Omit<Evidence, 'now'> = {
  design: null,
  stage: 'install',
  checks: [],
  siteProblems: [],
  balancerMembers: [],
  ports: [],
  readyHosts: [],
  files: [],
  machines: [],
  unknownMacs: [],
  mismatchedRequests: [],
  ignition: null,
  images: { names: [], mismatchedNames: [] },
  registries: null,
  api: null,
  cluster: null,
  timeServerOffsets: [],
  lines: [],
};
