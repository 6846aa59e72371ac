import { nodeFqdn } from '../../../design/names.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';
import type { RequestSeen } from '../evidence.ts';

/** The last request of a node of the design was denied, or the signer refused it. */
export const requestDenied = cause('request-denied', 'requests', ({ design, cluster }) => {
  const planned = new Set(design?.nodes.map((node) => nodeFqdn(design, node)));
  const joined = new Set(cluster?.nodes?.map(({ name }) => name));
  const requests = cluster?.requests ?? [];
  const denied = requests
    .filter((request) => isDenied(request) && planned.has(request.node ?? ''))
    .filter(({ kind, node }) => kind !== 'other' && joined.has(node ?? '') === (kind === 'serving'))
    .filter((each) => !requests.some((other) => isAfter(other, each)));
  const ofNode = Map.groupBy(denied, ({ node, kind }) => `${node} ${kind}`);
  return [...ofNode.values()].flatMap((own) => {
    const last = own.reduce((a, b) => ((b.requestedAt ?? 0) > (a.requestedAt ?? 0) ? b : a));
    const others = own.length === 1 ? '' : ` (${own.length}x)`;
    return {
      likelihood: 'certain' as const,
      subject: last.node ?? last.name,
      symptom: `${last.name} ${last.node ?? ''} ${last.kind} Denied${others}`,
      // What `oc describe` leaves out: who denied it, and in which words.
      command: shell`oc get csr ${last.name} -o jsonpath='{.status.conditions}'`,
    };
  });
});

const isDenied = ({ verdict, reasons }: RequestSeen) => verdict === 'decided' && reasons.includes('TERMINAL');

/** Of the same node and kind, and still open or approved. */
function isAfter(other: RequestSeen, denied: RequestSeen): boolean {
  return other.node === denied.node && other.kind === denied.kind && !isDenied(other);
}
