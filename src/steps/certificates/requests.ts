import { byInterest } from '../../cluster/csr/interest.ts';
import { judgeAll } from '../../cluster/csr/judge-all.ts';
import type { Judgement } from '../../cluster/csr/judgement.ts';
import { readRequest } from '../../cluster/csr/request.ts';
import { skewTrouble } from '../../cluster/outage.ts';
import { nodeView } from '../../objects/node.ts';
import type { Trouble } from '../../text/trouble.ts';
import type { LiveCluster } from '../shared/live-cluster.ts';
import { bootedSince } from '../shared/machines/later-nodes.ts';

export type { Judgement };

/**
 * All requests of the cluster, judged together; what waits for somebody comes first.
 * @returns `skew`: the clocks differ (judging uses the age of requests); null when they do not
 * @throws ClusterError
 */
export async function listRequests(
  live: LiveCluster,
): Promise<{ readonly requests: readonly Judgement[]; readonly skew: Trouble | null }> {
  const { design, clock } = live;
  const cluster = await live.connect();
  const [nodes, requests] = await Promise.all([
    cluster.list('Node').then((objects) => objects.map(nodeView)),
    cluster.list('CertificateSigningRequest').then((objects) => objects.map(readRequest)),
  ]);
  const judged = judgeAll(requests, { design, nodes, now: clock.now(), bootedSince: bootedSince(live) });
  return { requests: judged.toSorted(byInterest), skew: skewTrouble(cluster.clockSkew()) };
}

/** A request as the outer interface shows it. */
export function requestDocument({ name, uid, node, kind, verdict, reasons, requestedAt, requester }: Judgement) {
  const at = requestedAt === null ? null : new Date(requestedAt).toISOString();
  return { name, uid, node, kind, verdict, reasons, requestedAt: at, requester };
}
