/** The architecture of the cluster as RHCOS names it; the installer says amd64 and arm64 for the first two. */
export const ARCHITECTURES = ['x86_64', 'aarch64', 'ppc64le', 's390x'] as const;
export type Architecture = (typeof ARCHITECTURES)[number];
/** The streams of RHCOS that install-config can name (openshift/installer pkg/types/installconfig.go). */
export const OS_IMAGE_STREAMS = ['rhel-9', 'rhel-10'] as const;
export type OsImageStream = (typeof OS_IMAGE_STREAMS)[number];
/**
 * `compact`: the control plane runs the workloads as well. `arbiter`: two such nodes, and a small third one that only
 * completes the quorum of etcd. `fencing`: two such nodes alone; Pacemaker runs their etcd, and powers off a node that
 * fails, by its BMC. `single-node`: one node runs everything, and is its own bootstrap (bootstrap in place);
 * `single-node-bootstrap`: with a bootstrap node and a load balancer, as other clusters.
 */
export const TOPOLOGIES = [
  'standard',
  'compact',
  'arbiter',
  'fencing',
  'single-node',
  'single-node-bootstrap',
] as const;
export type Topology = (typeof TOPOLOGIES)[number];

/**
 * Whether compute nodes can join a cluster that was installed without any. Its control plane runs applications, and
 * keeps running them.
 */
export const canAddCompute = (topology: Topology) => topology === 'compact';

/** Whether a cluster has one node, however it is installed. */
export const isSingleNode = (topology: Topology) => topology === 'single-node' || topology === 'single-node-bootstrap';

/**
 * The roles in listing and sort order. The installer treats infra and storage nodes as compute nodes; labels assign
 * their role after they join.
 */
export const NODE_ROLES = ['bootstrap', 'control-plane', 'arbiter', 'compute', 'infra', 'storage'] as const;
export type NodeRole = (typeof NODE_ROLES)[number];
/**
 * The roles of nodes that run an etcd member, and that boot while the bootstrap node serves their configuration
 * (openshift/machine-config-operator pkg/server/bootstrap_server.go: pools master and arbiter).
 */
export const ETCD_ROLES = ['control-plane', 'arbiter'] as const satisfies readonly NodeRole[];
/** The roles of nodes that boot with worker.ign and join a running control plane. */
export const WORKER_ROLES = ['compute', 'infra', 'storage'] as const satisfies readonly NodeRole[];
/** The ignition files of nodes that join a running cluster, by the names of their MachineConfigPools. */
export const POOL_IGNITION_NAMES = ['master', 'arbiter', 'worker'] as const;
export type IgnitionName = 'bootstrap' | (typeof POOL_IGNITION_NAMES)[number];

/**
 * Returns the name of the ignition file that a node of this role boots with. Infra and storage nodes are compute nodes
 * to the installer; their labels come later.
 */
export function getIgnitionName(role: NodeRole): IgnitionName {
  if (role === 'control-plane') return 'master';
  return role === 'bootstrap' || role === 'arbiter' ? role : 'worker';
}

/** Operating system of a service host; it determines package names, service names and paths. */
export const HOST_OS_NAMES = ['rhel8', 'rhel9', 'rhel10', 'debian'] as const;
export type HostOs = (typeof HOST_OS_NAMES)[number];
/**
 * Components that move only when the design lists them. Console and insights are excluded: no version has a placement
 * setting for them.
 */
export const OPTIONAL_INFRA_COMPONENTS = ['network-diagnostics'] as const;
/** The stages of the load balancer (and so of the generated files), in order. */
export const STAGES = ['install', 'bootstrap-removed', 'infra-added', 'infra-only'] as const;
export type Stage = (typeof STAGES)[number];

export interface NodeSize {
  readonly vcpu: number;
  readonly memoryGiB: number;
  readonly diskGiB: number;
}

export const DEFAULT_DISK_GIB = 120;
export const DEFAULT_INSTALL_DISK = '/dev/sda';
/**
 * The default size of a node, except in a single-node cluster. Source: openshift-docs
 * modules/installation-minimum-resource-requirements.adoc.
 */
export const DEFAULT_NODE_SIZES: Readonly<Record<NodeRole, NodeSize>> = {
  bootstrap: { vcpu: 4, memoryGiB: 16, diskGiB: DEFAULT_DISK_GIB },
  'control-plane': { vcpu: 4, memoryGiB: 16, diskGiB: DEFAULT_DISK_GIB },
  arbiter: { vcpu: 2, memoryGiB: 8, diskGiB: DEFAULT_DISK_GIB },
  compute: { vcpu: 2, memoryGiB: 8, diskGiB: DEFAULT_DISK_GIB },
  infra: { vcpu: 4, memoryGiB: 32, diskGiB: DEFAULT_DISK_GIB },
  storage: { vcpu: 16, memoryGiB: 64, diskGiB: DEFAULT_DISK_GIB },
};

/** The longest IPv4 host prefix: it leaves each node 128 addresses. */
export const MAX_IPV4_HOST_PREFIX = 25;

export const DEFAULT_CLUSTER_NETWORK = '10.128.0.0/14';
export const DEFAULT_SERVICE_NETWORK = '172.30.0.0/16';

/** Returns the default prefix length of a node's subnet in a cluster network; IPv6 gives each node a /64. */
export function getDefaultHostPrefix(cidr: string): number {
  return cidr.includes(':') ? 64 : 23;
}
