import { textAt } from '../../objects/object.ts';
import type { Clock } from '../../ports/clock.ts';
import { MINUTE, SECOND } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Cluster } from '../api.ts';
import { isClusterError } from '../errors.ts';
import type { Judgement } from './judgement.ts';
import { type CertificateRequest, readRequest } from './request.ts';

const words = () => catalogue().csr;

/** An approved request: what to report once its certificate exists. */
export interface Approved {
  readonly judgement: Judgement;
  readonly name: string;
  /** Milliseconds since the epoch. */
  readonly approvedAt: number;
  readonly detail: string;
}

/** The outcome of an approval. */
export interface Issue {
  readonly judgement: Judgement;
  readonly outcome: 'approved' | 'issued' | 'failed';
  readonly detail: string;
}

const WITHIN = MINUTE;
const LOOK = SECOND;

/**
 * Waits for the certificates of approved requests, up to a minute each, with one list for all of them.
 * @param tell called once for each, as soon as it is known
 */
export async function awaitIssues<T extends Approved>(
  cluster: Cluster,
  approved: readonly T[],
  tell: (approved: T, issue: Issue) => void,
  { clock, signal }: { readonly clock: Clock; readonly signal?: AbortSignal | undefined },
): Promise<void> {
  let open = [...approved];
  while (open.length > 0) {
    // After an abort it looks once more.
    const isLast = signal?.aborted === true;
    const list = await listed(cluster);
    const now = clock.now();
    open = open.filter((one) => {
      const issue = issueOf(one, list, now, isLast);
      if (issue) tell(one, issue);
      return issue === null;
    });
    if (open.length > 0) await clock.sleep(LOOK, signal).catch(() => undefined);
  }
}

/** Null while the API is away: the approval is written, and an API that restarts does not undo it. */
async function listed(cluster: Cluster): Promise<ReadonlyMap<string, CertificateRequest> | null> {
  try {
    const objects = await cluster.list('CertificateSigningRequest');
    return new Map(objects.map((object) => [object.metadata.name, readRequest(object)]));
  } catch (error) {
    if (isClusterError(error)) return null;
    throw error;
  }
}

function issueOf(
  { judgement, name, approvedAt, detail }: Approved,
  list: ReadonlyMap<string, CertificateRequest> | null,
  now: number,
  isLast: boolean,
): Issue | null {
  const listed = list?.get(name);
  // A request of the same name made since is another node's, or has another key.
  const request = listed?.uid === judgement.uid ? listed : undefined;
  const failed = request?.conditions.find(({ type }) => type === 'Failed');
  if (request?.isIssued) {
    return { judgement: { ...judgement, isApproved: true, isIssued: true }, outcome: 'issued', detail };
  }
  if (failed) return { judgement, outcome: 'failed', detail: words().approve.failed(textAt(failed, 'message') ?? '') };
  if (list !== null && request === undefined) return { judgement, outcome: 'approved', detail: words().approve.gone };
  if (isLast) return { judgement, outcome: 'approved', detail: words().approve.notAwaited };
  return now - approvedAt >= WITHIN ? { judgement, outcome: 'approved', detail: words().approve.signing } : null;
}
