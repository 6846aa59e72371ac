import type { Stage } from '../../design/model.ts';

/** The kinds of generated file, as listed in the outer interface. */
export type FileKind =
  | 'bind-conf'
  | 'bind-zone'
  | 'dns-nsupdate'
  | 'dns-records'
  | 'haproxy'
  | 'keepalived'
  | 'isc-dhcpd'
  | 'kea-dhcp4'
  | 'ipxe'
  | 'grub'
  | 'tftp'
  | 'nginx'
  | 'coreos-installer'
  | 'install-config'
  | 'chrony'
  | 'chrony-machineconfig'
  | 'firewall'
  | 'selinux'
  | 'host-script'
  | 'env'
  | 'infra-manifest'
  | 'network-notes';

/** One generated file, before it is written. */
export interface GeneratedFile {
  /** The service host's short name, or null for a file of no host (written under `bastion/`). */
  readonly host: string | null;
  /** Absolute path on that host. */
  readonly path: string;
  /** Relative to the output directory: `<host>/<path>`. */
  readonly file: string;
  readonly kind: FileKind;
  /** Octal, four digits: "0644". */
  readonly mode: string;
  readonly content: string;
  /** To be run on the host, with `path`; null where there is nothing to run. */
  readonly check: readonly string[] | null;
  readonly reload: readonly string[] | null;
  /** A zone's serial. */
  readonly serial?: number;
}

/** An entry of `files.json`. */
export interface FileEntry extends Omit<GeneratedFile, 'content'> {
  readonly sha256: string;
}

/** `files.json`: what one run wrote. */
export interface FilesManifest {
  readonly stage: Stage;
  /** sha256 of the design that the files were made from. */
  readonly design: string;
  readonly files: readonly FileEntry[];
}

/** File names of one RHCOS build, as `openshift-install coreos print-stream-json` gives them (base names of the locations). */
export interface RhcosImages {
  readonly release: string;
  readonly kernel: string;
  readonly initramfs: string;
  /** null before 4.6. */
  readonly rootfs: string | null;
  /** The raw disk image, needed before 4.6 and for 4.5-style installs. */
  readonly metal: string | null;
}

/** The contents of the credential files, read by the caller; null where a file is missing. */
export interface CredentialTexts {
  readonly pullSecret: string | null;
  readonly sshKey: string | null;
  readonly trustBundle: string | null;
}
