import { nodeFqdn } from '../../../design/names.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule } from '../diagnostic-rule.ts';
import type { ReviewedCsr } from '../evidence.ts';

/** The last CSR of a planned node was denied, or the signer rejected it. */
export const csrDenied = diagnosticRule('request-denied', 'requests', ({ design, cluster }) => {
  const planned = new Set(design?.nodes.map((node) => nodeFqdn(design, node)));
  const joined = new Set(cluster?.nodes?.map(({ name }) => name));
  const requests = cluster?.requests ?? [];
  const denied = requests
    .filter((request) => isDenied(request) && planned.has(request.node ?? ''))
    .filter(({ kind, node }) => kind !== 'other' && joined.has(node ?? '') === (kind === 'serving'))
    .filter((each) => !requests.some((other) => supersedes(other, each)));
  const ofNode = Map.groupBy(denied, ({ node, kind }) => `${node} ${kind}`);
  return [...ofNode.values()].flatMap((own) => {
    const last = own.reduce((a, b) => ((b.requestedAt ?? 0) > (a.requestedAt ?? 0) ? b : a));
    const others = own.length === 1 ? '' : ` (${own.length}x)`;
    return {
      likelihood: 'certain' as const,
      subject: last.node ?? last.name,
      symptom: `${last.name} ${last.node ?? ''} ${last.kind} Denied${others}`,
      // `oc describe` leaves out the approver that denied it, and the message.
      command: shellCommand`oc get csr ${last.name} -o jsonpath='{.status.conditions}'`,
    };
  });
});

const isDenied = ({ verdict, reasons }: ReviewedCsr) => verdict === 'decided' && reasons.includes('TERMINAL');

/** Whether a CSR is of the same node and kind as a denied one, and still pending or approved. */
function supersedes(other: ReviewedCsr, denied: ReviewedCsr): boolean {
  return other.node === denied.node && other.kind === denied.kind && !isDenied(other);
}
