import { mkdir, rm } from 'node:fs/promises';
import { bootUrl } from '../../../artifacts/shared/layout.ts';
import { readBootStatus } from '../../../bastion/boot/boot-status.ts';
import { findJob } from '../../../bastion/jobs/job-status.ts';
import { startJob, stopJob } from '../../../bastion/jobs/jobs.ts';
import { httpProbe } from '../../../bastion/probes/probes.ts';
import { isFailing } from '../../../diagnosis/jobs.ts';
import { MINUTE, SECOND, uptime } from '../../../ports/clock.ts';
import { catalogue, languageOption } from '../../../text/catalogue.ts';
import { TroubleError } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { isEveryoneServed, statusFileOf, writeDoors } from './doors.ts';

const words = () => catalogue().steps.prepare;
/** Its name under the jobs of the install directory. */
export const BOOT_SERVER_JOB = 'boot-server';

/** The answer at the address that the nodes use. */
interface ServerAnswer {
  readonly isServing: boolean;
  /** The answer in a line. */
  readonly serverDetail: string;
}

/** The state of the boot server. */
export interface ServerState extends ServerAnswer {
  /** Our job, another web server in its place, or nobody. */
  readonly server: 'ours' | 'other' | null;
  /** Every node that has still to join may fetch what it needs. */
  readonly isServerCurrent: boolean;
}

/** Looks at who serves, and whom; asks the server once. */
export async function lookAtServer(context: StepContext): Promise<ServerState> {
  const asked = askServer(context);
  const [answer, server] = await Promise.all([asked, whoServes(context, () => asked)]);
  return { ...answer, server, isServerCurrent: server === 'other' || (await isEveryoneServed(context)) };
}

/** Asks the boot server itself, at the address that the nodes use. */
async function askServer(context: StepContext): Promise<ServerAnswer> {
  const answer = await httpProbe(context.reach, context.clock, `${bootUrl(context.design)}/boot.ipxe`, 3 * SECOND);
  // Nodes that boot from the ISO need no boot.ipxe, and there is none.
  const isThere = answer.status === 200 || (context.design.services.boot.kind === 'iso' && answer.status === 404);
  return { isServing: isThere, serverDetail: answer.detail };
}

/** Of the machine's time: in a sped-up rehearsal a program still takes its real time to start. */
const STARTED_WITHIN = 2 * MINUTE;

/**
 * Who serves the boot files: our job (which may or may not answer; a restart of the bastion ends it), another web
 * server that has the port and answers with boot.ipxe (nginx with the file generated for it), or nobody.
 */
export async function whoServes(context: StepContext, ask = () => askServer(context)): Promise<ServerState['server']> {
  const job = await findJob(workspace(context.dir).jobs, BOOT_SERVER_JOB);
  if (job?.state === 'running' && !isFailing(job)) return 'ours';
  return (await ask()).isServing ? 'other' : null;
}

/** Does anybody serve? */
export async function isServerRunning(context: StepContext): Promise<boolean> {
  return (await whoServes(context)) !== null;
}

/**
 * Writes down who may have which ignition, and starts the boot server as a job that outlives the wizard. A running one
 * reads its file again when it changes: nodes were added, or their addresses corrected.
 */
export async function serve(context: StepContext, report: (line: string) => void): Promise<void> {
  const { jobs, bootConfig, state } = workspace(context.dir);
  await mkdir(state, { recursive: true, mode: 0o700 });
  await writeDoors(context);
  const before = await findJob(jobs, BOOT_SERVER_JOB);
  // Another server may have its port by now, or what was wrong is corrected: it begins anew, and does not wait.
  if (before && isFailing(before)) await stopJob(jobs, BOOT_SERVER_JOB, context);
  const server = await whoServes(context);
  if (server === 'other' || (server === 'ours' && before?.isSupervised)) return;
  const statusFile = statusFileOf(context);
  report(words().change.server(bootUrl(context.design)));
  const argv = [process.execPath, context.programs.bootServer, bootConfig, ...languageOption()];
  await rm(statusFile, { force: true });
  const { unit } = await startJob({
    dir: jobs,
    name: BOOT_SERVER_JOB,
    argv,
    clock: context.clock,
    restart: 'failed',
    tells: { executable: context.programs.executable, installDir: context.dir },
  });
  try {
    await untilServing(context);
    if (unit !== null) report(words().change.serverUnit(unit));
  } catch (error) {
    // Somebody is here and is told why. Later it is started again and again; now that would only be in the way of a remedy.
    if (!context.signal.aborted) await stopJob(jobs, BOOT_SERVER_JOB, context);
    throw error;
  }
}

async function untilServing(context: StepContext): Promise<void> {
  const { jobs } = workspace(context.dir);
  const began = uptime();
  for (;;) {
    const { isServing } = await askServer(context);
    if (isServing) return;
    const status = readBootStatus(statusFileOf(context));
    if (status?.state === 'failed') throw new TroubleError(status.trouble);
    const job = await findJob(jobs, BOOT_SERVER_JOB);
    if (job?.state !== 'running' || job.isPausing || uptime() - began > STARTED_WITHIN) {
      throw new TroubleError({
        code: 'boot-server',
        title: words().serverFailed,
        cause: job?.logFile ?? '',
        whatToDo: words().serverFailedFix,
      });
    }
    await context.clock.sleep(SECOND, context.signal);
  }
}
