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
  readonly proxy: ProxySettings | null;
  readonly additionalTrustBundleFile: string | null;
  readonly additionalTrustBundlePolicy: 'Always' | 'Proxyonly' | null;
  readonly imageDigestSources: readonly { readonly source: string; readonly mirrors: readonly string[] }[];
  readonly infra: InfraPlan;
}

/** The architecture of the cluster as RHCOS names it; the installer says amd64 and arm64 for the first two. */
export const ARCHITECTURES = ['x86_64', 'aarch64', 'ppc64le', 's390x'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];
/**
 * `compact`: the control plane runs the workloads as well. `single-node`: one node runs everything, without a bootstrap
 * node.
 */
export const TOPOLOGIES = ['standard', 'compact', 'single-node'] as const;
export type Topology = (typeof TOPOLOGIES)[number];
/**
 * The roles in listing and sort order. The installer treats infra and storage nodes as compute nodes; labels assign
 * their role after they join.
 */
export const ROLES = ['bootstrap', 'control-plane', 'compute', 'infra', 'storage'] as const;
export type NodeRole = (typeof ROLES)[number];
/** The roles of nodes that boot with worker.ign and join a running control plane. */
export const WORKER_ROLES = ['compute', 'infra', 'storage'] as const satisfies readonly NodeRole[];
/** Operating system of a service host; it determines package names, service names and paths. */
export const OS_NAMES = ['rhel8', 'rhel9', 'rhel10', 'debian'] as const;
export type HostOs = (typeof OS_NAMES)[number];

/**
 * `machine`: the networks of the nodes. `cluster`: the pod networks; each node gets a subnet with the prefix
 * `hostPrefix`. `company`: networks in use that no cluster network may overlap.
 */
interface Networks {
  readonly machine: readonly { readonly cidr: string; readonly gateway: string | null }[];
  readonly cluster: readonly { readonly cidr: string; readonly hostPrefix: number }[];
  readonly service: readonly string[];
  readonly type: string;
  readonly company: readonly string[];
  /** Address, on the company network, of the router between the company network and the machine network. */
  readonly router: string | null;
}

/**
 * A machine of the cluster, including the bootstrap machine. `name` is a single DNS label, `installDisk` a path such as
 * /dev/sda, `mac` that of the boot interface. `interface`, `bond` and `vlan` describe the link of its address; null
 * means the default.
 */
export interface DesignNode {
  readonly name: string;
  readonly role: NodeRole;
  /** Empty for a machine created by a cloud: the cluster knows its address. */
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
  /** Kubernetes node name assigned by a cloud; absent when it is derived from `name`. */
  readonly fqdn?: string;
}

/**
 * A machine that serves the cluster and is not part of it. `name` is a single label in the base domain; connections use
 * the first address.
 */
export interface ServiceHost {
  readonly name: string;
  readonly ip: readonly [string, ...string[]];
  readonly os: HostOs;
}

/** The services around the cluster, and the hosts that run them. `external`: managed by others; `none`: not used. */
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

interface ProxySettings {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/**
 * Components that move only when the design lists them. Console and insights are excluded: no version has a placement
 * setting for them.
 */
export const OPTIONAL_COMPONENTS = ['network-diagnostics'] as const;

/** The components that move to the infra nodes, and the taint that keeps other pods off them. Volumes are in GiB. */
export interface InfraPlan {
  readonly taint: { readonly key: string; readonly value: string; readonly noExecute: boolean };
  /** Create the MachineConfigPool `infra`. */
  readonly pool: boolean;
  readonly keepWorkerRole: boolean;
  /** Null keeps the current number. */
  readonly routerReplicas: number | null;
  /** The IngressControllers that move in addition to `default`. */
  readonly routers: readonly string[];
  readonly registry: {
    readonly storage: 'pvc' | 'emptyDir' | 'none';
    readonly storageClass: string | null;
    readonly accessMode: 'ReadWriteMany' | 'ReadWriteOnce';
    readonly sizeGiB: number;
    /** Keep the volume when its claim is deleted: the storage class is a copy with the reclaim policy Retain. */
    readonly retain: boolean;
  };
  readonly monitoring: {
    readonly storageClass: string | null;
    readonly prometheusGiB: number;
    readonly alertmanagerGiB: number;
  };
  readonly also: readonly (typeof OPTIONAL_COMPONENTS)[number][];
  readonly removeWorkersFromLoadBalancer: boolean;
  /** Infra nodes created by the cloud; null when all nodes are those of the design. */
  readonly machineSets: MachineSetsPlan | null;
  /** Autoscaling of cloud workers; null when nothing changes their number. */
  readonly autoscaler: AutoscalerPlan | null;
}

/** Minimum and maximum number of workers in all zones together. */
export interface AutoscalerPlan {
  readonly least: number;
  readonly most: number;
}

/**
 * The machines of infra MachineSets. `count`: in all zones together. `size`: the cloud's instance type; null uses that
 * of the workers.
 */
export interface MachineSetsPlan {
  readonly count: number;
  readonly size: string | null;
  /** Replace machines whose node is not Ready for long. */
  readonly healthCheck: boolean;
}

/** A problem of a design, in the shape that `design check --json` prints. */
export interface Problem {
  /** Path in the file: `nodes.2.ip`; empty for the whole file. */
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
