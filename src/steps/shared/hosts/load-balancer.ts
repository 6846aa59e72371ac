import { writeOutput } from '../../../bastion/output-dir.ts';
import type { Stage } from '../../../design/model.ts';
import { catalogue } from '../../../text/catalogue.ts';
import type { Change, StepContext } from '../../contract.ts';
import { type Output, outputOf } from '../files/output.ts';
import { workspace } from '../workspace.ts';
import { hostInstructions } from './commands.ts';
import { putInPlace, putState } from './put-in-place.ts';

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
      isFile: true,
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

/**
 * Writes a stage's files, remembers the stage as the live one, and puts the load balancers' files in place. In this order: ended in
 * between, the next run goes on to this stage (its hosts count as outdated), and never back to the one before.
 */
export async function applyStage(context: StepContext, stage: Stage, report: (line: string) => void): Promise<void> {
  await writeStage(context, stage, report);
  await putBalancers(context, report);
}

/** Puts the files of the live stage in place on the load balancers. */
export async function putBalancers(context: StepContext, report: (line: string) => void): Promise<void> {
  for (const host of balancerHosts(context)) {
    context.signal.throwIfAborted();
    await putInPlace(context, host, report);
  }
}

/** Whether a load balancer lacks the files of the live stage, by our own notes; never where a person puts them in place. */
export function areBalancersOutdated(context: StepContext): boolean {
  if (context.hands.isPerson) return false;
  return balancerHosts(context).some((host) => putState(context, host) === 'outdated');
}

/** Writes a stage's files and remembers the stage as the live one; puts nothing in place. */
export async function writeStage(context: StepContext, stage: Stage, report: (line: string) => void): Promise<void> {
  const output = await outputOf(context, stage);
  const dir = workspace(context.dir);
  const result = writeOutput(dir.files, output, { force: true });
  report(catalogue().steps.generate.wrote(result.written.length, dir.files));
  context.memory.set('stage', stage);
}

/** What a person does, where a person puts files in place. */
export function stageInstructions(context: StepContext): string[] {
  return context.design.services.loadBalancer.servers.flatMap(({ name }) => hostInstructions(context, name));
}

/** The hosts that run a load balancer of ours. */
function balancerHosts({ design }: StepContext): string[] {
  const { kind, servers } = design.services.loadBalancer;
  return kind === 'external' ? [] : servers.map(({ name }) => name);
}
