import type { ReviewedCsr } from '../../csr/review-requests.ts';
import { nodeFqdn } from '../../design/derived-facts.ts';
import { MINUTE } from '../../platform/clock.ts';
import { shellCommand } from '../../platform/shell-quoting.ts';
import { diagnosticRule, type Symptom } from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';

/** Enough time for the user to return to the screen that approves them. */
const GRACE_PERIOD = 5 * MINUTE;

/** Nodes sent valid CSRs to join, which are not approved. */
export const clientCsrsPending = diagnosticRule('requests-wait', 'requests', (evidence) =>
  symptomsFromPendingCsrs(evidence, 'client', 'system:node:'),
);

/**
 * Valid CSRs of a kind that are not approved, as symptoms.
 * @param about text of `oc get csr` before the name of the node
 */
function symptomsFromPendingCsrs({ cluster, now }: Evidence, wanted: ReviewedCsr['kind'], about: string): Symptom[] {
  return (cluster?.requests ?? [])
    .filter(
      ({ verdict, kind, requestedAt }) =>
        isAcceptable(verdict) && kind === wanted && now - (requestedAt ?? now) > GRACE_PERIOD,
    )
    .map(({ name, node, verdict }) => ({
      likelihood: verdict === 'unjudged' ? ('likely' as const) : ('certain' as const),
      subject: node ?? name,
      symptom: `${name} ${about}${node ?? ''} Pending`,
      command: verdict === 'unjudged' ? 'oc get csr' : 'upi-wizard csr list',
    }));
}

/** The CSR fits the design, or the design is unknown. */
function isAcceptable(verdict: ReviewedCsr['verdict']): boolean {
  return verdict === 'expected' || verdict === 'unjudged';
}

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

/**
 * The serving CSR of a node is not approved: the node is Ready, but oc logs, exec and metrics fail with "tls: internal
 * error".
 */
export const servingCsrsPending = diagnosticRule('serving-requests-wait', 'requests', (evidence) =>
  symptomsFromPendingCsrs(evidence, 'serving', 'kubelet-serving '),
);

/**
 * Reasons that the design cannot decide, or that pass on their own. A wrong name of one of our machines has its own
 * rules.
 */
const INCONCLUSIVE: ReadonlySet<string> = new Set([
  'DUPLICATE_KEYS',
  'NODE_EXISTS',
  'FLOOD',
  'TIME',
  'LOCALHOST',
  'TERMINAL',
  'CHANGED',
  'NODE_MISSING',
  'NODE_ADDRESS',
]);

/** A CSR (certificate signing request) that no node of the design would create. */
export const unexpectedCsr = diagnosticRule('hostile-csr', 'requests', ({ design, cluster }) => {
  const short = new Set(design?.nodes.map(({ name }) => name));
  return (cluster?.requests ?? []).flatMap(({ name, node, verdict, reasons, requester }) => {
    const against = reasons.filter((reason) => !INCONCLUSIVE.has(reason));
    const isMisnamed = against.every((reason) => reason === 'NAME_UNKNOWN') && short.has(node?.split('.')[0] ?? '');
    if (verdict !== 'refused' || against.length === 0 || isMisnamed || reasons.includes('LOCALHOST')) return [];
    const symptom = `${name} ${requester} ${node ?? ''} ${against.join(' ')}`.replace(/ +/g, ' ');
    return [
      {
        likelihood: 'certain' as const,
        subject: node ?? name,
        symptom,
        command: shellCommand`oc describe csr ${name}`,
      },
    ];
  });
});
