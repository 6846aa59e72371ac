import type { Clock } from '../../ports/clock.ts';
import { SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { asTrouble } from '../../text/trouble.ts';
import type { Cluster } from '../api.ts';
import { isClusterError } from '../errors.ts';
import { type FreshLists, freshLists, type JudgeNow, type Seen } from './fresh-lists.ts';
import { type Approved, awaitIssues } from './issue.ts';
import { type Judgement, mayApproveByName } from './judgement.ts';
import type { CertificateRequest } from './request.ts';
import { takeTurns } from './turns.ts';

const words = () => catalogue().csr;

/** One request to approve. */
export interface ApproveTarget {
  readonly name: string;
  /** Of the request that the person saw; null takes the listed one. */
  readonly uid: string | null;
  /** A person named it (and its node): reasons that a person may overrule do not hold it up. */
  readonly isByName: boolean;
}

/** The outcome of one. `issued`: the certificate exists; `approved`: not yet; `skipped`: nothing was written. */
export interface ApproveResult {
  readonly judgement: Judgement | null;
  readonly name: string;
  readonly outcome: 'approved' | 'issued' | 'failed' | 'skipped';
  readonly detail: string;
}

/** How often we try each when others change it in between or the API is away (kubectl: 10 as well). */
const TRIES = 10;
/** Requests to the API under way at a time, in total. */
const AT_ONCE = 8;
const AWAY_FOR = 2 * SECOND;

/**
 * Approves requests, each judged anew by a list at most 3 s old, so that none is approved that was replaced or changed
 * after the person looked. Denies nothing. One that is gone or approved already is no error. A signal ends it: requests
 * not begun are left alone, approved ones are still reported.
 * @returns one result for each target, in order; never throws for one of them
 * @throws ClusterError when the list itself cannot be read
 */
export async function approveRequests(
  cluster: Cluster,
  targets: readonly ApproveTarget[],
  judgeNow: JudgeNow,
  options: { readonly clock: Clock; readonly report?: (line: string) => void; readonly signal?: AbortSignal },
): Promise<ApproveResult[]> {
  const { clock, report = () => undefined, signal } = options;
  const turn = takeTurns(AT_ONCE);
  const limited: Cluster = {
    ...cluster,
    list: (...of) => turn(() => cluster.list(...of)),
    approve: (request) => turn(() => cluster.approve(request)),
  };
  const lists = freshLists(limited, judgeNow, clock);
  // While the list is read and judged, open the connections for the approvals.
  const ahead = targets.length > AT_ONCE ? Array.from({ length: AT_ONCE }, () => turn(() => cluster.warmUp())) : [];
  const [first] = await Promise.all([lists.recent(), ...ahead]);
  const results: ApproveResult[] = [];
  const approved: (Approved & { readonly index: number })[] = [];
  const tell = (index: number, result: ApproveResult) => {
    results[index] = result;
    report(`${result.name} ${result.judgement?.node ?? ''} ${result.outcome}: ${result.detail}`);
  };
  await eachLimited(targets, AT_ONCE, async (target, index) => {
    const seen = first.get(target.name);
    const about = { judgement: seen?.judgement ?? null, name: target.name };
    if (signal?.aborted) return tell(index, { ...about, outcome: 'skipped', detail: words().approve.stopped });
    try {
      const written = await approveOne(limited, target, seen, lists, clock);
      if ('outcome' in written) tell(index, written);
      else approved.push({ ...written, index });
    } catch (error) {
      tell(index, { ...about, outcome: 'failed', detail: asTrouble(error).cause });
    }
  });
  await awaitIssues(limited, approved, ({ index, name }, issue) => tell(index, { name, ...issue }), { clock, signal });
  return results;
}

/** Approves one, or says why not. */
async function approveOne(
  cluster: Cluster,
  target: ApproveTarget,
  seen: Seen | undefined,
  lists: FreshLists,
  clock: Clock,
): Promise<ApproveResult | Approved> {
  let list = await lists.recent();
  for (let attempt = 1; ; attempt += 1) {
    const now = list.get(target.name);
    const ends = (outcome: ApproveResult['outcome'], detail: string): ApproveResult => ({
      judgement: now?.judgement ?? seen?.judgement ?? null,
      name: target.name,
      outcome,
      detail,
    });
    if (!seen || !now) return ends('skipped', words().approve.gone);
    const { request, judgement } = now;
    const isSame = request.uid === (target.uid ?? seen.request.uid) && request.request === seen.request.request;
    if (!isSame) return ends('failed', words().reasons.CHANGED);
    const approved = { judgement, name: target.name, approvedAt: clock.now() };
    if (request.isDenied || request.isFailed) return ends('failed', words().reasons.TERMINAL);
    if (request.isApproved) return { ...approved, detail: words().approve.already(approver(request)) };
    if (judgement.verdict !== 'expected' && !(target.isByName && mayApproveByName(judgement))) {
      if (judgement.verdict === 'superseded') return ends('skipped', words().approve.superseded);
      const why = judgement.reasons.map((reason) => words().reasons[reason]).join(' ');
      return ends('skipped', why || words().approve.notExpected);
    }
    try {
      await cluster.approve(withApproval(request, judgement, clock.now()));
      return { ...approved, detail: words().approve.issued };
    } catch (error) {
      if (isClusterError(error, 'absent')) return ends('skipped', words().approve.gone);
      const isAway = isClusterError(error, 'not-yet', 'unreachable');
      if (!isAway && !isClusterError(error, 'conflict')) throw error;
      if (attempt === TRIES) return ends('failed', isAway ? asTrouble(error).cause : words().approve.conflicts);
      // The list shows whether an API that went away accepted it.
      if (isAway) await clock.sleep(AWAY_FOR);
      list = await lists.anew().catch((cause: unknown) => {
        if (isClusterError(cause, 'not-yet', 'unreachable')) return list;
        throw cause;
      });
    }
  }
}

function withApproval(request: CertificateRequest, judgement: Judgement, now: number): CertificateRequest['object'] {
  const node = judgement.node ?? '';
  const condition = {
    type: 'Approved',
    status: 'True',
    reason: 'UPIWizardApprove',
    message: judgement.verdict === 'expected' ? words().approve.message(node) : words().approve.byHand(node),
    lastUpdateTime: new Date(now).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
  const before = request.object.status?.conditions;
  const conditions = [...(Array.isArray(before) ? before : []), condition];
  return { ...request.object, status: { ...request.object.status, conditions } };
}

function approver({ conditions }: CertificateRequest): string {
  const { reason = '', message = '' } = conditions.find(({ type }) => type === 'Approved') ?? {};
  return [reason, message].filter(Boolean).join(': ');
}

/** Runs `work` on each item, at most `limit` at a time. */
async function eachLimited<T>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<void>,
): Promise<void> {
  const queue = items.entries();
  const workers = Array.from({ length: Math.min(limit, items.length) }, async () => {
    for (const [index, item] of queue) await work(item, index);
  });
  await Promise.all(workers);
}
