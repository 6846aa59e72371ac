import { type Architecture, type Design, type DesignNode, type ServiceHost, WORKER_ROLES } from './model.ts';

/** Go's names of the architectures; the mirror uses them as well. */
export const GO_ARCHITECTURES: Readonly<Record<Architecture, string>> = {
  x86_64: 'amd64',
  aarch64: 'arm64',
  ppc64le: 'ppc64le',
  s390x: 's390x',
};

/** `ocp45.example.localdomain`: the domain of all names of the cluster. */
export function clusterDomain(design: Design): string {
  return `${design.cluster.name}.${design.cluster.baseDomain}`;
}

/** Returns a node's fully qualified name: also its DHCP host name and its name in Kubernetes. */
export function nodeFqdn(design: Design, node: Pick<DesignNode, 'name' | 'fqdn'>): string {
  return node.fqdn ?? `${node.name}.${clusterDomain(design)}`;
}

/** A service host (bastion, name server, load balancer) has its name in the base domain, not in the cluster's. */
export function serviceHostFqdn(design: Design, host: Pick<ServiceHost, 'name'>): string {
  return `${host.name}.${design.cluster.baseDomain}`;
}

/** `api.ocp45.example.localdomain`: the API on 6443, for users and the installer. */
export function apiName(design: Design): string {
  return `api.${clusterDomain(design)}`;
}

/** `api-int.ocp45.example.localdomain`: for nodes, the API on 6443 and the machine config server on 22623. */
export function apiIntName(design: Design): string {
  return `api-int.${clusterDomain(design)}`;
}

/** Returns the domain of the routes, without the wildcard: `apps.ocp45.example.localdomain`. */
export function appsDomain(design: Design): string {
  return `apps.${clusterDomain(design)}`;
}

/** Returns every service host once: one machine may serve in several roles. */
export function serviceHosts(design: Design): ServiceHost[] {
  const { bastion, dns, loadBalancer } = design.services;
  const byName = new Map([bastion, ...dns.servers, ...loadBalancer.servers].map((host) => [host.name, host]));
  return [...byName.values()];
}

/** Returns the nodes that have one of these roles, in the order of the design. */
export function nodesWithRole(design: Design, ...roles: readonly DesignNode['role'][]): DesignNode[] {
  return design.nodes.filter((node) => roles.includes(node.role));
}

/** Whether a node boots with worker.ign, regardless of the labels that it gets later. */
export function isWorker({ role }: Pick<DesignNode, 'role'>): boolean {
  return WORKER_ROLES.some((worker) => worker === role);
}

/** Whether the pod network is OVN-Kubernetes. The installer accepts the name in any letter case. */
export function isOvnKubernetes({ networks }: Pick<Design, 'networks'>): boolean {
  return networks.type.toLowerCase() === 'ovnkubernetes';
}
