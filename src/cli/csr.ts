import { parseArgs } from 'node:util';
import { catalogue } from '../i18n/catalogue.ts';
import { MINUTE } from '../platform/clock.ts';
import { formatJson } from '../platform/format-json.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { approveSelected, type CsrVerdict, listRequests, requestDocument } from '../steps/certificates/approve.ts';
import type { ApprovalResult } from '../steps/certificates/follow-event.ts';
import { explainReasons } from '../steps/certificates/node-membership.ts';
import { formatResult } from './csr-lines.ts';
import { UsageError } from './shared/io.ts';
import { TARGET_OPTIONS, withLiveTarget } from './shared/live.ts';
import { formatTable, InterruptedError, type LiveIo, truncateLine } from './shared/live-io.ts';
import type { Programs } from './shared/runtime.ts';

const reasonWords = () => catalogue().csr;

const words = () => catalogue().live.csr;

/**
 * `upi-wizard csr list | approve`.
 * @returns the exit code of the action
 */
export async function csrCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const [action, ...rest] = argv;
  switch (action) {
    case 'list':
      return await listCommand(rest, io, programs);
    case 'approve':
      return await approveCommand(rest, io, programs);
    case undefined:
      throw new UsageError(words().noAction);
    default:
      throw new UsageError(words().unknownAction(sanitizeLine(action, 80)));
  }
}

async function listCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({ args: [...argv], options: TARGET_OPTIONS, allowPositionals: true });
  if (positionals[0] !== undefined)
    throw new UsageError(catalogue().live.unexpectedArgument(sanitizeLine(positionals[0], 80)));
  return await withLiveTarget(values, io, programs, async (live) => {
    const { requests, skew } = await listRequests(live);
    // Clock skew is only reported: it does not refuse a request.
    if (skew) io.stderr(`${skew.title}: ${skew.cause} ${skew.remedy}\n`);
    if (values.json) io.stdout(formatJson({ requests: requests.map(requestDocument) }));
    else io.stdout(formatRequests(requests, live.clock.now(), io.columns));
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

/**
 * `csr approve [NAME…] [--expected] [--follow [--forever | --background | --stop]] [--yes NODE]`: approves requests
 * that match the design and, by name, those that the design cannot decide. Denies nothing.
 * @returns 0 when all requested certificates were issued (with `--follow`: and every node has joined), else 4
 */
export async function approveCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      ...TARGET_OPTIONS,
      expected: { type: 'boolean', default: false },
      follow: { type: 'boolean', default: false },
      forever: { type: 'boolean', default: false },
      background: { type: 'boolean', default: false },
      stop: { type: 'boolean', default: false },
      yes: { type: 'string', multiple: true, default: [] },
    },
  });
  const names = [...new Set(positionals)];
  if (values.forever || values.background || values.stop) {
    const { followerCommand } = await import('./csr-follower.ts');
    return await followerCommand({ ...values, names }, io, programs);
  }
  const { follow: isFollowing, json, yes } = values;
  if (names.length === 0 && !values.expected && !isFollowing) throw new UsageError(words().noSelection);
  return await withLiveTarget(values, io, programs, async (live) => {
    const results: ApprovalResult[] = [];
    const addResult = (result: ApprovalResult) => {
      results.push(result);
      if (!json) io.stdout(`${formatResult(result)}\n`);
    };
    const isAllExpected = values.expected && !isFollowing;
    const selection = { names, isAllExpected, confirm: createConfirmation(yes, io), signal: io.signal };
    const approveRequested = async () => (await approveSelected(live, selection)).forEach(addResult);
    let isComplete = true;
    try {
      if (isFollowing) {
        const { followUntilJoined: followNow } = await import('./csr-follower.ts');
        const hasJoined = await followNow(live, io, addResult, names.length > 0 ? approveRequested : undefined);
        const isSatisfied = ({ name, outcome }: ApprovalResult) => !names.includes(name) || outcome === 'issued';
        isComplete = hasJoined && results.every(isSatisfied);
      } else {
        await approveRequested();
        isComplete = results.every(({ outcome }) => outcome === 'issued');
        if (results.length === 0) io.stderr(`${words().noneExpected}\n`);
      }
    } finally {
      if (json) io.stdout(formatJson({ requests: results.map(createResultDocument) }));
    }
    if (io.signal.reason instanceof InterruptedError) return io.signal.reason.exitCode;
    return isComplete ? 0 : 4;
  });
}

/**
 * Asks for the name of the node as well: from the command line, or typed at a prompt. Null: confirmed; otherwise, the
 * reason for not approving.
 */
function createConfirmation(yes: readonly string[], io: LiveIo): (request: CsrVerdict) => Promise<string | null> {
  return async (request) => {
    const node = request.node ?? '';
    const why = explainReasons(request).join(' ');
    const isNodeName = (text: string) => text.trim().toLowerCase() === node;
    if (yes.some(isNodeName)) return null;
    const mayAsk = io.ask !== null && yes.length === 0;
    const typed = mayAsk ? await io.ask?.(words().typeNode(sanitizeLine(request.name), node, why)) : null;
    return isNodeName(typed ?? '') ? null : words().notConfirmed(node, why);
  };
}

/** Creates the JSON document of a result; of a missing request, only the name is known. */
function createResultDocument({ name, review, outcome, detail }: ApprovalResult) {
  const request = review
    ? requestDocument(review)
    : { name, uid: null, node: null, kind: null, verdict: null, reasons: [], requestedAt: null, requester: null };
  return { ...request, outcome, detail };
}
