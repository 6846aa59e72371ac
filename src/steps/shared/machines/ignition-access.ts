import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { bootProgramPath, IN_PLACE_IGNITION_PATH, WEB_ROOT } from '../../../artifacts/shared/generator.ts';
import { WORKER_ROLES } from '../../../design/choices.ts';
import { listNodesWithRole } from '../../../design/derived-facts.ts';
import type { DesignNode } from '../../../design/model.ts';
import { type BootServerConfig, parseBootConfig } from '../../../host/boot-server/boot-config.ts';
import type { MachinePlan } from '../../../host/boot-server/machine-report.ts';
import type { StepContext } from '../../contract.ts';
import { workspace } from '../workspace.ts';
import { listMachinePlans, listMachineRequirements } from './machine-reports.ts';
import { getReinstalledAt, listIgnitionClients } from './node-facts.ts';
import { getNodeIgnitionFile } from './node-ignition.ts';

/** By role: an ignition file, and the addresses that may fetch it. */
type IgnitionAccess = BootServerConfig['ignition'];

/** Writes for the boot server which addresses may fetch which ignition file; an identical file stays untouched. */
export async function writeIgnitionAccess(context: StepContext): Promise<void> {
  const configText = `${JSON.stringify(buildConfig(context, await listMachinePlans(context)), null, 2)}\n`;
  if ((await readConfigText(context)) !== configText)
    await writeAtomically(workspace(context.dir).bootConfig, configText);
}

/**
 * Revokes the access of nodes that no longer need their ignition files, with which any machine could join. Grants
 * access to the nodes that may fetch them again.
 */
export async function updateIgnitionAccess(context: StepContext): Promise<void> {
  if ((await readConfigText(context)) !== null) await writeIgnitionAccess(context);
}

/**
 * Writes for the boot server what the design requires of machines now, so that a machine that the boot server stopped
 * retries.
 */
export async function updateMachinePlans(context: StepContext): Promise<void> {
  const config = await readConfig(context);
  const requirements = config?.machines?.map(({ clients: _clients, questions: _questions, ...each }) => each);
  if (config === null || isDeepStrictEqual(requirements, listMachineRequirements(context.design))) return;
  const machines = await listMachinePlans(context);
  await writeAtomically(workspace(context.dir).bootConfig, `${JSON.stringify({ ...config, machines }, null, 2)}\n`);
}

/**
 * Whether every node that has still to join may fetch what it needs. (Others may have access as well: they have just
 * joined.)
 */
export async function isIgnitionAccessCurrent(context: StepContext): Promise<boolean> {
  const [writtenConfig, config] = [await readConfig(context), buildConfig(context, [])];
  if (writtenConfig === null || !isDeepStrictEqual(omitUpdatedParts(writtenConfig), omitUpdatedParts(config)))
    return false;
  return Object.entries(config.ignition).every(([role, { file, allow }]) => {
    const entry = writtenConfig.ignition[role];
    return allow.length === 0 || (entry?.file === file && allow.every((address) => entry.allow.includes(address)));
  });
}

/** Omits the parts that the wizard updates without an action of the user. */
function omitUpdatedParts(config: BootServerConfig): BootServerConfig {
  return { ...config, ignition: {}, machines: [] };
}

/**
 * Reads which ignition file each role gets now, and which addresses may fetch it, from the boot server's current file.
 */
export async function readIgnitionAccess(
  context: StepContext,
): Promise<readonly (IgnitionAccess[string] & { readonly role: string })[]> {
  const { ignition = {} } = (await readConfig(context)) ?? {};
  return Object.entries(ignition).map(([role, entry]) => ({ role, ...entry }));
}

function readConfigText({ dir }: StepContext): Promise<string | null> {
  return readFile(workspace(dir).bootConfig, 'utf8').catch(() => null);
}

/** Reads the boot server's file; null if there is none, or if the boot server could not read it either. */
async function readConfig(context: StepContext): Promise<BootServerConfig | null> {
  const text = await readConfigText(context);
  try {
    return text === null ? null : parseBootConfig(text);
  } catch {
    return null;
  }
}

/** Returns the file in which the boot server reports the result of its start. */
export const getBootStatusFile = ({ dir }: StepContext) => join(workspace(dir).stateDir, 'boot-server-status.json');

function buildConfig(context: StepContext, machines: MachinePlan[]): BootServerConfig {
  const { bootLog, hostFilesDir, dir } = workspace(context.dir);
  const { bastion } = context.design.services;
  const address = bastion.ip[0];
  return {
    listen: context.resolveEndpoint(address, context.design.services.boot.httpPort),
    webRoot: `${hostFilesDir(bastion.name)}${WEB_ROOT}`,
    programsDir: join(
      context.hostsDir === null ? '/' : join(context.hostsDir, bastion.name),
      WEB_ROOT,
      bootProgramPath('.'),
    ),
    imagesDir: context.imagesDir,
    ignition: buildIgnitionAccess(context, dir),
    anew: listReinstallTimes(context),
    machines,
    logFile: bootLog,
    statusFile: getBootStatusFile(context),
    clockAnchorFile: context.clockAnchorFile,
  };
}

/**
 * Writes a file under another name and renames it: a running server never reads half of it. Safe for concurrent probes.
 */
async function writeAtomically(file: string, text: string): Promise<void> {
  const tempFile = `${file}.${randomUUID()}.new`;
  try {
    await writeFile(tempFile, text, { mode: 0o600 });
    await rename(tempFile, file);
  } finally {
    await rm(tempFile, { force: true });
  }
}

/** Lists when the user marked machines as reinstalled, by their addresses. */
function listReinstallTimes(context: StepContext): Record<string, number> {
  return Object.fromEntries(
    context.design.nodes.flatMap(({ name, ip }) => {
      const reinstalledAt = getReinstalledAt(context, name);
      return reinstalledAt === null
        ? []
        : ip.map((address) => [context.resolveEndpoint(address, 0).host, reinstalledAt] as const);
    }),
  );
}

/**
 * Builds the access of each role: the file, and the addresses of the machines that may fetch it. These have the role,
 * and have not joined.
 */
function buildIgnitionAccess(context: StepContext, dir: string): IgnitionAccess {
  const nodes = listIgnitionClients(context);
  const listAddresses = (roles: readonly DesignNode['role'][]) =>
    nodes
      .filter(({ role }) => roles.includes(role))
      .flatMap(({ ip }) => ip.map((address) => context.resolveEndpoint(address, 0).host));
  const resolveFile = (name: string) => join(dir, basename(name));
  const worker = { file: getNodeIgnitionFile(context, 'worker'), allow: listAddresses(WORKER_ROLES) };
  if (context.design.topology === 'single-node') {
    // The one node installs itself from its live system; the name is the one that its boot script requests.
    const name = basename(IN_PLACE_IGNITION_PATH);
    const inPlace = { [basename(name, '.ign')]: { file: resolveFile(name), allow: listAddresses(['control-plane']) } };
    return worker.allow.length === 0 ? inPlace : { ...inPlace, worker };
  }
  return {
    bootstrap: {
      file: resolveFile('bootstrap.ign'),
      allow: listAddresses(['bootstrap']),
      until: { jobs: workspace(dir).jobsDir, job: 'bootstrap-complete' },
    },
    master: { file: getNodeIgnitionFile(context, 'master'), allow: listAddresses(['control-plane']) },
    ...(listNodesWithRole(context.design, 'arbiter').length === 0
      ? {}
      : { arbiter: { file: getNodeIgnitionFile(context, 'arbiter'), allow: listAddresses(['arbiter']) } }),
    worker,
  };
}
