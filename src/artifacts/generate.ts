import type { Stage } from '../design/model.ts';
import { nodesWithRole } from '../design/names.ts';
import type { Trouble } from '../text/trouble.ts';
import { grub } from './boot/grub.ts';
import { ipxe } from './boot/ipxe.ts';
import { coreosInstaller } from './boot/iso.ts';
import { type HostSetup, hostScript, hostScripts, hostSetups } from './hosts/install-script.ts';
import { type FileKind, GENERATORS } from './kinds.ts';
import { type Draft, type GenerateInput, type Generator, outputFile, sha256 } from './shared/draft.ts';

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

/** A file that needs something which is not there, by its path on its host. */
export interface LeftOut {
  readonly path: string;
  readonly trouble: Trouble;
}

/** What one run produces: the files, and the `files.json` that lists them. */
export interface Generated {
  /** Files that could not be made, or not anew, and why: what was written of them before stays. */
  readonly leftOut: readonly LeftOut[];
  readonly manifest: FilesManifest;
  readonly files: readonly GeneratedFile[];
  /** What setting up each service host takes. */
  readonly setups: readonly HostSetup[];
}

/**
 * All files of one stage. Every stage has all files, so that two stages differ only in what changed. Pure: the same design
 * and the same previous output give the same bytes.
 * @throws TroubleError `credential-wrong`, `unsafe-text`
 */
export function generate(input: GenerateInput): Generated {
  const made = GENERATORS.flatMap((by) =>
    by.files(input).map((draft) => ({ ...keptForBootstrap(input, by, draft), by })),
  );
  const scripts = hostScripts(input.design, made).map((draft) => finish(hostScript.kind, draft));
  const files = [...made.map(({ by, ...draft }) => finish(by.kind, draft)), ...scripts];
  const leftOut = GENERATORS.flatMap(({ lacks, paths }) => {
    const trouble = lacks?.(input) ?? null;
    return trouble === null ? [] : paths.map((path) => ({ path, trouble }));
  });
  return { files, manifest: manifestOf(input, files), leftOut, setups: hostSetups(input.design, made) };
}

/** A draft with its defaults filled in, and with the place it has below the output directory. */
function finish(kind: FileKind, draft: Draft): GeneratedFile {
  const { host, path, content, mode = '0644', check = null, reload = null, serial } = draft;
  const file = outputFile(host, path);
  const rest = { kind, mode, content, check, reload };
  return { host: host?.name ?? null, path, file, ...rest, ...(serial === undefined ? {} : { serial }) };
}

/** The file that the bootstrap node boots with stays as it was once the node is gone, even when all others are generated again. */
function keptForBootstrap({ design, stage, previous }: GenerateInput, by: Generator, draft: Draft): Draft {
  if (stage === 'install' || !BOOT_SCRIPTS.has(by)) return draft;
  const bootstrap = nodesWithRole(design, 'bootstrap');
  if (!bootstrap.some(({ name, mac }) => isOwn(draft.path, name, mac))) return draft;
  const before = previous?.contents(outputFile(draft.host, draft.path)) ?? null;
  return before === null ? draft : { ...draft, content: before };
}

const BOOT_SCRIPTS: ReadonlySet<Generator> = new Set<Generator>([ipxe, grub, coreosInstaller]);

/** Scripts are named by the MAC (iPXE, GRUB) or the name (ISO) of their node. */
function isOwn(path: string, name: string, mac: string): boolean {
  const file = path.slice(path.lastIndexOf('/') + 1);
  return file.includes(mac.replaceAll(':', '-')) || file === `${name}.sh`;
}

function manifestOf({ design, stage }: GenerateInput, files: readonly GeneratedFile[]): FilesManifest {
  return {
    stage,
    design: sha256(JSON.stringify(design)),
    files: files.map(({ content, ...entry }) => ({ ...entry, sha256: sha256(content) })),
  };
}
