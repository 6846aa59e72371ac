import { ansibleProject } from '../../artifacts/ansible/project.ts';
import { compare } from '../../artifacts/output.ts';
import { sha256 } from '../../artifacts/shared/draft.ts';
import { readInside, readPreviousOutput, type WriteResult, writeOutput } from '../../bastion/output-dir.ts';
import type { StepContext } from '../contract.ts';
import { outputOf } from '../shared/files/output.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { hostsInOrder } from '../shared/hosts/order.ts';

/** What an export came to: how many files it has, and what was written of them. */
export interface Exported extends WriteResult {
  readonly files: number;
  /** Paths of files that need a credential which is missing: the project is without them. */
  readonly leftOut: readonly string[];
}

/**
 * Writes the service side as an inventory and roles for Ansible: the files of the live stage as they lie in the install directory,
 * or as they would be generated. Nothing is written where a person changed a file of an earlier export (`refused`), unless `force`.
 * @throws TroubleError `credential-wrong`, `unsafe-text`, `output-…`
 */
export async function exportAnsible(
  context: StepContext,
  target: string,
  { force }: { readonly force: boolean },
): Promise<Exported> {
  const { design } = context;
  const { files, setups, stage, manifest, onDisk, leftOut } = await outputOf(context, liveStage(context));
  const ordered = hostsInOrder(design).flatMap(({ name }) => setups.filter(({ host }) => host.name === name));
  const named = new Set(ordered.map(({ host }) => host.name));
  const own = files.filter(({ host }) => host !== null && named.has(host));
  const project = ansibleProject(
    design,
    ordered,
    own.map(({ file, content, mode }) => ({ file, content: onDisk(file) ?? content, mode })),
  );
  const before = readPreviousOutput(target)?.manifest ?? null;
  const listed = project.map(({ file, content, mode }) => ({ file, mode, sha256: sha256(content) }));
  const output = {
    manifest: { stage, design: manifest.design, files: listed },
    files: project,
    changes: compare(project, before, (file) => readInside(target, file)),
  };
  const written = writeOutput(target, output, { force });
  return { ...written, files: project.length, leftOut: leftOut.map(({ path }) => path) };
}
