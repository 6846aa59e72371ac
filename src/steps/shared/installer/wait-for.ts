import { findJob, startJob } from '../../../bastion/jobs.ts';
import type { Finding } from '../../../diagnosis/finding.ts';
import { installerEnvironment } from '../../../installer/environment.ts';
import { explainExit, waitForArgv } from '../../../installer/openshift-install.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { TroubleError } from '../../../text/trouble.ts';
import type { Step, StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { findInstaller } from './find-installer.ts';
import type { LogLine } from './log.ts';

const words = () => catalogue().steps.bootstrap.gaveUp;

/** What the installer waits for; the jobs that wait have these names. */
export const WAITS = ['bootstrap-complete', 'install-complete'] as const;
export type Wait = (typeof WAITS)[number];

/** How the installer's own wait stands. `none`: never started here. */
export type WaitState =
  | { readonly state: 'none' | 'running' | 'complete' }
  | { readonly state: 'gave-up'; readonly code: number; readonly signal: string | null };

/**
 * Starts `openshift-install wait-for …` as a job that outlives us. It only looks at the cluster, so it is started again
 * when an earlier one gave up.
 */
export async function startWait(context: StepContext, wait: Wait): Promise<void> {
  const program = await findInstaller(context);
  if (program === null) {
    throw new TroubleError({
      code: 'installer-missing',
      title: catalogue().diagnosis.prepare['installer-missing'].title,
      cause: context.programPath.join(', '),
      whatToDo: catalogue().steps.prepare.backToPrepare,
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

/** How the installer's own wait stands, by the job that runs or ran here: `complete` is its exit code 0. */
export async function waitState(context: StepContext, wait: Wait): Promise<WaitState> {
  const job = await findJob(workspace(context.dir).jobs, wait);
  if (job === null) return { state: 'none' };
  if (job.state === 'running') return { state: 'running' };
  if (job.exitCode === 0) return { state: 'complete' };
  return { state: 'gave-up', code: job.exitCode ?? 1, signal: job.signal };
}

/** What a step does that only waits: start the installer's own wait, which outlives us. */
export function waitActions(wait: Wait, start: () => string, needed: () => string): Pick<Step, 'plan' | 'apply'> {
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

/**
 * How the installer's wait ended, in words: a time-out is told for what it is, not the end.
 * @param log the installer's log, newest last; of an earlier run only what the last one has not said itself
 */
export function gaveUpFinding(
  { code, signal }: { readonly code: number; readonly signal: string | null },
  log: readonly LogLine[],
): Finding {
  const began = log.findLastIndex(({ text }) => /^(?:OpenShift Installer |openshift-install )/.test(text));
  const lines = log.slice(Math.max(0, began));
  const trouble = explainExit(code, signal, lines) ?? { code: 'installer-fatal', title: '', cause: '', whatToDo: '' };
  // What it waited for last, and what it says that failed, tell more than the code.
  const waited = lines.findLast(({ text }) => text.startsWith('Waiting up to '))?.text ?? '';
  const failed = lines.findLast(({ text }) =>
    /^(?:Bootstrap failed to complete|failed to initialize|These cluster operators were not stable)/.test(text),
  );
  const said = {
    severity: 'warning',
    subject: null,
    code: 'wait-gave-up',
    cause: failed?.text ?? trouble.cause,
  } as const;
  const exit = words().exit(code, signal);
  if (trouble.code !== 'installer-bootstrap') {
    return {
      ...said,
      title: `${trouble.title} (${exit})`,
      whatToDo: `${trouble.whatToDo} ${words().again}`,
    };
  }
  if (waited.includes('for the Kubernetes API')) return { ...said, ...words().api, title: words().api.title(exit) };
  const minutes = /^Waiting up to (?:(\d+)h)?(\d+)m/.exec(waited);
  const waitedFor = minutes === null ? null : Number(minutes[1] ?? 0) * 60 + Number(minutes[2]);
  return { ...said, title: words().bootstrap.title(waitedFor, exit), whatToDo: words().bootstrap.whatToDo };
}
