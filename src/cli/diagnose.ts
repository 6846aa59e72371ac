import { parseArgs } from 'node:util';
import type { Diagnosis } from '../diagnosis/causes/index.ts';
import { diagnoseNow, diagnosisLines } from '../steps/diagnose/index.ts';
import { catalogue } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { withLive } from './live.ts';
import { type LiveIo, wrappedLine } from './live-io.ts';
import { UsageError } from './usage.ts';
import type { Programs } from './world.ts';

const words = () => catalogue().diagnose;

/**
 * `upi-wizard diagnose [--dir D] [--json]`: what is wrong with an installation, the most likely cause first.
 * Changes nothing.
 * @returns 3 when the design has errors, 4 when something was found
 */
export async function diagnoseCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { dir: { type: 'string' }, json: { type: 'boolean', default: false } },
    allowPositionals: true,
  });
  const [argument] = positionals;
  if (argument !== undefined) throw new UsageError(words().unexpected(sanitizeLine(argument, 80)));
  return await withLive({ dir: values.dir }, io, programs, async ({ session }) => {
    if (session === null) return 3;
    return tell(await diagnoseNow(session.context, (line) => io.stderr(`${line}\n`)), values.json, io);
  });
}

function tell(found: readonly Diagnosis[], isJson: boolean, io: LiveIo): number {
  const lines = [...diagnosisLines(found), ...(found.length === 0 ? [] : ['', words().verdict(found.length)])];
  io.stdout(isJson ? jsonText({ findings: found }) : lines.map((line) => wrappedLine(line, io.columns)).join(''));
  return found.length === 0 ? 0 : 4;
}
