import { listRequests, requestDocument } from '../csr/review.ts';
import type { CsrVerdict } from '../csr/verdict.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { MINUTE } from '../platform/clock.ts';
import { formatJson } from '../platform/format-json.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { getFirstPowerOn } from '../steps/shared/machines/node-facts.ts';
import type { Arguments } from './commands.ts';
import type { CommandContext } from './shared/context.ts';
import { withLiveTarget } from './shared/live.ts';
import { formatTable, truncateLine } from './shared/live-io.ts';

const reasonWords = () => catalogue().csr;

const words = () => catalogue().live.csr;

/** `upi-wizard csr list [--json]`: the requests with their verdicts. */
export async function listCommand(
  { options }: Arguments<'csr list'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo();
  return await withLiveTarget(options, io, launcher.programs, async (live) => {
    const { verdicts, skew } = await listRequests({ ...live, getBootedSince: () => getFirstPowerOn(live) });
    // Clock skew is only reported: it does not refuse a request.
    if (skew) io.stderr(`${skew.title}: ${skew.cause} ${skew.remedy}\n`);
    if (options.json) io.stdout(formatJson({ requests: verdicts.map(requestDocument) }));
    else io.stdout(formatRequests(verdicts, live.clock.now(), io.columns));
    return 0;
  });
}

function formatRequests(requests: readonly CsrVerdict[], now: number, columns: number): string {
  if (requests.length === 0) return `${words().none}\n`;
  const { name, node, kind, verdict, age, reasons } = words().columns;
  const rows = requests.map((request) => [
    truncateLine(sanitizeLine(request.name), 40),
    request.node ?? '-',
    catalogue().steps.certificates.kinds[request.kind],
    reasonWords().verdicts[request.verdict],
    request.requestedAt === null ? '-' : formatShortAge(now - request.requestedAt),
    request.reasons.join(','),
  ]);
  const codes = [...new Set(requests.flatMap((request) => (request.verdict === 'refused' ? request.reasons : [])))];
  const legend = codes.map((code) => `${words().reasonLine(code, reasonWords().reasons[code])}\n`);
  return [formatTable([[name, node, kind, verdict, age, reasons], ...rows], columns), ...legend].join('');
}

function formatShortAge(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE));
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))}s`;
  return minutes < 120 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`;
}
