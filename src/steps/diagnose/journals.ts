import { runPatience } from '../../bastion/patience.ts';
import { runOverSsh } from '../../bastion/ssh/ssh-run.ts';
import type { Line } from '../../diagnosis/causes/evidence.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { asTrouble, TroubleError } from '../../text/trouble.ts';
import type { StepContext } from '../contract.ts';
import { coreLogin } from '../shared/installer/core-login.ts';
import { journalLines, type OnUnread } from './log-lines.ts';
import { stillSaid, withoutOver } from './over.ts';

const words = () => catalogue().diagnose.journals;

const MOST_NODES = 3;
/** Ssh itself gives up after 5 s where nobody answers; a machine that let us in may hang on its disk. */
const PATIENCE = 20 * SECOND;
/** What keeps a node out of the cluster speaks in these. */
const UNITS =
  'kubelet crio NetworkManager-wait-online node-valid-hostname machine-config-daemon-firstboot machine-config-daemon-pull chronyd nodeip-configuration';
const COMMAND = `sudo -n journalctl -b --no-pager -q -o short-iso -n 300 ${UNITS.split(' ')
  .map((unit) => `-u ${unit}`)
  .join(' ')} 2>/dev/null | tail -n 300`;

/**
 * The journals of nodes that do not do what they should, without what is over: some at a time, and each for 20 seconds.
 * @param nodes name and address
 * @param onUnread gets each that does not let us in, or does not answer then, and why
 */
export async function nodeLines(
  context: StepContext,
  nodes: readonly { readonly name: string; readonly address: string }[],
  onUnread: OnUnread,
): Promise<Line[]> {
  const asked = nodes.slice(0, MOST_NODES).map(async ({ name, address }) => {
    const said = await journalOf(context, name, address);
    if ('why' in said) {
      onUnread(name, said.why);
      return [];
    }
    const lines = journalLines(said.text, name, context.clock.now()).map((line) => ({ ...line, path: name }));
    return withoutOver(stillSaid(lines, null)).map(({ path: _, ...line }) => line);
  });
  return (await Promise.all(asked)).flat();
}

async function journalOf(
  context: StepContext,
  name: string,
  address: string,
): Promise<{ readonly text: string } | { readonly why: string }> {
  const login = await coreLogin(context, address, `known_hosts-${name}`);
  if (typeof login === 'string') return { why: login };
  const patience = runPatience(context.clock, PATIENCE, PATIENCE);
  const signal = AbortSignal.any([context.signal, patience.signal]);
  try {
    const { stdout } = await runOverSsh({ program: login.program, target: login.target, command: COMMAND, signal });
    return { text: stdout };
  } catch (error) {
    context.signal.throwIfAborted();
    if (patience.signal.aborted) return { why: words().silent(PATIENCE / SECOND) };
    if (!(error instanceof TroubleError)) throw error;
    return { why: asTrouble(error).cause };
  } finally {
    patience.end();
  }
}
