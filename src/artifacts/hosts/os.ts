import { HOST_OS_NAMES, type HostOs } from '../../design/choices.ts';
import { removeDuplicates } from '../network/addresses.ts';

/** Paths, packages and units of an operating system. */
export interface OsProfile {
  readonly named: {
    readonly conf: string;
    readonly directory: string;
    /** Below `directory`, writable by named: where secondaries keep their copies. */
    readonly copiesDirectory: string;
    readonly unit: string;
    readonly packages: readonly string[];
    /**
     * Keywords of its BIND version for the two types of a zone, and for the list of servers that a secondary queries.
     */
    readonly zoneKeywords: { readonly primary: string; readonly secondary: string; readonly primaries: string };
  };
  readonly haproxy: { readonly statsSocket: string; readonly log: string; readonly packages: readonly string[] };
  readonly dhcpd: { readonly unit: string; readonly packages: readonly string[] };
  readonly kea: { readonly unit: string; readonly packages: readonly string[] };
  readonly chrony: { readonly conf: string; readonly unit: string; readonly packages: readonly string[] };
  readonly tftp: {
    readonly root: string;
    readonly unit: string;
    readonly packages: readonly string[];
    /**
     * Paths of iPXE in the packages, for BIOS and for UEFI. For UEFI it is snponly, which uses the firmware's network
     * driver. Builds with native drivers do not release the NIC; the build of Debian 12 then hangs when the machine
     * boots from disk.
     */
    readonly biosProgram: string;
    readonly uefiProgram: string;
  };
}

/**
 * Returns the profile of an operating system. BIND's directories are the ones that SELinux (RHEL) and AppArmor (Debian)
 * allow named.
 */
export function getOsProfile(os: HostOs): OsProfile {
  return os === 'debian' ? DEBIAN : os === 'rhel8' ? RHEL8 : RHEL9;
}

/** Lists one path for each operating system that a service host may have, without duplicates. */
export function listOsPaths(getPath: (profile: OsProfile) => string): string[] {
  return removeDuplicates(HOST_OS_NAMES.map((os) => getPath(getOsProfile(os))));
}

const RHEL9: OsProfile = {
  named: {
    conf: '/etc/named.conf',
    directory: '/var/named',
    copiesDirectory: 'slaves',
    unit: 'named',
    packages: ['bind', 'bind-utils'],
    zoneKeywords: { primary: 'primary', secondary: 'secondary', primaries: 'primaries' },
  },
  // systemd collects standard output; before HAProxy 1.9 (RHEL 8 has 1.8) only syslog was possible.
  haproxy: { statsSocket: '/var/lib/haproxy/stats', log: 'stdout format raw local0', packages: ['haproxy'] },
  dhcpd: { unit: 'dhcpd', packages: ['dhcp-server'] },
  kea: { unit: 'kea-dhcp4', packages: ['kea'] },
  chrony: { conf: '/etc/chrony.conf', unit: 'chronyd', packages: ['chrony'] },
  tftp: {
    root: '/var/lib/tftpboot',
    unit: 'tftp.socket',
    packages: ['tftp-server'],
    biosProgram: '/usr/share/ipxe/undionly.kpxe',
    uefiProgram: '/usr/share/ipxe/ipxe-snponly-x86_64.efi',
  },
};

const RHEL8: OsProfile = {
  ...RHEL9,
  // BIND 9.11 accepts only the old keywords.
  named: { ...RHEL9.named, zoneKeywords: { primary: 'master', secondary: 'slave', primaries: 'masters' } },
  haproxy: { ...RHEL9.haproxy, log: '127.0.0.1 local2' },
};

const DEBIAN: OsProfile = {
  named: {
    conf: '/etc/bind/named.conf',
    directory: '/var/lib/bind',
    copiesDirectory: '.',
    unit: 'named',
    packages: ['bind9', 'bind9-utils', 'bind9-dnsutils'],
    zoneKeywords: RHEL9.named.zoneKeywords,
  },
  haproxy: { statsSocket: '/run/haproxy/admin.sock', log: 'stdout format raw local0', packages: ['haproxy'] },
  dhcpd: { unit: 'isc-dhcp-server', packages: ['isc-dhcp-server'] },
  kea: { unit: 'kea-dhcp4-server', packages: ['kea-dhcp4-server'] },
  chrony: { conf: '/etc/chrony/chrony.conf', unit: 'chrony', packages: ['chrony'] },
  tftp: {
    root: '/srv/tftp',
    unit: 'tftpd-hpa',
    packages: ['tftpd-hpa'],
    biosProgram: '/usr/lib/ipxe/undionly.kpxe',
    uefiProgram: '/usr/lib/ipxe/snponly.efi',
  },
};
