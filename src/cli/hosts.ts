import { parseArgs } from 'node:util';
import type { StepContext } from '../steps/contract.ts';
import { lookAtHosts } from '../steps/hosts/setup/look.ts';
import { hostsInOrder } from '../steps/shared/hosts/order.ts';
import { catalogue } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { hostJson, hostsText } from './hosts-text.ts';
import { withLive } from './live.ts';
import type { LiveIo } from './live-io.ts';
import { UsageError } from './usage.ts';
import type { Programs } from './world.ts';

const words = () => catalogue().hosts;
const ACTIONS = ['plan'] as const;

/**
 * `upi-wizard hosts plan [--host H] [--json]`: the service hosts of an install directory, each with what its `install.sh` would
 * change there now, in the order in which they are set up. Writes nothing on any of them.
 * @returns 4 when a host could not be looked at
 */
export async function hostsCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      dir: { type: 'string' },
      host: { type: 'string', multiple: true },
      json: { type: 'boolean', default: false },
    },
  });
  const [action, extra] = positionals;
  if (action === undefined) throw new UsageError(words().noAction);
  if (!ACTIONS.some((known) => known === action)) throw new UsageError(words().unknownAction(sanitizeLine(action, 80)));
  if (extra !== undefined) throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(extra, 80)));
  return await withLive({ dir: values.dir }, io, programs, async ({ session }) => {
    if (session === null) return 3;
    const { context } = session;
    const seen = await lookAtHosts(context, chosen(context, values.host));
    io.stdout(values.json ? jsonText({ hosts: seen.map(hostJson) }) : hostsText(seen, io.columns));
    return seen.every(({ trouble }) => trouble === null) ? 0 : 4;
  });
}

/** The hosts of an option, in the order of their setup, whatever order the person named them in. */
function chosen({ design }: StepContext, names: readonly string[] | undefined) {
  const hosts = hostsInOrder(design);
  const wanted = names?.flatMap((list) => list.split(',')).map((name) => name.trim());
  const unknown = wanted?.find((name) => !hosts.some((host) => host.name === name));
  if (unknown !== undefined)
    throw new UsageError(words().unknownHost(sanitizeLine(unknown, 80), hosts.map(({ name }) => name).join(', ')));
  return hosts.filter(({ name }) => wanted === undefined || wanted.includes(name));
}
