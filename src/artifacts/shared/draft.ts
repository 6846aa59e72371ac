import { createHash } from 'node:crypto';
import type { Design, ServiceHost, Stage } from '../../design/model.ts';
import type { CredentialTexts, FileEntry, FileKind, GeneratedFile, RhcosImages } from './files.ts';

/** What the generators read of an earlier `files.json`. */
export interface PreviousManifest {
  readonly files: readonly Pick<FileEntry, 'file' | 'sha256' | 'serial'>[];
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
  readonly kind: FileKind;
  readonly content: string;
  readonly mode?: '0600' | '0644' | '0755';
  readonly check?: readonly string[];
  readonly reload?: readonly string[];
  readonly serial?: number;
}

/** A draft with its defaults filled in, and with the place it has below the output directory. */
export function finish(draft: Draft): GeneratedFile {
  const { host, path, kind, content, mode = '0644', check = null, reload = null, serial } = draft;
  const file = outputFile(host, path);
  const rest = { kind, mode, content, check, reload };
  return { host: host?.name ?? null, path, file, ...rest, ...(serial === undefined ? {} : { serial }) };
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
