import { createHash } from 'node:crypto';
import type { CredentialTexts } from '../../design/credentials.ts';
import type { Design, ServiceHost, Stage } from '../../design/model.ts';
import type { UserError } from '../../i18n/user-error.ts';
import type { OsFacts } from '../hosts/os.ts';
import type { RhcosImages } from './rhcos-images.ts';

/** The part of an earlier `files.json` that the generators read. */
export interface PreviousManifest {
  readonly files: readonly { readonly file: string; readonly sha256: string; readonly serial?: number }[];
}

/** Earlier output in the same directory. */
export interface PreviousOutput {
  readonly manifest: PreviousManifest;
  /** The text of a file (relative to the output directory) as it is on disk now, or null where there is none. */
  readonly contents: (file: string) => string | null;
}

/** The input of the generators. */
export interface GenerateInput {
  readonly design: Design;
  readonly stage: Stage;
  readonly credentials: CredentialTexts;
  readonly images: RhcosImages;
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

/** A kind of generated file, and where files of it go. */
export interface FileKindFacts<Name extends string = string> {
  readonly kind: Name;
  readonly host: FileHost;
  /** Placeholders in capitals stand for the variable part: ZONE, NODE, MAC, POOL. */
  readonly paths: readonly string[];
}

/** Generates the files of one kind. */
export interface Generator<Name extends string = string> extends FileKindFacts<Name> {
  readonly files: (input: GenerateInput) => FileDraft[];
  /**
   * The reason why the file cannot be generated now although all others can: a credential that is missing. Undefined:
   * it always can.
   */
  readonly findMissingInput?: (input: GenerateInput) => UserError | null;
  /** Undefined: files of this kind need no package and no service. */
  readonly getRequirements?: (facts: OsFacts, design: Design, host: ServiceHost) => HostRequirements | null;
}

/** Returns the path of a host's file below the output directory; files of no host are under `bastion/`. */
export function outputFile(host: Pick<ServiceHost, 'name'> | null, path: string): string {
  return `${host?.name ?? 'bastion'}${path}`;
}

/**
 * SHA-256 of a text (as UTF-8), in lower-case hex: distinguishes a file that you changed from one that only an earlier
 * run wrote.
 */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
