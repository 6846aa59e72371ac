import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { bootProgramPath, IN_PLACE_IGNITION_PATH, WEB_ROOT } from '../../../artifacts/shared/layout.ts';
import { readBootStatus } from '../../../bastion/boot-status.ts';
import { findJob } from '../../../bastion/job-status.ts';
import { startJob, stopJob } from '../../../bastion/jobs.ts';
import { httpProbe } from '../../../bastion/probes.ts';
import { type DesignNode, WORKER_ROLES } from '../../../design/model.ts';
import { isFailing } from '../../../diagnosis/jobs.ts';
import { MINUTE, SECOND, uptime } from '../../../ports/clock.ts';
import { catalogue, languageOption } from '../../../text/catalogue.ts';
import { TroubleError } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { anewSince, mayFetchIgnition } from './later-nodes.ts';
import { workerIgnitionFile } from './worker-ignition.ts';

const words = () => catalogue().steps.prepare;
/** Its name under the jobs of the install directory. */
export const BOOT_SERVER_JOB = 'boot-server';

/** Where the nodes fetch their boot files: always by address, never by name. */
export function serverUrl({ design }: StepContext): string {
  return `http://${design.services.bastion.ip[0] ?? ''}:${design.services.boot.httpPort}`;
}

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
  return { ...answer, server, isServerCurrent: await isEveryoneServed(context, server) };
}

/** Asks the boot server itself, at the address that the nodes use. */
async function askServer(context: StepContext): Promise<ServerAnswer> {
  const answer = await httpProbe(context.reach, context.clock, `${serverUrl(context)}/boot.ipxe`, 3 * SECOND);
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
  if (!(await isConfigCurrent(context))) await writeAtomically(bootConfig, configText(context));
  const before = await findJob(jobs, BOOT_SERVER_JOB);
  // Another server may have its port by now, or what was wrong is corrected: it begins anew, and does not wait.
  if (before && isFailing(before)) await stopJob(jobs, BOOT_SERVER_JOB, context);
  const server = await whoServes(context);
  if (server === 'other' || (server === 'ours' && before?.isSupervised)) return;
  const statusFile = statusFileOf(context);
  report(words().change.server(serverUrl(context)));
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

/** Does the boot server know exactly the nodes and addresses of the current design? */
async function isConfigCurrent(context: StepContext): Promise<boolean> {
  return (await writtenConfig(context)) === configText(context);
}

/** May every node that has still to join fetch what it needs? (Others may be let in as well: they have just joined.) */
async function isEveryoneServed(context: StepContext, server: ServerState['server']): Promise<boolean> {
  // Another server has its own file about who may have what.
  if (server === 'other') return true;
  const { ignition: written, ...others } = parsed((await writtenConfig(context)) ?? '{}');
  const { ignition: wanted, ...wantedOthers } = configOf(context);
  if (!isDeepStrictEqual(others, JSON.parse(JSON.stringify(wantedOthers)))) return false;
  return Object.entries(wanted).every(([role, { file, allow }]) => {
    const door = written?.[role];
    return allow.length === 0 || (door?.file === file && allow.every((address) => door.allow.includes(address)));
  });
}

/** Denies the ignition files to nodes that need them no more (any machine can join with one), and lets in who may have them again. */
export async function closeDoors(context: StepContext): Promise<void> {
  if ((await writtenConfig(context)) === null || (await isConfigCurrent(context))) return;
  await writeAtomically(workspace(context.dir).bootConfig, configText(context));
}

/** The clients that may fetch the ignition file of a role, by the boot server's current file. */
export async function allowedClients(context: StepContext, role: string): Promise<readonly string[]> {
  return (await openDoors(context)).find((door) => door.role === role)?.allow ?? [];
}

/** Which ignition file each role gets now, and who may have it, by the boot server's current file. */
export async function openDoors(context: StepContext): Promise<readonly (Door & { readonly role: string })[]> {
  const { ignition = {} } = parsed((await writtenConfig(context)) ?? '{}');
  return Object.entries(ignition).map(([role, door]) => ({ role, ...door }));
}

function writtenConfig({ dir }: StepContext): Promise<string | null> {
  return readFile(workspace(dir).bootConfig, 'utf8').catch(() => null);
}

function parsed(text: string): { readonly ignition?: Readonly<Record<string, Door>> } {
  try {
    return JSON.parse(text) as { ignition?: Record<string, Door> };
  } catch {
    return {};
  }
}

const statusFileOf = ({ dir }: StepContext) => join(workspace(dir).state, 'boot-server-status.json');

function configText(context: StepContext): string {
  return `${JSON.stringify(configOf(context), null, 2)}\n`;
}

function configOf(context: StepContext) {
  const { bootLog, filesOf, dir } = workspace(context.dir);
  const { bastion } = context.design.services;
  const address = bastion.ip[0] ?? '';
  return {
    listen: context.reach(address, context.design.services.boot.httpPort),
    webRoot: `${filesOf(bastion.name)}${WEB_ROOT}`,
    programsDir: `${WEB_ROOT}${bootProgramPath('').slice(0, -1)}`,
    imagesDir: context.imagesDir,
    ignition: ignitionOf(context, dir),
    anew: anewOf(context),
    logFile: bootLog,
    statusFile: statusFileOf(context),
    clockAnchorFile: context.clockAnchorFile,
  };
}

/** A running server never sees half a file, and concurrent looks do not get in each other's way. */
async function writeAtomically(file: string, text: string): Promise<void> {
  const fresh = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(fresh, text, { mode: 0o600 });
    await rename(fresh, file);
  } finally {
    await rm(fresh, { force: true });
  }
}

/** The machines that a person reported as to be installed anew, by address. */
function anewOf(context: StepContext): Readonly<Record<string, number>> {
  return Object.fromEntries(
    context.design.nodes.flatMap(({ name, ip }) => {
      const since = anewSince(context, name);
      return since === null ? [] : ip.map((address) => [context.reach(address, 0).host, since] as const);
    }),
  );
}

/** An ignition file and the addresses that may have it. */
interface Door {
  readonly file: string;
  readonly allow: readonly string[];
  /** The job (and its directory) whose good end closes the door, whether the wizard runs or not. */
  readonly until?: { readonly jobs: string; readonly job: string };
}

/** Which file each role gets, and who may have it: only machines of that role, and only until they have joined. */
function ignitionOf(context: StepContext, dir: string): Readonly<Record<string, Door>> {
  const nodes = mayFetchIgnition(context);
  const addresses = (roles: readonly DesignNode['role'][]) =>
    nodes
      .filter(({ role }) => roles.includes(role))
      .flatMap(({ ip }) => ip.map((address) => context.reach(address, 0).host));
  const file = (name: string) => join(dir, basename(name));
  const worker = { file: workerIgnitionFile(context), allow: addresses(WORKER_ROLES) };
  if (context.design.topology === 'single-node') {
    // The one node installs itself from its live system; the name is the one that its boot script asks for.
    const name = basename(IN_PLACE_IGNITION_PATH);
    const own = { [basename(name, '.ign')]: { file: file(name), allow: addresses(['control-plane']) } };
    return worker.allow.length === 0 ? own : { ...own, worker };
  }
  return {
    bootstrap: {
      file: file('bootstrap.ign'),
      allow: addresses(['bootstrap']),
      until: { jobs: workspace(dir).jobs, job: 'bootstrap-complete' },
    },
    master: { file: file('master.ign'), allow: addresses(['control-plane']) },
    worker,
  };
}
