import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { bootProgramPath, IN_PLACE_IGNITION_PATH, WEB_ROOT } from '../../../artifacts/shared/layout.ts';
import { type BootServerConfig, parseBootConfig } from '../../../bastion/boot/boot-config.ts';
import { type DesignNode, WORKER_ROLES } from '../../../design/model.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { anewSince, mayFetchIgnition } from './later-nodes.ts';
import { workerIgnitionFile } from './worker-ignition.ts';

/** By role: an ignition file, and the addresses that may have it. */
type Doors = BootServerConfig['ignition'];

/** Writes down for the boot server who may have which ignition; the file stays untouched where it says so already. */
export async function writeDoors(context: StepContext): Promise<void> {
  const wanted = configText(context);
  if ((await writtenText(context)) !== wanted) await writeAtomically(workspace(context.dir).bootConfig, wanted);
}

/** Denies the ignition files to nodes that need them no more (any machine can join with one), and lets in who may have them again. */
export async function closeDoors(context: StepContext): Promise<void> {
  if ((await writtenText(context)) !== null) await writeDoors(context);
}

/** May every node that has still to join fetch what it needs? (Others may be let in as well: they have just joined.) */
export async function isEveryoneServed(context: StepContext): Promise<boolean> {
  const [written, config] = [await writtenConfig(context), parseBootConfig(configText(context))];
  if (written === null || !isDeepStrictEqual({ ...written, ignition: null }, { ...config, ignition: null }))
    return false;
  return Object.entries(config.ignition).every(([role, { file, allow }]) => {
    const door = written.ignition[role];
    return allow.length === 0 || (door?.file === file && allow.every((address) => door.allow.includes(address)));
  });
}

/** The clients that may fetch the ignition file of a role, by the boot server's current file. */
export async function allowedClients(context: StepContext, role: string): Promise<readonly string[]> {
  return (await openDoors(context)).find((door) => door.role === role)?.allow ?? [];
}

/** Which ignition file each role gets now, and who may have it, by the boot server's current file. */
export async function openDoors(context: StepContext): Promise<readonly (Doors[string] & { readonly role: string })[]> {
  const { ignition = {} } = (await writtenConfig(context)) ?? {};
  return Object.entries(ignition).map(([role, door]) => ({ role, ...door }));
}

function writtenText({ dir }: StepContext): Promise<string | null> {
  return readFile(workspace(dir).bootConfig, 'utf8').catch(() => null);
}

/** Null: nothing is written, or what the boot server would not read either. */
async function writtenConfig(context: StepContext): Promise<BootServerConfig | null> {
  const text = await writtenText(context);
  try {
    return text === null ? null : parseBootConfig(text);
  } catch {
    return null;
  }
}

/** Where the boot server says what became of its start. */
export const statusFileOf = ({ dir }: StepContext) => join(workspace(dir).state, 'boot-server-status.json');

function configText(context: StepContext): string {
  return `${JSON.stringify(configOf(context), null, 2)}\n`;
}

function configOf(context: StepContext): BootServerConfig {
  const { bootLog, filesOf, dir } = workspace(context.dir);
  const { bastion } = context.design.services;
  const address = bastion.ip[0];
  return {
    listen: context.reach(address, context.design.services.boot.httpPort),
    webRoot: `${filesOf(bastion.name)}${WEB_ROOT}`,
    programsDir: join(
      context.hostsDir === null ? '/' : join(context.hostsDir, bastion.name),
      WEB_ROOT,
      bootProgramPath('.'),
    ),
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
function anewOf(context: StepContext): Record<string, number> {
  return Object.fromEntries(
    context.design.nodes.flatMap(({ name, ip }) => {
      const since = anewSince(context, name);
      return since === null ? [] : ip.map((address) => [context.reach(address, 0).host, since] as const);
    }),
  );
}

/** Which file each role gets, and who may have it: only machines of that role, and only until they have joined. */
function ignitionOf(context: StepContext, dir: string): Doors {
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
