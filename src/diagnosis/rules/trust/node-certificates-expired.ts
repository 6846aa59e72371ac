import { MINUTE } from '../../../platform/clock.ts';
import { shellCommand } from '../../../platform/shell-quoting.ts';
import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';
import type { Evidence, ReviewedCsr } from '../evidence.ts';

/** A machine that is reinstalled fetches its files shortly before its Node counts as not reporting, or later. */
const REINSTALL_PERIOD = 10 * MINUTE;

/**
 * A node was off while its certificates expired: it requests new ones with its bootstrap credentials, and each request
 * needs manual approval.
 */
export const nodeCertificatesExpired = diagnosticRule('node-credentials-expired', 'requests', (evidence) => [
  ...symptomsFromLines(
    matchLogLines(evidence, /(?:bootstrap )?client certificate in \S+ is expired|client certificate is expired/i),
    'certain',
    'sudo openssl x509 -noout -enddate -in /var/lib/kubelet/pki/kubelet-client-current.pem',
  ),
  ...findRejoinRequests(evidence),
]);

/**
 * The view of the API: a Node that does not report, and a CSR for its name from the account that new nodes use.
 */
function findRejoinRequests(evidence: Evidence): Symptom[] {
  const { cluster, machines } = evidence;
  return (cluster?.nodes ?? []).flatMap(({ name, isReady, notReadySince, message }): Symptom[] => {
    // A kubelet waits only for the last CSR that it created.
    const own = (cluster?.requests ?? []).filter((each) => each.node === name && isFromExistingNode(each));
    const request = own.toSorted((a, b) => (a.requestedAt ?? 0) - (b.requestedAt ?? 0)).at(-1);
    if (isReady || !/stopped posting/.test(message) || request === undefined) return [];
    const machine = machines.find((each) => name.startsWith(`${each.name}.`));
    const since = (notReadySince ?? evidence.now) - REINSTALL_PERIOD;
    // The machine was reinstalled: it is a new node under an existing name.
    if (machine?.requests.some(({ at, path, status }) => at >= since && status < 400 && /ignition|rootfs/.test(path))) {
      return [];
    }
    return [
      {
        likelihood: 'likely',
        subject: name,
        symptom: `${request.name} node-bootstrapper system:node:${name} Pending; ${name} NotReady: ${message}`,
        command: shellCommand`upi-wizard csr list`,
      },
    ];
  });
}

/** The only objections are that the node exists, or that it has been sending requests for days. */
function isFromExistingNode({ kind, verdict, reasons, requester }: ReviewedCsr): boolean {
  return (
    kind === 'client' &&
    verdict === 'refused' &&
    reasons.includes('NODE_EXISTS') &&
    reasons.every((reason) => ['NODE_EXISTS', 'TIME', 'DUPLICATE_KEYS'].includes(reason)) &&
    requester.endsWith(':node-bootstrapper')
  );
}
