import { catalogue } from '../i18n/catalogue.ts';
import { toUserError } from '../i18n/user-error.ts';
import type { Cluster } from '../kube/api.ts';
import { isClusterError } from '../kube/errors.ts';
import { type CertificateRequest, formatDecision, parseCertificateRequest } from '../openshift/certificate-request.ts';
import type { Clock } from '../platform/clock.ts';
import { toAuditResult } from '../session/audit-log.ts';
import { addDecision, MAX_ATTEMPTS, RETRY_PAUSE } from './approve.ts';
import type { CsrContext } from './csr-context.ts';
import type { RequestReview } from './verdict.ts';

const words = () => catalogue().csr;

/** The result for one request. `denied`: by this run or before; `skipped`: nothing was written. */
export interface DenialResult {
  readonly review: RequestReview | null;
  readonly name: string;
  readonly outcome: 'denied' | 'failed' | 'skipped';
  readonly detail: string;
}

/** A request that the user named, as it was listed. */
export interface DenialTarget {
  readonly review: RequestReview;
  readonly request: CertificateRequest;
}

/** The `reason` in the Denied condition that the wizard writes. */
const DENIAL_REASON = 'UPIWizardDeny';

/**
 * Returns why a request cannot be denied, or that it is denied already; null if it can be denied. The API refuses to
 * deny an approved request (kubernetes, pkg/apis/certificates/validation).
 */
export function findDecision(request: CertificateRequest): Pick<DenialResult, 'outcome' | 'detail'> | null {
  if (request.isApproved)
    return { outcome: 'skipped', detail: words().deny.approved(formatDecision(request, 'Approved')) };
  if (request.isDenied) return { outcome: 'denied', detail: words().deny.before(formatDecision(request, 'Denied')) };
  return request.isFailed ? { outcome: 'skipped', detail: words().reasons.TERMINAL } : null;
}

/**
 * Denies requests one after the other, and records the results in the audit log. A request that was replaced, decided
 * or deleted since it was listed is left alone. After an abort, it starts no more denials.
 * @returns one result for each target, in order; a failed target is a result, not an exception
 * @throws ClusterError without a connection; UserErrorException `session-unwritable`, before anything is denied
 */
export async function denyAndRecord(
  { connect, clock, auditLog }: CsrContext,
  targets: readonly DenialTarget[],
  signal: AbortSignal,
): Promise<DenialResult[]> {
  if (targets.length === 0) return [];
  const cluster = await connect();
  const finish = auditLog.begin(
    targets.map(({ request }) => ({ step: 'certificates', action: 'deny', subject: request.name })),
  );
  const results: DenialResult[] = [];
  for (const target of targets) {
    const result = await denyOne(cluster, target, clock, signal).catch((error: unknown) => ({
      outcome: 'failed' as const,
      detail: toUserError(error).cause,
    }));
    results.push({ review: target.review, name: target.request.name, ...result });
  }
  finish(results.map(({ outcome }) => toAuditResult(outcome === 'denied' ? null : outcome)));
  return results;
}

async function denyOne(
  cluster: Cluster,
  { request: listedRequest, review }: DenialTarget,
  clock: Clock,
  signal: AbortSignal,
): Promise<Pick<DenialResult, 'outcome' | 'detail'>> {
  for (let attempt = 1; ; attempt += 1) {
    if (signal.aborted) return { outcome: 'skipped', detail: words().deny.stopped };
    try {
      const object = await cluster.get('CertificateSigningRequest', listedRequest.name);
      if (object === null) return { outcome: 'skipped', detail: words().approve.deleted };
      const request = parseCertificateRequest(object);
      if (request.uid !== listedRequest.uid || request.encodedCsr !== listedRequest.encodedCsr)
        return { outcome: 'failed', detail: words().reasons.CHANGED };
      const decision = findDecision(request);
      if (decision !== null) return decision;
      const message = words().deny.message(review.node);
      await cluster.approve(addDecision(request, { type: 'Denied', reason: DENIAL_REASON, message }, clock.now()));
      return { outcome: 'denied', detail: words().deny.done };
    } catch (error) {
      if (isClusterError(error, 'absent')) return { outcome: 'skipped', detail: words().approve.deleted };
      const isUnavailable = isClusterError(error, 'not-yet', 'unreachable');
      if ((!isUnavailable && !isClusterError(error, 'conflict')) || attempt === MAX_ATTEMPTS) throw error;
      if (isUnavailable) await clock.sleep(RETRY_PAUSE, signal).catch(() => undefined);
    }
  }
}
