import { type FilesManifest, type GeneratedFile, generate, type LeftOut } from '../../../artifacts/generate.ts';
import type { HostSetup } from '../../../artifacts/hosts/install-script.ts';
import type { FileChange } from '../../../artifacts/output.ts';
import { compare } from '../../../artifacts/output.ts';
import type { GenerateInput } from '../../../artifacts/shared/draft.ts';
import { readInside, readPreviousOutput, type WriteResult, writeOutput } from '../../../bastion/output-dir.ts';
import type { Design, Stage } from '../../../design/model.ts';
import type { StepContext } from '../../contract.ts';
import { findInstaller } from '../installer/find-installer.ts';
import { imageNames, installerImages, mirrorImages } from '../installer/images.ts';
import { workspace } from '../workspace.ts';
import { type CredentialFiles, readCredentials } from './credentials.ts';

/** What one stage of the design makes, beside the files on disk. */
export interface Output {
  readonly stage: Stage;
  readonly manifest: FilesManifest;
  readonly files: readonly GeneratedFile[];
  readonly changes: readonly FileChange[];
  /** What setting up each service host takes. */
  readonly setups: readonly HostSetup[];
  readonly leftOut: readonly LeftOut[];
  /** The text on disk, or null. */
  readonly onDisk: (file: string) => string | null;
  /** The last run was interrupted; the next one finishes it. */
  readonly isInterrupted: boolean;
}

/** Generates a stage without writing it. */
export async function outputOf(context: StepContext, stage: Stage, design: Design = context.design): Promise<Output> {
  const [credentials, images] = await Promise.all([readCredentials(context), imageNames(context)]);
  return outputIn(workspace(context.dir).files, { design, stage, credentials, images });
}

/** Generates a stage and compares it with a directory. */
function outputIn(dir: string, input: Omit<GenerateInput, 'previous'>): Output {
  const previous = readPreviousOutput(dir);
  const { manifest, files, leftOut, setups } = generate({ ...input, previous });
  // Also without a list of ours: the files there are then a person's.
  const onDisk = (file: string) => readInside(dir, file);
  const changes = compare(files, previous?.manifest ?? null, onDisk);
  return {
    stage: input.stage,
    manifest,
    files,
    changes,
    setups,
    leftOut,
    onDisk,
    isInterrupted: previous?.isInterrupted ?? false,
  };
}

/** The result of writing a stage. */
export interface Written extends WriteResult {
  /** How many files the stage has. */
  readonly files: number;
  readonly leftOut: readonly LeftOut[];
}

/**
 * Writes one stage of a design into a directory.
 * @param options.path where to search for programs: the installer knows the names of the images
 * @param options.onMirrorNames called when no installer knows them
 * @param options.force keeps a person's changes beside it; without it such a file is `refused`, and nothing is written
 * @throws TroubleError `credential-wrong`, `installer-…`, `images-unreadable`, `output-…`
 */
export async function writeStage(
  dir: string,
  design: Design,
  options: {
    readonly stage: Stage;
    readonly credentials: CredentialFiles;
    readonly path: string;
    readonly force: boolean;
    readonly onMirrorNames: () => void;
  },
): Promise<Written> {
  const { stage, path, force } = options;
  const credentials = await readCredentials(options);
  const known = await installerImages(design, await findInstaller({ design, programPath: [] }, path));
  if (known === null) options.onMirrorNames();
  const output = outputIn(dir, { design, stage, credentials, images: known ?? mirrorImages(design) });
  return { ...writeOutput(dir, output, { force }), files: output.files.length, leftOut: output.leftOut };
}
