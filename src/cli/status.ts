import { parseArgs } from 'node:util';
import { lookAtStatus } from '../steps/status/look.ts';
import { catalogue } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { TARGET_OPTIONS, withLive } from './shared/live.ts';
import type { LiveIo } from './shared/live-io.ts';
import { UsageError } from './shared/usage.ts';
import type { Programs } from './shared/world.ts';
import { statusText } from './status/text.ts';
import { watchStatus } from './status/watch.ts';

const words = () => catalogue().live;

/**
 * `upi-wizard status [--watch]`: one look at the cluster, against the design, or many until a person ends it.
 * @returns the exit code: 4 when the API, or a part of it, did not answer (the rest is still shown); watching ends with
 * 0 for `q` and with the code of a signal
 */
export async function statusCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const options = { ...TARGET_OPTIONS, watch: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (positionals[0] !== undefined) throw new UsageError(words().unexpectedArgument(positionals[0]));
  return await withLive(values, io, programs, async (live) => {
    if (values.watch) return await watchStatus(live.clock, (past) => lookAtStatus(live, past), io, values.json);
    const { status, waits, troubles, skew } = await lookAtStatus(live);
    io.stdout(values.json ? jsonText(status) : statusText(status, waits, io.columns).join(''));
    for (const { title, cause, whatToDo } of [...troubles, ...(skew ? [skew] : [])])
      io.stderr(words().trouble(title, cause, whatToDo));
    return troubles.length > 0 ? 4 : 0;
  });
}
