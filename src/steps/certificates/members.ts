import { judgeAll } from '../../cluster/csr/judge-all.ts';
import { isPending, type Judgement } from '../../cluster/csr/judgement.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import { foreign } from '../../diagnosis/certificates/foreign.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import { judge } from '../../diagnosis/rule.ts';
import { MINUTE } from '../../ports/clock.ts';
import type { StepContext } from '../contract.ts';
import { bootedSince } from '../shared/machines/later-nodes.ts';
import { servedVerdicts } from './served-certificates.ts';

/** What seeMembers needs. */
export type MemberContext = Pick<StepContext, 'design' | 'clock' | 'reach' | 'memory' | 'recollection'>;

/** How far one of a node's two certificates is: not requested, requested, requested in a way that we refuse, issued. */
export type WaveState = 'open' | 'asked' | 'refused' | 'done';

/** A node of the design on its way into the cluster. */
export interface Member {
  readonly name: string;
  readonly role: DesignNode['role'];
  /** Ready, at its planned address. */
  readonly isReady: boolean;
  readonly hasServingCertificate: boolean;
  /** Ready, and presents its own certificate at its planned address: more than "two requests were approved". */
  readonly hasJoined: boolean;
  /** It counts as joined although nothing answers at its kubelet's port: its certificate could not be looked at from here. */
  readonly isUnproven: boolean;
  /** The certificate to join, and the one to serve. */
  readonly waves: readonly [WaveState, WaveState];
}

/** A node Ready this long with no pending serving request has its certificate: kubelets ask within a minute. */
const SETTLED_AFTER = 10 * MINUTE;
/** The same where its kubelet cannot be asked: Ready, and no request of its own waits. Waiting longer would prove no more. */
const SILENT_AFTER = 2 * MINUTE;

/**
 * Who has joined, by the API and by the certificates that kubelets present at their planned addresses; all requests
 * judged, in the order of the list. Keeps what was proven in the memory.
 * @param foreign nodes at whose planned address another key or name answers
 */
export async function seeMembers(
  context: MemberContext,
  snapshot: Pick<Snapshot, 'nodes' | 'requests'> | null,
): Promise<{
  readonly requests: readonly Judgement[];
  readonly members: readonly Member[];
  readonly foreign: readonly Finding[];
}> {
  const { design, clock } = context;
  const nodes = snapshot?.nodes ?? [];
  const requests = judgeAll(snapshot?.requests ?? [], {
    design,
    nodes,
    now: clock.now(),
    bootedSince: bootedSince(context),
  });
  const served = servedNodes(context, requests);
  const planned = design.nodes.filter(({ role }) => role !== 'bootstrap');
  const seenOf = (node: DesignNode) => nodes.find(({ name }) => name === nodeFqdn(design, node));
  const isReady = (node: DesignNode) => {
    const seen = seenOf(node);
    return (seen?.isReady ?? false) && (seen?.addresses.some(({ address }) => node.ip.includes(address)) ?? false);
  };
  const shown = await servedVerdicts(context, planned.filter(isReady), {
    requests: snapshot?.requests ?? [],
    judgements: requests,
  });
  const members = planned.map((node): Member => {
    const fqdn = nodeFqdn(design, node);
    const own = requests.filter((request) => request.node === fqdn);
    const seen = seenOf(node);
    const createdAt = seen?.createdAt ?? null;
    // Without an answer of the kubelet, its requests have to be evidence enough.
    const verdict = shown.get(fqdn) ?? 'unsure';
    const settledAfter = verdict === 'silent' ? SILENT_AFTER : SETTLED_AFTER;
    const isSettled = isReady(node) && createdAt !== null && clock.now() - createdAt > settledAfter;
    const isWaiting = own.some((request) => request.kind === 'serving' && isPending(request));
    const isLikely = served.has(fqdn) || (isSettled && !isWaiting);
    const hasServingCertificate = verdict === 'own' || (verdict !== 'foreign' && isLikely);
    const hasJoined = isReady(node) && hasServingCertificate;
    return {
      name: node.name,
      role: node.role,
      isReady: isReady(node),
      hasServingCertificate,
      hasJoined,
      isUnproven: hasJoined && verdict === 'silent',
      waves: [
        seen === undefined ? waveOf(own, 'client') : 'done',
        hasServingCertificate ? 'done' : verdict === 'foreign' ? 'refused' : waveOf(own, 'serving'),
      ],
    };
  });
  const others = planned.filter((node) => shown.get(nodeFqdn(design, node)) === 'foreign');
  return { requests, members, foreign: judge([foreign], others) };
}

/** Where no certificate is proven to exist: an approved request is decided, and its certificate not in use yet. */
function waveOf(own: readonly Judgement[], kind: 'client' | 'serving'): WaveState {
  const mine = own.filter((request) => request.kind === kind);
  if (mine.some(({ verdict, isApproved }) => verdict === 'expected' || isApproved)) return 'asked';
  return mine.some(({ verdict }) => verdict === 'refused') ? 'refused' : 'open';
}

/**
 * The nodes whose serving certificate we saw issued. Requests disappear an hour after their approval, so the memory
 * keeps them.
 */
function servedNodes(context: MemberContext, requests: readonly Judgement[]): Set<string> {
  const known = context.memory.get('served') ?? [];
  const issued = requests.flatMap(({ kind, isIssued, node }) =>
    kind === 'serving' && isIssued && node !== null ? [node] : [],
  );
  const served = new Set([...known, ...issued]);
  if (served.size > known.length) context.memory.set('served', [...served]);
  return served;
}
