import { findJob } from '../../../host/jobs/job-status.ts';
import { startJob } from '../../../host/jobs/jobs.ts';

import { catalogue } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import { installerEnvironment } from '../../../installer/find-program.ts';

import { buildWaitForArgv } from '../../../installer/openshift-install.ts';
import type { Step, StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { findInstaller } from './find-installer.ts';
import { deriveLostWaitState } from './lost-wait.ts';

/** The targets that the installer waits for; the jobs that wait have these names. */
export const WAIT_TARGETS = ['bootstrap-complete', 'install-complete'] as const;
export type WaitTarget = (typeof WAIT_TARGETS)[number];

/** The state of the installer's own wait. `none`: never started here, or lost without a record. */
export type WaitState =
  | { readonly state: 'none' | 'running' | 'complete' }
  | { readonly state: 'gave-up'; readonly code: number; readonly signal: string | null };

/**
 * Starts `openshift-install wait-for …` as a job that outlives the wizard. It only observes the cluster, so it can
 * start again after an earlier one gave up.
 */
async function startWait(context: StepContext, wait: WaitTarget): Promise<void> {
  const program = await findInstaller(context);
  if (program === null) {
    throw new UserErrorException({
      code: 'installer-missing',
      title: catalogue().diagnosis.prepare['installer-missing'].title,
      cause: context.programPath.join(', '),
      remedy: catalogue().steps.prepare.backToPrepare,
    });
  }
  const { jobs, dir } = workspace(context.dir);
  await startJob({
    dir: jobs,
    name: wait,
    argv: [program, ...buildWaitForArgv(dir, wait)],
    env: installerEnvironment(),
    clock: context.clock,
    restart: 'killed',
    exitReport: { executable: context.programs.executable, installDir: dir },
  });
}

/** Reads the state of the installer's own wait from the job that runs or ran here: `complete` is its exit code 0. */
export async function readWaitState(context: StepContext, wait: WaitTarget): Promise<WaitState> {
  const { jobs } = workspace(context.dir);
  const job = await findJob(jobs, wait);
  if (job === null) return { state: 'none' };
  if (job.state === 'lost') return { state: deriveLostWaitState(jobs, wait) };
  if (job.state === 'running') return { state: 'running' };
  if (job.exitCode === 0) return { state: 'complete' };
  return { state: 'gave-up', code: job.exitCode ?? 1, signal: job.signal };
}

/** Creates the actions of a step that only waits: starts the installer's own wait, which outlives the wizard. */
export function createWaitActions(
  wait: WaitTarget,
  start: () => string,
  needed: () => string,
): Pick<Step<unknown>, 'plan' | 'apply'> {
  return {
    plan: async () => ({
      changes: [{ object: start(), what: needed(), before: null, after: null }],
      isDangerous: false,
      instructions: [],
    }),
    async apply(context, report) {
      report(start());
      await startWait(context, wait);
    },
  };
}
