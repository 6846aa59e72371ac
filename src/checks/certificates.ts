import type { FloodEvidence } from '../csr/review-requests.ts';
import type { RequestVerdict } from '../csr/verdict.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatTimeOfDay, MINUTE } from '../platform/clock.ts';
import { findEntry } from '../platform/table-lookup.ts';
import { createCheckFactory } from './check.ts';

/** Maximum number of names in the title; further nodes are only counted. */
const MAX_NAMES = 9;

const check = createCheckFactory<CertificateEvidence>('join');

/** Nodes that count as joined by the API alone: their kubelets are not reachable from here. */
const certificateUnverified = check('certificate-unseen', 'note', ({ unprovenNodes }) => {
  if (unprovenNodes.length === 0) return [];
  const { title, cause, remedy } = catalogue().diagnosis.certificates['certificate-unseen'];
  const subject = unprovenNodes.length === 1 ? { subject: unprovenNodes[0] } : {};
  return {
    state: 'unknown',
    ...subject,
    title: title(unprovenNodes.slice(0, MAX_NAMES), unprovenNodes.length),
    evidence: [cause],
    remedy,
  };
});

/**
 * The boot server does not run, and machines still need it. `problem`: why it does not run, null if unknown. Reported
 * before everything else, because machines that wait for it send no requests.
 */
export const BOOT_SERVER_CHECKS = [
  createCheckFactory<{ readonly problem: string | null }>('join')('boot-server-down', 'warning', ({ problem }) => {
    const { title, cause, remedy } = catalogue().diagnosis.certificates['boot-server-down'];
    return { state: 'failed', title, evidence: [problem ?? cause], remedy };
  }),
];

const words = () => catalogue().diagnosis.certificates['request-flood'];

/** How long the end of a flood is reported. */
const REPORT_PERIOD = 10 * MINUTE;

/** Automatic approval stopped because of too many requests. Afterwards a note reports that it resumed. */
const requestFlood = check('request-flood', 'warning', ({ flood, now }) => {
  if (flood === null) return [];
  const { since, until, pending, limit } = flood;
  if (until === null) {
    const { title, cause, remedy } = words();
    return [{ state: 'failed', title: title(formatTimeOfDay(since)), evidence: [cause(pending, limit)], remedy }];
  }
  if (now - until > REPORT_PERIOD) return [];
  const { title, cause, remedy } = words().resumption;
  return [
    {
      state: 'failed',
      severity: 'note',
      title: title(formatTimeOfDay(until)),
      evidence: [cause(formatTimeOfDay(since))],
      remedy,
    },
  ];
});

/**
 * Time since power-on after which a node that has not joined is missing (writing the disk, two reboots and the pull
 * take 10-20 min).
 */
const JOIN_TIMEOUT = 45 * MINUTE;

/** Lists the nodes without any sign that have been powered on for too long. Times in ms of the clock. */
export function listMissingNodes(
  silentNodes: readonly { readonly name: string; readonly poweredOnAt: number | undefined }[],
  now: number,
): MissingNode[] {
  return silentNodes
    .map(({ name, poweredOnAt = now }) => ({ name, waitTime: now - poweredOnAt }))
    .filter(({ waitTime }) => waitTime > JOIN_TIMEOUT)
    .map(({ name, waitTime }) => ({ name, minutes: Math.floor(waitTime / MINUTE) }));
}

/** A node is missing. Its page gives the details. */
const nodeMissing = check('node-missing', 'warning', ({ missingNodes: nodes }) =>
  nodes.map(({ name, minutes }) => {
    const { title, cause, remedy } = catalogue().diagnosis.certificates['node-missing'];
    return { state: 'failed', subject: name, title: title(name), evidence: [cause(minutes)], remedy };
  }),
);

/** Formats the reasons of a refusal in a few words, each followed by its code. An unknown code appears alone. */
export function formatShortReasons(reasons: readonly string[]): string {
  const { shortReasons, withCode } = catalogue().csr;
  return reasons
    .map((code) => {
      const text = findEntry(shortReasons, code);
      return text === undefined ? code : withCode(text, code);
    })
    .join(', ');
}

/** Requests that contradict the design. During a flood only the flood is reported; its requests are in the list. */
const requestRefused = check('request-refused', 'warning', ({ requests }) =>
  requests
    .filter(({ verdict, reasons }) => verdict === 'refused' && !reasons.includes('FLOOD'))
    .map(({ name, node, requester, reasons, rejoinKind, isApprovableByName, reasonTexts }) => {
      const { title, remedy, rejoinRemedies } = catalogue().diagnosis.certificates['request-refused'];
      return {
        state: 'failed',
        subject: name,
        title: title(name, node ?? requester, formatShortReasons(reasons)),
        evidence: [reasonTexts.join(' ')],
        remedy: rejoinKind !== null && isApprovableByName ? rejoinRemedies[rejoinKind] : remedy,
      };
    }),
);

/** Requests of planned nodes that wait although the Certificates page was left: no one approves them. */
export const unattendedRequests = createCheckFactory<readonly { readonly name: string }[]>('join')(
  'approval-waits',
  'warning',
  (requests) => {
    if (requests.length === 0) return [];
    const { title, cause, remedy } = catalogue().diagnosis.certificates['approval-waits'];
    const names = requests.slice(0, MAX_NAMES).map(({ name }) => name);
    return { state: 'failed', title: title(requests.length), evidence: [cause(names, requests.length)], remedy };
  },
);

/**
 * Checks for the time while nodes join. The check `foreignServingCertificate` is evaluated separately: it needs a probe
 * of the nodes' addresses.
 */
export const CERTIFICATE_CHECKS = [requestFlood, requestRefused, nodeMissing, certificateUnverified];

/** A certificate signing request with its verdict by the design. */
interface RequestEvidence {
  readonly name: string;
  /** The node that requests the certificate; null if unknown. */
  readonly node: string | null;
  readonly requester: string;
  readonly verdict: RequestVerdict;
  /** Codes of the reasons against the request; `reasonTexts` has a sentence for each. */
  readonly reasons: readonly string[];
  readonly reasonTexts: readonly string[];
  /** Whether you may approve it by typing the name of its node. */
  readonly isApprovableByName: boolean;
  /** For a node that is already in the cluster: the assessment of its new request; null otherwise. */
  readonly rejoinKind: RejoinAssessment['kind'] | null;
}

/** A node without any sign, and the minutes since its power-on. */
export interface MissingNode {
  readonly name: string;
  readonly minutes: number;
}

/** Evidence about joining nodes: their requests, and the nodes that send none. */
interface CertificateEvidence {
  readonly now: number;
  /** Null: no flood. */
  readonly flood: FloodEvidence | null;
  readonly requests: readonly RequestEvidence[];
  readonly missingNodes: readonly MissingNode[];
  /** Nodes that count as joined although nothing answers on their kubelet's port. */
  readonly unprovenNodes: readonly string[];
}

/**
 * Assessment of a request from a node that is already in the cluster. `again`: the node is not Ready, and its machine
 * was reinstalled since. `running`: it is Ready, so it has its certificate and needs none. `unrecorded`: it is not
 * Ready, and no installation was observed since.
 */
export interface RejoinAssessment {
  readonly kind: 'again' | 'running' | 'unrecorded';
  /** For `again`: time of the last download of an installation file (ms); null otherwise. */
  readonly installedAt: number | null;
}

/** A cluster detects a failed node after 40 to 50 s (node-monitor-grace-period), and clocks differ a little. */
const DETECTION_DELAY = 5 * MINUTE;
const MAX_CLOCK_SKEW = MINUTE;

/**
 * Assesses the request of a node that is already in the cluster. The result is no proof: you decide. Times in ms.
 * @param installTimes times at which its machine downloaded installation files, the oldest first
 */
export function assessRejoin(
  { requestedAt }: { readonly requestedAt: number | null },
  node: { readonly isReady: boolean; readonly createdAt: number | null; readonly notReadySince: number | null },
  installTimes: readonly number[],
): RejoinAssessment {
  if (node.isReady) return { kind: 'running', installedAt: null };
  const createdAt = node.createdAt ?? 0;
  const since = Math.max(createdAt, (node.notReadySince ?? createdAt) - DETECTION_DELAY);
  const until = (requestedAt ?? 0) + MAX_CLOCK_SKEW;
  const installedAt = installTimes.findLast((at) => at >= since && at <= until) ?? null;
  return { kind: installedAt === null ? 'unrecorded' : 'again', installedAt };
}

/** Nodes at whose planned addresses a server with another key or name answers. */
type ForeignServerEvidence = readonly { readonly name: string; readonly ip: readonly string[] }[];

/** Another machine may use the address of a node. */
export const foreignServingCertificate = createCheckFactory<ForeignServerEvidence>('join')(
  'serving-foreign',
  'fatal',
  (nodes) =>
    nodes.map(({ name, ip: [address = ''] }) => {
      const { title, cause, remedy } = catalogue().diagnosis.certificates['serving-foreign'];
      return { state: 'failed', subject: name, title: title(name), evidence: [cause(address)], remedy: remedy(name) };
    }),
);
