import { parseArgs } from 'node:util';
import { catalogue } from '../i18n/catalogue.ts';
import { formatJson } from '../platform/format-json.ts';
import { probeStatus } from '../steps/status/probe.ts';
import { TARGET_OPTIONS, withLiveTarget } from './shared/live.ts';
import type { LiveIo } from './shared/live-io.ts';
import type { Programs } from './shared/runtime.ts';
import { UsageError } from './shared/usage.ts';
import { formatStatus } from './status/text.ts';
import { watchStatus } from './status/watch.ts';

const words = () => catalogue().live;

/**
 * `upi-wizard status [--watch]`: probes the cluster and compares it with the design, once, or with --watch until the
 * user ends it.
 * @returns the exit code: 4 if the API, or a part of it, did not answer (the rest is still shown); watching ends with 0
 * for `q`, and with the code of a signal
 */
export async function statusCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const options = { ...TARGET_OPTIONS, watch: { type: 'boolean', default: false } } as const;
  const { values, positionals } = parseArgs({ args: [...argv], options, allowPositionals: true });
  if (positionals[0] !== undefined) throw new UsageError(words().unexpectedArgument(positionals[0]));
  return await withLiveTarget(values, io, programs, async (live) => {
    if (values.watch)
      return await watchStatus(live.clock, (apiHealth) => probeStatus(live, apiHealth), io, values.json);
    const { status, waits, userErrors, skew } = await probeStatus(live);
    io.stdout(values.json ? formatJson(status) : formatStatus(status, waits, io.columns).join(''));
    for (const { title, cause, remedy } of [...userErrors, ...(skew ? [skew] : [])])
      io.stderr(words().userError(title, cause, remedy));
    return userErrors.length > 0 ? 4 : 0;
  });
}
