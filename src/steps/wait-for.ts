import { findJob, startJob } from '../bastion/jobs.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { installerEnvironment } from '../installer/environment.ts';
import { findProgram } from '../installer/find.ts';
import { waitForArgv } from '../installer/openshift-install.ts';
import { steps } from '../text/en/steps.ts';
import { TroubleError } from '../text/trouble.ts';
import type { Step, StepContext } from './contract.ts';
import { workspace } from './workspace.ts';

export type Wait = 'bootstrap-complete' | 'install-complete';

/** How the installer's own wait stands. `none`: never started here. */
export type WaitState =
  | { readonly state: 'none' | 'running' | 'complete' }
  | { readonly state: 'gave-up'; readonly code: number };

/**
 * Starts `openshift-install wait-for …` as a job that outlives us. It only looks at the cluster, so it is started again
 * when an earlier one gave up.
 */
export async function startWait(context: StepContext, wait: Wait): Promise<void> {
  const program = await findProgram('openshift-install', context.programPath);
  if (program === null) {
    const { noInstaller, noInstallerFix } = steps.prepare;
    throw new TroubleError({
      code: 'installer-missing',
      title: noInstaller,
      cause: context.programPath.join(', '),
      whatToDo: noInstallerFix(context.design.openshift.version),
    });
  }
  const { jobs, dir } = workspace(context.dir);
  await startJob({
    dir: jobs,
    name: wait,
    argv: [program, ...waitForArgv(dir, wait)],
    env: installerEnvironment(),
    clock: context.clock,
  });
}

export async function waitState(context: StepContext, wait: Wait): Promise<WaitState> {
  const job = await findJob(workspace(context.dir).jobs, wait);
  if (job === null) return { state: 'none' };
  if (job.state === 'running') return { state: 'running' };
  return job.exitCode === 0 ? { state: 'complete' } : { state: 'gave-up', code: job.exitCode ?? 1 };
}

/** What a step does that only waits: start the installer's own wait, which outlives us. */
export function waitActions(wait: Wait, start: string, needed: string): Pick<Step, 'plan' | 'apply'> {
  return {
    plan: async () => ({
      changes: [{ object: start, what: needed, before: null, after: null }],
      isDangerous: false,
      instructions: [],
    }),
    async apply(context, report) {
      report(start);
      await startWait(context, wait);
    },
  };
}

/** The installer's time-out is told for what it is: not the end. */
export function gaveUpFinding(code: number, lastLine: string): Finding {
  const { failed, failedFix } = steps.bootstrap;
  return {
    code: 'wait-gave-up',
    severity: 'warning',
    subject: null,
    title: failed(code),
    cause: lastLine,
    whatToDo: failedFix,
  };
}
