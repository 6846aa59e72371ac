import type { ApprovalResult } from '../csr/approve.ts';
import { approveSelected } from '../csr/approve.ts';
import type { DenialResult } from '../csr/deny.ts';
import { formatResult } from '../csr/follow.ts';
import { createRequestDocument, type RequestReview } from '../csr/verdict.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import { createCsrContext } from '../steps/certificates/create-csr-context.ts';
import type { Arguments } from './commands.ts';
import { withClusterTarget } from './shared/cluster-target.ts';
import type { CommandContext } from './shared/context.ts';
import { UsageError } from './shared/io.ts';
import { InterruptedError, type ProcessIo } from './shared/process-io.ts';

const words = () => catalogue().clusterCommands.csr;

/**
 * Creates the function that confirms an approval: the user names the node, in an option or by typing it.
 * @returns a function with the result null if confirmed, else the reason for not approving
 */
export function createConfirmation(
  confirmedNodes: readonly string[],
  io: ProcessIo,
): (request: RequestReview, reasons: readonly string[]) => Promise<string | null> {
  return async (request, reasons) => {
    const node = request.node ?? '';
    const reasonText = reasons.join(' ');
    const isNodeName = (text: string) => text.trim().toLowerCase() === node;
    if (confirmedNodes.some(isNodeName)) return null;
    const canAsk = io.ask !== null && confirmedNodes.length === 0;
    const typedName = canAsk ? await io.ask?.(words().typeNode(sanitizeLine(request.name), node, reasonText)) : null;
    return isNodeName(typedName ?? '') ? null : words().notConfirmed(node, reasonText);
  };
}

/** Creates the JSON document of a result; of a missing request, only the name is known. */
export function createResultDocument({ name, review, outcome, detail }: ApprovalResult | DenialResult) {
  const request = review
    ? createRequestDocument(review)
    : { name, uid: null, node: null, kind: null, verdict: null, reasons: [], requestedAt: null, requester: null };
  return { ...request, outcome, detail };
}

/**
 * `csr approve [NAME…] [--expected] [--follow [--forever | --background | --stop]] [--yes NODE]`: approves requests
 * that match the design and, by name, those that the design cannot decide. Denies nothing.
 * @returns 0 when all requested certificates were issued (with `--follow`: and every node has joined), else 4
 */
export async function approveCommand(
  { options, operand }: Arguments<'csr approve'>,
  { openIo, launcher: { programs } }: CommandContext,
): Promise<number> {
  const io = await openIo('acting');
  const { expected, follow: isFollowing, json, yes = [] } = options;
  const names = [...new Set(operand)];
  if (options.forever || options.background || options.stop) {
    const { followerCommand } = await import('./csr-follower.ts');
    return await followerCommand({ ...options, yes, names }, io, programs);
  }
  if (names.length === 0 && !expected && !isFollowing) throw new UsageError(words().noSelection);
  return await withClusterTarget(options, io, programs, async (target) => {
    const results: ApprovalResult[] = [];
    const addResult = (result: ApprovalResult) => {
      results.push(result);
      if (!json) io.stdout(`${formatResult(result)}\n`);
    };
    const includesAllExpected = expected && !isFollowing;
    const selection = { names, includesAllExpected, confirm: createConfirmation(yes, io), signal: io.signal };
    const approveRequested = async () =>
      (await approveSelected(createCsrContext(target), selection)).forEach(addResult);
    let isComplete = true;
    try {
      if (isFollowing) {
        const { followUntilJoined } = await import('./csr-follower.ts');
        const hasJoined = await followUntilJoined(
          target,
          io,
          addResult,
          names.length > 0 ? approveRequested : undefined,
        );
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
