import type { Design, DesignNode } from '../../design/model.ts';
import { urlHost } from '../../text/url-host.ts';

/** What the bastion's HTTP server serves, as a directory on the bastion. */
export const WEB_ROOT = '/var/www/upi-wizard';
/** What belongs to the person who installs: install-config, notes, environment. */
export const WORK_DIR = '/root/upi-wizard';

/**
 * Where nodes fetch their boot files: always the bastion's address, because neither iPXE nor the first boot should depend on
 * DNS that may be what is wrong.
 */
export function bootUrl(design: Design): string {
  const { bastion, boot } = design.services;
  return `http://${urlHost(bastion.ip[0])}:${boot.httpPort}`;
}

/** What DHCP sends iPXE to; it leads to the node's own script by MAC. Below the boot URL and below WEB_ROOT alike. */
export const BOOT_SCRIPT_PATH = '/boot.ipxe';

/** What our boot server gives a machine instead of its own script when it has its ignition file, and when it may have none any more. */
export const INSTALLED_SCRIPT_PATH = '/installed.ipxe';
export const CLOSED_SCRIPT_PATH = '/closed.ipxe';

/** `/ipxe/00-50-56-96-11-c2.ipxe`: the node's own boot script, below the boot URL and below WEB_ROOT alike. */
export function nodeScriptPath(node: Pick<DesignNode, 'mac'>): string {
  return `/ipxe/${node.mac.replaceAll(':', '-')}.ipxe`;
}

/** The programs that UEFI firmware fetches by HTTP, below the boot URL and below WEB_ROOT alike. */
export function bootProgramPath(name: string): string {
  return `/boot/${name}`;
}

/** An RHCOS image by its file name, below the boot URL. */
export function imagePath(baseName: string): string {
  return `/images/${baseName}`;
}

/** Infra and storage nodes are compute nodes to the installer; their labels come later. */
export function ignitionPath(role: DesignNode['role']): string {
  switch (role) {
    case 'bootstrap':
      return '/ignition/bootstrap.ign';
    case 'control-plane':
      return '/ignition/master.ign';
    case 'compute':
    case 'infra':
    case 'storage':
      return '/ignition/worker.ign';
  }
}

/** Single-node OpenShift boots the live system with the whole installation in its ignition. */
export const IN_PLACE_IGNITION_PATH = '/ignition/bootstrap-in-place-for-live-iso.ign';
