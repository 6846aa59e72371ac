import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { bootProgramPath, IN_PLACE_IGNITION_PATH, WEB_ROOT } from '../artifacts/layout.ts';
import { readBootStatus } from '../bastion/boot-status.ts';
import { findJob, startJob } from '../bastion/jobs.ts';
import { httpProbe } from '../bastion/probes.ts';
import type { DesignNode } from '../design/model.ts';
import { nodesWithRole } from '../design/names.ts';
import { MINUTE, SECOND } from '../ports/clock.ts';
import { steps } from '../text/en/steps.ts';
import { TroubleError } from '../text/trouble.ts';
import type { StepContext } from './contract.ts';
import { workspace } from './workspace.ts';

const words = steps.prepare;
const JOB = 'boot-server';

/** Where the nodes fetch their boot files: always by address, never by name. */
export function serverUrl({ design }: StepContext): string {
  return `http://${design.services.bastion.ip[0] ?? ''}:${design.services.boot.httpPort}`;
}

/** Asks the boot server itself, at the address that the nodes use. */
export async function askServer(context: StepContext): Promise<{ isServing: boolean; serverDetail: string }> {
  const answer = await httpProbe(context.reach, context.clock, `${serverUrl(context)}/boot.ipxe`, 3 * SECOND);
  // Nodes that boot from the ISO need no boot.ipxe, and there is none.
  const isThere = answer.status === 200 || (context.design.services.boot.kind === 'iso' && answer.status === 404);
  return { isServing: isThere, serverDetail: answer.detail };
}

/** In a sped-up rehearsal a program still takes its real time to start. */
const STARTED_WITHIN = 10 * MINUTE;

/** Is the job there? (It may be answering or not.) A restart of the bastion ends it. */
export async function isServerRunning(context: StepContext): Promise<boolean> {
  return (await findJob(workspace(context.dir).jobs, JOB))?.state === 'running';
}

/**
 * Writes down who may have which ignition, and starts the boot server as a job that outlives us. One that runs reads its file
 * again when it changed: nodes were added, or their addresses corrected.
 */
export async function serve(context: StepContext, report: (line: string) => void): Promise<void> {
  const { jobs, bootConfig, state } = workspace(context.dir);
  await mkdir(state, { recursive: true, mode: 0o700 });
  if (!(await isConfigCurrent(context))) await writeAtomically(bootConfig, configText(context));
  if (await isServerRunning(context)) return;
  const statusFile = statusFileOf(context);
  report(words.change.server(serverUrl(context)));
  const argv = [process.execPath, context.programs.bootServer, bootConfig];
  await rm(statusFile, { force: true });
  await startJob({ dir: jobs, name: JOB, argv, clock: context.clock });
  const began = context.clock.now();
  for (;;) {
    const { isServing } = await askServer(context);
    if (isServing) return;
    const status = readBootStatus(statusFile);
    if (status?.state === 'failed') throw new TroubleError(status.trouble);
    const job = await findJob(jobs, JOB);
    if (job?.state !== 'running' || context.clock.now() - began > STARTED_WITHIN) {
      throw new TroubleError({
        code: 'boot-server',
        title: words.serverFailed,
        cause: job?.logFile ?? '',
        whatToDo: words.serverFailedFix,
      });
    }
    await context.clock.sleep(SECOND, context.signal);
  }
}

/** Does the boot server know the nodes and addresses as they are in the design now? */
export async function isConfigCurrent(context: StepContext): Promise<boolean> {
  const written = await readFile(workspace(context.dir).bootConfig, 'utf8').catch(() => null);
  return written === configText(context);
}

const statusFileOf = ({ dir }: StepContext) => join(workspace(dir).state, 'boot-server-status.json');

function configText(context: StepContext): string {
  const { bootLog, filesOf, dir } = workspace(context.dir);
  const { bastion } = context.design.services;
  const address = bastion.ip[0] ?? '';
  const config = {
    listen: context.reach(address, context.design.services.boot.httpPort),
    webRoot: `${filesOf(bastion.name)}${WEB_ROOT}`,
    programsDir: `${WEB_ROOT}${bootProgramPath('').slice(0, -1)}`,
    imagesDir: context.imagesDir,
    ignition: ignitionOf(context, dir),
    logFile: bootLog,
    statusFile: statusFileOf(context),
    clockAnchorFile: context.clockAnchorFile,
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/** The server that runs never sees half a file. */
async function writeAtomically(file: string, text: string): Promise<void> {
  await writeFile(`${file}.new`, text, { mode: 0o600 });
  await rename(`${file}.new`, file);
}

/** Which file each role gets, and who may have it: only the machines of that role. */
function ignitionOf(context: StepContext, dir: string) {
  const addresses = (roles: readonly DesignNode['role'][]) =>
    nodesWithRole(context.design, ...roles).flatMap(({ ip }) => ip.map((address) => context.reach(address, 0).host));
  const file = (name: string) => join(dir, basename(name));
  if (context.design.topology === 'single-node') {
    // The one node installs itself from its live system; the name is the one that its boot script asks for.
    const name = basename(IN_PLACE_IGNITION_PATH);
    return { [basename(name, '.ign')]: { file: file(name), allow: addresses(['control-plane']) } };
  }
  return {
    bootstrap: { file: file('bootstrap.ign'), allow: addresses(['bootstrap']) },
    master: { file: file('master.ign'), allow: addresses(['control-plane']) },
    worker: { file: file('worker.ign'), allow: addresses(['compute', 'infra', 'storage']) },
  };
}
