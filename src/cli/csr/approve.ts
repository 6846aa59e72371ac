import { parseArgs } from 'node:util';
import { approveAsked } from '../../steps/certificates/approving.ts';
import type { ApproveResult } from '../../steps/certificates/follow-event.ts';
import { whyNot } from '../../steps/certificates/rejoining.ts';
import { type Judgement, requestDocument } from '../../steps/certificates/requests.ts';
import { catalogue } from '../../text/catalogue.ts';
import { jsonText } from '../../text/json-text.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { TARGET_OPTIONS, withLive } from '../shared/live.ts';
import { Interrupted, type LiveIo } from '../shared/live-io.ts';
import { UsageError } from '../shared/usage.ts';
import type { Programs } from '../shared/world.ts';
import { resultLine } from './lines.ts';

const words = () => catalogue().live.csr;

/**
 * `csr approve [NAME…] [--expected] [--follow [--forever | --background | --stop]] [--yes NODE]`: approves what fits
 * the design and, by name, what the design cannot decide. Denies nothing.
 * @returns the exit code: 0 when all requested ones were issued (with `--follow`: and every node has joined), else 4
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
    const { followerCommand } = await import('./follower.ts');
    return await followerCommand({ ...values, names }, io, programs);
  }
  const { follow: isFollowing, json, yes } = values;
  if (names.length === 0 && !values.expected && !isFollowing) throw new UsageError(words().nothingAsked);
  return await withLive(values, io, programs, async (live) => {
    const results: ApproveResult[] = [];
    const tell = (result: ApproveResult) => {
      results.push(result);
      if (!json) io.stdout(`${resultLine(result)}\n`);
    };
    const isAllExpected = values.expected && !isFollowing;
    const asked = { names, isAllExpected, confirm: confirmation(yes, io), signal: io.signal };
    const act = async () => (await approveAsked(live, asked)).forEach(tell);
    let isComplete = true;
    try {
      if (isFollowing) {
        const { followNow } = await import('./follow.ts');
        const haveJoined = await followNow(live, io, tell, names.length > 0 ? act : undefined);
        const isOfName = ({ name, outcome }: ApproveResult) => !names.includes(name) || outcome === 'issued';
        isComplete = haveJoined && results.every(isOfName);
      } else {
        await act();
        isComplete = results.every(({ outcome }) => outcome === 'issued');
        if (results.length === 0) io.stderr(`${words().noneExpected}\n`);
      }
    } finally {
      if (json) io.stdout(jsonText({ requests: results.map(resultJson) }));
    }
    if (io.signal.reason instanceof Interrupted) return io.signal.reason.exitCode;
    return isComplete ? 0 : 4;
  });
}

/** Asks the person to name the node too: on the command line, or now, by typing it. Null, or why it is not approved. */
function confirmation(yes: readonly string[], io: LiveIo): (request: Judgement) => Promise<string | null> {
  return async (request) => {
    const node = request.node ?? '';
    const why = whyNot(request).join(' ');
    const isIts = (text: string) => text.trim().toLowerCase() === node;
    if (yes.some(isIts)) return null;
    const mayAsk = io.ask !== null && yes.length === 0;
    const typed = mayAsk ? await io.ask?.(words().typeNode(sanitizeLine(request.name), node, why)) : null;
    return isIts(typed ?? '') ? null : words().notConfirmed(node, why);
  };
}

/** A result of the outer interface; of a missing request, only the name is known. */
function resultJson({ name, judgement, outcome, detail }: ApproveResult) {
  const request = judgement
    ? requestDocument(judgement)
    : { name, uid: null, node: null, kind: null, verdict: null, reasons: [], requestedAt: null, requester: null };
  return { ...request, outcome, detail };
}
