import { MINUTE } from '../../../ports/clock.ts';
import { shell } from '../../../text/shell-word.ts';
import { type Clue, cause, clueOfLines, told } from '../cause.ts';
import type { Evidence, RequestSeen } from '../evidence.ts';

/** A machine that is installed again fetches its files a little before its Node is seen to be gone, or later. */
const INSTALLED = 10 * MINUTE;

/** A node was off while its certificates ran out: it asks for new ones with its first login, and each request waits for a person. */
export const nodeCredentialsExpired = cause('node-credentials-expired', 'requests', (evidence) => [
  ...clueOfLines(
    told(evidence, /(?:bootstrap )?client certificate in \S+ is expired|client certificate is expired/i),
    'certain',
    'sudo openssl x509 -noout -enddate -in /var/lib/kubelet/pki/kubelet-client-current.pem',
  ),
  ...asksAgain(evidence),
]);

/** The API's side of it: a Node that does not report, and a request of its name by the login that new nodes use. */
function asksAgain(evidence: Evidence): Clue[] {
  const { cluster, machines } = evidence;
  return (cluster?.nodes ?? []).flatMap(({ name, isReady, goneSince, message }): Clue[] => {
    // A kubelet waits for the last one that it made.
    const own = (cluster?.requests ?? []).filter((each) => each.node === name && isOfExisting(each));
    const request = own.toSorted((a, b) => (a.requestedAt ?? 0) - (b.requestedAt ?? 0)).at(-1);
    if (isReady || !/stopped posting/.test(message) || request === undefined) return [];
    const machine = machines.find((each) => name.startsWith(`${each.name}.`));
    const since = (goneSince ?? evidence.now) - INSTALLED;
    // It was installed again: it is a new node under an old name.
    if (machine?.requests.some(({ at, path, status }) => at >= since && status < 400 && /ignition|rootfs/.test(path))) {
      return [];
    }
    return [
      {
        likelihood: 'likely',
        subject: name,
        symptom: `${request.name} node-bootstrapper system:node:${name} Pending; ${name} NotReady: ${message}`,
        command: shell`upi-wizard csr list`,
      },
    ];
  });
}

/** Nothing speaks against it but that the node exists, or that it asks for days already. */
function isOfExisting({ kind, verdict, reasons, requester }: RequestSeen): boolean {
  return (
    kind === 'client' &&
    verdict === 'refused' &&
    reasons.includes('NODE_EXISTS') &&
    reasons.every((reason) => ['NODE_EXISTS', 'TIME', 'DUPLICATE_KEYS'].includes(reason)) &&
    requester.endsWith(':node-bootstrapper')
  );
}
