import { readCurrentCsrReview } from '../csr/node-membership.ts';
import { createRequestDocument, getShownVerdict, type RequestReview, type ShownVerdict } from '../csr/verdict.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { MINUTE } from '../platform/clock.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import { REQUEST_STATUS } from '../rows/status.ts';
import { createCsrContext } from '../steps/certificates/create-csr-context.ts';
import type { Arguments } from './commands.ts';
import { formatRehearsalLine, withClusterTarget } from './shared/cluster-target.ts';
import type { Span, StyledLine } from './shared/colours.ts';
import type { CommandContext } from './shared/context.ts';
import { writeLines } from './shared/io.ts';
import { type ProcessIo, truncateLine } from './shared/process-io.ts';
import { createHeadingCells, createStatusSpan, formatTableLines, getLineColumns } from './shared/table.ts';

const reasonWords = () => catalogue().csr;

const words = () => catalogue().clusterCommands.csr;

/** `upi-wizard csr list [--json]`: the requests with their verdicts. */
export async function listCommand(
  { options }: Arguments<'csr list'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo();
  return await withClusterTarget(options, io, launcher.programs, async (target) => {
    const { reviews, clockSkewError } = await readCurrentCsrReview(createCsrContext(target));
    // Clock skew is only reported: it is no reason to refuse a request.
    if (clockSkewError) io.stderr(`${clockSkewError.title}: ${clockSkewError.cause} ${clockSkewError.remedy}\n`);
    if (options.json) io.stdout(formatJson({ requests: reviews.map(createRequestDocument) }));
    else
      writeLines(io, [
        ...formatRehearsalLine(target.session?.context),
        ...formatRequests(reviews, target.clock.now(), io),
      ]);
    return 0;
  });
}

function formatRequests(
  requests: readonly RequestReview[],
  now: number,
  io: Pick<ProcessIo, 'columns' | 'style'>,
): StyledLine[] {
  const { style } = io;
  const columns = getLineColumns(io);
  if (requests.length === 0) return [[{ text: words().none }]];
  const { name, node, kind, verdict, age, reasons } = words().columns;
  // A terminal shows short names of nodes; a script gets the whole ones.
  const formatNode = (fqdn: string) => (style === undefined ? fqdn : (fqdn.split('.')[0] ?? fqdn));
  const rows = requests.map((request): Span[] => [
    { text: truncateLine(sanitizeLine(request.name), columns / 2) },
    { text: request.node === null ? '-' : formatNode(request.node) },
    { text: catalogue().steps.certificates.kinds[request.kind] },
    formatVerdict(getShownVerdict(request), style),
    { text: request.requestedAt === null ? '-' : formatShortAge(now - request.requestedAt) },
    { text: request.reasons.join(style === undefined ? ',' : ', ') },
  ]);
  const codes = [...new Set(requests.flatMap((request) => (request.verdict === 'refused' ? request.reasons : [])))];
  const legend = codes.map((code): StyledLine => [{ text: words().reasonLine(code, reasonWords().reasons[code]) }]);
  const headings = createHeadingCells([name, node, kind, verdict, age, reasons]);
  return [...formatTableLines([headings, ...rows], columns, style), ...legend];
}

const formatVerdict = (verdict: ShownVerdict, style: ProcessIo['style']): Span =>
  createStatusSpan(REQUEST_STATUS[verdict], reasonWords().verdicts[verdict], style);

function formatShortAge(ms: number): string {
  const minutes = Math.max(0, Math.floor(ms / MINUTE));
  if (minutes < 1) return `${Math.max(0, Math.floor(ms / 1000))}s`;
  return minutes < 120 ? `${minutes}m` : `${Math.floor(minutes / 60)}h`;
}
