import { isIPv6 } from 'node:net';
import type { Design, DesignNode } from '../design/model.ts';
import { nodeFqdn } from '../design/names.ts';
import { versionProfile } from '../design/versions.ts';
import { isInNetwork, netmask, prefixOf } from './addresses.ts';
import { nameServers } from './dhcp-plan.ts';
import type { RhcosImages } from './files.ts';
import { bootUrl, IN_PLACE_IGNITION_PATH, ignitionPath, imagePath } from './layout.ts';

/**
 * The kernel arguments that install RHCOS on a node, in order. From 4.6 the live system installs (coreos.live.rootfs_url);
 * before, the installer's initramfs writes a raw image (coreos.inst=yes, disk without /dev/). Sources: openshift-docs
 * modules/installation-user-infra-machines-pxe.adoc, coreos/coreos-installer scripts/coreos-installer-service.
 */
export function kernelArguments(design: Design, node: DesignNode, images: RhcosImages): string[] {
  const base = bootUrl(design);
  // `initrd=main` names the initramfs for UEFI kernels; iPXE loads it under that name.
  return [
    'initrd=main',
    ...installArguments(design, node, images, base),
    ...networkArguments(design, node),
    ...node.kernelArguments,
  ];
}

function installArguments(design: Design, node: DesignNode, images: RhcosImages, base: string): string[] {
  const ignition = `coreos.inst.ignition_url=${base}${ignitionPath(node.role)}`;
  if (!versionProfile(design.openshift.version).hasLiveRootfs) {
    return [
      'coreos.inst=yes',
      `coreos.inst.install_dev=${node.installDisk.replace(/^\/dev\//, '')}`,
      `coreos.inst.image_url=${base}${imagePath(images.metal ?? '')}`,
      ignition,
    ];
  }
  const rootfs = `coreos.live.rootfs_url=${base}${imagePath(images.rootfs ?? '')}`;
  if (design.topology === 'single-node') {
    // The live system itself is the bootstrap; the disk to install on is in its ignition (bootstrapInPlace).
    const inPlace = `ignition.config.url=${base}${IN_PLACE_IGNITION_PATH}`;
    return [rootfs, 'ignition.firstboot', 'ignition.platform.id=metal', inPlace];
  }
  return [rootfs, `coreos.inst.install_dev=${node.installDisk}`, ignition];
}

/**
 * dracut's network arguments; coreos-installer carries them over to the installed system. Their order is ip=, nameserver=,
 * bond=, vlan= (openshift-docs modules/installation-user-infra-machines-static-network.adoc). With DHCP and no interface named
 * there is nothing to say from 4.6 on.
 */
export function networkArguments(design: Design, node: DesignNode): string[] {
  const parent = node.bond?.name ?? node.interface;
  const device = node.vlan === null || parent === null ? parent : `${parent}.${node.vlan}`;
  const isStatic = design.services.dhcp.kind === 'none';
  const addressing = isStatic ? staticArguments(design, node, device) : dhcpArguments(design, device);
  const links = [
    ...(node.bond ? [`bond=${node.bond.name}:${node.bond.interfaces.join(',')}:mode=${node.bond.mode}`] : []),
    ...(node.vlan !== null && parent !== null ? [`vlan=${device}:${parent}`] : []),
  ];
  const all = [...addressing, ...links];
  return all.length > 0 ? ['rd.neednet=1', ...all] : [];
}

function dhcpArguments(design: Design, device: string | null): string[] {
  if (device !== null) return [`ip=${device}:dhcp`];
  return versionProfile(design.openshift.version).hasLiveRootfs ? [] : ['ip=dhcp'];
}

function staticArguments(design: Design, node: DesignNode, device: string | null): string[] {
  const fqdn = nodeFqdn(design, node);
  const addresses = node.ip.map((address) => {
    const network = design.networks.machine.find(({ cidr }) => isInNetwork(address, cidr));
    const gateway = network?.gateway ?? '';
    const prefix = prefixOf(network?.cidr ?? (isIPv6(address) ? '::/64' : '0.0.0.0/24'));
    const fields = isIPv6(address)
      ? [`[${address}]`, '', gateway && `[${gateway}]`, String(prefix)]
      : [address, '', gateway, netmask(prefix)];
    return `ip=${[...fields, fqdn, device ?? '', 'none'].join(':')}`;
  });
  return [
    ...addresses,
    ...nameServers(design).map((server) => `nameserver=${isIPv6(server) ? `[${server}]` : server}`),
  ];
}
