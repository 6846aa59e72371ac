import type { Clock } from '../../ports/clock.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { csr as words } from '../../text/en/csr.ts';
import { asTrouble } from '../../text/trouble.ts';
import type { Cluster } from '../client.ts';
import { isClusterError } from '../errors.ts';
import { textAt } from '../object.ts';
import { nodeView } from '../views/node.ts';
import { judgeAll } from './judge-all.ts';
import { type JudgeContext, type Judgement, mayApproveByName } from './judgement.ts';
import { type CertificateRequest, readRequest } from './request.ts';

/** One request to approve. */
export interface ApproveTarget {
  readonly name: string;
  /** Of the request that the person saw; null takes the one of the list. */
  readonly uid: string | null;
  /** A person named it (and its node): the reasons that a person may overrule do not hold it up. */
  readonly isByName: boolean;
}

/** What became of one: `issued` the certificate is there; `approved` it is not there yet; `skipped` nothing was written. */
export interface ApproveResult {
  readonly judgement: Judgement | null;
  readonly name: string;
  readonly outcome: 'approved' | 'issued' | 'failed' | 'skipped';
  readonly detail: string;
}

/** Judges a fresh list of requests against a fresh list of nodes. */
export type JudgeNow = (requests: readonly CertificateRequest[]) => Promise<readonly Judgement[]>;

const TRIES = 10;
const AT_ONCE = 8;
// Approving many takes a while (each waits for its certificate): none is judged by a list older than this.
const LIST_AGE = 2 * SECOND;
const ISSUE = { within: MINUTE, look: SECOND };

/** The usual JudgeNow: the nodes are read again each time. */
export function judgeFresh(cluster: Cluster, context: Omit<JudgeContext, 'nodes' | 'now'>, clock: Clock): JudgeNow {
  return async (requests) => {
    const nodes = (await cluster.list('Node')).map(nodeView);
    return judgeAll(requests, { ...context, nodes, now: clock.now() });
  };
}

/**
 * Approves requests, each from a list read for it just now and judged again, so that nothing is approved that was replaced
 * or changed after the person looked. Denies nothing. One that is gone or approved already is no error.
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
  const first = await freshList(cluster, judgeNow);
  let latest = { at: clock.now(), list: Promise.resolve(first) };
  const recent = () => {
    if (clock.now() - latest.at > LIST_AGE) latest = { at: clock.now(), list: freshList(cluster, judgeNow) };
    return latest.list;
  };
  return mapLimited(targets, AT_ONCE, async (target) => {
    signal?.throwIfAborted();
    const result = await approveOne(cluster, target, first, recent, judgeNow, clock).catch(
      (error: unknown): ApproveResult => ({
        judgement: null,
        name: target.name,
        outcome: 'failed',
        detail: asTrouble(error).cause,
      }),
    );
    report(`${result.name} ${result.judgement?.node ?? ''} ${result.outcome}: ${result.detail}`);
    return result;
  });
}

type Fresh = ReadonlyMap<string, { readonly request: CertificateRequest; readonly judgement: Judgement }>;

async function freshList(cluster: Cluster, judgeNow: JudgeNow): Promise<Fresh> {
  const requests = (await cluster.list('CertificateSigningRequest')).map(readRequest);
  const judgements = new Map((await judgeNow(requests)).map((judgement) => [judgement.name, judgement]));
  return new Map(
    requests.flatMap((request) => {
      const judgement = judgements.get(request.name);
      return judgement ? [[request.name, { request, judgement }] as const] : [];
    }),
  );
}

async function approveOne(
  cluster: Cluster,
  target: ApproveTarget,
  first: Fresh,
  recent: () => Promise<Fresh>,
  judgeNow: JudgeNow,
  clock: Clock,
): Promise<ApproveResult> {
  const seen = first.get(target.name);
  let fresh = await recent();
  for (let attempt = 1; attempt <= TRIES; attempt += 1) {
    const now = fresh.get(target.name);
    const ends = (outcome: ApproveResult['outcome'], detail: string): ApproveResult => ({
      judgement: now?.judgement ?? seen?.judgement ?? null,
      name: target.name,
      outcome,
      detail,
    });
    if (!seen || !now) return ends('skipped', words.approve.gone);
    const isSame = now.request.uid === (target.uid ?? seen.request.uid) && now.request.request === seen.request.request;
    if (!isSame) return ends('failed', words.reasons.CHANGED);
    const { request, judgement } = now;
    if (request.isDenied || request.isFailed) return ends('failed', words.reasons.TERMINAL);
    if (request.isApproved) return awaitIssue(cluster, now, clock, words.approve.already(approver(request)));
    if (judgement.verdict !== 'expected' && !(target.isByName && mayApproveByName(judgement))) {
      return ends(
        'skipped',
        judgement.reasons.map((reason) => words.reasons[reason]).join(' ') || words.approve.notExpected,
      );
    }
    try {
      await cluster.approve(withApproval(request, judgement, clock.now()));
      return await awaitIssue(cluster, now, clock, words.approve.issued);
    } catch (error) {
      if (isClusterError(error, 'absent')) return ends('skipped', words.approve.gone);
      if (!isClusterError(error, 'conflict')) throw error;
      fresh = await freshList(cluster, judgeNow);
    }
  }
  return { judgement: seen?.judgement ?? null, name: target.name, outcome: 'failed', detail: words.approve.conflicts };
}

function withApproval(request: CertificateRequest, judgement: Judgement, now: number): CertificateRequest['object'] {
  const node = judgement.node ?? '';
  const condition = {
    type: 'Approved',
    status: 'True',
    reason: 'UPIWizardApprove',
    message: judgement.verdict === 'expected' ? words.approve.message(node) : words.approve.byHand(node),
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

async function awaitIssue(
  cluster: Cluster,
  { request, judgement }: { request: CertificateRequest; judgement: Judgement },
  clock: Clock,
  detail: string,
): Promise<ApproveResult> {
  const about = { judgement, name: request.name };
  const until = clock.now() + ISSUE.within;
  for (;;) {
    const object = await cluster.get('CertificateSigningRequest', request.name).catch((error: unknown) => {
      // The approval is written: an API that is away for a moment, or restarts, does not undo it.
      if (isClusterError(error, 'not-yet', 'unreachable', 'credentials')) return undefined;
      throw error;
    });
    if (object === null) return { ...about, outcome: 'approved', detail: words.approve.gone };
    const now = object && readRequest(object);
    if (now?.isIssued)
      return { ...about, judgement: { ...judgement, isApproved: true, isIssued: true }, outcome: 'issued', detail };
    const failed = now?.conditions.find(({ type }) => type === 'Failed');
    if (failed) return { ...about, outcome: 'failed', detail: words.approve.failed(textAt(failed, 'message') ?? '') };
    if (clock.now() >= until) return { ...about, outcome: 'approved', detail: words.approve.signing };
    await clock.sleep(ISSUE.look);
  }
}

/** `work` on each item, at most `limit` at a time; results in order. */
async function mapLimited<T, R>(items: readonly T[], limit: number, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  const queue = items.entries();
  const workers = Array.from({ length: Math.min(limit, items.length) }, async () => {
    for (const [index, item] of queue) results[index] = await work(item);
  });
  await Promise.all(workers);
  return results;
}
