import type { GeneratedFile } from '../../../artifacts/generate.ts';
import { writeOutput } from '../../../bastion/output-dir.ts';
import type { Stage } from '../../../design/model.ts';
import { catalogue } from '../../../text/catalogue.ts';
import type { Change, StepContext } from '../../contract.ts';
import { type Output, outputOf } from '../files/output.ts';
import { workspace } from '../workspace.ts';
import { hostInstructions } from './commands.ts';
import { putInPlace } from './put-in-place.ts';

export { hasReached } from './live-stage.ts';

/**
 * What a stage changes on the load balancers, as a diff.
 * @param after the stage that will have been written before it; left out: from what is on disk
 */
export async function stageChanges(context: StepContext, stage: Stage, after?: Stage): Promise<Change[]> {
  const output = await outputOf(context, stage);
  const before = after === undefined ? output.onDisk : contentsOf(await outputOf(context, after));
  const made = contentsOf(output);
  return output.files
    .filter(({ kind }) => kind === 'haproxy')
    .map(({ file }) => ({
      object: file,
      what: catalogue().steps.stages[stage],
      before: before(file),
      after: made(file),
    }))
    .filter((change) => change.before !== change.after);
}

function contentsOf({ files }: Output): (file: string) => string | null {
  const contents = new Map(files.map(({ file, content }) => [file, content]));
  return (file) => contents.get(file) ?? null;
}

/** Writes a stage's files, puts the load balancers' in place, and remembers the stage as the live one. */
export async function applyStage(context: StepContext, stage: Stage, report: (line: string) => void): Promise<void> {
  const files = await writeFiles(context, stage, report);
  for (const host of balancerHosts(files)) {
    context.signal.throwIfAborted();
    await putInPlace(context, host, report);
  }
  context.memory.set('stage', stage);
}

/** Writes a stage's files and remembers the stage as the live one; puts nothing in place. */
export async function writeStage(context: StepContext, stage: Stage, report: (line: string) => void): Promise<void> {
  await writeFiles(context, stage, report);
  context.memory.set('stage', stage);
}

async function writeFiles(
  context: StepContext,
  stage: Stage,
  report: (line: string) => void,
): Promise<readonly GeneratedFile[]> {
  const output = await outputOf(context, stage);
  const dir = workspace(context.dir);
  const result = writeOutput(dir.files, output, { force: true });
  report(catalogue().steps.generate.wrote(result.written.length, dir.files));
  return output.files;
}

/** What a person does, where a person puts files in place. */
export function stageInstructions(context: StepContext): string[] {
  return context.design.services.loadBalancer.servers.flatMap(({ name }) => hostInstructions(context, name));
}

function balancerHosts(files: readonly GeneratedFile[]): string[] {
  return [
    ...new Set(files.filter(({ kind }) => kind === 'haproxy').flatMap(({ host }) => (host === null ? [] : [host]))),
  ];
}
