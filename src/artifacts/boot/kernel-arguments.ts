import { isIPv6 } from 'node:net';
import { getNodeFqdn } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import { getNodeOsName, getVersionProfile } from '../../design/versions.ts';
import { listNodeNameServers } from '../dhcp/settings.ts';
import { filterIpv4, filterIpv6, formatNetmask, getPrefixLength, isAddressInCidr } from '../network/addresses.ts';
import { bootUrl, IN_PLACE_IGNITION_PATH, ignitionPath, imagePath } from '../shared/generator.ts';
import type { RhcosImageNames } from './images.ts';

/** Template values for the boot script of a node. */
export type BootValues = ReturnType<typeof buildBootValues>;

/** Builds the template values for the boot script of a node, the same for every boot loader. */
export function buildBootValues(design: Design, node: DesignNode, images: RhcosImageNames) {
  return {
    fqdn: getNodeFqdn(design, node),
    role: node.role,
    address: node.ip.join(' '),
    system: getNodeOsName(design.openshift.version),
    release: images.release,
    installDisk: node.installDisk,
    kernelArguments: listKernelArguments(design, node, images),
  };
}

/**
 * Lists the kernel arguments that install RHCOS on a node, in order. From 4.6 the live system installs
 * (coreos.live.rootfs_url); before, the installer's initramfs writes a raw image (coreos.inst=yes, disk without /dev/).
 * Sources: openshift-docs modules/installation-user-infra-machines-pxe.adoc, coreos/coreos-installer
 * scripts/coreos-installer-service.
 */
export function listKernelArguments(design: Design, node: DesignNode, images: RhcosImageNames): string[] {
  return [...listImageArguments(design, images), ...listInstallArguments(design, node)];
}

/** Lists the kernel arguments without those that locate the root file system: the kernel of an ISO finds its own. */
export function listInstallArguments(design: Design, node: DesignNode): string[] {
  return [...listTargetArguments(design, node), ...listNetworkArguments(design, node), ...node.kernelArguments];
}

/** Lists the arguments that locate the root file system of the live system, or before 4.6 the disk image. */
export function listImageArguments(design: Design, images: RhcosImageNames): string[] {
  const imageUrl = (name: string | null) => `${bootUrl(design)}${imagePath(name ?? '')}`;
  return getVersionProfile(design.openshift.version).hasLiveRootfs
    ? [`coreos.live.rootfs_url=${imageUrl(images.rootfs)}`]
    : ['coreos.inst=yes', `coreos.inst.image_url=${imageUrl(images.metal)}`];
}

function listTargetArguments(design: Design, node: DesignNode): string[] {
  const baseUrl = bootUrl(design);
  if (design.topology === 'single-node') {
    // The live system itself is the bootstrap; the disk to install on is in its ignition (bootstrapInPlace).
    const ignitionArgument = `ignition.config.url=${baseUrl}${IN_PLACE_IGNITION_PATH}`;
    return ['ignition.firstboot', 'ignition.platform.id=metal', ignitionArgument];
  }
  const { hasLiveRootfs } = getVersionProfile(design.openshift.version);
  const disk = hasLiveRootfs ? node.installDisk : node.installDisk.replace(/^\/dev\//, '');
  return [`coreos.inst.install_dev=${disk}`, `coreos.inst.ignition_url=${baseUrl}${ignitionPath(node.role)}`];
}

/**
 * Lists dracut's network arguments. coreos-installer copies them to the installed system. Order: ip=, nameserver=,
 * bond=, vlan= (openshift-docs modules/installation-user-infra-machines-static-network.adoc). From 4.6 on, DHCP without
 * a named interface needs no argument. IPv6 addresses are always static: the generated DHCP servers are for IPv4 only,
 * and send no router advertisements.
 */
export function listNetworkArguments(design: Design, node: DesignNode): string[] {
  const { parent, device } = deriveLinkNames(node);
  const linkArguments = [
    ...(node.bond ? [`bond=${node.bond.name}:${node.bond.interfaces.join(',')}:mode=${node.bond.mode}`] : []),
    ...(node.vlan !== null && parent !== null ? [`vlan=${device}:${parent}`] : []),
  ];
  const dracutArguments = [...listAddressArguments(design, node, device), ...linkArguments];
  return dracutArguments.length > 0 ? ['rd.neednet=1', ...dracutArguments] : [];
}

/**
 * Derives the names of a node's link (bond or interface) and of the device with its address: the link itself, or its
 * VLAN. Null: the design names no interface.
 */
export function deriveLinkNames(node: Pick<DesignNode, 'bond' | 'interface' | 'vlan'>) {
  const parent = node.bond?.name ?? node.interface;
  return { parent, device: node.vlan === null || parent === null ? parent : formatVlanName(parent, node.vlan) };
}

/** Whether a node gets its IPv4 address from DHCP. */
export const usesDhcp = ({ services }: Design, node: Pick<DesignNode, 'ip'>) =>
  services.dhcp.kind !== 'none' && filterIpv4(node.ip).length > 0;

/** Maximum length of an interface name in the kernel (IFNAMSIZ without the terminating NUL). */
const MAX_INTERFACE_NAME_LENGTH = 15;

/**
 * Formats the name of a VLAN: `bond0.100`, or `vlan100` if that is too long. dracut accepts both (dracut.cmdline(7)).
 */
function formatVlanName(parent: string, vlan: number): string {
  const name = `${parent}.${vlan}`;
  return name.length > MAX_INTERFACE_NAME_LENGTH ? `vlan${vlan}` : name;
}

function listAddressArguments(design: Design, node: DesignNode, device: string | null): string[] {
  const hasDhcp = usesDhcp(design, node);
  const staticArguments = (hasDhcp ? filterIpv6(node.ip) : node.ip).map((address) =>
    formatStaticArgument(design, node, address, device),
  );
  if (!hasDhcp)
    return [...staticArguments, ...listNodeNameServers(design).map((server) => `nameserver=${bracketIpv6(server)}`)];
  // Puts DHCP after the static addresses: a static address after it would switch DHCP off again (NetworkManager
  // nmi-cmdline-reader.c).
  const needsDhcpArgument =
    staticArguments.length > 0 || device !== null || !getVersionProfile(design.openshift.version).hasLiveRootfs;
  return [...staticArguments, ...(needsDhcpArgument ? [`ip=${device === null ? '' : `${device}:`}dhcp`] : [])];
}

/** Formats `ip=ADDRESS::GATEWAY:NETMASK:NAME:INTERFACE:none`; the interface is empty if the design names none. */
function formatStaticArgument(design: Design, node: DesignNode, address: string, device: string | null): string {
  const network = design.networks.machine.find(({ cidr }) => isAddressInCidr(address, cidr));
  const prefix = getPrefixLength(network?.cidr ?? (isIPv6(address) ? '::/64' : '0.0.0.0/24'));
  const mask = isIPv6(address) ? String(prefix) : formatNetmask(prefix);
  const gateway = network?.gateway ? bracketIpv6(network.gateway) : '';
  return `ip=${[bracketIpv6(address), '', gateway, mask, getNodeFqdn(design, node), device ?? '', 'none'].join(':')}`;
}

function bracketIpv6(address: string): string {
  return isIPv6(address) ? `[${address}]` : address;
}
