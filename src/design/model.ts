/**
 * The design after parsing: every default filled in, every scalar typed. The shape of the file it comes from is
 * `schema.ts`; addresses are canonical text ("172.16.0.21", lower-case compressed IPv6), MACs lower-case with colons,
 * CIDRs "172.16.0.0/24". Lists of addresses hold one entry per family, IPv4 and IPv6 in the order of the file.
 */
export interface Design {
  readonly openshift: { readonly version: string; readonly architecture: Architecture };
  readonly topology: Topology;
  readonly cluster: { readonly name: string; readonly baseDomain: string };
  readonly networks: Networks;
  readonly endpoints: {
    readonly api: readonly string[];
    readonly apiInt: readonly string[];
    readonly ingress: readonly string[];
  };
  readonly nodes: readonly DesignNode[];
  readonly services: Services;
  readonly credentials: { readonly pullSecretFile: string | null; readonly sshKeyFile: string | null };
  readonly fips: boolean;
  readonly proxy: Proxy | null;
  readonly additionalTrustBundleFile: string | null;
  readonly additionalTrustBundlePolicy: 'Always' | 'Proxyonly' | null;
  readonly imageDigestSources: readonly { readonly source: string; readonly mirrors: readonly string[] }[];
  readonly infra: InfraPlan;
}

/** The architecture of the cluster as RHCOS names it; the installer says amd64 and arm64 for the first two. */
export const ARCHITECTURES = ['x86_64', 'aarch64', 'ppc64le', 's390x'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];
/** `compact`: the control plane runs the workloads as well. `single-node`: one node is everything, without a bootstrap node. */
export const TOPOLOGIES = ['standard', 'compact', 'single-node'] as const;
export type Topology = (typeof TOPOLOGIES)[number];
/**
 * In the order in which machines are listed and sorted. To the installer infra and storage nodes are compute nodes; labels make
 * them what they are when they have joined.
 */
export const ROLES = ['bootstrap', 'control-plane', 'compute', 'infra', 'storage'] as const;
export type NodeRole = (typeof ROLES)[number];
/** The roles of nodes that boot with worker.ign and join a running control plane. */
export const WORKER_ROLES = ['compute', 'infra', 'storage'] as const satisfies readonly NodeRole[];
/** The operating system of a service host: the names of its packages and services, and its paths, follow from it. */
export const OS_NAMES = ['rhel8', 'rhel9', 'rhel10', 'debian'] as const;
export type HostOs = (typeof OS_NAMES)[number];

/**
 * `machine`: where the nodes are. `cluster`: of the pods, of which each node gets a network with the prefix `hostPrefix`.
 * `company`: networks in use, which no network of the cluster may overlap.
 */
export interface Networks {
  readonly machine: readonly { readonly cidr: string; readonly gateway: string | null }[];
  readonly cluster: readonly { readonly cidr: string; readonly hostPrefix: number }[];
  readonly service: readonly string[];
  readonly type: string;
  readonly company: readonly string[];
  /** The company side of the router between the company network and the machine network. */
  readonly router: string | null;
}

/**
 * A machine of the cluster, the bootstrap included. `name` is a single DNS label, `installDisk` a path such as /dev/sda; `mac`
 * is of the port that it boots from, `interface`, `bond` and `vlan` say what its address is on, null where nothing special is.
 */
export interface DesignNode {
  readonly name: string;
  readonly role: NodeRole;
  /** Empty for a machine that a cloud made: the cluster knows its address. */
  readonly ip: readonly string[];
  readonly mac: string;
  readonly vcpu: number;
  readonly memoryGiB: number;
  readonly diskGiB: number;
  readonly installDisk: string;
  readonly interface: string | null;
  readonly bond: { readonly name: string; readonly interfaces: readonly string[]; readonly mode: string } | null;
  readonly vlan: number | null;
  readonly firmware: 'uefi' | 'bios';
  readonly secureBoot: boolean;
  readonly kernelArguments: readonly string[];
  /** Its name in Kubernetes where a cloud gave it one; left out where it follows from `name`. */
  readonly fqdn?: string;
}

/**
 * A machine that serves the cluster and is no part of it. `name` is a single label in the base domain; at the first of its
 * addresses it is reached.
 */
export interface ServiceHost {
  readonly name: string;
  readonly ip: readonly [string, ...string[]];
  readonly os: HostOs;
}

/** The services around the cluster, and the hosts that run them. `external`: other people run it; `none`: it does not run. */
export interface Services {
  readonly bastion: ServiceHost;
  /** `servers[0]` is the primary, the others are secondaries; empty when external. */
  readonly dns: {
    readonly kind: 'bind' | 'external';
    readonly servers: readonly ServiceHost[];
    readonly forwarders: readonly string[];
  };
  /** `server` is the name of a service host. */
  readonly dhcp: { readonly kind: 'isc-dhcpd' | 'kea' | 'none'; readonly server: string | null };
  readonly loadBalancer: { readonly kind: 'haproxy' | 'external'; readonly servers: readonly ServiceHost[] };
  readonly boot: { readonly kind: 'ipxe' | 'iso'; readonly httpPort: number };
  readonly time: { readonly servers: readonly string[] };
}

export interface Proxy {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** What moves only when the design chooses it. Console and insights are not among them: no version has a setting for those. */
export const FURTHER_PARTS = ['network-diagnostics'] as const;

/** What moves to the infra nodes, and what keeps everything else off them. Volumes are in GiB. */
export interface InfraPlan {
  readonly taint: { readonly key: string; readonly value: string; readonly noExecute: boolean };
  /** Make the MachineConfigPool `infra`. */
  readonly pool: boolean;
  readonly keepWorkerRole: boolean;
  /** Null: as many as its owner has set. */
  readonly routerReplicas: number | null;
  /** The IngressControllers that move beside `default`. */
  readonly routers: readonly string[];
  readonly registry: {
    readonly storage: 'pvc' | 'emptyDir' | 'none';
    readonly storageClass: string | null;
    readonly accessMode: 'ReadWriteMany' | 'ReadWriteOnce';
    readonly sizeGiB: number;
    /** The volume stays when its claim is deleted: its class is a copy with Retain. */
    readonly retain: boolean;
  };
  readonly monitoring: {
    readonly storageClass: string | null;
    readonly prometheusGiB: number;
    readonly alertmanagerGiB: number;
  };
  readonly also: readonly (typeof FURTHER_PARTS)[number][];
  readonly removeWorkersFromLoadBalancer: boolean;
  /** Infra nodes that the cloud makes; null where all nodes are those of the design. */
  readonly machineSets: MachineSetsPlan | null;
  /** Workers that come and go on a cloud; null where nothing changes how many there are. */
  readonly autoscaler: AutoscalerPlan | null;
}

/** How many workers there are, in all zones together. */
export interface AutoscalerPlan {
  readonly least: number;
  readonly most: number;
}

/** The machines of infra MachineSets. `count`: in all zones together. `size`: in the cloud's words; null for that of the workers. */
export interface MachineSetsPlan {
  readonly count: number;
  readonly size: string | null;
  /** Replace machines whose node is not Ready for long. */
  readonly healthCheck: boolean;
}

/** What is wrong with a design, in the shape that `design check --json` prints. */
export interface Problem {
  /** Where in the file: `nodes.2.ip`; empty for the whole file. */
  readonly path: string;
  readonly severity: 'error' | 'warning';
  /** The rule's id, as `upi-wizard help rules` lists it. */
  readonly rule: string;
  readonly message: string;
  readonly fix: string;
  /** 1-based; 0 where the value is not in a file. */
  readonly line: number;
  readonly column: number;
}

/** The stages of the load balancer (and so of the generated files), in order. */
export const STAGES = ['install', 'bootstrap-removed', 'infra-added', 'infra-only'] as const;
export type Stage = (typeof STAGES)[number];
