import type { CsrEvidence } from '../csr/request-policy.ts';
import { getNodeFqdn } from '../design/derived-facts.ts';
import type { Design } from '../design/model.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { SECOND } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { quoteShellCommand } from '../platform/shell-quoting.ts';
import type { Finding } from './check.ts';
import { createSymptom, type Symptom } from './rules/diagnostic-rule.ts';

/** An approver decides within seconds: a request that is pending for longer is not denied any more. */
const DECISION_TIME = 30 * SECOND;

/** Characters of the reason that an approver gave. */
const MAX_REFUSAL_LENGTH = 200;

/** The requests of a cluster, and the design and the nodes that decide which of them matter. */
interface DenialEvidence {
  /** Null: the planned nodes are unknown. */
  readonly design: Design | null;
  readonly requests: readonly CsrEvidence[];
  /** The full names of the nodes in the cluster. */
  readonly nodeNames: readonly string[];
  /** Milliseconds of the clock. */
  readonly now: number;
}

/**
 * Lists the requests of planned nodes that were denied, or that the signer rejected, while the node still needs the
 * certificate. A node sends another request every few seconds: a new one that is still pending does not end the denial.
 */
export function listDeniedRequests({ design, requests, nodeNames, now }: DenialEvidence): readonly CsrEvidence[] {
  const plannedNames = new Set(design?.nodes.map((node) => getNodeFqdn(design, node)));
  const joinedNames = new Set(nodeNames);
  return requests
    .filter((request) => isDenied(request) && plannedNames.has(request.node ?? ''))
    .filter(({ kind, node }) => kind !== 'other' && joinedNames.has(node ?? '') === (kind === 'serving'))
    .filter((each) => !requests.some((other) => endsDenial(other, each, now)));
}

/** Finds the planned nodes with denied requests, as `listDeniedRequests` lists them. */
export function findDeniedRequests(evidence: DenialEvidence): Symptom[] {
  const byNodeAndKind = Map.groupBy(listDeniedRequests(evidence), ({ node, kind }) => `${node} ${kind}`);
  return [...byNodeAndKind.values()].flatMap((group) => {
    const lastRequest = group.reduce((a, b) => ((b.requestedAt ?? 0) > (a.requestedAt ?? 0) ? b : a));
    const countText = group.length === 1 ? '' : ` (${group.length}x)`;
    // `oc describe` leaves out the approver that denied it, and the message.
    const command = quoteShellCommand`oc get csr ${lastRequest.name} -o jsonpath='{.status.conditions}'`;
    const kind = catalogue().steps.certificates.kinds[lastRequest.kind];
    const refusalText =
      lastRequest.refusal === undefined ? '' : `: ${sanitizeLine(lastRequest.refusal, MAX_REFUSAL_LENGTH)}`;
    const evidenceText = `${lastRequest.name} ${lastRequest.node ?? ''} ${kind}: Denied${countText}${refusalText}`;
    return createSymptom('certain', lastRequest.node ?? lastRequest.name, evidenceText, command);
  });
}

/**
 * Explains the denied requests as `diagnose` does, in one finding for all nodes, for the step that approves the next
 * ones.
 */
export function explainDeniedRequests(evidence: DenialEvidence): Finding[] {
  const symptoms = findDeniedRequests(evidence);
  const [first] = symptoms;
  if (first === undefined) return [];
  const { title } = catalogue().diagnosis.causes['request-denied'];
  const { heading, likelihoods } = catalogue().diagnose;
  return [
    {
      code: 'request-denied',
      state: 'failed',
      severity: 'fatal',
      likelihood: 'certain',
      subject: first.subject,
      title: heading(title, likelihoods.certain),
      cause: symptoms.flatMap(({ evidence: lines }) => lines).join('; '),
      remedy: catalogue().steps.certificates.deniedRemedy,
    },
  ];
}

const isDenied = ({ verdict, reasons }: CsrEvidence) => verdict === 'decided' && reasons.includes('TERMINAL');

/** Whether a request of the same node and kind is approved, or pending for longer than a denial takes. */
function endsDenial(other: CsrEvidence, deniedRequest: CsrEvidence, now: number): boolean {
  if (other.node !== deniedRequest.node || other.kind !== deniedRequest.kind || isDenied(other)) return false;
  return other.verdict === 'decided' || other.requestedAt === null || now - other.requestedAt > DECISION_TIME;
}
