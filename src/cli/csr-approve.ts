import { parseArgs } from 'node:util';
import { type ApproveResult, type ApproveTarget, approveRequests } from '../cluster/csr/approve.ts';
import { judgeFresh } from '../cluster/csr/fresh-lists.ts';
import { type Judgement, mayApproveByName } from '../cluster/csr/judgement.ts';
import { SECOND } from '../ports/clock.ts';
import { keepHeapSmall } from '../ports/small-heap.ts';
import type { Member } from '../steps/certificates/members.ts';
import { listRequests, requestDocument } from '../steps/certificates/requests.ts';
import { bootedSince } from '../steps/shared/machines/later-nodes.ts';
import { catalogue } from '../text/catalogue.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { type Live, TARGET_OPTIONS, withLive } from './live.ts';
import { Interrupted, type LiveIo } from './live-io.ts';
import { UsageError } from './usage.ts';
import type { Programs } from './world.ts';

const reasonWords = () => catalogue().csr;

const words = () => catalogue().live.csr;
const LOOK_EVERY = 3 * SECOND;
/**
 * `csr approve [NAME…] [--expected] [--follow [--forever | --background | --stop]] [--yes NODE]`: approves what fits the design, and by name what the design
 * cannot decide. Nothing is denied.
 * @returns the exit code: 0 when all that was asked for was issued (with `--follow`: and every node has joined), else 4
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
  if (names.length === 0 && !values.expected && !isFollowing) throw new UsageError(words().nothingAsked);
  return await withLive(values, io, programs, async (live) => {
    const results: ApproveResult[] = [];
    const tell = (more: readonly ApproveResult[]) => {
      results.push(...more);
      if (!json) for (const result of more) io.stdout(`${resultLine(result)}\n`);
    };
    let isComplete = true;
    try {
      if (isFollowing) {
        isComplete = await follow(live, io, { names, yes }, tell);
      } else {
        tell(await approveNow(live, io, { names, isAllExpected: values.expected, yes }));
        isComplete = results.every(isIssued);
        if (results.length === 0) io.stderr(`${words().noneExpected}\n`);
      }
    } finally {
      if (json) io.stdout(`${JSON.stringify({ requests: results.map(resultJson) }, null, 2)}\n`);
    }
    if (io.signal.reason instanceof Interrupted) return io.signal.reason.exitCode;
    return isComplete ? 0 : 4;
  });
}

interface Asked {
  readonly names: readonly string[];
  readonly isAllExpected: boolean;
  /** The nodes whose requests a person confirmed on the command line. */
  readonly yes: readonly string[];
}

async function approveNow(live: Live, io: LiveIo, { names, isAllExpected, yes }: Asked): Promise<ApproveResult[]> {
  const { requests } = await listRequests(live);
  const targets: ApproveTarget[] = [];
  const declined: ApproveResult[] = [];
  for (const name of names) {
    const judgement = requests.find((request) => request.name === name);
    if (judgement === undefined) {
      declined.push({ judgement: null, name, outcome: 'skipped', detail: words().noRequest });
      continue;
    }
    const target = { name, uid: judgement.uid, isByName: false };
    if (!mayApproveByName(judgement)) targets.push(target);
    else if (await isConfirmed(judgement, yes, io)) targets.push({ ...target, isByName: true });
    else declined.push(notConfirmed(judgement));
  }
  if (isAllExpected) targets.push(...expectedTargets(requests).filter(({ name }) => !names.includes(name)));
  const results = [...declined, ...(targets.length === 0 ? [] : await approve(live, io, targets))];
  // As they were asked for; the others after them.
  const rank = ({ name }: ApproveResult) => (names.includes(name) ? names.indexOf(name) : names.length);
  return results.toSorted((a, b) => rank(a) - rank(b));
}

/** What is approved without a person naming it. */
export function expectedTargets(requests: readonly Judgement[]): ApproveTarget[] {
  return requests
    .filter(({ verdict }) => verdict === 'expected')
    .map(({ name, uid }) => ({ name, uid, isByName: false }));
}

/** When we are told to stop, what is approved is still told. */
export async function approve(live: Live, io: LiveIo, targets: readonly ApproveTarget[]): Promise<ApproveResult[]> {
  const { design, clock } = live;
  const cluster = await live.connect();
  const judgeNow = judgeFresh({ design, bootedSince: bootedSince(live) }, clock);
  const results = await approveRequests(cluster, targets, judgeNow, { clock, signal: io.signal });
  return results.map((result) =>
    result.outcome === 'skipped' && result.judgement?.verdict === 'superseded'
      ? { ...result, detail: words().superseded }
      : result,
  );
}

/** The person has named the node too: on the command line, or now, by typing it. */
async function isConfirmed(judgement: Judgement, yes: readonly string[], io: LiveIo): Promise<boolean> {
  const isIts = (text: string) => text.trim().toLowerCase() === judgement.node;
  if (yes.some(isIts)) return true;
  if (io.ask === null || yes.length > 0) return false;
  const prompt = words().typeNode(sanitizeLine(judgement.name), judgement.node ?? '', whyNot(judgement));
  return isIts((await io.ask(prompt)) ?? '');
}

function notConfirmed(judgement: Judgement): ApproveResult {
  const detail = words().notConfirmed(judgement.node ?? '', whyNot(judgement));
  return { judgement, name: judgement.name, outcome: 'skipped', detail };
}

/** The reasons against a request, in sentences. */
function whyNot({ reasons }: Judgement): string {
  return reasons.map((reason) => reasonWords().reasons[reason]).join(' ');
}

/**
 * Approves what is expected, as it appears, until every node has joined or we are told to stop.
 * @returns whether all have joined, and what was approved by name was issued
 */
async function follow(
  live: Live,
  io: LiveIo,
  { names, yes }: Pick<Asked, 'names' | 'yes'>,
  tell: (results: readonly ApproveResult[]) => void,
): Promise<boolean> {
  const { createFollower } = await import('./csr-follow.ts');
  keepHeapSmall();
  let last = '';
  const say = (line: string) => {
    if (line !== last) io.stderr(`${line}\n`);
    last = line;
  };
  const follower = createFollower(io, say);
  let named: ApproveResult[] | null = names.length === 0 ? [] : null;
  let progress = '';
  while (!io.signal.aborted) {
    if (named === null) {
      named = await follower.attempt(live, () => approveNow(live, io, { names, isAllExpected: false, yes }));
      tell(named ?? []);
    }
    const look = named === null ? null : await follower.look(live);
    if (look !== null) {
      tell(look.results);
      progress = progressLine(look.members);
      say(progress);
      if (look.results.length === 0 && look.members.every(({ hasJoined }) => hasJoined)) {
        return (named ?? []).every(isIssued);
      }
    }
    await follower.rest(live, LOOK_EVERY);
  }
  io.stderr(`${words().stoppedFollowing(progress)}\n`);
  return false;
}

const NAMES_SHOWN = 5;

function progressLine(members: readonly Member[]): string {
  const missing = members.filter(({ hasJoined }) => !hasJoined).map(({ name }) => name);
  const all = members.length;
  const rest = missing.length - NAMES_SHOWN;
  const names = `${missing.slice(0, NAMES_SHOWN).join(', ')}${rest > 0 ? words().others(rest) : ''}`;
  return words().progress(all - missing.length, all, names);
}

function isIssued({ outcome }: ApproveResult): boolean {
  return outcome === 'issued';
}

/** A result as people read it. */
export function resultLine({ name, judgement, outcome, detail }: ApproveResult): string {
  return words().result(sanitizeLine(name), judgement?.node ?? '-', outcome, detail);
}

/** A result of the outer interface; of a request that is not there, only the name is known. */
function resultJson({ name, judgement, outcome, detail }: ApproveResult) {
  const request = judgement
    ? requestDocument(judgement)
    : { name, uid: null, node: null, kind: null, verdict: null, reasons: [], requestedAt: null, requester: null };
  return { ...request, outcome, detail };
}
