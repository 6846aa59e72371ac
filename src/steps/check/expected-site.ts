import type { RhcosImages } from '../../artifacts/boot/images.ts';
import { type FirmwarePrograms, listFirmwarePrograms } from '../../artifacts/boot/programs.ts';
import { dhcpHost, dhcpPlan } from '../../artifacts/dhcp/plan.ts';
import { addressRecords, pointerRecords } from '../../artifacts/dns/records.ts';
import { needsSelinux } from '../../artifacts/hosts/selinux.ts';
import { balancerMembers } from '../../artifacts/load-balancer.ts';
import { filterIpv4, isInNetwork, unique } from '../../artifacts/network/addresses.ts';
import { listFirewallOpenings, statsPort } from '../../artifacts/network/firewall.ts';
import {
  BOOT_SCRIPT_PATH,
  bootUrl,
  IN_PLACE_IGNITION_PATH,
  ignitionPath,
  imagePath,
  nodeScriptPath,
} from '../../artifacts/shared/generator.ts';
import type { ExpectedSite } from '../../checks/site/expected-site.ts';
import { type Stage, WORKER_ROLES } from '../../design/choices.ts';
import {
  apiIntName,
  apiName,
  appsDomain,
  clusterDomain,
  nodeFqdn,
  nodesWithRole,
  serviceHosts,
} from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { versionProfile } from '../../design/versions.ts';
import { formatUrlHost } from '../../platform/text.ts';
import { listImageFiles } from '../shared/installer/images.ts';

/**
 * Derives the site that a design expects before its first machine is powered on.
 * @param images the RHCOS images by their names
 * @param local facts about this machine: its addresses, its directories, the sizes of its images (bytes, by name), the
 * registries of the release, and the generated service files
 */
export function deriveExpectedSite(
  design: Design,
  images: RhcosImages,
  local: {
    /** Stage of the load balancer files. */
    readonly stage: Stage;
    readonly addresses: ReadonlySet<string>;
    readonly dir: string;
    readonly imagesDir: string;
    readonly sizes: Readonly<Partial<Record<string, number | null>>>;
    readonly registries: ExpectedSite['registries'];
    /** Generated service files, by host. */
    readonly configs: Readonly<Partial<Record<string, ExpectedSite['hosts'][number]['configs']>>>;
  },
): ExpectedSite {
  const { dns, loadBalancer, time } = design.services;
  const isSingle = design.topology === 'single-node';
  return {
    nameServers: dns.kind === 'external' ? dns.forwarders : dns.servers.flatMap(({ ip }) => ip.slice(0, 1)),
    names: listNames(design),
    reverse: listReverseNames(design),
    clusterDomain: clusterDomain(design),
    baseDomain: design.cluster.baseDomain,
    isConnected: design.imageDigestSources.length === 0,
    listeners: isSingle ? [] : listListeners(design),
    balancers:
      isSingle || loadBalancer.kind === 'external'
        ? []
        : loadBalancer.servers.map((host) => ({
            name: host.name,
            address: host.ip[0],
            statsPort: statsPort(design, host),
          })),
    pools: listPools(design, local.stage),
    bootstrap: local.stage === 'install' ? (nodesWithRole(design, 'bootstrap')[0]?.name ?? null) : null,
    boot: deriveBoot(design, images),
    version: design.openshift.version,
    dir: local.dir,
    imagesDir: local.imagesDir,
    images: listImageFiles(images).map((file) => ({
      file,
      url: `${bootUrl(design)}${imagePath(file)}`,
      bytes: local.sizes[file] ?? null,
    })),
    ignition: listIgnitionFiles(design),
    nodes: design.nodes.map(({ name, ip, mac }) => ({ name, address: ip[0] ?? '', mac })),
    timeServers: time.servers,
    registries: local.registries,
    dhcp: deriveDhcp(design),
    hosts: serviceHosts(design).map((host) => ({
      name: host.name,
      address: host.ip[0],
      isSelf: host.ip.some((address) => local.addresses.has(address)),
      configs: local.configs[host.name] ?? [],
      scripts: [
        ...(listFirewallOpenings(design, host).length > 0 ? ['firewall' as const] : []),
        ...(needsSelinux(design, host) ? ['selinux' as const] : []),
      ],
    })),
    api: design.endpoints.api[0] ?? '',
    konnectivity: deriveKonnectivity(design),
  };
}

/** Groups the records of the zone: one query returns all addresses of a name and family. */
function listNames(design: Design): ExpectedSite['names'] {
  const [api, apiInt, nodes] = [
    apiName(design),
    apiIntName(design),
    new Set(design.nodes.map((node) => nodeFqdn(design, node))),
  ];
  const records = addressRecords(design).flatMap((group) => group.records);
  return unique(records.map(({ name, type }) => `${type} ${name}`)).map((key) => {
    const [type, name = ''] = key.split(' ');
    const family = type === 'AAAA' ? ('AAAA' as const) : ('A' as const);
    const of =
      name === api
        ? ('api' as const)
        : name === apiInt
          ? ('api-int' as const)
          : name === `*.${appsDomain(design)}`
            ? ('apps' as const)
            : nodes.has(name)
              ? ('node' as const)
              : ('host' as const);
    const addresses = records
      .filter((each) => each.name === name && each.type === family)
      .map(({ address }) => address);
    return { name, type: family, addresses, of };
  });
}

function listReverseNames(design: Design): ExpectedSite['reverse'] {
  const records = pointerRecords(design);
  const nodes = new Set(design.nodes.flatMap(({ ip }) => ip));
  return unique(records.map(({ address }) => address)).map((address) => ({
    address,
    names: records.filter((each) => each.address === address).map(({ name }) => name),
    isOfNode: nodes.has(address),
  }));
}

function listListeners({ endpoints }: Design): ExpectedSite['listeners'] {
  const withPorts = (hosts: readonly string[], ...ports: readonly number[]) =>
    hosts.flatMap((host) => ports.map((port) => `${port} ${host}`));
  const all = [
    ...withPorts(endpoints.api, 6443),
    ...withPorts(endpoints.apiInt, 6443, 22_623),
    ...withPorts(endpoints.ingress, 443, 80),
  ];
  return unique(all).map((text) => {
    const [port = '', host = ''] = text.split(' ');
    return { host, port: Number(port) };
  });
}

/** Lists the pools under their names in haproxy.cfg. */
function listPools(design: Design, stage: Stage): ExpectedSite['pools'] {
  const { api, ingress } = balancerMembers(design, stage);
  const createPool = (pool: string, nodes: readonly DesignNode[], port: number) => ({
    pool,
    members: nodes.map(({ name }) => name),
    places: nodes.map(({ ip }) => `${formatUrlHost(ip[0] ?? '')}:${port}`),
    isOpaque: port !== 80,
  });
  return [
    createPool('api', api, 6443),
    createPool('machine-config', api, 22_623),
    createPool('ingress-https', ingress, 443),
    createPool('ingress-http', ingress, 80),
  ];
}

function deriveBoot(design: Design, images: RhcosImages): ExpectedSite['boot'] {
  const { boot, bastion, dhcp } = design.services;
  if (boot.kind !== 'ipxe') return null;
  const url = bootUrl(design);
  const programs = listFirmwarePrograms(design.openshift.architecture);
  const isSingle = design.topology === 'single-node';
  return {
    url,
    script: `${url}${BOOT_SCRIPT_PATH}`,
    tftpServer: filterIpv4(bastion.ip)[0] ?? '',
    programs: dhcp.kind === 'none' ? [] : unique(programs.map(({ program }) => program)),
    scripts: design.nodes
      .filter(({ secureBoot }) => !secureBoot)
      .map((node) => ({
        node: node.name,
        path: nodeScriptPath(node),
        holds: [
          `${url}${imagePath(images.kernel)}`,
          `${url}${imagePath(images.initramfs)}`,
          `${url}${isSingle ? IN_PLACE_IGNITION_PATH : ignitionPath(node.role)}`,
          ...(isSingle ? [] : [node.installDisk.replace(/^\/dev\//, '')]),
        ],
      })),
  };
}

/**
 * Derives the endpoint of the nodes' tunnel to the bootstrap node; null if this version has none, or there is no
 * bootstrap node.
 */
function deriveKonnectivity(design: Design): ExpectedSite['konnectivity'] {
  const [node] = nodesWithRole(design, 'bootstrap');
  const [address] = node?.ip ?? [];
  if (address === undefined || !versionProfile(design.openshift.version).hasKonnectivity) return null;
  const network = design.networks.machine.find(({ cidr }) => isInNetwork(address, cidr));
  return { bootstrap: address, hasRoute: network !== undefined && network.gateway !== null };
}

/** Derives the probe acts as the most common firmware: UEFI that boots by TFTP. */
function deriveDhcp(design: Design): ExpectedSite['dhcp'] {
  const host = dhcpHost(design);
  const [server] = filterIpv4(host?.ip ?? []);
  if (host === null || server === undefined) return null;
  const plan = dhcpPlan(design);
  const firmware = plan.boot === null ? undefined : listFirmwarePrograms(design.openshift.architecture).find(isUefi);
  return {
    server,
    serverAddresses: host.ip,
    nameServers: plan.nameServers,
    architecture: firmware?.codes[0] ?? null,
    machines: plan.subnets.flatMap(({ nodes, gateway, address: network }) =>
      nodes.map(({ name, mac, address, secureBoot }) => ({
        ...{ node: name, mac, address, network, gateway },
        file: (secureBoot ? firmware?.signed : firmware?.program) ?? null,
      })),
    ),
  };
}

function isUefi({ codes, isHttp }: FirmwarePrograms): boolean {
  return !isHttp && !codes.includes(0);
}

/**
 * Lists the files under the names that openshift-install gives them. bootstrap.ign is first, and points to no other
 * file.
 */
function listIgnitionFiles(design: Design): ExpectedSite['ignition'] {
  const url = bootUrl(design);
  const single = { file: getFileName(IN_PLACE_IGNITION_PATH), url: `${url}${IN_PLACE_IGNITION_PATH}`, pointsTo: null };
  if (design.topology === 'single-node') return [single];
  const roles = (['bootstrap', 'control-plane'] as const).filter((role) => nodesWithRole(design, role).length > 0);
  const workers = nodesWithRole(design, ...WORKER_ROLES).length > 0 ? (['compute'] as const) : [];
  return [...roles, ...workers].map((role) => {
    const path = ignitionPath(role);
    const server = `https://${apiIntName(design)}:22623/config/${getFileName(path).replace(/\.ign$/, '')}`;
    return { file: getFileName(path), url: `${url}${path}`, pointsTo: role === 'bootstrap' ? null : server };
  });
}

function getFileName(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
