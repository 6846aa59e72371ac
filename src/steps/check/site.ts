import { type FirmwarePrograms, firmwarePrograms } from '../../artifacts/boot/programs.ts';
import { dhcpHost, dhcpPlan } from '../../artifacts/dhcp/plan.ts';
import { addressRecords, pointerRecords } from '../../artifacts/dns/records.ts';
import { needsSelinux } from '../../artifacts/hosts/selinux.ts';
import { balancerMembers } from '../../artifacts/load-balancer/haproxy.ts';
import { ipv4, isInNetwork, unique } from '../../artifacts/network/addresses.ts';
import { openings, statsPort } from '../../artifacts/network/openings.ts';
import type { RhcosImages } from '../../artifacts/shared/files.ts';
import {
  BOOT_SCRIPT_PATH,
  bootUrl,
  IN_PLACE_IGNITION_PATH,
  ignitionPath,
  imagePath,
  nodeScriptPath,
} from '../../artifacts/shared/layout.ts';
import { type Design, type DesignNode, type Stage, WORKER_ROLES } from '../../design/model.ts';
import {
  apiIntName,
  apiName,
  appsDomain,
  clusterDomain,
  nodeFqdn,
  nodesWithRole,
  serviceHosts,
} from '../../design/names.ts';
import { versionProfile } from '../../design/versions.ts';
import type { Site } from '../../diagnosis/site/site.ts';
import { urlHost } from '../../text/url-host.ts';
import { imageFiles } from '../shared/installer/images.ts';

/**
 * What a design makes of its site before its first machine is powered on.
 * @param images the RHCOS images by their names
 * @param here what this machine adds: its addresses, where the files lie, and how long the images here are (bytes, by name), where images of the release come from
 */
export function siteOf(
  design: Design,
  images: RhcosImages,
  here: {
    /** Of the load balancer. */
    readonly stage: Stage;
    readonly addresses: ReadonlySet<string>;
    readonly dir: string;
    readonly imagesDir: string;
    readonly sizes: Readonly<Partial<Record<string, number | null>>>;
    readonly registries: Site['registries'];
    /** What is generated for services, by host. */
    readonly configs: Readonly<Partial<Record<string, Site['hosts'][number]['configs']>>>;
  },
): Site {
  const { dns, loadBalancer, time } = design.services;
  const isSingle = design.topology === 'single-node';
  return {
    nameServers: dns.kind === 'external' ? dns.forwarders : dns.servers.flatMap(({ ip }) => ip.slice(0, 1)),
    names: namesOf(design),
    reverse: reverseOf(design),
    clusterDomain: clusterDomain(design),
    baseDomain: design.cluster.baseDomain,
    isConnected: design.imageDigestSources.length === 0,
    listeners: isSingle ? [] : listenersOf(design),
    balancers:
      isSingle || loadBalancer.kind === 'external'
        ? []
        : loadBalancer.servers.map((host) => ({
            name: host.name,
            address: host.ip[0],
            statsPort: statsPort(design, host),
          })),
    pools: poolsOf(design, here.stage),
    bootstrap: here.stage === 'install' ? (nodesWithRole(design, 'bootstrap')[0]?.name ?? null) : null,
    boot: bootOf(design, images),
    version: design.openshift.version,
    dir: here.dir,
    imagesDir: here.imagesDir,
    images: imageFiles(images).map((file) => ({
      file,
      url: `${bootUrl(design)}${imagePath(file)}`,
      bytes: here.sizes[file] ?? null,
    })),
    ignition: ignitionOf(design),
    nodes: design.nodes.map(({ name, ip, mac }) => ({ name, address: ip[0] ?? '', mac })),
    timeServers: time.servers,
    registries: here.registries,
    dhcp: dhcpOf(design),
    hosts: serviceHosts(design).map((host) => ({
      name: host.name,
      address: host.ip[0],
      isSelf: host.ip.some((address) => here.addresses.has(address)),
      configs: here.configs[host.name] ?? [],
      scripts: [
        ...(openings(design, host).length > 0 ? ['firewall' as const] : []),
        ...(needsSelinux(design, host) ? ['selinux' as const] : []),
      ],
    })),
    api: design.endpoints.api[0] ?? '',
    konnectivity: konnectivityOf(design),
  };
}

/** The records of the zone, the addresses of a name and family together: a query gives them all. */
function namesOf(design: Design): Site['names'] {
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

function reverseOf(design: Design): Site['reverse'] {
  const records = pointerRecords(design);
  const nodes = new Set(design.nodes.flatMap(({ ip }) => ip));
  return unique(records.map(({ address }) => address)).map((address) => ({
    address,
    names: records.filter((each) => each.address === address).map(({ name }) => name),
    isOfNode: nodes.has(address),
  }));
}

function listenersOf({ endpoints }: Design): Site['listeners'] {
  const at = (hosts: readonly string[], ...ports: readonly number[]) =>
    hosts.flatMap((host) => ports.map((port) => `${port} ${host}`));
  const all = [...at(endpoints.api, 6443), ...at(endpoints.apiInt, 6443, 22_623), ...at(endpoints.ingress, 443, 80)];
  return unique(all).map((text) => {
    const [port = '', host = ''] = text.split(' ');
    return { host, port: Number(port) };
  });
}

/** The pools as haproxy.cfg names them. */
function poolsOf(design: Design, stage: Stage): Site['pools'] {
  const { api, ingress } = balancerMembers(design, stage);
  const of = (pool: string, nodes: readonly DesignNode[], port: number) => ({
    pool,
    members: nodes.map(({ name }) => name),
    places: nodes.map(({ ip }) => `${urlHost(ip[0] ?? '')}:${port}`),
    isOpaque: port !== 80,
  });
  return [
    of('api', api, 6443),
    of('machine-config', api, 22_623),
    of('ingress-https', ingress, 443),
    of('ingress-http', ingress, 80),
  ];
}

function bootOf(design: Design, images: RhcosImages): Site['boot'] {
  const { boot, bastion, dhcp } = design.services;
  if (boot.kind !== 'ipxe') return null;
  const url = bootUrl(design);
  const programs = firmwarePrograms(design.openshift.architecture);
  const isSingle = design.topology === 'single-node';
  return {
    url,
    script: `${url}${BOOT_SCRIPT_PATH}`,
    tftpServer: ipv4(bastion.ip)[0] ?? '',
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

/** Where the nodes' tunnel to the bootstrap node begins; null: this version has none, or nobody waits. */
function konnectivityOf(design: Design): Site['konnectivity'] {
  const [node] = nodesWithRole(design, 'bootstrap');
  const [address] = node?.ip ?? [];
  if (address === undefined || !versionProfile(design.openshift.version).hasKonnectivity) return null;
  const network = design.networks.machine.find(({ cidr }) => isInNetwork(address, cidr));
  return { bootstrap: address, hasRoute: network !== undefined && network.gateway !== null };
}

/** Firmware is played that is as common as any: UEFI that boots by TFTP. */
function dhcpOf(design: Design): Site['dhcp'] {
  const host = dhcpHost(design);
  const [server] = ipv4(host?.ip ?? []);
  if (host === null || server === undefined) return null;
  const plan = dhcpPlan(design);
  const firmware = plan.boot === null ? undefined : firmwarePrograms(design.openshift.architecture).find(isUefi);
  return {
    server,
    own: host.ip,
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

/** The files by the names that openshift-install gives them; bootstrap.ign is first, and whole. */
function ignitionOf(design: Design): Site['ignition'] {
  const url = bootUrl(design);
  const single = { file: fileOf(IN_PLACE_IGNITION_PATH), url: `${url}${IN_PLACE_IGNITION_PATH}`, pointsTo: null };
  if (design.topology === 'single-node') return [single];
  const roles = (['bootstrap', 'control-plane'] as const).filter((role) => nodesWithRole(design, role).length > 0);
  const workers = nodesWithRole(design, ...WORKER_ROLES).length > 0 ? (['compute'] as const) : [];
  return [...roles, ...workers].map((role) => {
    const path = ignitionPath(role);
    const server = `https://${apiIntName(design)}:22623/config/${fileOf(path).replace(/\.ign$/, '')}`;
    return { file: fileOf(path), url: `${url}${path}`, pointsTo: role === 'bootstrap' ? null : server };
  });
}

function fileOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
