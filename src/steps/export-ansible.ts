import { buildAnsibleProject } from '../artifacts/ansible.ts';
import { compareWithDisk } from '../artifacts/generate.ts';
import { type OutputWriteResult, readOutputFile, readPreviousOutput, writeOutput } from '../host/output-dir.ts';
import { computeSha256 } from '../platform/text.ts';
import type { StepContext } from './contract.ts';
import { generateStage } from './shared/files/stage-output.ts';
import { getCurrentStage } from './shared/hosts/current-stage.ts';
import { listHostsInSetupOrder } from './shared/hosts/host-roles.ts';

/** Result of an export: the number of its files, and which of them were written. */
interface ExportResult extends OutputWriteResult {
  readonly files: number;
  /** Paths of files that the project lacks, because a credential that they need is missing. */
  readonly leftOut: readonly string[];
}

/**
 * Exports the setup of the service hosts as an inventory and roles for Ansible: the files of the current stage as they
 * are in the install directory, or as they would be generated. Writes nothing if a file of an earlier export was edited
 * (`refused`), unless `force`.
 * @throws UserErrorException `credential-wrong`, `unsafe-text`, `output-…`
 */
export async function exportAnsible(
  context: StepContext,
  target: string,
  { force }: { readonly force: boolean },
): Promise<ExportResult> {
  const { design } = context;
  const { files, setups, stage, manifest, readFromDisk, omittedFiles } = await generateStage(
    context,
    getCurrentStage(context),
  );
  const orderedSetups = listHostsInSetupOrder(design).flatMap(({ name }) =>
    setups.filter(({ host }) => host.name === name),
  );
  const hostNames = new Set(orderedSetups.map(({ host }) => host.name));
  const hostFiles = files.filter(({ host }) => host !== null && hostNames.has(host));
  const project = buildAnsibleProject(
    design,
    orderedSetups,
    hostFiles.map(({ file, content, mode }) => ({ file, content: readFromDisk(file) ?? content, mode })),
  );
  const previousManifest = readPreviousOutput(target)?.manifest ?? null;
  const manifestFiles = project.map(({ file, content, mode }) => ({ file, mode, sha256: computeSha256(content) }));
  const output = {
    manifest: { stage, design: manifest.design, files: manifestFiles },
    files: project,
    changes: compareWithDisk(project, previousManifest, (file) => readOutputFile(target, file)),
  };
  const result = writeOutput(target, output, { force });
  return { ...result, files: project.length, leftOut: omittedFiles.map(({ path }) => path) };
}
