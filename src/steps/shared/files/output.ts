import { generate } from '../../../artifacts/generate.ts';
import type { FileChange } from '../../../artifacts/output.ts';
import { compare } from '../../../artifacts/output.ts';
import type { FilesManifest, GeneratedFile } from '../../../artifacts/shared/files.ts';
import { readPreviousOutput } from '../../../bastion/output-dir.ts';
import type { Design, Stage } from '../../../design/model.ts';
import type { StepContext } from '../../contract.ts';
import { imageNames } from '../installer/images.ts';
import { workspace } from '../workspace.ts';
import { readCredentials } from './credentials.ts';

/** What one stage of the design makes, beside what lies on disk. */
export interface Output {
  readonly stage: Stage;
  readonly manifest: FilesManifest;
  readonly files: readonly GeneratedFile[];
  readonly changes: readonly FileChange[];
  /** The text on disk, or null. */
  readonly onDisk: (file: string) => string | null;
}

/**
 * Generates a stage without writing it.
 * @throws TroubleError `credential-missing` when a credential file is not there
 */
export async function outputOf(context: StepContext, stage: Stage, design: Design = context.design): Promise<Output> {
  const [credentials, images] = await Promise.all([readCredentials(context), imageNames(context)]);
  const previous = readPreviousOutput(workspace(context.dir).files);
  const { manifest, files } = generate({ design, stage, credentials, images, previous });
  const onDisk = previous?.contents ?? (() => null);
  return { stage, manifest, files, changes: compare(files, previous?.manifest ?? null, onDisk), onDisk };
}
