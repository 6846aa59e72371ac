import type { Stage } from '../../../design/model.ts';
import { writeOutput } from '../../../host/output-dir.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import type { PlannedChange, StepContext } from '../../contract.ts';
import { generateStage, type StageOutput } from '../files/stage-output.ts';
import { workspace } from '../workspace.ts';
import { listHostInstructions } from './commands.ts';
import { compareHostFiles, putInPlace } from './put-in-place.ts';

export { hasReachedStage } from './live-stage.ts';

/**
 * Plans the changes of a stage on the load balancers, as a diff.
 * @param after the stage that will have been written before it; left out: compares with the files on disk
 */
export async function planStageChanges(context: StepContext, stage: Stage, after?: Stage): Promise<PlannedChange[]> {
  const output = await generateStage(context, stage);
  const before = after === undefined ? output.onDisk : indexContents(await generateStage(context, after));
  const generated = indexContents(output);
  return output.files
    .filter(({ kind }) => kind === 'haproxy')
    .map(({ file }) => ({
      object: file,
      isFile: true,
      what: catalogue().steps.stages[stage],
      before: before(file),
      after: generated(file),
    }))
    .filter((change) => change.before !== change.after);
}

function indexContents({ files }: StageOutput): (file: string) => string | null {
  const contents = new Map(files.map(({ file, content }) => [file, content]));
  return (file) => contents.get(file) ?? null;
}

/**
 * Writes a stage's files, records the stage as the live one, and puts the load balancers' files in place. The order
 * matters: after an interruption the next run continues to this stage (its hosts count as outdated), and never back to
 * the one before.
 */
export async function applyStage(context: StepContext, stage: Stage, report: (line: string) => void): Promise<void> {
  await writeLiveStage(context, stage, report);
  await putLoadBalancersInPlace(context, report);
}

/** Puts the files of the live stage in place on the load balancers. */
export async function putLoadBalancersInPlace(context: StepContext, report: (line: string) => void): Promise<void> {
  for (const host of listLoadBalancerHosts(context)) {
    context.signal.throwIfAborted();
    await putInPlace(context, host, report);
  }
}

/**
 * Whether a load balancer lacks the files of the live stage, by the session's records; false if the user puts files in
 * place by hand.
 */
export function areLoadBalancersOutdated(context: StepContext): boolean {
  if (context.manualActions.isManual) return false;
  return listLoadBalancerHosts(context).some((host) => compareHostFiles(context, host) === 'outdated');
}

/** Writes a stage's files and records the stage as the live one; puts nothing in place. */
export async function writeLiveStage(
  context: StepContext,
  stage: Stage,
  report: (line: string) => void,
): Promise<void> {
  const output = await generateStage(context, stage);
  const dir = workspace(context.dir);
  const result = writeOutput(dir.files, output, { force: true });
  report(catalogue().steps.generate.written(result.written.length, dir.files));
  context.stepState.set('stage', stage);
}

/** Instructions to put the load balancers' files in place; none if that is no manual action. */
export function listStageInstructions(context: StepContext): string[] {
  return context.design.services.loadBalancer.servers.flatMap(({ name }) => listHostInstructions(context, name));
}

/** Lists the hosts that run a load balancer that the wizard configures. */
function listLoadBalancerHosts({ design }: StepContext): string[] {
  const { kind, servers } = design.services.loadBalancer;
  return kind === 'external' ? [] : servers.map(({ name }) => name);
}
