import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import { runOverSsh } from '../../host/ssh.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { toUserError, UserErrorException } from '../../i18n/user-error.ts';
import { SECOND } from '../../platform/clock.ts';

import { startDeadline } from '../../probes/open-inside.ts';
import type { StepContext } from '../contract.ts';
import { resolveCoreLogin } from '../shared/installer/core-login.ts';
import { type OnUnread, parseJournalLines } from './log-lines.ts';
import { dropResolvedLines, dropStaleLines } from './stale-lines.ts';

const words = () => catalogue().diagnose.journals;

const MAX_NODES = 3;
/** SSH gives up after 5 s without an answer; a machine that accepts the login may hang on its disk. */
const READ_TIMEOUT = 20 * SECOND;
/** Units whose messages explain why a node does not join the cluster. */
const UNITS =
  'kubelet crio NetworkManager-wait-online node-valid-hostname machine-config-daemon-firstboot machine-config-daemon-pull chronyd nodeip-configuration';
const COMMAND = `sudo -n journalctl -b --no-pager -q -o short-iso -n 300 ${UNITS.split(' ')
  .map((unit) => `-u ${unit}`)
  .join(' ')} 2>/dev/null | tail -n 300`;

/**
 * Reads the journals of nodes with problems, without resolved errors: of a few nodes at once, each within 20 seconds.
 * @param nodes name and address
 * @param onUnread receives each node that refuses the login or does not answer in time, and the reason
 */
export async function readNodeLines(
  context: StepContext,
  nodes: readonly { readonly name: string; readonly address: string }[],
  onUnread: OnUnread,
): Promise<EvidenceLine[]> {
  const reads = nodes.slice(0, MAX_NODES).map(async ({ name, address }) => {
    const journal = await readJournal(context, name, address);
    if ('why' in journal) {
      onUnread(name, journal.why);
      return [];
    }
    const lines = parseJournalLines(journal.text, name, context.clock.now()).map((line) => ({ ...line, path: name }));
    return dropResolvedLines(dropStaleLines(lines, null)).map(({ path: _, ...line }) => line);
  });
  return (await Promise.all(reads)).flat();
}

async function readJournal(
  context: StepContext,
  name: string,
  address: string,
): Promise<{ readonly text: string } | { readonly why: string }> {
  const login = await resolveCoreLogin(context, address, `known_hosts-${name}`);
  if (typeof login === 'string') return { why: login };
  const deadline = startDeadline(context.clock, READ_TIMEOUT, READ_TIMEOUT);
  const signal = AbortSignal.any([context.signal, deadline.signal]);
  try {
    const { stdout } = await runOverSsh({ program: login.program, target: login.target, command: COMMAND, signal });
    return { text: stdout };
  } catch (error) {
    context.signal.throwIfAborted();
    if (deadline.signal.aborted) return { why: words().timeout(READ_TIMEOUT / SECOND) };
    if (!(error instanceof UserErrorException)) throw error;
    return { why: toUserError(error).cause };
  } finally {
    deadline.end();
  }
}
