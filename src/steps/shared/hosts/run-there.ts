import { readFile } from 'node:fs/promises';
import { askProgram } from '../../../bastion/ask-program.ts';
import { ownAddresses } from '../../../bastion/machine/facts.ts';
import { runOverSsh } from '../../../bastion/ssh/ssh-run.ts';
import type { SshTarget } from '../../../bastion/ssh/ssh-target.ts';
import type { ServiceHost } from '../../../design/model.ts';
import { serviceHosts } from '../../../design/names.ts';
import { findProgram } from '../../../installer/find.ts';
import { SECOND } from '../../../ports/clock.ts';
import { catalogue } from '../../../text/catalogue.ts';
import { shellWord } from '../../../text/shell-word.ts';
import { asTrouble } from '../../../text/trouble.ts';
import type { StepContext } from '../../contract.ts';

const words = () => catalogue().steps.boot.look;

const SSH_PORT = 22;
const MOST_BYTES = 2 * 1024 * 1024;
/** Real milliseconds for a look at this machine. */
const PATIENCE = 10_000;
/** So long a file that was read counts (ms of the clock): several looks ask for the same one. */
const FRESH = 60 * SECOND;

/** What a command printed, or in words why it could not be run. */
export type Said = { readonly text: string } | { readonly why: string };

/** Whether a service host is this machine. */
export function isSelf({ ip }: ServiceHost): boolean {
  const own = ownAddresses();
  return ip.some((address) => own.has(address));
}

/** Where ssh finds a host of the site, as this user's configuration logs in there. */
export function sshTarget({ reach }: Pick<StepContext, 'reach'>, address: string): SshTarget {
  const { host, port } = reach(address, SSH_PORT);
  return { host, port: port === SSH_PORT ? null : port, user: null, options: [] };
}

/** Runs a command that only looks on a service host: here, or over SSH with this user's keys, known hosts and configuration. Asks nobody. */
export async function runThere(context: StepContext, host: ServiceHost, command: string): Promise<Said> {
  if (isSelf(host)) {
    const text = await askProgram('sh', ['-c', command], PATIENCE);
    return text === null ? { why: words().notHere } : { text };
  }
  const program = await findProgram('ssh', context.programPath);
  if (program === null) return { why: words().noSsh };
  const target = sshTarget(context, host.ip[0]);
  try {
    const { stdout } = await runOverSsh({ program, target, command, signal: context.signal, mostBytes: MOST_BYTES });
    return { text: stdout };
  } catch (error) {
    context.signal.throwIfAborted();
    return { why: asTrouble(error).cause };
  }
}

/**
 * The text of a file of a service host: by the hands, here where this machine is that host, or over SSH; read once in a minute.
 * @param name the host's short name
 * @returns null where it cannot be read from here, or is not there
 */
export async function readThere(context: StepContext, name: string, path: string): Promise<string | null> {
  const given = await context.hands.readFile(name, path);
  const host = serviceHosts(context.design).find((each) => each.name === name);
  if (given !== null || !context.hands.isPerson || host === undefined) return given;
  if (isSelf(host)) return await readFile(path, 'utf8').catch(() => null);
  const file = shellWord(path);
  // Another user may read what root owns, if sudo lets them.
  return await sayThere(
    context,
    host,
    `if test -r ${file}; then cat ${file}; else sudo -n cat ${file}; fi 2>/dev/null`,
  );
}

/** What a command that only looks printed on a service host, at most a minute ago; null: nothing, or it cannot be run from here. */
export async function sayThere(context: StepContext, host: ServiceHost, command: string): Promise<string | null> {
  const { hostTexts } = context.recollection;
  const key = `${host.name} ${command}`;
  const now = context.clock.now();
  const known = hostTexts.get(key);
  if (known !== undefined && now - known.at < FRESH) return await known.text;
  const text = runThere(context, host, command).then(
    (said) => ('text' in said && said.text !== '' ? said.text : null),
    () => null,
  );
  hostTexts.set(key, { at: now, text });
  return await text;
}
