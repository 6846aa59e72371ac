import { catalogue } from '../../i18n/catalogue.ts';
import { getString } from '../../openshift/object.ts';
import type { Clock } from '../../platform/clock.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import type { Cluster } from '../api.ts';
import { isClusterError } from '../errors.ts';
import type { CsrVerdict } from './csr-verdict.ts';
import { type CertificateRequest, readRequest } from './request.ts';

const words = () => catalogue().csr;

/** An approved request. `detail` is reported once its certificate exists. */
export interface ApprovedRequest {
  readonly review: CsrVerdict;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly approvedAt: number;
  readonly detail: string;
}

/** Whether the certificate of an approved request was issued. */
export interface IssuanceResult {
  readonly review: CsrVerdict;
  readonly outcome: 'approved' | 'issued' | 'failed';
  readonly detail: string;
}

const ISSUE_TIMEOUT = MINUTE;
const POLL_INTERVAL = SECOND;

/**
 * Waits until the certificates of approved requests are issued, at most one minute each. One list serves all of them.
 * @param onResult called once for each request, as soon as its result is known
 */
export async function waitForIssuance<T extends ApprovedRequest>(
  cluster: Cluster,
  approved: readonly T[],
  onResult: (approved: T, result: IssuanceResult) => void,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  let pending = [...approved];
  while (pending.length > 0) {
    // After an abort, the list is read one last time.
    const isLast = signal?.aborted === true;
    const list = await tryListRequests(cluster);
    const now = clock.now();
    pending = pending.filter((one) => {
      const result = deriveResult(one, list, now, isLast);
      if (result) onResult(one, result);
      return result === null;
    });
    if (pending.length > 0) await clock.sleep(POLL_INTERVAL, signal).catch(() => undefined);
  }
}

/** Returns null while the API is unavailable: the approval is stored, and a restart of the API does not undo it. */
async function tryListRequests(cluster: Cluster): Promise<ReadonlyMap<string, CertificateRequest> | null> {
  try {
    const objects = await cluster.list('CertificateSigningRequest');
    return new Map(objects.map((object) => [object.metadata.name, readRequest(object)]));
  } catch (error) {
    if (isClusterError(error)) return null;
    throw error;
  }
}

function deriveResult(
  { review, name, approvedAt, detail }: ApprovedRequest,
  list: ReadonlyMap<string, CertificateRequest> | null,
  now: number,
  isLast: boolean,
): IssuanceResult | null {
  const current = list?.get(name);
  // A newer request of the same name belongs to another node, or has another key.
  const request = current?.uid === review.uid ? current : undefined;
  const failed = request?.conditions.find(({ type }) => type === 'Failed');
  if (request?.isIssued) {
    return { review: { ...review, isApproved: true, isIssued: true }, outcome: 'issued', detail };
  }
  if (failed) return { review, outcome: 'failed', detail: words().approve.failed(getString(failed, 'message') ?? '') };
  if (list !== null && request === undefined) return { review, outcome: 'approved', detail: words().approve.deleted };
  if (isLast) return { review, outcome: 'approved', detail: words().approve.notWaitedFor };
  return now - approvedAt >= ISSUE_TIMEOUT
    ? { review, outcome: 'approved', detail: words().approve.notIssuedYet }
    : null;
}
