import { canonicalAddress, canonicalCidr, canonicalMac } from './address.ts';
import type { Design, DesignNode, HostOs, InfraPlan, NodeRole, ServiceHost, Services, Topology } from './model.ts';
import type { DesignFile } from './schema.ts';
import { versionProfile } from './versions.ts';

type FileNode = DesignFile['nodes'][number];
type FileServices = DesignFile['services'];
type FileHost = FileServices['bastion'];

/** Defaults of a node. Source: openshift-docs modules/installation-minimum-resource-requirements.adoc. */
const SIZES: Readonly<Record<NodeRole, { readonly vcpu: number; readonly memoryGiB: number }>> = {
  bootstrap: { vcpu: 4, memoryGiB: 16 },
  'control-plane': { vcpu: 4, memoryGiB: 16 },
  compute: { vcpu: 2, memoryGiB: 8 },
  infra: { vcpu: 4, memoryGiB: 32 },
  storage: { vcpu: 16, memoryGiB: 64 },
};
const SINGLE_NODE_VCPU = 8;
const DISK_GIB = 120;

/** Returns the default size of a node by role, except in a single-node cluster: vCPU, GiB of memory and disk. */
export function defaultSize(role: NodeRole): {
  readonly vcpu: number;
  readonly memoryGiB: number;
  readonly diskGiB: number;
} {
  return { ...SIZES[role], diskGiB: DISK_GIB };
}

/**
 * Fills in every default and converts every address to its canonical spelling. Invalid values are left as they are: the
 * rules report them.
 */
export function completeDesign(file: DesignFile): Design {
  const topology = file.topology ?? deriveTopology(file.nodes.map(({ role }) => role));
  return {
    openshift: { version: file.openshift.version, architecture: file.openshift.architecture ?? 'x86_64' },
    topology,
    cluster: { ...file.cluster },
    networks: completeNetworks(file),
    endpoints: {
      api: normalizeAddresses(file.endpoints.api),
      apiInt: normalizeAddresses(file.endpoints.apiInt),
      ingress: normalizeAddresses(file.endpoints.ingress),
    },
    nodes: file.nodes.map((node) => completeNode(node, topology)),
    services: completeServices(file.services),
    credentials: {
      pullSecretFile: file.credentials?.pullSecretFile ?? null,
      sshKeyFile: file.credentials?.sshKeyFile ?? null,
    },
    fips: file.fips ?? false,
    proxy: completeProxy(file.proxy),
    additionalTrustBundleFile: file.additionalTrustBundleFile ?? null,
    additionalTrustBundlePolicy: file.additionalTrustBundlePolicy ?? (file.additionalTrustBundleFile ? 'Always' : null),
    imageDigestSources: file.imageDigestSources ?? [],
    infra: completeInfra(file.infra),
  };
}

/**
 * Removes the hosts that we do not set up: existing name servers and load balancers are only queried, so the addresses
 * of the name servers become forwarders. Call it after the rules, which need the path of each address.
 */
export function removeExternalHosts(design: Design): Design {
  const { dns, loadBalancer } = design.services;
  const resolvers = [...dns.servers.flatMap(({ ip }) => ip), ...dns.forwarders];
  return {
    ...design,
    services: {
      ...design.services,
      dns: dns.kind === 'external' ? { ...dns, servers: [], forwarders: resolvers } : dns,
      loadBalancer: loadBalancer.kind === 'external' ? { ...loadBalancer, servers: [] } : loadBalancer,
    },
  };
}

/**
 * Derives the topology from the nodes: a single control plane node, control plane nodes that run everything, or the
 * usual one.
 */
function deriveTopology(roles: readonly NodeRole[]): Topology {
  const others = roles.filter((role) => role !== 'control-plane' && role !== 'bootstrap');
  const controlPlane = roles.filter((role) => role === 'control-plane');
  if (others.length > 0) return 'standard';
  if (controlPlane.length === 1 && !roles.includes('bootstrap')) return 'single-node';
  return controlPlane.length > 0 ? 'compact' : 'standard';
}

function completeNetworks(file: DesignFile): Design['networks'] {
  const cluster = file.networks.cluster ?? [{ cidr: '10.128.0.0/14' }];
  return {
    machine: file.networks.machine.map(({ cidr, gateway }) => ({
      cidr: normalizeCidr(cidr),
      gateway: gateway ? normalizeAddress(gateway) : null,
    })),
    cluster: cluster.map((entry) => ({
      cidr: normalizeCidr(entry.cidr),
      hostPrefix: entry.hostPrefix ?? (entry.cidr.includes(':') ? 64 : 23),
    })),
    service: (file.networks.service ?? ['172.30.0.0/16']).map(normalizeCidr),
    type: file.networks.type || versionProfile(file.openshift.version).defaultNetworkType,
    company: (file.networks.company ?? []).map(normalizeCidr),
    router: file.networks.router ? normalizeAddress(file.networks.router) : null,
  };
}

function completeNode(node: FileNode, topology: Topology): DesignNode {
  const size = SIZES[node.role];
  return {
    name: node.name,
    role: node.role,
    ip: normalizeAddresses(node.ip),
    mac: canonicalMac(node.mac) ?? node.mac,
    vcpu: node.vcpu ?? (topology === 'single-node' ? SINGLE_NODE_VCPU : size.vcpu),
    memoryGiB: node.memoryGiB ?? size.memoryGiB,
    diskGiB: node.diskGiB ?? DISK_GIB,
    installDisk: node.installDisk ?? '/dev/sda',
    interface: node.interface ?? null,
    bond: node.bond ?? null,
    vlan: node.vlan ?? null,
    // Both kinds of firmware are served; this only changes the instructions.
    firmware: node.firmware ?? 'uefi',
    secureBoot: node.secureBoot ?? false,
    kernelArguments: node.kernelArguments ?? [],
  };
}

function completeServices(services: FileServices): Services {
  const bastion = completeHost(services.bastion);
  const dnsServers = (services.dns?.servers ?? []).map(completeHost);
  const balancers = (services.loadBalancer?.servers ?? []).map(completeHost);
  const dnsKind = services.dns?.kind ?? (dnsServers.length > 0 ? 'bind' : 'external');
  const [primary = bastion] = dnsKind === 'bind' ? dnsServers : [];
  return {
    bastion,
    dns: {
      kind: dnsKind,
      servers: dnsServers,
      forwarders: (services.dns?.forwarders ?? []).map(normalizeAddress),
    },
    dhcp: completeDhcp(services, [bastion, ...dnsServers, ...balancers], primary),
    loadBalancer: {
      kind: services.loadBalancer?.kind ?? (balancers.length > 0 ? 'haproxy' : 'external'),
      servers: balancers,
    },
    boot: { kind: services.boot?.kind ?? 'ipxe', httpPort: services.boot?.httpPort ?? 8080 },
    time: { servers: (services.time?.servers ?? []).map(normalizeAddress) },
  };
}

/** RHEL 10 ships no ISC dhcpd; Kea replaced it (community.theforeman.org, "Integrate Kea DHCP provider"). */
function completeDhcp(services: FileServices, hosts: readonly ServiceHost[], fallback: ServiceHost): Services['dhcp'] {
  if (services.dhcp?.kind === 'none') return { kind: 'none', server: null };
  const server = services.dhcp?.server || fallback.name;
  const os = hosts.find(({ name }) => name === server)?.os;
  return { kind: services.dhcp?.kind ?? (os === 'rhel10' ? 'kea' : 'isc-dhcpd'), server };
}

function completeHost(host: FileHost): ServiceHost {
  const os: HostOs = host.os ?? 'rhel9';
  // The schema rejects an empty list.
  const [first = '', ...others] = normalizeAddresses(host.ip);
  return { name: host.name, ip: [first, ...others], os };
}

/** A block with only empty values is no proxy. */
function completeProxy(proxy: DesignFile['proxy']): Design['proxy'] {
  const { httpProxy, httpsProxy, noProxy } = proxy ?? {};
  if (!httpProxy && !httpsProxy && !noProxy) return null;
  return { httpProxy: httpProxy ?? '', httpsProxy: httpsProxy ?? '', noProxy: noProxy ?? '' };
}

function completeInfra(infra: DesignFile['infra']): InfraPlan {
  return {
    taint: {
      key: infra?.taint?.key ?? 'node-role.kubernetes.io/infra',
      value: infra?.taint?.value ?? 'reserved',
      noExecute: infra?.taint?.noExecute ?? false,
    },
    pool: infra?.pool ?? true,
    keepWorkerRole: infra?.keepWorkerRole ?? true,
    routerReplicas: infra?.routerReplicas ?? 3,
    routers: infra?.routers ?? [],
    registry: {
      storage: infra?.registry?.storage ?? 'pvc',
      storageClass: infra?.registry?.storageClass || null,
      accessMode: infra?.registry?.accessMode ?? 'ReadWriteMany',
      sizeGiB: infra?.registry?.sizeGiB ?? 100,
      retain: infra?.registry?.retain ?? false,
    },
    monitoring: {
      storageClass: infra?.monitoring?.storageClass || null,
      prometheusGiB: infra?.monitoring?.prometheusGiB ?? 40,
      alertmanagerGiB: infra?.monitoring?.alertmanagerGiB ?? 10,
    },
    also: infra?.also ?? [],
    removeWorkersFromLoadBalancer: infra?.removeWorkersFromLoadBalancer ?? true,
    autoscaler: infra?.autoscaler ? { least: infra.autoscaler.least ?? 1, most: infra.autoscaler.most } : null,
    machineSets: infra?.machineSets
      ? {
          count: infra.machineSets.count ?? 3,
          size: infra.machineSets.size || null,
          healthCheck: infra.machineSets.healthCheck ?? false,
        }
      : null,
  };
}

function normalizeAddresses(value: string | readonly string[]): string[] {
  return (typeof value === 'string' ? [value] : value).map(normalizeAddress);
}

function normalizeAddress(text: string): string {
  return canonicalAddress(text) ?? text;
}

function normalizeCidr(text: string): string {
  return canonicalCidr(text) ?? text;
}
