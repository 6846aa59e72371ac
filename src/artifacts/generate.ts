import type { Stage } from '../design/choices.ts';
import { listNodesWithRole } from '../design/derived-facts.ts';
import type { UserError } from '../i18n/user-error.ts';
import { computeSha256, getFileName } from '../platform/text.ts';
import { coreosInstaller } from './boot/iso.ts';
import { grub, ipxe } from './boot/network-boot.ts';
import { FILE_GENERATORS, type FileKind } from './file-kinds.ts';
import { deriveHostSetups, type HostSetup, installScript, renderInstallScripts } from './hosts/install-script.ts';
import {
  type FileDraft,
  type FileGenerator,
  type GenerateInput,
  getOutputPath,
  type PreviousManifest,
} from './shared/generator.ts';

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
  /** Commands to run on the host: `check` tests the file, `reload` makes its service load it; null: none. */
  readonly check: readonly string[] | null;
  readonly reload: readonly string[] | null;
  /** A zone's serial. */
  readonly serial?: number;
}

/** An entry of `files.json`. */
export interface FileEntry extends Omit<GeneratedFile, 'content'> {
  readonly sha256: string;
}

/** `files.json`: the list of the files that one run wrote. */
export interface FilesManifest {
  readonly stage: Stage;
  /** sha256 of the design. */
  readonly design: string;
  readonly files: readonly FileEntry[];
}

/** A file that is not generated because it needs an input that is missing; `path` is its path on the host. */
export interface OmittedFile {
  readonly path: string;
  readonly userError: UserError;
}

/** The result of one run: the files, and the `files.json` that lists them. */
interface GenerateResult {
  /** Files that could not be generated, and why. An earlier version on disk stays. */
  readonly omittedFiles: readonly OmittedFile[];
  readonly manifest: FilesManifest;
  readonly files: readonly GeneratedFile[];
  /** Setup data of each service host. */
  readonly setups: readonly HostSetup[];
}

/**
 * Generates all files of one stage. Every stage has all files, so that two stages differ only in what changed. Pure:
 * the same design and the same previous output give the same bytes.
 * @throws UserErrorException `credential-wrong`, `unsafe-text`
 */
export function generateFiles(input: GenerateInput): GenerateResult {
  const drafts = FILE_GENERATORS.flatMap((generator) =>
    generator.files(input).map((draft) => ({ ...preserveBootstrapScript(input, generator, draft), generator })),
  );
  const scripts = renderInstallScripts(input.design, drafts).map((draft) => toGeneratedFile(installScript.kind, draft));
  const files = [...drafts.map(({ generator, ...draft }) => toGeneratedFile(generator.kind, draft)), ...scripts];
  const omittedFiles = FILE_GENERATORS.flatMap(({ findMissingInput, paths }) => {
    const userError = findMissingInput?.(input) ?? null;
    return userError === null ? [] : paths.map((path) => ({ path, userError }));
  });
  return {
    files,
    manifest: createManifest(input, files),
    omittedFiles,
    setups: deriveHostSetups(input.design, drafts),
  };
}

/** Completes a draft with its defaults and its path below the output directory. */
function toGeneratedFile(kind: FileKind, draft: FileDraft): GeneratedFile {
  const { host, path, content, mode = '0644', check = null, reload = null, serial } = draft;
  const file = getOutputPath(host, path);
  const properties = { kind, mode, content, check, reload };
  return { host: host?.name ?? null, path, file, ...properties, ...(serial === undefined ? {} : { serial }) };
}

/**
 * Keeps the previous boot script of the bootstrap node after stage `install`, because the node is gone. All other
 * files are generated again.
 */
function preserveBootstrapScript(
  { design, stage, previous }: GenerateInput,
  generator: FileGenerator,
  draft: FileDraft,
): FileDraft {
  if (stage === 'install' || !NODE_SCRIPT_GENERATORS.has(generator)) return draft;
  const bootstrap = listNodesWithRole(design, 'bootstrap');
  if (!bootstrap.some(({ name, mac }) => isScriptOfNode(draft.path, name, mac))) return draft;
  const previousText = previous?.readContent(getOutputPath(draft.host, draft.path)) ?? null;
  return previousText === null ? draft : { ...draft, content: previousText };
}

const NODE_SCRIPT_GENERATORS: ReadonlySet<FileGenerator> = new Set<FileGenerator>([ipxe, grub, coreosInstaller]);

/** Scripts are named by the MAC (iPXE, GRUB) or the name (ISO) of their node. */
function isScriptOfNode(path: string, name: string, mac: string): boolean {
  const file = getFileName(path);
  return file.includes(mac.replaceAll(':', '-')) || file === `${name}.sh`;
}

function createManifest({ design, stage }: GenerateInput, files: readonly GeneratedFile[]): FilesManifest {
  return {
    stage,
    design: computeSha256(JSON.stringify(design)),
    files: files.map(({ content, ...entry }) => ({ ...entry, sha256: computeSha256(content) })),
  };
}

/**
 * A generated file compared with the file on disk. `edited`: the file on disk is neither the previous nor the current
 * generated text. `obsolete`: it was generated before, and no longer is. `obsolete-edited`: it is obsolete, and you
 * have edited it.
 */
export interface FileChange {
  readonly file: string;
  readonly state: 'new' | 'unchanged' | 'changed' | 'edited' | 'obsolete' | 'obsolete-edited';
}

/**
 * Compares a generated set with the files on disk: first its files in their order, then the obsolete ones.
 * @param readFileOnDisk the text of a file (relative to the output directory), or null where there is none
 */
export function compareWithDisk(
  files: readonly Pick<GeneratedFile, 'file' | 'content'>[],
  previous: PreviousManifest | null,
  readFileOnDisk: (file: string) => string | null,
): FileChange[] {
  const previousSumByFile = new Map(previous?.files.map(({ file, sha256: sum }) => [file, sum]));
  const currentFiles = new Set(files.map(({ file }) => file));
  const generatedChanges = files.map(({ file, content }): FileChange => {
    const diskText = readFileOnDisk(file);
    if (diskText === null) return { file, state: 'new' };
    if (diskText === content) return { file, state: 'unchanged' };
    return { file, state: previousSumByFile.get(file) === computeSha256(diskText) ? 'changed' : 'edited' };
  });
  const obsoleteChanges = [...previousSumByFile].flatMap(([file, sum]): FileChange[] => {
    const diskText = currentFiles.has(file) ? null : readFileOnDisk(file);
    if (diskText === null) return [];
    return [{ file, state: computeSha256(diskText) === sum ? 'obsolete' : 'obsolete-edited' }];
  });
  return [...generatedChanges, ...obsoleteChanges];
}
