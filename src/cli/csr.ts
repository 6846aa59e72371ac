import { parseArgs } from 'node:util';
import { MINUTE } from '../ports/clock.ts';
import { type Judgement, listRequests, requestDocument } from '../steps/certificates/requests.ts';
import { catalogue } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { TARGET_OPTIONS, withLive } from './shared/live.ts';
import { cutLine, type LiveIo, tableText } from './shared/live-io.ts';
import { UsageError } from './shared/usage.ts';
import type { Programs } from './shared/world.ts';

const reasonWords = () => catalogue().csr;

const words = () => catalogue().live.csr;

/** `upi-wizard csr list | approve`. Returns the exit code of the outer interface. */
export async function csrCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const [action, ...rest] = argv;
  switch (action) {
    case 'list':
      return await list(rest, io, programs);
    case 'approve':
      return (await import('./csr/approve.ts')).approveCommand(rest, io, programs);
    case undefined:
      throw new UsageError(words().noAction);
    default:
      throw new UsageError(words().unknownAction(sanitizeLine(action, 80)));
  }
}

async function list(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options: TARGET_OPTIONS, allowPositionals: true });
  if (positionals[0] !== undefined)
    throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(positionals[0], 80)));
  return await withLive(values, io, programs, async (live) => {
    const { requests, skew } = await listRequests(live);
    // Clocks that differ are reported, and refuse nothing by themselves.
    if (skew) io.stderr(`${skew.title}: ${skew.cause} ${skew.whatToDo}\n`);
    if (values.json) io.stdout(jsonText({ requests: requests.map(requestDocument) }));
    else io.stdout(listText(requests, live.clock.now(), io.columns));
    return 0;
  });
}

function listText(requests: readonly Judgement[], now: number, columns: number): string {
  if (requests.length === 0) return `${words().none}\n`;
  const { name, node, kind, verdict, age, reasons } = words().columns;
  const rows = requests.map((request) => [
    cutLine(sanitizeLine(request.name), 40),
    request.node ?? '-',
    catalogue().steps.certificates.kinds[request.kind],
    reasonWords().verdicts[request.verdict],
    request.requestedAt === null ? '-' : ageText(now - request.requestedAt),
    request.reasons.join(','),
  ]);
  const codes = [...new Set(requests.flatMap((request) => (request.verdict === 'refused' ? request.reasons : [])))];
  const legend = codes.map((code) => `${words().reasonLine(code, reasonWords().reasons[code])}\n`);
  return [tableText([[name, node, kind, verdict, age, reasons], ...rows], columns), ...legend].join('');
}

function ageText(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE));
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))}s`;
  return minutes < 120 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`;
}
