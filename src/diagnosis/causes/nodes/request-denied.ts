import { nodeFqdn } from '../../../design/names.ts';
import { shell } from '../../../text/shell-word.ts';
import { cause } from '../cause.ts';
import type { RequestSeen } from '../evidence.ts';

/** The request of a node of the design was denied, or the signer refused it, and the node has not asked again. */
export const requestDenied = cause('request-denied', 'requests', ({ design, cluster }) => {
  const planned = new Set(design?.nodes.map((node) => nodeFqdn(design, node)));
  const joined = new Set(cluster?.nodes?.map(({ name }) => name));
  const requests = cluster?.requests ?? [];
  return requests
    .filter((request) => isDenied(request) && planned.has(request.node ?? ''))
    .filter(({ kind, node }) => kind !== 'other' && joined.has(node ?? '') === (kind === 'serving'))
    .filter((denied) => !requests.some((other) => isAfter(other, denied)))
    .map(({ name, node, kind }) => ({
      likelihood: 'certain' as const,
      subject: node ?? name,
      symptom: `${name} ${node ?? ''} ${kind} Denied`,
      command: shell`oc describe csr ${name}`,
    }));
});

const isDenied = ({ verdict, reasons }: RequestSeen) => verdict === 'decided' && reasons.includes('TERMINAL');

/** Of the same node and kind, and still open or approved. */
function isAfter(other: RequestSeen, denied: RequestSeen): boolean {
  return other.node === denied.node && other.kind === denied.kind && !isDenied(other);
}
