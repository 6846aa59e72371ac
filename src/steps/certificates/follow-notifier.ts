import type { FloodEvidence } from '../../checks/certificates.ts';
import type { Finding } from '../../checks/check.ts';
import type { ApprovalResult } from '../../csr/approve.ts';
import { updateFlood } from '../../csr/review-requests.ts';
import type { CsrVerdict } from '../../csr/verdict.ts';
import { nodeFqdn } from '../../design/derived-facts.ts';
import type { DesignNode } from '../../design/model.ts';
import type { NodeView } from '../../openshift/node.ts';

import type { LiveCluster } from '../shared/live-cluster.ts';
import { collectBootSigns } from '../shared/machines/boot-progress.ts';
import type { FollowEvent } from './follow-event.ts';
import type { NodeMembership } from './node-membership.ts';
import { assessRejoins } from './rejoin.ts';

/** Whether the wizard wrote an approval. */
export function wasApproved({ outcome }: ApprovalResult): boolean {
  return outcome === 'issued' || outcome === 'approved';
}

/** Creates a notifier that sends an event for every change between probes; a state that stays the same is sent once. */
export function createFollowNotifier(emit: (event: FollowEvent) => void) {
  let flood: FloodEvidence | null = null;
  let lastOutage = '';
  let lastForeign = '';
  let lastMembers = '';
  let lastResults: ReadonlySet<string> = new Set();
  let lastRefused: ReadonlySet<string> = new Set();

  return {
    reportOutage(outage: Omit<Extract<FollowEvent, { type: 'api/lost' }>, 'type'>): void {
      const key = `${outage.userError.code} ${outage.urgency}`;
      if (key !== lastOutage) emit({ type: 'api/lost', ...outage });
      lastOutage = key;
    },

    reportRecovery(): void {
      if (lastOutage !== '') emit({ type: 'api/answered' });
      lastOutage = '';
    },

    reportFlood({ design, clock }: LiveCluster, requests: readonly CsrVerdict[]): void {
      const before = flood;
      flood = updateFlood(before, requests, { design, now: clock.now() });
      if (flood === null || (before !== null && flood.until === before.until)) return;
      emit({ type: flood.until === null ? 'flood/began' : 'flood/ended', flood });
    },

    reportForeign(findings: readonly Finding[]): void {
      const key = findings.map(({ subject }) => subject).join(' ');
      if (key !== lastForeign && key !== '') emit({ type: 'kubelets/foreign', findings });
      lastForeign = key;
    },

    /** @returns the results that changed since the last probe */
    reportResults(results: readonly ApprovalResult[]): readonly ApprovalResult[] {
      const toKey = ({ name, review, outcome, detail }: ApprovalResult) =>
        [name, review?.uid, outcome, detail].join(' ');
      const fresh = results.filter((result) => !lastResults.has(toKey(result)));
      lastResults = new Set(results.map(toKey));
      for (const result of fresh) emit({ type: `request/${result.outcome}`, result });
      return fresh;
    },

    /**
     * Reports approved nodes without evidence of a boot: a reason to check, not to refuse. Each is approved once, and
     * so sent once.
     */
    async reportUnbooted({ design, session }: LiveCluster, results: readonly ApprovalResult[]): Promise<void> {
      const joinRequests = new Map(
        results.flatMap((result) =>
          wasApproved(result) && result.review?.kind === 'client' ? [[result.review.node, result.name] as const] : [],
        ),
      );
      const findRequestName = (node: DesignNode) => joinRequests.get(nodeFqdn(design, node));
      const machines = design.nodes.filter((node) => findRequestName(node) !== undefined);
      if (machines.length === 0) return;
      const { signs } = session === null ? { signs: [] } : await collectBootSigns(session.context, machines);
      const booted = new Set(signs.flatMap(({ node, reached }) => (reached === 'off' ? [] : node.name)));
      for (const node of machines) {
        const details = {
          name: findRequestName(node) ?? '',
          node: nodeFqdn(design, node),
          isLogKnown: session !== null,
        };
        if (!booted.has(node.name)) emit({ type: 'boot/unseen', ...details });
      }
    },

    /** Sends every refusal; during a flood it sends the flood, and not each of its requests. */
    async reportRefused(
      { session }: LiveCluster,
      requests: readonly CsrVerdict[],
      nodes: readonly NodeView[],
    ): Promise<void> {
      const refused = requests.filter(({ verdict, reasons }) => verdict === 'refused' && !reasons.includes('FLOOD'));
      const toKey = ({ uid, reasons }: CsrVerdict) => `${uid} ${reasons.join(' ')}`;
      const fresh = refused.filter((request) => !lastRefused.has(toKey(request)));
      lastRefused = new Set(refused.map(toKey));
      const rejoinAssessments = session === null ? new Map() : await assessRejoins(session.context, fresh, nodes);
      for (const request of fresh) emit({ type: 'request/refused', request, rejoinAssessments: rejoinAssessments });
    },

    /** @returns whether the set of joined nodes changed */
    reportMembers(members: readonly NodeMembership[]): boolean {
      const listNames = (hasJoined: boolean) =>
        members.filter((member) => member.hasJoined === hasJoined).map(({ name }) => name);
      const missing = listNames(false);
      const key = `${members.length} ${missing.join(' ')}`;
      if (key === lastMembers) return false;
      lastMembers = key;
      emit({ type: 'nodes/joined', joined: listNames(true), missing });
      return true;
    },
  };
}
