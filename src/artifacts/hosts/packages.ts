import type { HostOs } from '../../design/choices.ts';
import { getBootPackages } from '../boot/programs.ts';
import { getOsProfile } from './os.ts';

/** Uses of a host that need packages. */
export const PACKAGE_USES = [
  'dns',
  'dhcpd',
  'kea',
  'load-balancer',
  'addresses',
  'tftp',
  'ipxe',
  'ipxe-arm',
  'secure-boot',
  'time',
  'selinux',
] as const;
type PackageUse = (typeof PACKAGE_USES)[number];

/**
 * Sources of the package names: the package manifests of RHEL 8, 9 and 10, and the package lists of Debian 12
 * (bookworm).
 */
export const PACKAGE_SOURCES: Readonly<Record<HostOs, string>> = {
  rhel8: 'docs.redhat.com',
  rhel9: 'docs.redhat.com',
  rhel10: 'docs.redhat.com',
  debian: 'packages.debian.org',
};

/** Provides virtual addresses; the same name on every operating system. */
export const KEEPALIVED_PACKAGES: readonly string[] = ['keepalived'];
/** `semanage`, for ports and labels. */
export const SELINUX_PACKAGES: readonly string[] = ['policycoreutils-python-utils'];

/**
 * Lists the packages that `install.sh` adds on an operating system, by use; an empty list where the system has none.
 * RHEL 10 has no ISC dhcpd (Kea is its successor), and Debian no SELinux by default.
 */
export function listPackagesByUse(os: HostOs): Readonly<Record<PackageUse, readonly string[]>> {
  const profile = getOsProfile(os);
  const x86 = getBootPackages(os, 'x86_64');
  return {
    dns: profile.named.packages,
    dhcpd: os === 'rhel10' ? [] : profile.dhcpd.packages,
    kea: profile.kea.packages,
    'load-balancer': profile.haproxy.packages,
    addresses: KEEPALIVED_PACKAGES,
    tftp: profile.tftp.packages,
    ipxe: x86.ipxe?.packages ?? [],
    'ipxe-arm': getBootPackages(os, 'aarch64').ipxe?.packages ?? [],
    'secure-boot': x86.shimAndGrub?.packages ?? [],
    time: profile.chrony.packages,
    selinux: os === 'debian' ? [] : SELINUX_PACKAGES,
  };
}
