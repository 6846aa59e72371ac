import { reviewRequests } from '../../csr/review-requests.ts';
import { type CsrVerdict, compareForReview } from '../../csr/verdict.ts';
import type { UserError } from '../../i18n/user-error.ts';
import { checkClockSkew } from '../../kube/outage.ts';
import { readRequest } from '../../openshift/certificate-request.ts';
import { nodeView } from '../../openshift/node.ts';
import type { LiveCluster } from '../shared/cluster-access.ts';
import { getFirstPowerOn } from '../shared/machines/node-facts.ts';

/**
 * Lists all requests of the cluster, reviewed together; those that need attention come first.
 * @returns `skew`: the clocks differ, which matters because the review uses the age of requests; null if they do not
 * @throws ClusterError
 */
export async function listRequests(
  live: LiveCluster,
): Promise<{ readonly requests: readonly CsrVerdict[]; readonly skew: UserError | null }> {
  const { design, clock } = live;
  const cluster = await live.connect();
  const [nodes, requests] = await Promise.all([
    cluster.list('Node').then((objects) => objects.map(nodeView)),
    cluster.list('CertificateSigningRequest').then((objects) => objects.map(readRequest)),
  ]);
  const reviewed = reviewRequests(requests, { design, nodes, now: clock.now(), bootedSince: getFirstPowerOn(live) });
  return { requests: reviewed.toSorted(compareForReview), skew: checkClockSkew(cluster.clockSkew()) };
}

/** Returns a request as shown in `--json` output. */
export function requestDocument({ name, uid, node, kind, verdict, reasons, requestedAt, requester }: CsrVerdict) {
  const at = requestedAt === null ? null : new Date(requestedAt).toISOString();
  return { name, uid, node, kind, verdict, reasons, requestedAt: at, requester };
}
