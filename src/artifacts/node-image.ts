import { stringify } from 'yaml';
import template from '../../templates/node-image.sh.eta';
import { GO_ARCHITECTURES, getNodeFqdn } from '../design/derived-facts.ts';
import type { Design, DesignNode } from '../design/model.ts';
import { getNodeOsName, getVersionProfile } from '../design/versions.ts';
import { quoteShellArg } from '../platform/shell-quoting.ts';
import { deriveLinkNames, listNetworkArguments, usesDhcp } from './boot/kernel-arguments.ts';
import { renderLiveBootFiles } from './boot/network-boot.ts';
import { listNodeNameServers } from './dhcp/settings.ts';
import { filterIpv4, filterIpv6, getPrefixLength, isAddressInCidr } from './network/addresses.ts';
import { bootUrl, imagePath, WEB_ROOT } from './shared/generator.ts';
import { renderShellTemplate } from './shared/render.ts';

// Configuration and script that add nodes to a running cluster with `oc adm node-image create`. A pod with the release
// image of the cluster creates a live system that installs the nodes, from a configuration file. This is supported on
// platform none, however the cluster was installed, and also with a mirror registry (openshift-docs
// nodes/nodes/nodes-nodes-adding-node-iso.adoc; openshift/oc pkg/cli/admin/nodeimage/mirrorbuilder.go). The nodes
// become compute nodes, as with worker.ign.

/** The network of a host, as nmstate has it (nmstate.io). */
interface NetworkConfig {
  readonly interfaces: readonly Readonly<Record<string, unknown>>[];
  readonly 'dns-resolver'?: unknown;
  readonly routes?: unknown;
}

/** A host of nodes-config.yaml (openshift/installer pkg/types/agent/agent_config_type.go). */
interface HostConfig {
  readonly hostname: string;
  readonly interfaces: readonly { readonly name: string; readonly macAddress: string }[];
  readonly rootDeviceHints: Readonly<Record<string, string>>;
  readonly networkConfig?: NetworkConfig;
}

/**
 * nodes-config.yaml (openshift/installer pkg/asset/agent/joiner/addnodesconfig.go). The SSH key is that of the cluster.
 */
interface NodesConfig {
  readonly cpuArchitecture: string;
  readonly hosts: readonly HostConfig[];
}

/** Name of an interface that the design does not name: assisted-service finds the real one by its MAC address. */
const DEFAULT_INTERFACE_NAME = 'eth0';

/**
 * Builds the configuration of these nodes for `oc adm node-image create`. Host names are the full ones: the Kubernetes
 * name of a node is its host name, and its certificate requests are compared with the design.
 */
function buildNodesConfig(design: Design, nodes: readonly DesignNode[]): NodesConfig {
  return {
    cpuArchitecture: GO_ARCHITECTURES[design.openshift.architecture],
    hosts: nodes.map((node) => ({
      hostname: getNodeFqdn(design, node),
      interfaces: listInterfaces(node),
      rootDeviceHints: toRootDeviceHints(node.installDisk),
      ...(needsNetworkConfig(design, node) ? { networkConfig: buildNetworkConfig(design, node) } : {}),
    })),
  };
}

/** Renders nodes-config.yaml for a reader of YAML 1.1, as oc and the installer are; without a newline at its end. */
export function renderNodesConfig(design: Design, nodes: readonly DesignNode[]): string {
  return stringify(buildNodesConfig(design, nodes), {
    version: '1.1',
    lineWidth: 0,
    aliasDuplicateObjects: false,
  }).trimEnd();
}

/**
 * Lists the ports of a node: the interfaces of its bond, or its only interface. The design has the MAC address of the
 * first port only.
 */
const listPorts = (node: DesignNode): readonly string[] =>
  node.bond?.interfaces ?? [node.interface ?? DEFAULT_INTERFACE_NAME];

/** Lists the Ethernet interfaces: each needs its MAC address (assisted-service staticnetworkconfig). */
function listInterfaces(node: DesignNode): HostConfig['interfaces'] {
  return listPorts(node).map((name, index) => ({
    name,
    macAddress: index === 0 ? node.mac : createMacPlaceholder(name),
  }));
}

const createMacPlaceholder = (port: string) => `MAC-OF-${port}`;

/** A part of the configuration that the design does not know. */
export interface MissingDetail {
  readonly node: string;
  readonly kind: 'mac' | 'disk';
  /** The interface, or the disk. */
  readonly value: string;
}

/**
 * Lists what the user has to fill in: the MAC addresses of further ports of bonds, and disks that no hint can name. A
 * hint is compared with /dev/NAME and with the path in /dev/disk/by-path (assisted-service,
 * GetAcceptableDisksWithHints).
 */
export function listMissingDetails(nodes: readonly DesignNode[]): MissingDetail[] {
  return nodes.flatMap((node) => [
    ...listPorts(node)
      .slice(1)
      .map((value) => ({ node: node.name, kind: 'mac' as const, value })),
    ...(toRootDeviceHints(node.installDisk).deviceName?.startsWith('/dev/disk/by-id/')
      ? [{ node: node.name, kind: 'disk' as const, value: node.installDisk }]
      : []),
  ]);
}

function toRootDeviceHints(disk: string): HostConfig['rootDeviceHints'] {
  const [, wwn] = /^\/dev\/disk\/by-id\/wwn-(0x[0-9a-f]+)$/.exec(disk) ?? [];
  return wwn === undefined ? { deviceName: disk } : { wwn };
}

/** Whether a node needs a network configuration: the live system uses plain DHCP for IPv4 without one. */
const needsNetworkConfig = (design: Design, node: DesignNode) =>
  !usesDhcp(design, node) || filterIpv6(node.ip).length > 0 || node.bond !== null || node.vlan !== null;

/** Builds the nmstate document: the ports, a bond, a VLAN on it; the last one has the addresses. */
function buildNetworkConfig(design: Design, node: DesignNode): NetworkConfig {
  const { vlan, bond } = node;
  const parent = bond?.name ?? listPorts(node)[0] ?? DEFAULT_INTERFACE_NAME;
  const device = deriveLinkNames({ ...node, interface: parent }).device ?? parent;
  const noAddress = { ipv4: { enabled: false }, ipv6: { enabled: false } };
  const ports = listInterfaces(node).map(({ name, macAddress }) => ({
    name,
    type: 'ethernet',
    state: 'up',
    'mac-address': macAddress,
  }));
  const links: Record<string, unknown>[] = [
    ...ports,
    ...(bond === null
      ? []
      : [
          {
            name: bond.name,
            type: 'bond',
            state: 'up',
            'link-aggregation': { mode: bond.mode, port: [...bond.interfaces] },
          },
        ]),
    ...(vlan === null ? [] : [{ name: device, type: 'vlan', state: 'up', vlan: { 'base-iface': parent, id: vlan } }]),
  ];
  const interfaces = links.map((link, index) => ({
    ...link,
    ...(index === links.length - 1 ? buildAddresses(design, node) : noAddress),
  }));
  const routes = listRoutes(design, node, device);
  return {
    interfaces,
    ...(usesDhcp(design, node) ? {} : { 'dns-resolver': { config: { server: listNodeNameServers(design) } } }),
    ...(routes.length === 0 ? {} : { routes: { config: routes } }),
  };
}

const findNetwork = ({ networks }: Design, address: string) =>
  networks.machine.find(({ cidr }) => isAddressInCidr(address, cidr));

function buildAddresses(design: Design, node: DesignNode) {
  const toEntries = (addresses: readonly string[], defaultPrefixLength: number) =>
    addresses.map((ip) => {
      const network = findNetwork(design, ip);
      return { ip, 'prefix-length': network === undefined ? defaultPrefixLength : getPrefixLength(network.cidr) };
    });
  const [v4, v6] = [filterIpv4(node.ip), filterIpv6(node.ip)];
  const ipv4 = usesDhcp(design, node) ? { dhcp: true } : { dhcp: false, address: toEntries(v4, 24) };
  return {
    ipv4: v4.length === 0 ? { enabled: false } : { enabled: true, ...ipv4 },
    // IPv6 addresses are always static here, as with kernel arguments.
    ipv6:
      v6.length === 0
        ? { enabled: false }
        : { enabled: true, dhcp: false, autoconf: false, address: toEntries(v6, 64) },
  };
}

function listRoutes(design: Design, node: DesignNode, device: string) {
  const staticAddresses = usesDhcp(design, node) ? filterIpv6(node.ip) : node.ip;
  return staticAddresses.flatMap((address) => {
    const gateway = findNetwork(design, address)?.gateway ?? null;
    if (gateway === null) return [];
    const destination = filterIpv6([address]).length > 0 ? '::/0' : '0.0.0.0/0';
    return [{ destination, 'next-hop-address': gateway, 'next-hop-interface': device, 'table-id': 254 }];
  });
}

/** Whether the nodes boot from PXE files; if the version or the design does not support PXE, they boot from an ISO. */
const usesPxe = ({ openshift, services }: Design) =>
  getVersionProfile(openshift.version).nodeImage === 'pxe' && services.boot.kind === 'ipxe';

/**
 * Lists the files that oc makes: `node.<RPM architecture>-vmlinuz`, `-initrd.img` and `-rootfs.img`, or one ISO
 * (openshift/installer pkg/asset/agent/image/agentpxefiles.go; the prefix is that of #9280).
 */
export function listNodeImageFiles(design: Design): string[] {
  const { architecture } = design.openshift;
  const files = usesPxe(design) ? ['-vmlinuz', '-initrd.img', '-rootfs.img'] : ['.iso'];
  return files.map((ending) => `node.${architecture}${ending}`);
}

/** Paths and commands that the script uses, on the machine that runs it. */
export interface NodeImageScriptOptions {
  /** Directory of nodes-config.yaml and of the files that oc makes. */
  readonly dir: string;
  /** Null: the user sets KUBECONFIG. */
  readonly kubeconfig: string | null;
  /** Directory of the web server with the boot scripts, and that of the images. */
  readonly webRoot: string;
  readonly imagesDir: string;
  /** File with the CA of a mirror registry; null: the system knows it. */
  readonly trustBundle: string | null;
  /** Shell command that approves the requests of the nodes, quoted. */
  readonly approveCommand: string;
  /**
   * Whether the nodes were compared with those of the cluster; if not, the script does so before it changes a boot
   * script.
   */
  readonly isCompared: boolean;
}

/**
 * Renders the script that adds these nodes. The live system starts with the arguments that `oc` itself would write into
 * node.<arch>.ipxe (agentpxefiles.go, createiPXEScript; kargs.json of the ISO). The network arguments of the node are
 * added, because the live system fetches its root file system before nodes-config.yaml takes effect. `monitor` compares
 * certificate requests by PTR records (openshift-docs modules/adding-node-iso-yaml.adoc).
 * @throws UserErrorException `unsafe-text` for a name with a meaning in a boot script
 */
export function renderNodeImageScript(
  design: Design,
  nodes: readonly DesignNode[],
  options: NodeImageScriptOptions,
): string {
  const files = listNodeImageFiles(design);
  return renderShellTemplate(template, {
    ...options,
    isPxe: usesPxe(design),
    isPxeUnsupported:
      getVersionProfile(design.openshift.version).nodeImage === 'iso' && design.services.boot.kind === 'ipxe',
    files,
    fqdns: nodes.map((node) => quoteShellArg(getNodeFqdn(design, node))).join(' '),
    nodesConfig: renderNodesConfig(design, nodes),
    addresses: nodes.flatMap(({ ip: [address] }) => address ?? []).join(','),
    bootFiles: usesPxe(design) ? nodes.flatMap((node) => listBootFiles(design, node, files)) : [],
  });
}

function listBootFiles(design: Design, node: DesignNode, [kernel = '', initramfs = '', rootfs = '']: string[]) {
  const values = {
    fqdn: getNodeFqdn(design, node),
    role: node.role,
    address: node.ip.join(' '),
    system: getNodeOsName(design.openshift.version),
    release: 'from oc adm node-image',
    installDisk: node.installDisk,
    kernelArguments: [
      `coreos.live.rootfs_url=${bootUrl(design)}${imagePath(rootfs)}`,
      'ignition.firstboot',
      'ignition.platform.id=metal',
      ...listNetworkArguments(design, node),
      ...node.kernelArguments,
    ],
  };
  return renderLiveBootFiles(design, node, { kernel, initramfs }, values).map(({ path, content }) => ({
    // Scripts of iPXE are below the directory of the web server, wherever it is; GRUB has its own directories.
    target: node.secureBoot ? quoteShellArg(path) : `"$web_root"${quoteShellArg(path.slice(WEB_ROOT.length))}`,
    content: content.trimEnd(),
  }));
}
