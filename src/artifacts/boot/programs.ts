import type { Architecture, HostOs } from '../../design/choices.ts';
import type { Design } from '../../design/model.ts';
import { getOsProfile } from '../hosts/os.ts';
import { bootProgramPath, WEB_ROOT } from '../shared/generator.ts';

/**
 * A program that firmware fetches: its name on the TFTP server (and below /boot of the HTTP server), and the path where
 * its package installs it.
 */
interface BootProgram {
  readonly name: string;
  readonly packagePath: string;
}

/** Names of the boot programs on the TFTP server. */
const BIOS_BOOT_FILE = 'undionly.kpxe';
const UEFI_BOOT_FILE = 'ipxe.efi';
const ARM_BOOT_FILE = 'ipxe-arm64.efi';

/**
 * One kind of firmware: its codes in DHCP option 93 (RFC 4578; IANA "Processor Architecture Types") and the programs
 * that it starts.
 */
export interface FirmwarePrograms {
  readonly codes: readonly number[];
  /** The firmware loads its program over HTTP (UEFI HTTP boot), not TFTP. */
  readonly isHttp: boolean;
  /** File name of the iPXE build. */
  readonly program: string;
  /** The signed program for Secure Boot: shim, which starts GRUB; null without Secure Boot. */
  readonly signedProgram: string | null;
}

/** Lists the firmware kinds of an architecture. POWER and IBM Z boot in other ways and need no program. */
export function listFirmwarePrograms(architecture: Architecture): FirmwarePrograms[] {
  switch (architecture) {
    case 'x86_64':
      return [
        { codes: [0], isHttp: false, program: BIOS_BOOT_FILE, signedProgram: null },
        { codes: [7, 9], isHttp: false, program: UEFI_BOOT_FILE, signedProgram: SHIM_FILES.x86_64 },
        { codes: [16], isHttp: true, program: UEFI_BOOT_FILE, signedProgram: SHIM_FILES.x86_64 },
      ];
    case 'aarch64':
      return [
        { codes: [11], isHttp: false, program: ARM_BOOT_FILE, signedProgram: SHIM_FILES.aarch64 },
        { codes: [19], isHttp: true, program: ARM_BOOT_FILE, signedProgram: SHIM_FILES.aarch64 },
      ];
    case 'ppc64le':
    case 's390x':
      return [];
  }
}

const SHIM_FILES = { x86_64: 'shimx64.efi', aarch64: 'shimaa64.efi' } as const;
const GRUB_FILES = { x86_64: 'grubx64.efi', aarch64: 'grubaa64.efi' } as const;

/** Whether some nodes start signed programs only: they get shim and GRUB, all others iPXE. */
export function needsGrub({ services, nodes }: Design): boolean {
  return services.boot.kind === 'ipxe' && nodes.some(({ secureBoot }) => secureBoot);
}

/** Lists the boot programs that the bastion serves; packages of its operating system provide them. */
export function listBootPrograms(design: Design): BootProgram[] {
  const { architecture } = design.openshift;
  const { ipxe, shimAndGrub } = getBootPackages(design.services.bastion.os, architecture);
  const shims =
    needsGrub(design) && shimAndGrub && (architecture === 'x86_64' || architecture === 'aarch64')
      ? [
          { name: SHIM_FILES[architecture], packagePath: shimAndGrub.shim },
          { name: GRUB_FILES[architecture], packagePath: shimAndGrub.grub },
        ]
      : [];
  return [...(ipxe?.programs ?? []), ...shims];
}

/**
 * Lists the copies of the boot programs that the bastion's script makes: for TFTP, and where UEFI firmware fetches
 * them by HTTP.
 */
export function listBootFileCopies(design: Design): { readonly from: string; readonly to: string }[] {
  const { root } = getOsProfile(design.services.bastion.os).tftp;
  return listBootPrograms(design).flatMap(({ name, packagePath }) => [
    { from: packagePath, to: `${root}/${name}` },
    { from: packagePath, to: `${WEB_ROOT}${bootProgramPath(name)}` },
  ]);
}

/** Lists the packages of the bastion's operating system that provide the boot programs. */
export function listBootProgramPackages(design: Design): string[] {
  const { ipxe, shimAndGrub } = getBootPackages(design.services.bastion.os, design.openshift.architecture);
  return [...(ipxe?.packages ?? []), ...(needsGrub(design) ? (shimAndGrub?.packages ?? []) : [])];
}

/** The packages with boot programs of one operating system and architecture; null: it has no such package. */
interface BootPackages {
  readonly ipxe: { readonly packages: readonly string[]; readonly programs: readonly BootProgram[] } | null;
  readonly shimAndGrub: { readonly packages: readonly string[]; readonly shim: string; readonly grub: string } | null;
}

/** Returns the packages with boot programs; null where the operating system has none for that architecture. */
export function getBootPackages(os: HostOs, architecture: Architecture): BootPackages {
  if (architecture === 'aarch64')
    return os === 'rhel9' || os === 'rhel10' ? RHEL_ARM : { ipxe: null, shimAndGrub: null };
  if (architecture !== 'x86_64') return { ipxe: null, shimAndGrub: null };
  return os === 'debian' ? getDebianPackages(os) : getRhelPackages(os);
}

/** Red Hat's packages install the signed UEFI programs where the firmware of an installed system looks for them. */
const REDHAT_EFI_DIR = '/boot/efi/EFI/redhat';

function getRhelPackages(os: HostOs): BootPackages {
  const { tftp } = getOsProfile(os);
  return {
    ipxe: {
      packages: [os === 'rhel8' ? 'ipxe-bootimgs' : 'ipxe-bootimgs-x86'],
      programs: [
        { name: BIOS_BOOT_FILE, packagePath: tftp.biosProgram },
        { name: UEFI_BOOT_FILE, packagePath: tftp.uefiProgram },
      ],
    },
    shimAndGrub: {
      packages: ['shim-x64', 'grub2-efi-x64'],
      shim: `${REDHAT_EFI_DIR}/${SHIM_FILES.x86_64}`,
      grub: `${REDHAT_EFI_DIR}/${GRUB_FILES.x86_64}`,
    },
  };
}

const RHEL_ARM: BootPackages = {
  ipxe: {
    packages: ['ipxe-bootimgs-aarch64'],
    programs: [{ name: ARM_BOOT_FILE, packagePath: '/usr/share/ipxe/arm64-efi/snponly.efi' }],
  },
  shimAndGrub: {
    packages: ['shim-aa64', 'grub2-efi-aa64'],
    shim: `${REDHAT_EFI_DIR}/${SHIM_FILES.aarch64}`,
    grub: `${REDHAT_EFI_DIR}/${GRUB_FILES.aarch64}`,
  },
};

function getDebianPackages(os: HostOs): BootPackages {
  const { tftp } = getOsProfile(os);
  return {
    ipxe: {
      packages: ['ipxe'],
      programs: [
        { name: BIOS_BOOT_FILE, packagePath: tftp.biosProgram },
        { name: UEFI_BOOT_FILE, packagePath: tftp.uefiProgram },
      ],
    },
    // Debian's GRUB image for the network, which reads its configuration below /grub.
    shimAndGrub: {
      packages: ['shim-signed', 'grub-efi-amd64-signed'],
      shim: '/usr/lib/shim/shimx64.efi.signed',
      grub: '/usr/lib/grub/x86_64-efi-signed/grubnetx64.efi.signed',
    },
  };
}
