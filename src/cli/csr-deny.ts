import { readCsrReview } from '../csr/csr-context.ts';
import { type DenialResult, type DenialTarget, denyAndRecord, findDecision } from '../csr/deny.ts';
import { formatResult } from '../csr/follow.ts';
import { explainReasons } from '../csr/node-membership.ts';
import { getShownVerdict } from '../csr/verdict.ts';
import { catalogue, isYesAnswer } from '../i18n/catalogue.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import { createCsrContext } from '../steps/certificates/create-csr-context.ts';
import type { Arguments } from './commands.ts';
import { createResultDocument } from './csr-approve.ts';
import { withClusterTarget } from './shared/cluster-target.ts';
import type { CommandContext } from './shared/context.ts';
import { UsageError } from './shared/io.ts';
import { InterruptedError } from './shared/process-io.ts';

const words = () => catalogue().clusterCommands.csr;
/** The name of an object has none of these characters. */
const PATTERN_CHARACTERS = /[*?[\]{}]/;

/**
 * `csr deny NAME… [--yes]`: denies pending requests by their names, after a question. Never denies a request that is
 * not named.
 * @returns 0 when all named requests are denied, else 4
 */
export async function denyCommand(
  { options, operand }: Arguments<'csr deny'>,
  { openIo, launcher: { programs } }: CommandContext,
): Promise<number> {
  const io = await openIo('acting');
  const names = [...new Set(operand)];
  const pattern = names.find((name) => PATTERN_CHARACTERS.test(name));
  if (pattern !== undefined) throw new UsageError(words().noPattern(sanitizeLine(pattern)));
  if (!options.yes && io.ask === null) throw new UsageError(words().denialNeedsYes);
  return await withClusterTarget(options, io, programs, async (target) => {
    const context = createCsrContext(target);
    const { reviews, requests } = await readCsrReview(context);
    const targets: DenialTarget[] = [];
    const resultByName = new Map<string, DenialResult>();
    for (const name of names) {
      const review = reviews.find((candidate) => candidate.name === name) ?? null;
      const request = requests.get(name);
      const decision = request ? findDecision(request) : { outcome: 'skipped' as const, detail: words().noRequest };
      if (decision !== null) resultByName.set(name, { review, name, ...decision });
      else if (request && review) targets.push({ review, request });
    }
    if (targets.length > 0 && !options.yes) io.stderr(formatPreview(targets));
    const isConfirmed =
      options.yes || (targets.length > 0 && isYesAnswer((await io.ask?.(words().confirmDenial(targets.length))) ?? ''));
    const newResults = isConfirmed
      ? await denyAndRecord(context, targets, io.signal)
      : targets.map(({ review }) => ({
          ...{ review, name: review.name },
          ...{ outcome: 'skipped' as const, detail: words().denialDeclined },
        }));
    for (const result of newResults) resultByName.set(result.name, result);
    const orderedResults = names.flatMap((name) => resultByName.get(name) ?? []);
    if (options.json) io.stdout(formatJson({ requests: orderedResults.map(createResultDocument) }));
    else for (const result of orderedResults) io.stdout(`${formatResult(result)}\n`);
    if (io.signal.reason instanceof InterruptedError) return io.signal.reason.exitCode;
    return orderedResults.every(({ outcome }) => outcome === 'denied') ? 0 : 4;
  });
}

/** Formats what would be denied, and what a denial means. */
function formatPreview(targets: readonly DenialTarget[]): string {
  const lines = targets.map(({ review }) => {
    const { name, node, requester, kind, reasons } = review;
    const verdict = catalogue().csr.verdicts[getShownVerdict(review)];
    const reasonText = reasons.length === 0 ? '' : `: ${reasons.join(' ')}: ${explainReasons(review).join(' ')}`;
    return words().denialTarget(
      sanitizeLine(name),
      node ?? sanitizeLine(requester),
      catalogue().steps.certificates.kinds[kind],
      `${verdict}${reasonText}`,
    );
  });
  return [...lines, words().denialMeaning, ''].join('\n');
}
