import type { ReviewedCsr } from '../../csr/review-requests.ts';
import { apiName } from '../../design/derived-facts.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { shellCommand } from '../../platform/shell-quoting.ts';
import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from './diagnostic-rule.ts';
import type { Evidence } from './evidence.ts';
import { listStalledJoins } from './machines.ts';

/**
 * The API presents an expired certificate: the cluster was off when it was due for renewal, or the clock of this
 * machine is ahead.
 */
export const apiCertificateExpired = diagnosticRule(
  'api-certificate-expired',
  'installation',
  ({ api, ignition, now }) => {
    const isOfIgnition = ignition?.expiresAt != null && ignition.expiresAt <= now;
    if (api?.code !== 'cluster-certificate-expired' || isOfIgnition) return [];
    return [
      {
        likelihood: 'likely',
        subject: '',
        symptom: api.line,
        command: 'date -u; openssl s_client -connect API:6443 </dev/null 2>/dev/null | openssl x509 -noout -dates',
      },
    ];
  },
);

/** A certificate is valid from the second of its creation; a slow network may hide up to a minute. */
const MAX_API_SKEW = MINUTE;
const MAX_SERVER_SKEW = 2 * SECOND;
/** chronyd corrects most clocks by some seconds when a machine starts. */
const SMALL_STEP = /system clock was (?:stepped|wrong) by -?\d{1,2}(?:\.\d+)? seconds/i;

/** Two clocks differ: of this machine, a time server, the API, or a node. */
export const clockSkew = diagnosticRule('clock-skew', 'installation', (evidence) => {
  const { clocks, api } = evidence;
  const servers = clocks
    .filter(({ offset }) => Math.abs(offset) > MAX_SERVER_SKEW)
    .map(({ server, offset }): Symptom => {
      const symptom = `${server}: ${Math.round(offset / SECOND)} s`;
      return { likelihood: 'certain', subject: server, symptom, command: `chronyd -Q 'server ${server} iburst'` };
    });
  const skew = api?.skew ?? 0;
  const own: Symptom[] =
    Math.abs(skew) > MAX_API_SKEW
      ? [
          {
            likelihood: 'certain',
            subject: '',
            symptom: `Date of the API: ${Math.round(skew / SECOND)} s`,
            command: 'date -u; chronyc tracking',
          },
        ]
      : [];
  const early: Symptom[] =
    api?.code === 'cluster-certificate-early'
      ? [{ likelihood: 'likely', subject: '', symptom: api.line, command: 'date -u; chronyc tracking' }]
      : [];
  const lines = matchLogLines(
    evidence,
    /not yet valid.*is before|certificate is not yet valid|clock is .*(?:behind|ahead)|system clock was (?:stepped|wrong)/i,
  ).filter(({ text }) => !SMALL_STEP.test(text));
  // One such line is normal while the network starts; repeated lines mean that no time server answers.
  const unsynchronised = matchLogLines(
    evidence,
    /Can't synchronise: no selectable sources|No suitable source for synchronisation/,
    3,
  );
  return [
    ...servers,
    ...own,
    ...early,
    ...symptomsFromLines(lines, 'likely', 'timedatectl; chronyc sources'),
    ...symptomsFromLines(unsynchronised.slice(-1), 'possible', 'timedatectl; chronyc sources'),
    ...findPossibleClockFaults(evidence),
  ];
});

/**
 * One machine goes silent at the first TLS connection, while others of its kind continued: its own clock may be wrong.
 */
function findPossibleClockFaults(evidence: Evidence): Symptom[] {
  const others = evidence.machines.filter(({ role, hasJoined }) => role === 'control-plane' && hasJoined);
  const stalled = listStalledJoins(evidence);
  if (others.length === 0) return [];
  return stalled.map(({ name }) => {
    const symptom = `${name} started from its disk and does not join; ${others.map((each) => each.name).join(', ')} did`;
    // Before it has its configuration, the machine accepts no login: its management controller shows its hardware
    // clock.
    const command = `date -u; ipmitool -I lanplus -H BMC-OF-${name} -U USER -a sel time get`;
    return { likelihood: 'possible', subject: name, symptom, command };
  });
}

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

/** The API belongs to another installation than auth/kubeconfig. */
export const kubeconfigOfAnotherCluster = diagnosticRule(
  'kubeconfig-of-another-cluster',
  'installation',
  (evidence) => {
    const { api, design } = evidence;
    const name = design === null ? 'API' : apiName(design);
    const command = `openssl s_client -connect ${name}:6443 -showcerts </dev/null | openssl x509 -noout -issuer -dates`;
    const isOther = api?.code === 'cluster-wrong-ca' || api?.code === 'cluster-other-install';
    if (isOther) return [{ likelihood: 'possible', subject: '', symptom: api.line, command }];
    if (api?.isUp) return [];
    const lines = matchLogLines(evidence, /signed by unknown authority/, 3).filter(
      ({ source }) => source === 'openshift-install',
    );
    return symptomsFromLines(lines.slice(-1), 'likely', command);
  },
);

/** The API answers, but rejects auth/kubeconfig. */
export const kubeconfigRejected = diagnosticRule(
  'credentials-refused',
  'installation',
  ({ api }) =>
    api?.code === 'cluster-unauthorized' || api?.code === 'cluster-kubeconfig-expired'
      ? [{ likelihood: 'likely', subject: '', symptom: api.line, command: 'oc --kubeconfig auth/kubeconfig whoami' }]
      : [],
  true,
);
