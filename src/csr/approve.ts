import { catalogue } from '../i18n/catalogue.ts';
import { toUserError } from '../i18n/user-error.ts';
import type { Cluster } from '../kube/api.ts';
import { isClusterError } from '../kube/errors.ts';
import { type CertificateRequest, formatDecision, parseCertificateRequest } from '../openshift/certificate-request.ts';
import { getString } from '../openshift/object.ts';
import { type Clock, MINUTE, SECOND } from '../platform/clock.ts';
import { limitConcurrency } from '../platform/concurrency.ts';
import { toAuditResult } from '../session/audit-log.ts';
import type { CsrContext } from './csr-context.ts';
import {
  createFreshLists,
  createReviewer,
  type FreshLists,
  type RequestReviewer,
  type ReviewedRequest,
} from './csr-context.ts';
import { assessRejoins, explainReasons, readCurrentCsrReview } from './node-membership.ts';
import { canApproveByName, listIssuedRequestTimes, type RequestReview } from './verdict.ts';

/** An approved request. `detail` is reported once its certificate exists. */
interface ApprovedRequest {
  readonly review: RequestReview;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly approvedAt: number;
  readonly detail: string;
}

/** Whether the certificate of an approved request was issued. */
interface IssuanceResult {
  readonly review: RequestReview;
  readonly outcome: 'approved' | 'issued' | 'failed';
  readonly detail: string;
}

/** Limit for the wait for one certificate (ms of the clock). */
const ISSUE_TIMEOUT = MINUTE;
const POLL_INTERVAL = SECOND;

/**
 * Waits until the certificates of approved requests are issued, at most one minute each. One list call covers them
 * all.
 * @param onResult called once for each request, as soon as its result is known
 */
async function waitForIssuance<T extends ApprovedRequest>(
  cluster: Cluster,
  approvedRequests: readonly T[],
  onResult: (request: T, result: IssuanceResult) => void,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  let pendingRequests = [...approvedRequests];
  // In a paused rehearsal the clock stands still: the sleeps are counted instead.
  let minTime = clock.now();
  while (pendingRequests.length > 0) {
    // After an abort, reads the list one last time, to report what is already issued.
    const isLastRead = signal?.aborted === true;
    const list = await tryListRequests(cluster);
    const now = Math.max(clock.now(), minTime);
    pendingRequests = pendingRequests.filter((request) => {
      const result = deriveIssuanceResult(request, list, now, isLastRead);
      if (result) onResult(request, result);
      return result === null;
    });
    if (pendingRequests.length > 0) await clock.sleep(POLL_INTERVAL, signal).catch(() => undefined);
    minTime += POLL_INTERVAL;
  }
}

/**
 * Lists the requests by name; null while the API is unavailable. The caller then continues to wait: the approval is
 * stored, and a restart of the API does not undo it.
 */
async function tryListRequests(cluster: Cluster): Promise<ReadonlyMap<string, CertificateRequest> | null> {
  try {
    const objects = await cluster.list('CertificateSigningRequest');
    return new Map(objects.map((object) => [object.metadata.name, parseCertificateRequest(object)]));
  } catch (error) {
    if (isClusterError(error)) return null;
    throw error;
  }
}

function deriveIssuanceResult(
  { review, name, approvedAt, detail }: ApprovedRequest,
  list: ReadonlyMap<string, CertificateRequest> | null,
  now: number,
  isLastRead: boolean,
): IssuanceResult | null {
  const currentRequest = list?.get(name);
  // A newer request of the same name belongs to another node, or has another key.
  const request = currentRequest?.uid === review.uid ? currentRequest : undefined;
  const failure = request?.conditions.find(({ type }) => type === 'Failed');
  if (request?.isIssued) {
    return { review: { ...review, isApproved: true, isIssued: true }, outcome: 'issued', detail };
  }
  if (failure)
    return { review, outcome: 'failed', detail: words().approve.failed(getString(failure, 'message') ?? '') };
  if (list !== null && request === undefined) return { review, outcome: 'approved', detail: words().approve.deleted };
  if (isLastRead) return { review, outcome: 'approved', detail: words().approve.notWaitedFor };
  return now - approvedAt >= ISSUE_TIMEOUT
    ? { review, outcome: 'approved', detail: words().approve.notIssuedYet }
    : null;
}

const words = () => catalogue().csr;

/** One request to approve. */
export interface ApprovalTarget {
  readonly name: string;
  /** The uid of the request that the user saw; null takes the listed one. */
  readonly uid: string | null;
  /** Whether the user named the request (and its node). Reasons that a user may overrule then do not block it. */
  readonly isNamedByUser: boolean;
}

/**
 * The result for one request. `issued`: the certificate exists; `approved`: not yet; `skipped`: nothing was written.
 */
export interface ApprovalResult {
  readonly review: RequestReview | null;
  readonly name: string;
  readonly outcome: 'approved' | 'issued' | 'failed' | 'skipped';
  readonly detail: string;
}

/**
 * Maximum number of attempts for one request, repeated when another client changes the request or the API is
 * unavailable. `kubectl certificate approve` makes 10 attempts as well.
 */
export const MAX_ATTEMPTS = 10;
/** The maximum number of concurrent requests to the API. */
const MAX_CONCURRENT = 8;
/** Pause before the next attempt while the API is unavailable (ms of the clock). */
export const RETRY_PAUSE = 2 * SECOND;

/**
 * Approves requests. Each is reviewed again with a list at most 3 s old. A request that was replaced or changed after
 * the user saw it is not approved. Denies nothing. A request that no longer exists or is approved already is no error.
 * After an abort, it starts no more approvals, but still reports those that were written.
 * @returns one result for each target, in order; a failed target is a result, not an exception
 * @throws ClusterError when the list itself cannot be read
 */
export async function approveRequests(
  cluster: Cluster,
  targets: readonly ApprovalTarget[],
  reviewNow: RequestReviewer,
  options: { readonly clock: Clock; readonly report?: (line: string) => void; readonly signal?: AbortSignal },
): Promise<ApprovalResult[]> {
  const { clock, report = () => undefined, signal } = options;
  const runLimited = limitConcurrency(MAX_CONCURRENT);
  const limitedCluster: Cluster = {
    ...cluster,
    list: (...args) => runLimited(() => cluster.list(...args)),
    approve: (request) => runLimited(() => cluster.approve(request)),
  };
  const lists = createFreshLists(limitedCluster, reviewNow, clock);
  // While the list is read and reviewed, open the connections for the approvals.
  const warmUps =
    targets.length > MAX_CONCURRENT
      ? Array.from({ length: MAX_CONCURRENT }, () => runLimited(() => cluster.warmUp()))
      : [];
  const [firstList] = await Promise.all([lists.getRecent(), ...warmUps]);
  const results: ApprovalResult[] = [];
  const approvedRequests: (ApprovedRequest & { readonly index: number })[] = [];
  const addResult = (index: number, result: ApprovalResult) => {
    results[index] = result;
    report(`${result.name} ${result.review?.node ?? ''} ${result.outcome}: ${result.detail}`);
  };
  const approveTarget = async (target: ApprovalTarget, index: number) => {
    const listedRequest = firstList.get(target.name);
    const common = { review: listedRequest?.review ?? null, name: target.name };
    if (signal?.aborted) return addResult(index, { ...common, outcome: 'skipped', detail: words().approve.stopped });
    try {
      const approval = await approveOne(limitedCluster, target, listedRequest, lists, clock);
      if ('outcome' in approval) addResult(index, approval);
      else approvedRequests.push({ ...approval, index });
    } catch (error) {
      addResult(index, { ...common, outcome: 'failed', detail: toUserError(error).cause });
    }
  };
  const runTarget = limitConcurrency(MAX_CONCURRENT);
  await Promise.all(targets.map((target, index) => runTarget(() => approveTarget(target, index))));
  await waitForIssuance(
    limitedCluster,
    approvedRequests,
    ({ index, name }, issuance) => addResult(index, { name, ...issuance }),
    {
      clock,
      signal,
    },
  );
  return results;
}

/** Approves one request, or returns why not. */
async function approveOne(
  cluster: Cluster,
  target: ApprovalTarget,
  listedRequest: ReviewedRequest | undefined,
  lists: FreshLists,
  clock: Clock,
): Promise<ApprovalResult | ApprovedRequest> {
  let list = await lists.getRecent();
  for (let attempt = 1; ; attempt += 1) {
    const currentRequest = list.get(target.name);
    const createResult = (outcome: ApprovalResult['outcome'], detail: string): ApprovalResult => ({
      review: currentRequest?.review ?? listedRequest?.review ?? null,
      name: target.name,
      outcome,
      detail,
    });
    if (!listedRequest || !currentRequest) return createResult('skipped', words().approve.deleted);
    const { request, review } = currentRequest;
    const isUnchanged =
      request.uid === (target.uid ?? listedRequest.request.uid) &&
      request.encodedCsr === listedRequest.request.encodedCsr;
    if (!isUnchanged) return createResult('failed', words().reasons.CHANGED);
    const approvedRequest = { review, name: target.name, approvedAt: clock.now() };
    if (request.isDenied || request.isFailed) return createResult('failed', words().reasons.TERMINAL);
    if (request.isApproved)
      return { ...approvedRequest, detail: words().approve.alreadyApproved(formatDecision(request, 'Approved')) };
    if (review.verdict !== 'expected' && !(target.isNamedByUser && canApproveByName(review))) {
      if (review.verdict === 'superseded') return createResult('skipped', words().approve.superseded);
      const why = review.reasons.map((reason) => words().reasons[reason]).join(' ');
      return createResult('skipped', why || words().approve.notExpected);
    }
    try {
      await cluster.approve(addApproval(request, review, clock.now()));
      return { ...approvedRequest, detail: words().approve.issued };
    } catch (error) {
      if (isClusterError(error, 'absent')) return createResult('skipped', words().approve.deleted);
      const isUnavailable = isClusterError(error, 'not-yet', 'unreachable');
      if (!isUnavailable && !isClusterError(error, 'conflict')) throw error;
      if (attempt === MAX_ATTEMPTS)
        return createResult('failed', isUnavailable ? toUserError(error).cause : words().approve.conflicts);
      // A new list shows whether an API that became unavailable accepted the approval.
      if (isUnavailable) await clock.sleep(RETRY_PAUSE);
      list = await lists.getNew().catch((cause: unknown) => {
        if (isClusterError(cause, 'not-yet', 'unreachable')) return list;
        throw cause;
      });
    }
  }
}

/** The `reason` in the Approved condition that the wizard writes. */
export const APPROVAL_REASON = 'UPIWizardApprove';

/** Returns the object of a request with the condition Approved, as it is written to the API. */
function addApproval(request: CertificateRequest, review: RequestReview, now: number): CertificateRequest['object'] {
  const node = review.node ?? '';
  const message = review.verdict === 'expected' ? words().approve.message(node) : words().approve.byHand(node);
  return addDecision(request, { type: 'Approved', reason: APPROVAL_REASON, message }, now);
}

/**
 * Adds a decision to the conditions of a request.
 * @param now milliseconds since the epoch
 */
export function addDecision(
  { object }: CertificateRequest,
  decision: { readonly type: 'Approved' | 'Denied'; readonly reason: string; readonly message: string },
  now: number,
): CertificateRequest['object'] {
  const lastUpdateTime = new Date(now).toISOString().replace(/\.\d+Z$/, 'Z');
  const oldConditions = object.status?.conditions;
  const conditions = [
    ...(Array.isArray(oldConditions) ? oldConditions : []),
    { type: decision.type, status: 'True', reason: decision.reason, message: decision.message, lastUpdateTime },
  ];
  return { ...object, status: { ...object.status, conditions } };
}

/** Selects the expected requests, which are approved although the user does not name them. */
export function selectExpectedTargets(requests: readonly RequestReview[]): ApprovalTarget[] {
  return requests
    .filter(({ verdict }) => verdict === 'expected')
    .map(({ name, uid }) => ({ name, uid, isNamedByUser: false }));
}

/**
 * Approves these requests after another review of each, and records the results in the audit log. If the signal stops
 * it, returns the results so far.
 * @throws ClusterError
 */
export async function approveAndRecord(
  context: CsrContext,
  targets: readonly ApprovalTarget[],
  signal: AbortSignal,
): Promise<ApprovalResult[]> {
  if (targets.length === 0) return [];
  const { design, clock, auditLog } = context;
  const reviewNow = createReviewer({ design, ...context.getRecordedFacts() }, clock);
  const finish = auditLog.begin(
    targets.map(({ name }) => ({ step: 'certificates', action: 'approve', subject: name })),
  );
  try {
    const results = await approveRequests(await context.connect(), targets, reviewNow, { clock, signal });
    context.recordIssued(listIssuedRequestTimes(results.flatMap(({ review }) => review ?? [])));
    finish(results.map(({ outcome }) => toAuditResult(outcome === 'failed' || outcome === 'skipped' ? outcome : null)));
    return results;
  } catch (error) {
    finish(targets.map(() => toAuditResult(toUserError(error).code)));
    throw error;
  }
}

/**
 * Approves the named requests and, with `includesAllExpected`, all expected ones.
 * @param selection.confirm asks the user about a request that the design cannot decide, for these reasons in sentences;
 * resolves to null to approve it, or to the reason not to
 * @returns the result of each, named ones first, in the order of the names
 * @throws ClusterError when the API does not answer
 */
export async function approveSelected(
  context: CsrContext,
  selection: {
    readonly names: readonly string[];
    readonly includesAllExpected: boolean;
    readonly confirm: (request: RequestReview, reasons: readonly string[]) => Promise<string | null>;
    readonly signal: AbortSignal;
  },
): Promise<ApprovalResult[]> {
  const { names, includesAllExpected, confirm, signal } = selection;
  const { reviews, nodes } = await readCurrentCsrReview(context);
  const namedReviews = reviews.filter(({ name }) => names.includes(name));
  const rejoinAssessments = await assessRejoins(context, namedReviews, nodes);
  const targets: ApprovalTarget[] = [];
  const skippedResults: ApprovalResult[] = [];
  for (const name of names) {
    const review = reviews.find((request) => request.name === name);
    if (review === undefined) {
      skippedResults.push({
        review: null,
        name,
        outcome: 'skipped',
        detail: catalogue().clusterCommands.csr.noRequest,
      });
      continue;
    }
    const isOverrulable = canApproveByName(review);
    const reasons = explainReasons(review, rejoinAssessments);
    const refusal = rejoinAssessments.has(name) ? reasons.join(' ') : null;
    const detail = isOverrulable ? await confirm(review, reasons) : refusal;
    if (detail === null) targets.push({ name, uid: review.uid, isNamedByUser: isOverrulable });
    else skippedResults.push({ review, name, outcome: 'skipped', detail });
  }
  if (includesAllExpected) targets.push(...selectExpectedTargets(reviews).filter(({ name }) => !names.includes(name)));
  const results = [...skippedResults, ...(await approveAndRecord(context, targets, signal))];
  const getRank = ({ name }: ApprovalResult) => (names.includes(name) ? names.indexOf(name) : names.length);
  return results.toSorted((a, b) => getRank(a) - getRank(b));
}
