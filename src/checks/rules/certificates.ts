import type { CsrEvidence } from '../../csr/request-policy.ts';
import { getApiName, runsEtcd } from '../../design/derived-facts.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE, SECOND } from '../../platform/clock.ts';
import { quoteShellCommand } from '../../platform/shell-quoting.ts';
import { findDeniedRequests } from '../denied-requests.ts';
import { type ClockReading, compareClocks, findClockDifference, THIS_CLOCK } from '../site/clocks.ts';
import {
  clearObject,
  createDiagnosticRule,
  createSymptom,
  dropResolvedMatches,
  matchLogLines,
  type Symptom,
  symptomsFromLines,
} from './diagnostic-rule.ts';
import type { Evidence, EvidenceLine } from './evidence.ts';
import { listStalledJoins } from './machines.ts';

/**
 * The API presents an expired certificate: the cluster was off when it was due for renewal, or the clock of this
 * machine is ahead.
 */
export const apiCertificateExpired = createDiagnosticRule(
  'api-certificate-expired',
  'installation',
  ({ api, ignition, now }) => {
    const hasExpiredIgnition = ignition?.expiresAt != null && ignition.expiresAt <= now;
    if (api?.code !== 'cluster-certificate-expired' || hasExpiredIgnition) return [];
    return [
      createSymptom(
        'likely',
        '',
        api.detail,
        'date -u; openssl s_client -connect API:6443 </dev/null 2>/dev/null | openssl x509 -noout -dates',
      ),
    ];
  },
);

/** Uncertainty of the API's clock (ms): a slow network may hide a difference of up to a minute. */
const MAX_API_SKEW = MINUTE;
/** chronyd corrects most clocks by some seconds when a machine starts. */
const SMALL_STEP = /system clock (?:was )?(?:stepped|wrong) by -?\d{1,2}(?:\.\d+)? seconds/i;

/** Two clocks differ: of this machine, a time server, the API, or a node. */
export const clockSkew = createDiagnosticRule('clock-skew', 'installation', (evidence) => {
  const { timeServerOffsets, api } = evidence;
  // These offsets are only the part that the round-trip time cannot explain.
  const readings: ClockReading[] = [
    THIS_CLOCK,
    ...timeServerOffsets.map(({ server, offsetMs }) => ({
      ...{ kind: 'time-server' as const, name: server, offsetMs, uncertaintyMs: SECOND },
    })),
    ...(api?.skewMs == null
      ? []
      : [{ kind: 'api' as const, name: '', offsetMs: api.skewMs, uncertaintyMs: MAX_API_SKEW }]),
  ];
  const comparison = compareClocks(readings);
  const clockSymptoms = readings.flatMap((reading): Symptom[] => {
    const difference = findClockDifference(comparison, reading);
    if (difference === null) return [];
    // That clocks differ is certain; with two of them, it is not known which one is wrong.
    const text = catalogue().diagnosis.site.details.clocks.title(difference);
    const command =
      reading.kind === 'time-server' ? `chronyd -Q 'server ${reading.name} iburst'` : 'date -u; chronyc tracking';
    return [createSymptom('certain', reading.name, text, command)];
  });
  const notYetValidSymptoms: Symptom[] =
    api?.code === 'cluster-certificate-early'
      ? [createSymptom('likely', '', api.detail, 'date -u; chronyc tracking')]
      : [];
  const lines = matchLogLines(
    evidence,
    /not yet valid.*is before|certificate is not yet valid|clock is .*(?:behind|ahead)|system clock (?:was )?(?:stepped|wrong)/i,
  ).filter(({ text }) => !SMALL_STEP.test(text));
  // One such line is normal while the network starts; repeated lines mean that no time server answers.
  const unsynchronizedLines = matchLogLines(
    evidence,
    /Can't synchronise: no selectable sources|No suitable source for synchronisation/,
    3,
  );
  return [
    ...clockSymptoms,
    ...notYetValidSymptoms,
    ...symptomsFromLines(lines, 'likely', 'timedatectl; chronyc sources'),
    ...symptomsFromLines(unsynchronizedLines.slice(-1), 'possible', 'timedatectl; chronyc sources'),
    ...listPossibleClockFaultSymptoms(evidence),
  ];
});

/**
 * Lists machines that stop at their first TLS connection although control plane nodes have joined: their own clocks may
 * be wrong.
 */
function listPossibleClockFaultSymptoms(evidence: Evidence): Symptom[] {
  const joinedMachines = evidence.machines.filter((machine) => runsEtcd(machine) && machine.hasJoined);
  const stalledMachines = listStalledJoins(evidence);
  if (joinedMachines.length === 0) return [];
  return stalledMachines.map(({ name }) => {
    const evidenceText = `${name} started from its disk and does not join; ${joinedMachines.map((joinedMachine) => joinedMachine.name).join(', ')} did`;
    // Before it has its configuration, the machine accepts no login: its management controller shows its hardware
    // clock.
    const command = `date -u; ipmitool -I lanplus -H BMC-OF-${name} -U USER -a sel time get`;
    return createSymptom('possible', name, evidenceText, command);
  });
}

/** A machine that is reinstalled fetches its files shortly before its Node counts as not reporting, or later. */
const REINSTALL_PERIOD = 10 * MINUTE;

/**
 * A node was off while its certificates expired: it requests new ones with its bootstrap credentials, and each request
 * needs manual approval.
 */
export const nodeCertificatesExpired = createDiagnosticRule('node-credentials-expired', 'requests', (evidence) => [
  ...symptomsFromLines(
    matchLogLines(evidence, /(?:bootstrap )?client certificate in \S+ is expired|client certificate is expired/i),
    'certain',
    'sudo openssl x509 -noout -enddate -in /var/lib/kubelet/pki/kubelet-client-current.pem',
  ).map(clearObject),
  ...listRejoinRequestSymptoms(evidence),
]);

/** Lists Nodes that do not report, and for whose names a CSR exists from the account that new nodes use. */
function listRejoinRequestSymptoms(evidence: Evidence): Symptom[] {
  const { cluster, machines } = evidence;
  return (cluster?.nodes ?? []).flatMap(({ name, isReady, notReadySince, message }): Symptom[] => {
    // A kubelet waits only for the last CSR that it created.
    const nodeCsrs = (cluster?.requests ?? []).filter(
      (candidate) => candidate.node === name && isFromExistingNode(candidate),
    );
    const csr = nodeCsrs.toSorted((a, b) => (a.requestedAt ?? 0) - (b.requestedAt ?? 0)).at(-1);
    if (isReady || !/stopped posting/.test(message) || csr === undefined) return [];
    const machine = machines.find((candidate) => name.startsWith(`${candidate.name}.`));
    const since = (notReadySince ?? evidence.now) - REINSTALL_PERIOD;
    // The machine was reinstalled: it is a new node under an existing name.
    if (machine?.requests.some(({ at, path, status }) => at >= since && status < 400 && /ignition|rootfs/.test(path))) {
      return [];
    }
    return [
      {
        ...createSymptom(
          'likely',
          name,
          `${csr.name} node-bootstrapper system:node:${name} Pending; ${name} NotReady: ${message}`,
          quoteShellCommand`upi-wizard csr list`,
        ),
        object: csr.name,
      },
    ];
  });
}

/**
 * Whether a CSR is refused only because its node exists, and perhaps for its creation time or for a second key of the
 * node.
 */
function isFromExistingNode({ kind, verdict, reasons, requester }: CsrEvidence): boolean {
  return (
    kind === 'client' &&
    verdict === 'refused' &&
    reasons.includes('NODE_EXISTS') &&
    reasons.every((reason) => ['NODE_EXISTS', 'TIME', 'DUPLICATE_KEYS'].includes(reason)) &&
    requester.endsWith(':node-bootstrapper')
  );
}

/** The API belongs to another installation than auth/kubeconfig. */
export const kubeconfigOfAnotherCluster = createDiagnosticRule(
  'kubeconfig-of-another-cluster',
  'installation',
  (evidence) => {
    const { api, design } = evidence;
    const name = design === null ? 'API' : getApiName(design);
    const command = `openssl s_client -connect ${name}:6443 -showcerts </dev/null | openssl x509 -noout -issuer -dates`;
    const isOtherCluster = api?.code === 'cluster-wrong-ca' || api?.code === 'cluster-other-install';
    if (isOtherCluster) return [createSymptom('possible', '', api.detail, command)];
    if (api?.isUp) return [];
    const lines = matchLogLines(evidence, /signed by unknown authority/, 3).filter(
      ({ source }) => source === 'openshift-install',
    );
    return symptomsFromLines(lines.slice(-1), 'likely', command);
  },
);

/** The API answers, but rejects auth/kubeconfig. */
export const kubeconfigRejected = createDiagnosticRule(
  'credentials-refused',
  'installation',
  ({ api }) =>
    api?.code === 'cluster-unauthorized' || api?.code === 'cluster-kubeconfig-expired'
      ? [createSymptom('likely', '', api.detail, 'oc --kubeconfig auth/kubeconfig whoami')]
      : [],
  true,
);

/** Time for the user to return to the Certificates page and approve pending CSRs. */
const GRACE_PERIOD = 5 * MINUTE;

/** Valid CSRs of joining nodes are not approved. */
export const clientCsrsPending = createDiagnosticRule('requests-wait', 'requests', (evidence) => [
  ...symptomsFromPendingCsrs(evidence, 'client', 'system:node:'),
  ...listPendingCsrRows(evidence, /:node-bootstrapper /)
    .slice(-1)
    .flatMap((row) =>
      symptomsFromLines([row], 'likely', 'oc get csr').map((symptom) => ({
        ...symptom,
        object: row.text.split(' ')[0] ?? '',
      })),
    ),
  ...listAnonymousKubeletSymptoms(evidence),
]);

/** A kubelet repeats these messages every few seconds. */
const MIN_KUBELET_LINES = 3;

/**
 * Lists kubelets that are anonymous to the API, because they have no certificate (openshift/installer#3711,
 * okd-project/okd#59, openshift-metal3/dev-scripts#597). Finds none if a node joined later, or CSRs are listed.
 */
function listAnonymousKubeletSymptoms(evidence: Evidence): Symptom[] {
  const lines = matchLogLines(
    evidence,
    /\bUser \\*"system:anonymous\\*" cannot (?:create|get|list|watch) resource \\*"(?:nodes|pods|services|csinodes|leases)\b/,
    MIN_KUBELET_LINES,
  ).filter(({ source }) => !/apiserver|openshift-install/.test(source));
  const hasListedCsrs = evidence.cluster?.requests != null && evidence.cluster.requests.length > 0;
  const currentLines = dropResolvedMatches(evidence, lines, /Successfully registered node/);
  return hasListedCsrs ? [] : symptomsFromLines(currentLines, 'likely', 'oc get csr').map(clearObject);
}

/** Lists the pending rows of a saved `oc get csr` that are at least five minutes old. */
function listPendingCsrRows(evidence: Evidence, requester: RegExp): EvidenceLine[] {
  const pendingRows = matchLogLines(
    evidence,
    /^csr-\S+ +(?:\d+d(?:\d+h)?|\d+h(?:\d+m)?|(?:[5-9]|\d{2,})m(?:\d+s)?) .*\bPending\b/,
  );
  return pendingRows.filter(({ text }) => requester.test(text));
}

/**
 * Returns the valid CSRs of a kind that are not approved, as symptoms.
 * @param textBeforeNode text of `oc get csr` before the name of the node
 */
function symptomsFromPendingCsrs(
  { cluster, now }: Evidence,
  csrKind: CsrEvidence['kind'],
  textBeforeNode: string,
): Symptom[] {
  return (cluster?.requests ?? [])
    .filter(
      ({ verdict, kind, requestedAt }) =>
        isAcceptable(verdict) && kind === csrKind && now - (requestedAt ?? now) > GRACE_PERIOD,
    )
    .map(({ name, node, verdict }) => ({
      ...createSymptom(
        verdict === 'undecided' ? 'likely' : 'certain',
        node ?? name,
        `${name} ${textBeforeNode}${node ?? ''} Pending`,
        verdict === 'undecided' ? 'oc get csr' : 'upi-wizard csr list',
      ),
      object: name,
    }));
}

/** Whether the CSR fits the design, or the design is unknown. */
function isAcceptable(verdict: CsrEvidence['verdict']): boolean {
  return verdict === 'expected' || verdict === 'undecided';
}

/** The last CSR of a planned node was denied, or the signer rejected it. */
export const csrDenied = createDiagnosticRule('request-denied', 'requests', ({ design, cluster, now }) =>
  findDeniedRequests({
    design,
    requests: cluster?.requests ?? [],
    nodeNames: (cluster?.nodes ?? []).map(({ name }) => name),
    now,
  }),
);

/**
 * The serving CSR of a node is not approved: the node is Ready, but oc logs, exec and metrics fail with "tls: internal
 * error".
 */
export const servingCsrsPending = createDiagnosticRule('serving-requests-wait', 'requests', (evidence) => [
  ...symptomsFromPendingCsrs(evidence, 'serving', 'kubelet-serving '),
  ...symptomsFromLines(listPendingCsrRows(evidence, / system:node:(?!localhost)/).slice(-1), 'possible', 'oc get csr'),
  ...symptomsFromLines(
    matchLogLines(evidence, /:10250\/\S*: remote error: tls: internal error/).slice(-1),
    'likely',
    'oc get csr',
  ),
  // A kubelet that has just joined logs some of these lines.
  ...symptomsFromLines(
    matchLogLines(evidence, /no serving certificate available for the kubelet/, MIN_KUBELET_LINES),
    'possible',
    'oc get csr',
  ),
]);

/**
 * Reasons that the design cannot decide, or that resolve on their own. A wrong name of one of our machines has its own
 * rules.
 */
const INCONCLUSIVE_REASONS: ReadonlySet<string> = new Set([
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
export const unexpectedCsr = createDiagnosticRule('hostile-csr', 'requests', ({ design, cluster }) => {
  const shortNames = new Set(design?.nodes.map(({ name }) => name));
  return (cluster?.requests ?? []).flatMap(({ name, node, verdict, reasons, requester }) => {
    const conclusiveReasons = reasons.filter((reason) => !INCONCLUSIVE_REASONS.has(reason));
    const isMisnamed =
      conclusiveReasons.every((reason) => reason === 'NAME_UNKNOWN') && shortNames.has(node?.split('.')[0] ?? '');
    if (verdict !== 'refused' || conclusiveReasons.length === 0 || isMisnamed || reasons.includes('LOCALHOST'))
      return [];
    const evidenceText = `${name} ${requester} ${node ?? ''} ${conclusiveReasons.join(' ')}`.replace(/ +/g, ' ');
    return [
      {
        ...createSymptom('certain', node ?? name, evidenceText, quoteShellCommand`oc describe csr ${name}`),
        object: name,
      },
    ];
  });
});
