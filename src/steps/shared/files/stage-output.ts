import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  compareWithDisk,
  type FileChange,
  type FilesManifest,
  type GeneratedFile,
  generateFiles,
  type OmittedFile,
} from '../../../artifacts/generate.ts';
import type { HostSetup } from '../../../artifacts/hosts/install-script.ts';
import type { GenerateInput } from '../../../artifacts/shared/generator.ts';
import type { Stage } from '../../../design/choices.ts';
import type { Design } from '../../../design/model.ts';
import { type OutputWriteResult, readOutputFile, readPreviousOutput, writeOutput } from '../../../host/output-dir.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import { replaceFile } from '../../../platform/files.ts';
import type { StepContext } from '../../contract.ts';
import {
  findInstaller,
  listMirrorImageNames,
  readInstallerImageNames,
  resolveImageNames,
} from '../installer/images.ts';
import { workspace } from '../workspace.ts';
import { readCredentials } from './credentials.ts';
import type { CredentialFiles } from './design-paths.ts';

/** The generated output of one stage of the design, compared with the files on disk. */
export interface StageOutput {
  readonly stage: Stage;
  readonly manifest: FilesManifest;
  readonly files: readonly GeneratedFile[];
  readonly changes: readonly FileChange[];
  /** The setup that each service host needs. */
  readonly setups: readonly HostSetup[];
  readonly omittedFiles: readonly OmittedFile[];
  /** Returns the text of a file on disk; null if there is no such file. */
  readonly readFromDisk: (file: string) => string | null;
  /** The last write was interrupted; the next write finishes it. */
  readonly isInterrupted: boolean;
}

/** Generates a stage without writing it. */
export async function generateStage(
  context: StepContext,
  stage: Stage,
  design: Design = context.design,
): Promise<StageOutput> {
  const [credentials, images] = await Promise.all([readCredentials(context), resolveImageNames(context)]);
  return generateAndCompare(workspace(context.dir).filesDir, { design, stage, credentials, images });
}

/** Generates a stage and compares it with a directory. */
function generateAndCompare(dir: string, input: Omit<GenerateInput, 'previous'>): StageOutput {
  const previousOutput = readPreviousOutput(dir);
  const { manifest, files, omittedFiles, setups } = generateFiles({ ...input, previous: previousOutput });
  // Files are compared even without a manifest: those that exist then belong to the user.
  const readFromDisk = (file: string) => readOutputFile(dir, file);
  const changes = compareWithDisk(files, previousOutput?.manifest ?? null, readFromDisk);
  return {
    stage: input.stage,
    manifest,
    files,
    changes,
    setups,
    omittedFiles,
    readFromDisk,
    isInterrupted: previousOutput?.isInterrupted ?? false,
  };
}

export interface StageWriteResult extends OutputWriteResult {
  /** How many files the stage has. */
  readonly fileCount: number;
  readonly omittedFiles: readonly OmittedFile[];
}

/**
 * Writes one stage of a design into a directory.
 * @param options.searchPath PATH to search for openshift-install, which contains the names of the images
 * @param options.onUnknownImageNames called if no installer is found: the names on the public mirror are used
 * @param options.force overwrites files that the user changed, and keeps the changes beside them; otherwise such a file
 * is `refused`, and nothing is written
 * @throws UserErrorException `credential-wrong`, `installer-…`, `images-unreadable`, `output-…`
 */
export async function writeDesignStage(
  dir: string,
  design: Design,
  options: {
    readonly stage: Stage;
    readonly credentials: CredentialFiles;
    readonly searchPath: string;
    readonly force: boolean;
    readonly onUnknownImageNames: () => void;
  },
): Promise<StageWriteResult> {
  const { stage, searchPath, force } = options;
  const credentials = await readCredentials(options);
  const installerImageNames = await readInstallerImageNames(
    design,
    await findInstaller({ design, programDirectories: [] }, searchPath),
  );
  if (installerImageNames === null) options.onUnknownImageNames();
  const output = generateAndCompare(dir, {
    design,
    stage,
    credentials,
    credentialFiles: options.credentials,
    images: installerImageNames ?? listMirrorImageNames(design),
  });
  return { ...writeOutput(dir, output, { force }), fileCount: output.files.length, omittedFiles: output.omittedFiles };
}

const words = () => catalogue().steps.commandsScript;

/** A file with this line was written by the wizard and may be overwritten. */
const MARK = '# upi-wizard: commands of a page';

/**
 * Writes the commands that a page shows to the user as `commands.sh` in the install directory, atomically and for the
 * user alone (0700).
 * @param lines as in a plan: commands are indented, and a line above them (a host) becomes a comment
 * @returns the path of the file
 * @throws UserErrorException `commands-foreign` if another file has that name; the system's error if it cannot be
 * written
 */
export async function writeCommands(dir: string, lines: readonly string[]): Promise<string> {
  const file = join(dir, 'commands.sh');
  const existingText = await readFile(file, 'utf8').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  });
  if (existingText !== null && !existingText.includes(`\n${MARK}\n`))
    throw new UserErrorException({ code: 'commands-foreign', ...words().foreign(file) });
  await replaceFile(file, renderScript(lines), 0o700);
  return file;
}

/** Renders a shell script that stops at the first command that fails. */
function renderScript(lines: readonly string[]): string {
  const body = lines.map((line) => (isCommand(line) ? line.trim() : line.trim() === '' ? '' : `# ${line.trim()}`));
  return `${['#!/bin/sh', MARK, 'set -e', '', ...body].join('\n')}\n`;
}

const isCommand = (line: string) => line.startsWith('  ');
