import { createHash } from 'node:crypto';
import type { CredentialTexts } from '../../design/credentials.ts';
import type { Design, ServiceHost, Stage } from '../../design/model.ts';
import type { Trouble } from '../../text/trouble.ts';
import type { OsFacts } from '../hosts/os.ts';
import type { RhcosImages } from './files.ts';

/** What the generators read of an earlier `files.json`. */
export interface PreviousManifest {
  readonly files: readonly { readonly file: string; readonly sha256: string; readonly serial?: number }[];
}

/** What was generated into the same directory before. */
export interface PreviousOutput {
  readonly manifest: PreviousManifest;
  /** The text of a file (relative to the output directory) as it lies there now, or null where there is none. */
  readonly contents: (file: string) => string | null;
}

/** All that the generators may look at. */
export interface GenerateInput {
  readonly design: Design;
  readonly stage: Stage;
  readonly credentials: CredentialTexts;
  readonly images: RhcosImages;
  readonly previous: PreviousOutput | null;
}

/** A generated file before the defaults: a readable file with nothing to check or reload. */
export interface Draft {
  /** The host it goes to; null for files of no host. */
  readonly host: ServiceHost | null;
  readonly path: string;
  readonly content: string;
  readonly mode?: '0600' | '0644' | '0755';
  readonly check?: readonly string[];
  readonly reload?: readonly string[];
  readonly serial?: number;
}

/** The host that a file is for, by its duty; `every`: a file for each service host. */
export type FileHost = 'dns' | 'dns-primary' | 'dhcp' | 'load-balancer' | 'bastion' | 'every';

/** What a file needs on its host: packages to install, and the service that reads it. */
export interface Role {
  readonly packages: readonly string[];
  readonly unit: string | null;
}

/** A kind of generated file, and where files of it go. */
export interface FileKindFacts<Name extends string = string> {
  readonly kind: Name;
  readonly host: FileHost;
  /** Words in capitals stand for what differs: ZONE, NODE, MAC, POOL. */
  readonly paths: readonly string[];
}

/** Makes the files of one kind. */
export interface Generator<Name extends string = string> extends FileKindFacts<Name> {
  readonly files: (input: GenerateInput) => Draft[];
  /** Why it cannot be made anew now, while everything else can: a credential that is not there. Left out: it always can. */
  readonly lacks?: (input: GenerateInput) => Trouble | null;
  /** Left out: a file of this kind asks for no program of its own. */
  readonly role?: (facts: OsFacts, design: Design, host: ServiceHost) => Role | null;
}

/** Where a file of a host lies below the output directory; files of no host lie under `bastion/`. */
export function outputFile(host: Pick<ServiceHost, 'name'> | null, path: string): string {
  return `${host?.name ?? 'bastion'}${path}`;
}

/**
 * SHA-256 of a text (as UTF-8), in lower-case hex: tells a file that a person changed from one that is only of an earlier run.
 */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
