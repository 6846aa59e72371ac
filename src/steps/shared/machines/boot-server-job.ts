import { mkdir, rm } from 'node:fs/promises';
import { bootUrl } from '../../../artifacts/shared/generator.ts';
import type { Finding } from '../../../checks/check.ts';
import { isJobFailing } from '../../../checks/jobs.ts';
import { readBootStatus } from '../../../host/boot-server/boot-status.ts';
import { findJob } from '../../../host/jobs/job-status.ts';
import { startJob, stopJob } from '../../../host/jobs/jobs.ts';
import { catalogue, getLanguageArgs } from '../../../i18n/catalogue.ts';
import { UserErrorException } from '../../../i18n/user-error.ts';
import { getUptime, MINUTE, SECOND } from '../../../platform/clock.ts';
import { probeHttp } from '../../../probes/http-probe.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { getBootStatusFile, isIgnitionAccessCurrent, writeIgnitionAccess } from './ignition-access.ts';
import { isInstallationOver, listIgnitionClients, readPowerOnTimes } from './node-facts.ts';

const words = () => catalogue().steps.prepare;
/** The name of the boot server's job in the install directory. */
export const BOOT_SERVER_JOB = 'boot-server';

/** The answer at the address that the nodes use. */
interface ServerProbe {
  readonly isServing: boolean;
  /** The answer in a line. */
  readonly serverDetail: string;
}

export interface BootServerState extends ServerProbe {
  /** Our job, another web server in its place, or none. */
  readonly server: 'ours' | 'other' | null;
  /** Every node that has still to join may fetch what it needs. */
  readonly isServingAllNodes: boolean;
}

/** Detects which server runs and which nodes it serves; sends one request. */
export async function probeBootServer(context: StepContext): Promise<BootServerState> {
  const response = queryBootServer(context);
  const [answer, server] = await Promise.all([response, detectBootServer(context, () => response)]);
  return { ...answer, server, isServingAllNodes: server === 'other' || (await isIgnitionAccessCurrent(context)) };
}

/** Queries the boot server itself, at the address that the nodes use. */
async function queryBootServer(context: StepContext): Promise<ServerProbe> {
  const answer = await probeHttp(
    context.resolveEndpoint,
    context.clock,
    `${bootUrl(context.design)}/boot.ipxe`,
    3 * SECOND,
  );
  // Nodes that boot from the ISO need no boot.ipxe, and there is none.
  const isPresent = answer.status === 200 || (context.design.services.boot.kind === 'iso' && answer.status === 404);
  return { isServing: isPresent, serverDetail: answer.detail };
}

/** Real time: in an accelerated rehearsal a program still takes its real time to start. */
const START_TIMEOUT = 2 * MINUTE;

/**
 * Detects which server serves the boot files. `ours`: our job, which may or may not answer (a restart of the bastion
 * ends it). `other`: another web server that has the port and answers with boot.ipxe (nginx with the file generated for
 * it). Null: none.
 */
export async function detectBootServer(
  context: StepContext,
  query = () => queryBootServer(context),
): Promise<BootServerState['server']> {
  const job = await findJob(workspace(context.dir).jobsDir, BOOT_SERVER_JOB);
  if (job?.state === 'running' && !isJobFailing(job)) return 'ours';
  return (await query()).isServing ? 'other' : null;
}

/** Whether machines need the boot server: after Prepare has started it, and until all nodes have joined. */
export type BootServerNeed = 'later' | 'now' | 'over';

/** Determines whether machines need the boot server now. */
export async function getBootServerNeed(context: StepContext): Promise<BootServerNeed> {
  if (isInstallationOver(context) && listIgnitionClients(context).length === 0) return 'over';
  const wasStarted = (await findJob(workspace(context.dir).jobsDir, BOOT_SERVER_JOB)) !== null;
  return wasStarted || Object.keys(readPowerOnTimes(context)).length > 0 ? 'now' : 'later';
}

/**
 * Returns the result of a check with regard to the need of the boot server: while nothing needs it, its silence is no
 * failure. Null: the check is over.
 */
export function deferBootServerCheck(finding: Finding, need: BootServerNeed): Finding | null {
  const isSilentServer = finding.code === 'boot-server' && finding.state === 'failed';
  const { causedBy, ...rest } = finding;
  if (need === 'now' || (isSilentServer ? causedBy !== undefined : causedBy?.id !== 'boot-server')) return finding;
  if (need === 'over') return null;
  const { checks } = catalogue().diagnosis.site;
  const title = isSilentServer ? `${finding.subject}: ${checks['boot-server'].title}` : finding.title;
  return { ...rest, state: 'pending', title, cause: catalogue().check.bootServer.later, remedy: '' };
}

/** Whether any server serves the boot files. */
export async function isServerRunning(context: StepContext): Promise<boolean> {
  return (await detectBootServer(context)) !== null;
}

/**
 * Writes which addresses may fetch which ignition file, and starts the boot server as a job that outlives the wizard. A
 * running server rereads its configuration when that changes: nodes were added, or their addresses corrected.
 */
export async function startBootServerJob(context: StepContext, report: (line: string) => void): Promise<void> {
  const { jobsDir, bootConfig, stateDir } = workspace(context.dir);
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  await writeIgnitionAccess(context);
  const existingJob = await findJob(jobsDir, BOOT_SERVER_JOB);
  // A failing job waits before its next restart. Another server may serve by now, or the cause is
  // corrected: do not wait.
  if (existingJob && isJobFailing(existingJob)) await stopJob(jobsDir, BOOT_SERVER_JOB, context);
  const server = await detectBootServer(context);
  if (server === 'other' || (server === 'ours' && existingJob?.isSupervised)) return;
  const statusFile = getBootStatusFile(context);
  report(words().change.server(bootUrl(context.design)));
  const argv = [process.execPath, context.programs.bootServer, bootConfig, ...getLanguageArgs()];
  await rm(statusFile, { force: true });
  const { unit } = await startJob({
    dir: jobsDir,
    name: BOOT_SERVER_JOB,
    argv,
    clock: context.clock,
    version: context.programs.version,
    restart: 'failed',
    exitReport: { executable: context.programs.executable, installDir: context.dir },
  });
  try {
    await waitUntilServing(context);
    if (unit !== null) report(words().change.serverUnit(unit));
  } catch (error) {
    // While the user is present and sees the reason, restarts by the supervisor would only obstruct
    // a remedy.
    if (!context.signal.aborted) await stopJob(jobsDir, BOOT_SERVER_JOB, context);
    throw error;
  }
}

async function waitUntilServing(context: StepContext): Promise<void> {
  const { jobsDir } = workspace(context.dir);
  const startedAt = getUptime();
  for (;;) {
    const { isServing } = await queryBootServer(context);
    if (isServing) return;
    const status = readBootStatus(getBootStatusFile(context));
    if (status?.state === 'failed') throw new UserErrorException(status.userError);
    const job = await findJob(jobsDir, BOOT_SERVER_JOB);
    if (job?.state !== 'running' || job.isAwaitingRestart || getUptime() - startedAt > START_TIMEOUT) {
      throw new UserErrorException({
        code: 'boot-server',
        title: words().serverFailed,
        cause: job?.logFile ?? '',
        remedy: words().serverFailedFix,
      });
    }
    await context.clock.sleep(SECOND, context.signal);
  }
}
