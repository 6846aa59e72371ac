import type { Design, DesignNode } from '../../design/model.ts';
import { formatUrlHost } from '../../platform/url-host.ts';

/** The document root of the bastion's HTTP server. */
export const WEB_ROOT = '/var/www/upi-wizard';
/** Your work directory on the bastion: install-config, notes, environment. */
export const WORK_DIR = '/root/upi-wizard';

/**
 * Base URL of the boot files. It always has the bastion's address, because neither iPXE nor the first boot should
 * depend on DNS, which may be the fault.
 */
export function bootUrl(design: Design): string {
  const { bastion, boot } = design.services;
  return `http://${formatUrlHost(bastion.ip[0])}:${boot.httpPort}`;
}

/**
 * The script that DHCP sends iPXE to, which loads the node's own script by MAC. The path is the same below the boot URL
 * and below WEB_ROOT.
 */
export const BOOT_SCRIPT_PATH = '/boot.ipxe';

/**
 * Scripts that the boot server sends instead of the node's own: once a machine has its ignition file, and when it may
 * not have one any more.
 */
export const INSTALLED_SCRIPT_PATH = '/installed.ipxe';
export const CLOSED_SCRIPT_PATH = '/closed.ipxe';

/**
 * `/ipxe/00-50-56-96-11-c2.ipxe`: the node's own boot script; the path is the same below the boot URL and below
 * WEB_ROOT.
 */
export function nodeScriptPath(node: Pick<DesignNode, 'mac'>): string {
  return `/ipxe/${node.mac.replaceAll(':', '-')}.ipxe`;
}

/**
 * Returns the programs that UEFI firmware fetches by HTTP; the path is the same below the boot URL and below WEB_ROOT.
 */
export function bootProgramPath(name: string): string {
  return `/boot/${name}`;
}

/** Returns an RHCOS image by its file name, below the boot URL. */
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
