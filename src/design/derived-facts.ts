import { catalogue } from '../i18n/catalogue.ts';
import {
  getFirstAddress,
  getLastAddress,
  getNextAddress,
  isAddressInNetwork,
  type Network,
  parseNetwork,
  toCanonicalAddress,
} from './address.ts';
import { type Architecture, ETCD_ROLES, WORKER_ROLES } from './choices.ts';
import type { Design, DesignNode, ServiceHost } from './model.ts';
import type { Product } from './versions.ts';

const words = () => catalogue().design.facts;

/**
 * Describes the size of a network that is being typed: `254 addresses`; empty while it is invalid. With IPv4, network
 * and broadcast address do not count.
 */
export function describeAddressCount(cidr: string): string {
  const network = parseNetwork(cidr.trim());
  return network === null ? '' : words().addresses(formatCount(countUsableAddresses(network)));
}

/**
 * Describes the capacity of a cluster network: `512 nodes × 510 pods`; empty while it does not fit the prefix length of
 * each node. The number of pods of a node is the number of addresses of its network without network and broadcast
 * address.
 */
export function describeClusterNetwork(cidr: string, hostPrefix: number): string {
  const network = parseNetwork(cidr.trim());
  const bits = network?.family === 6 ? 128 : 32;
  if (network === null || !Number.isInteger(hostPrefix) || hostPrefix < network.prefixLength || hostPrefix > bits - 2)
    return '';
  const nodes = 1n << BigInt(hostPrefix - network.prefixLength);
  const pods = (1n << BigInt(bits - hostPrefix)) - 2n;
  return words().clusterNetwork(formatCount(nodes), formatCount(pods));
}

/** Describes the share of each node: `510 pods on each node`; empty where `describeClusterNetwork` is. */
export function describePodsPerNode(cidr: string, hostPrefix: number): string {
  const bits = parseNetwork(cidr.trim())?.family === 6 ? 128 : 32;
  if (describeClusterNetwork(cidr, hostPrefix) === '') return '';
  return words().podsPerNode(formatCount((1n << BigInt(bits - hostPrefix)) - 2n));
}

/** Counts the maximum number of nodes of a cluster network; null if it is not a network, or the prefix does not fit. */
export function countPossibleNodes(cidr: string, hostPrefix: number): bigint | null {
  const network = parseNetwork(cidr.trim());
  if (network === null || !Number.isInteger(hostPrefix) || hostPrefix < network.prefixLength) return null;
  return hostPrefix > (network.family === 6 ? 128 : 32) ? null : 1n << BigInt(hostPrefix - network.prefixLength);
}

/** Describes the free addresses of a network: `238 of 254 free`; for IPv6 only the total. */
export function describeFreeAddresses(cidr: string, addressTexts: Iterable<string>): string {
  const network = parseNetwork(cidr.trim());
  if (network === null) return '';
  const usedAddresses = new Set(
    [...addressTexts].map((text) => toCanonicalAddress(text.trim())).filter((text) => text !== null),
  );
  const usedCount = [...usedAddresses].filter((address) => isAddressInNetwork(address, network)).length;
  const totalText = formatCount(countUsableAddresses(network));
  return network.family === 6
    ? words().addresses(totalText)
    : words().freeAddresses(formatCount(countUsableAddresses(network) - BigInt(usedCount)), totalText);
}

/** Finds the first address of the network that is not in the list; empty if all are used. */
export function findFreeAddress(cidr: string, addressTexts: Iterable<string>): string {
  const network = parseNetwork(cidr.trim());
  if (network === null) return '';
  const usedAddresses = new Set([...addressTexts].map((text) => toCanonicalAddress(text.trim())));
  const last = getLastAddress(network);
  let address = getNextAddress(getFirstAddress(network));
  while (address !== null && address !== last && usedAddresses.has(address)) address = getNextAddress(address);
  return address === null || address === last ? '' : address;
}

/**
 * Describes a DNS name of a cluster: that of its API, or that of its applications. Empty while the cluster name or the
 * base domain is empty.
 */
export function describeEndpointName(kind: 'api' | 'apps', clusterName: string, baseDomain: string): string {
  const [name, domain] = [clusterName.trim(), baseDomain.trim()];
  if (name === '' || domain === '') return '';
  return words()[kind === 'api' ? 'apiName' : 'appsName'](`${name}.${domain}`);
}

function countUsableAddresses({ family, first, last }: Network): bigint {
  const total = last - first + 1n;
  return family === 4 && total > 2n ? total - 2n : total;
}

/**
 * Formats a count for display, in groups of three digits; a power of two beyond a billion is shown as one. It avoids
 * Intl: the first number that Node.js formats for a language takes 9 MiB.
 */
function formatCount(count: bigint): string {
  if (count < 1_000_000_000n) return `${count}`.replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
  return `2^${(count + 2n).toString(2).length - 1}`;
}

/** Go's names of the architectures; the mirror uses them as well. */
export const GO_ARCHITECTURES: Readonly<Record<Architecture, string>> = {
  x86_64: 'amd64',
  aarch64: 'arm64',
  ppc64le: 'ppc64le',
  s390x: 's390x',
};

/** Returns the domain of all names of the cluster: `ocp45.example.localdomain`. */
export function getClusterDomain(design: Pick<Design, 'cluster'>): string {
  return `${design.cluster.name}.${design.cluster.baseDomain}`;
}

/** Returns a node's fully qualified name: also its DHCP host name and its name in Kubernetes. */
export function getNodeFqdn(design: Design, node: Pick<DesignNode, 'name' | 'fqdn'>): string {
  return node.fqdn ?? `${node.name}.${getClusterDomain(design)}`;
}

/** Returns the full name of a service host: it is in the base domain, not in the cluster's domain. */
export function getServiceHostFqdn(design: Design, host: Pick<ServiceHost, 'name'>): string {
  return `${host.name}.${design.cluster.baseDomain}`;
}

/** Returns the name of the API (6443) for users and the installer: `api.ocp45.example.localdomain`. */
export function getApiName(design: Design): string {
  return `api.${getClusterDomain(design)}`;
}

/** Returns the name of the API (6443) and the Machine Config Server (22623) for nodes: `api-int.…`. */
export function getApiIntName(design: Design): string {
  return `api-int.${getClusterDomain(design)}`;
}

/** Returns the domain of the routes, without the wildcard: `apps.ocp45.example.localdomain`. */
export function getAppsDomain(design: Design): string {
  return `apps.${getClusterDomain(design)}`;
}

/** Lists every service host once: one machine may serve in several roles. */
export function listServiceHosts(design: Design): ServiceHost[] {
  const { bastion, dns, loadBalancer } = design.services;
  const hostsByName = new Map([bastion, ...dns.servers, ...loadBalancer.servers].map((host) => [host.name, host]));
  return [...hostsByName.values()];
}

/** Finds the host that runs the DHCP server; null: no service host does. */
export function findDhcpHost(design: Design): ServiceHost | null {
  const { kind, server } = design.services.dhcp;
  return kind === 'none' ? null : (listServiceHosts(design).find(({ name }) => name === server) ?? null);
}

/** Lists the nodes that have one of these roles, in the order of the design. */
export function listNodesWithRole(design: Design, ...roles: readonly DesignNode['role'][]): DesignNode[] {
  return design.nodes.filter((node) => roles.includes(node.role));
}

/** Whether a node boots with worker.ign, regardless of the labels that it gets later. */
export function isWorker({ role }: Pick<DesignNode, 'role'>): boolean {
  return WORKER_ROLES.some((workerRole) => workerRole === role);
}

/** Whether a node runs an etcd member. */
export function runsEtcd({ role }: Pick<DesignNode, 'role'>): boolean {
  return ETCD_ROLES.some((etcdRole) => etcdRole === role);
}

/** Whether the pod network is OVN-Kubernetes. The installer accepts the name in any letter case. */
export function isOvnKubernetes({ networks }: Pick<Design, 'networks'>): boolean {
  return networks.type.toLowerCase() === 'ovnkubernetes';
}

/**
 * The repositories that an installation pulls from: the release image, and the images that it references. OKD: the
 * images of `oc adm release info quay.io/okd/scos-release:…` (okd-project/okd#2041).
 */
export const RELEASE_REPOSITORIES: Readonly<Record<Product, readonly [release: string, content: string]>> = {
  OpenShift: ['quay.io/openshift-release-dev/ocp-release', 'quay.io/openshift-release-dev/ocp-v4.0-art-dev'],
  OKD: ['quay.io/okd/scos-release', 'quay.io/okd/scos-content'],
};

/** Lists the mirrors of the release of this design, each once. */
export function listReleaseMirrors(
  { imageDigestSources }: Pick<Design, 'imageDigestSources'>,
  product: Product,
): string[] {
  const sources = imageDigestSources.filter(({ source }) =>
    RELEASE_REPOSITORIES[product].some((repository) => isInsideRepository(repository, source)),
  );
  return [...new Set(sources.flatMap(({ mirrors }) => mirrors))];
}

/** Whether an image or repository is this source of mirrors, or below it (containers-registries.conf(5)). */
export const isInsideRepository = (image: string, source: string) => image === source || image.startsWith(`${source}/`);
