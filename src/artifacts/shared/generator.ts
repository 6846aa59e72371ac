import { getIgnitionName, NODE_ROLES, type Stage } from '../../design/choices.ts';
import type { CredentialTexts } from '../../design/credentials.ts';
import type { Design, DesignNode, ServiceHost } from '../../design/model.ts';
import type { UserError } from '../../i18n/user-error.ts';
import { formatUrlHost } from '../../platform/text.ts';
import type { RhcosImageNames } from '../boot/images.ts';
import type { OsProfile } from '../hosts/os.ts';

/** The part of an earlier `files.json` that the generators read. */
export interface PreviousManifest {
  readonly files: readonly { readonly file: string; readonly sha256: string; readonly serial?: number }[];
}

/** Earlier output in the same directory. */
export interface PreviousOutput {
  readonly manifest: PreviousManifest;
  /** The text of a file (relative to the output directory) as it is on disk now, or null where there is none. */
  readonly readContent: (file: string) => string | null;
}

/** The input of the generators. */
export interface GenerateInput {
  readonly design: Design;
  readonly stage: Stage;
  readonly credentials: CredentialTexts;
  /** The absolute paths of the credential files, for messages; missing: the paths of the design. */
  readonly credentialFiles?: Readonly<
    Record<'pullSecretFile' | 'sshKeyFile' | 'trustBundleFile' | 'fencingFile', string | null>
  >;
  readonly images: RhcosImageNames;
  readonly previous: PreviousOutput | null;
}

/** A generated file before its defaults are filled in: mode 0644, nothing to check or reload. */
export interface FileDraft {
  /** The host that the file is for; null for files of no host. */
  readonly host: ServiceHost | null;
  readonly path: string;
  readonly content: string;
  readonly mode?: '0600' | '0644' | '0755';
  readonly check?: readonly string[];
  readonly reload?: readonly string[];
  readonly serial?: number;
}

/** The host that a file is for, by its role; `every`: a file for each service host. */
export type FileHost = 'dns' | 'dns-primary' | 'dhcp' | 'load-balancer' | 'bastion' | 'every';

/** Requirements of a file on its host: packages to install, and the service that reads it. */
interface HostRequirements {
  readonly packages: readonly string[];
  readonly unit: string | null;
}

/** A kind of generated file, with the host and the paths of its files. */
export interface FileKindDefinition<Name extends string = string> {
  readonly kind: Name;
  readonly host: FileHost;
  /** Placeholders in capitals stand for the variable part: ZONE, NODE, MAC, POOL. */
  readonly paths: readonly string[];
}

/** Generates the files of one kind. */
export interface FileGenerator<Name extends string = string> extends FileKindDefinition<Name> {
  readonly files: (input: GenerateInput) => FileDraft[];
  /**
   * The reason why the file cannot be generated now although all others can: a credential that is missing. Undefined:
   * it always can.
   */
  readonly findMissingInput?: (input: GenerateInput) => UserError | null;
  /** Undefined: files of this kind need no package and no service. */
  readonly getRequirements?: (profile: OsProfile, design: Design, host: ServiceHost) => HostRequirements | null;
}

/** Returns the path of a host's file below the output directory; files of no host are under `bastion/`. */
export function getOutputPath(host: Pick<ServiceHost, 'name'> | null, path: string): string {
  return `${host?.name ?? 'bastion'}${path}`;
}

/** The document root of the bastion's HTTP server. */
export const WEB_ROOT = '/var/www/upi-wizard';

/** Your work directory on the bastion: install-config, notes, environment. */
export const WORK_DIR = '/root/upi-wizard';

/**
 * Returns the base URL of the boot files. It always has the bastion's address: neither iPXE nor the first boot should
 * depend on DNS, which may be what is broken.
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
export const ACCESS_DENIED_SCRIPT_PATH = '/closed.ipxe';

/**
 * Returns the path of the node's own boot script: `/ipxe/00-50-56-96-11-c2.ipxe`. It is the same below the boot URL and
 * below WEB_ROOT.
 */
export function nodeScriptPath(node: Pick<DesignNode, 'mac'>): string {
  return `/ipxe/${node.mac.replaceAll(':', '-')}.ipxe`;
}

/**
 * Returns the path of a program that UEFI firmware fetches by HTTP. It is the same below the boot URL and below
 * WEB_ROOT.
 */
export function bootProgramPath(name: string): string {
  return `/boot/${name}`;
}

/** Returns the path of an RHCOS image below the boot URL. */
export function imagePath(baseName: string): string {
  return `/images/${baseName}`;
}

/** Returns the path of the ignition file that a node of this role boots with. */
export function ignitionPath(role: DesignNode['role']): string {
  return `/ignition/${getIgnitionName(role)}.ign`;
}

/** Lists the ignition files of a design by path, the bootstrap node's first, with the nodes that boot with each. */
export function listIgnitionFiles({ nodes }: Design): { readonly path: string; readonly nodes: DesignNode[] }[] {
  const paths = [...new Set(NODE_ROLES.map(ignitionPath))];
  return paths
    .map((path) => ({ path, nodes: nodes.filter(({ role }) => ignitionPath(role) === path) }))
    .filter((file) => file.nodes.length > 0);
}

/** Path of the ignition file of a single node: it makes the live system the bootstrap. */
export const IN_PLACE_IGNITION_PATH = '/ignition/bootstrap-in-place-for-live-iso.ign';
