import type { ApproveResult } from '../../cluster/csr/approve.ts';
import { floodAfter } from '../../cluster/csr/flood.ts';
import type { Judgement } from '../../cluster/csr/judgement.ts';
import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import type { FloodEvidence } from '../../diagnosis/certificates/evidence.ts';
import type { Finding } from '../../diagnosis/finding.ts';
import type { NodeView } from '../../objects/node.ts';
import type { LiveCluster } from '../shared/live-cluster.ts';
import { bootSigns } from '../shared/machines/boot-watch.ts';
import type { FollowEvent } from './follow-event.ts';
import type { Member } from './members.ts';
import { rejoinings } from './rejoining.ts';

/** Whether we wrote an approval. */
export function isTaken({ outcome }: ApproveResult): boolean {
  return outcome === 'issued' || outcome === 'approved';
}

/** Finds the news in each look: what stays as it was is sent once. */
export function createFollowNews(tell: (event: FollowEvent) => void) {
  let flood: FloodEvidence | null = null;
  let lost = '';
  let foreignBefore = '';
  let membersBefore = '';
  let failedBefore: ReadonlySet<string> = new Set();
  let refusedBefore: ReadonlySet<string> = new Set();

  return {
    apiLost(outage: Omit<Extract<FollowEvent, { type: 'api/lost' }>, 'type'>): void {
      const key = `${outage.trouble.code} ${outage.urgency}`;
      if (key !== lost) tell({ type: 'api/lost', ...outage });
      lost = key;
    },

    apiAnswered(): void {
      if (lost !== '') tell({ type: 'api/answered' });
      lost = '';
    },

    flood({ design, clock }: LiveCluster, requests: readonly Judgement[]): void {
      const before = flood;
      flood = floodAfter(before, requests, { design, now: clock.now() });
      if (flood === null || (before !== null && flood.until === before.until)) return;
      tell({ type: flood.until === null ? 'flood/began' : 'flood/ended', flood });
    },

    foreign(findings: readonly Finding[]): void {
      const key = findings.map(({ subject }) => subject).join(' ');
      if (key !== foreignBefore && key !== '') tell({ type: 'kubelets/foreign', findings });
      foreignBefore = key;
    },

    /** @returns those that changed since the last look */
    results(results: readonly ApproveResult[]): readonly ApproveResult[] {
      const keyOf = ({ name, judgement, outcome, detail }: ApproveResult) =>
        [name, judgement?.uid, outcome, detail].join(' ');
      const fresh = results.filter((result) => !failedBefore.has(keyOf(result)));
      failedBefore = new Set(results.map(keyOf));
      for (const result of fresh) tell({ type: `request/${result.outcome}`, result });
      return fresh;
    },

    /** Missing evidence of a boot is a reason to look, not to refuse. Each is approved once, and so sent once. */
    async unseen({ design, session }: LiveCluster, results: readonly ApproveResult[]): Promise<void> {
      const joining = new Map(
        results.flatMap((result) =>
          isTaken(result) && result.judgement?.kind === 'client' ? [[result.judgement.node, result.name] as const] : [],
        ),
      );
      const nameOf = (node: DesignNode) => joining.get(nodeFqdn(design, node));
      const machines = design.nodes.filter((node) => nameOf(node) !== undefined);
      if (machines.length === 0) return;
      const { signs } = session === null ? { signs: [] } : await bootSigns(session.context, machines);
      const seen = new Set(signs.flatMap(({ node, reached }) => (reached === 'off' ? [] : node.name)));
      for (const node of machines) {
        const about = { name: nameOf(node) ?? '', node: nodeFqdn(design, node), isLogKnown: session !== null };
        if (!seen.has(node.name)) tell({ type: 'boot/unseen', ...about });
      }
    },

    /** Sends every reason; in a flood it sends the flood, and not each of its requests. */
    async refused({ session }: LiveCluster, requests: readonly Judgement[], nodes: readonly NodeView[]): Promise<void> {
      const refused = requests.filter(({ verdict, reasons }) => verdict === 'refused' && !reasons.includes('FLOOD'));
      const keyOf = ({ uid, reasons }: Judgement) => `${uid} ${reasons.join(' ')}`;
      const fresh = refused.filter((request) => !refusedBefore.has(keyOf(request)));
      refusedBefore = new Set(refused.map(keyOf));
      const again = session === null ? new Map() : await rejoinings(session.context, fresh, nodes);
      for (const request of fresh) tell({ type: 'request/refused', request, rejoinings: again });
    },

    /** @returns whether somebody has joined, or is away again */
    members(members: readonly Member[]): boolean {
      const namesOf = (hasJoined: boolean) =>
        members.filter((member) => member.hasJoined === hasJoined).map(({ name }) => name);
      const missing = namesOf(false);
      const key = `${members.length} ${missing.join(' ')}`;
      if (key === membersBefore) return false;
      membersBefore = key;
      tell({ type: 'nodes/joined', joined: namesOf(true), missing });
      return true;
    },
  };
}
