import { readFile } from 'node:fs/promises';
import { serviceHosts } from '../../../design/derived-facts.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { listLocalAddresses } from '../../../host/machine.ts';
import { readProgramOutput } from '../../../host/programs.ts';
import { runOverSsh, type SshTarget } from '../../../host/ssh.ts';
import { catalogue } from '../../../i18n/catalogue.ts';
import { toUserError } from '../../../i18n/user-error.ts';
import { findProgram } from '../../../installer/find-program.ts';
import { SECOND } from '../../../platform/clock.ts';

import { quoteShellArg } from '../../../platform/shell-quoting.ts';
import type { StepContext } from '../../contract.ts';

const words = () => catalogue().steps.boot.probe;

const SSH_PORT = 22;
const MAX_BYTES = 2 * 1024 * 1024;
/** Real milliseconds, for a command on this machine. */
const LOCAL_TIMEOUT = 10_000;
/** How long a file that was read stays valid (ms of the clock): several probes request the same one. */
const CACHE_PERIOD = 60 * SECOND;

/** The output of a command, or the reason why it could not run. */
export type CommandOutput = { readonly text: string } | { readonly reason: string };

/** Whether a service host is this machine. */
export function isLocalHost({ ip }: ServiceHost): boolean {
  const localAddresses = listLocalAddresses();
  return ip.some((address) => localAddresses.has(address));
}

/** Resolves where ssh finds a host of the site. The login follows the user's ssh configuration. */
export function resolveSshTarget(
  { resolveEndpoint }: Pick<StepContext, 'resolveEndpoint'>,
  address: string,
): SshTarget {
  const { host, port } = resolveEndpoint(address, SSH_PORT);
  return { host, port: port === SSH_PORT ? null : port, user: null, options: [] };
}

/**
 * Runs a read-only command on a service host: here, or over SSH with the user's keys, known hosts and configuration.
 * Never prompts.
 */
export async function runHostCommand(context: StepContext, host: ServiceHost, command: string): Promise<CommandOutput> {
  if (isLocalHost(host)) {
    const text = await readProgramOutput('sh', ['-c', command], LOCAL_TIMEOUT);
    return text === null ? { reason: words().localTimeout } : { text };
  }
  const program = await findProgram('ssh', context.programPath);
  if (program === null) return { reason: words().noSsh };
  const target = resolveSshTarget(context, host.ip[0]);
  try {
    const { stdout } = await runOverSsh({ program, target, command, signal: context.signal, maxBytes: MAX_BYTES });
    return { text: stdout };
  } catch (error) {
    context.signal.throwIfAborted();
    return { reason: toUserError(error).cause };
  }
}

/**
 * Reads the text of a file of a service host: through the manual actions, here if this machine is that host, or over
 * SSH; at most once a minute.
 * @param name the host's short name
 * @returns null if it cannot be read from here, or does not exist
 */
export async function readHostFile(context: StepContext, name: string, path: string): Promise<string | null> {
  const simulated = await context.manualActions.readFile(name, path);
  const host = serviceHosts(context.design).find((each) => each.name === name);
  if (simulated !== null || !context.manualActions.isManual || host === undefined) return simulated;
  if (isLocalHost(host)) return await readFile(path, 'utf8').catch(() => null);
  const file = quoteShellArg(path);
  // Another user can read files of root if sudo allows it.
  return await readCommandOutput(
    context,
    host,
    `if test -r ${file}; then cat ${file}; else sudo -n cat ${file}; fi 2>/dev/null`,
  );
}

/**
 * The output of a read-only command on a service host, at most a minute old; null: none, or the command cannot run from
 * here.
 */
export async function readCommandOutput(
  context: StepContext,
  host: ServiceHost,
  command: string,
): Promise<string | null> {
  const { hostTexts } = context.probeCache;
  const key = `${host.name} ${command}`;
  const now = context.clock.now();
  const cached = hostTexts.get(key);
  if (cached !== undefined && now - cached.at < CACHE_PERIOD) return await cached.text;
  const text = runHostCommand(context, host, command).then(
    (output) => ('text' in output && output.text !== '' ? output.text : null),
    () => null,
  );
  hostTexts.set(key, { at: now, text });
  return await text;
}
