import { getNodeFqdn } from '../design/derived-facts.ts';
import type { DesignNode } from '../design/model.ts';
import { type CertificateRequest, CLIENT_SIGNER, SERVING_SIGNER } from '../openshift/certificate-request.ts';
import type { NodeView } from '../openshift/node.ts';
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts';
import { canonicalizeAddress, DerError, OID, type Pkcs10, readPkcs10 } from './pkcs10.ts';
import {
  compareForReview,
  isUndecided,
  isUndecidedAndCurrent,
  type ReasonCode,
  type RequestKind,
  type RequestReview,
  type ReviewContext,
} from './verdict.ts';

type FloodContext = Pick<ReviewContext, 'design' | 'now'>;

/**
 * Only requests of the last hour make a flood, as in OpenShift's own approver (cluster-machine-approver,
 * maxPendingDelta and maxMachineClockSkew). Nodes left unapproved overnight send a new request every quarter of an
 * hour.
 */
const FLOOD_WINDOW = HOUR + 10 * SECOND;

/** Whether far more requests wait than the nodes of the design can have created. */
function isFlood(reviews: readonly RequestReview[], context: FloodContext): boolean {
  return countAwaiting(reviews, context) > getFloodLimit(context);
}

/**
 * Returns the flood after one more probe; null when none was observed.
 * @param reviews the reviews of all requests that the API lists
 */
export function updateFlood(
  previous: FloodEvidence | null,
  reviews: readonly RequestReview[],
  context: FloodContext,
): FloodEvidence | null {
  const isOngoing = previous !== null && previous.until === null;
  if (!isFlood(reviews, context)) return isOngoing ? { ...previous, until: context.now } : previous;
  const since = isOngoing ? previous.since : context.now;
  return { since, until: null, pending: countAwaiting(reviews, context), limit: getFloodLimit(context) };
}

function countAwaiting(reviews: readonly RequestReview[], { now }: FloodContext): number {
  return reviews.filter(
    (review) =>
      isUndecidedAndCurrent(review) && (review.requestedAt === null || review.requestedAt >= now - FLOOD_WINDOW),
  ).length;
}

/** Returns the number of requests that may wait: two for each node (to join and to serve), and some renewals. */
function getFloodLimit({ design }: FloodContext): number {
  return 2 * design.nodes.length + 20;
}

// The policy follows the checks of OpenShift's own approver (cluster-machine-approver, pkg/controller/csr_check.go) and
// of the signers (kubernetes, pkg/apis/certificates/helpers.go). The design replaces the Machine objects, which a
// cluster without a cloud does not have. Every host on the machine network can read the credential that nodes join
// with, so the sender proves nothing: every field is checked.

const NODE_PREFIX = 'system:node:';
const BOOTSTRAPPER = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
const BOOTSTRAPPER_GROUPS = [
  'system:serviceaccounts:openshift-machine-config-operator',
  'system:serviceaccounts',
  'system:authenticated',
];
const NODE_GROUPS = ['system:nodes', 'system:authenticated'];
const USAGES: Readonly<Record<'client' | 'serving', readonly string[]>> = {
  client: ['digital signature', 'client auth'],
  serving: ['digital signature', 'server auth'],
};
const HOST_NAME = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;
const EXPIRY_LIMITS_S = { min: 600, max: 30 * 24 * 3600 };
const AGE_LIMITS = { max: 24 * HOUR, ahead: 5 * MINUTE, beforeBoot: 10 * MINUTE };

/** Reviews one request on its own; `reviewRequests` adds the checks against the others. Pure. */
export function reviewRequest(request: CertificateRequest, context: ReviewContext): RequestReview {
  const pkcs10 = parseCached(request.request);
  const summary = summarizeRequest(request);
  const { kind } = summary;
  if (kind === 'other')
    return {
      ...summary,
      verdict: requestsPrivilegedIdentity(request, pkcs10) ? 'refused' : 'not-ours',
      reasons: ['SIGNER'],
    };
  if (request.isDenied || request.isFailed) return { ...summary, verdict: 'decided', reasons: ['TERMINAL'] };
  if (request.isApproved) return { ...summary, verdict: 'decided', reasons: [] };
  const reasons = pkcs10 ? collectReasons(request, pkcs10, kind, context) : (['PARSE'] as const);
  return { ...summary, verdict: reasons.length === 0 ? 'expected' : 'refused', reasons };
}

/** Summarizes a request without a verdict. */
function summarizeRequest(request: CertificateRequest): Omit<RequestReview, 'verdict' | 'reasons'> {
  const { name, uid, signer, requestedAt, requester, isApproved, isIssued } = request;
  const pkcs10 = parseCached(request.request);
  const node = pkcs10 ? parseClaimedName(pkcs10) : null;
  const fingerprint = pkcs10?.key.fingerprint ?? null;
  return { name, uid, node, kind: deriveKind(signer), requestedAt, requester, fingerprint, isApproved, isIssued };
}

function deriveKind(signer: string): RequestKind {
  if (signer === CLIENT_SIGNER) return 'client';
  return signer === SERVING_SIGNER ? 'serving' : 'other';
}

/**
 * Whether the request is for the identity of an administrator or a node, from the general client signer. Users and
 * operators request their own certificates from this signer; a privileged identity is an attack.
 */
function requestsPrivilegedIdentity({ signer }: CertificateRequest, pkcs10: Pkcs10 | null): boolean {
  if (signer !== 'kubernetes.io/kube-apiserver-client' || !pkcs10) return false;
  return pkcs10.subject.flat().some(({ text }) => /^system:(?:masters$|nodes$|admin$|node:)/.test(text));
}

// The same requests are reviewed every few seconds. Their content does not change, so it is parsed once.
const parseCache = new Map<string, Pkcs10 | null>();
const CACHE_LIMITS = { requests: 4000, maxLength: 4096 };

function parseCached(base64: string): Pkcs10 | null {
  const cachedPkcs10 = parseCache.get(base64);
  if (cachedPkcs10 !== undefined) return cachedPkcs10;
  const pkcs10 = parseOrNull(base64);
  if (base64.length > CACHE_LIMITS.maxLength) return pkcs10;
  for (const [oldest] of parseCache) {
    if (parseCache.size < CACHE_LIMITS.requests) break;
    parseCache.delete(oldest);
  }
  parseCache.set(base64, pkcs10);
  return pkcs10;
}

function parseOrNull(base64: string): Pkcs10 | null {
  try {
    return readPkcs10(base64);
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

function listValues({ subject }: Pkcs10, oid: string): string[] {
  return subject.flat().flatMap((part) => (part.oid === oid ? part.text : []));
}

function parseClaimedName(pkcs10: Pkcs10): string | null {
  const [commonName = '', ...otherNames] = listValues(pkcs10, OID.commonName);
  const name = commonName.startsWith(NODE_PREFIX) ? commonName.slice(NODE_PREFIX.length) : '';
  return otherNames.length === 0 && HOST_NAME.test(name) ? name : null;
}

function collectReasons(
  request: CertificateRequest,
  pkcs10: Pkcs10,
  kind: 'client' | 'serving',
  context: ReviewContext,
): ReasonCode[] {
  const name = parseClaimedName(pkcs10);
  const node =
    name === null
      ? null
      : (context.design.nodes.find((designNode) => getNodeFqdn(context.design, designNode) === name) ?? null);
  return [
    // An unknown key cannot verify a signature, so its own reason is enough.
    ...listReasonIf(pkcs10.key.isStrong && !pkcs10.isSigned, 'SIG'),
    ...listReasonIf(!pkcs10.key.isStrong, 'KEY_WEAK'),
    ...listReasonIf(!hasUsages(request.usages, kind), 'USAGES'),
    ...listSubjectReasons(pkcs10),
    ...listNameReasons(name, node),
    ...listReasonIf(!isTimely(request.requestedAt, context), 'TIME'),
    ...listReasonIf(!isUsualExpiry(request.expirationSeconds), 'EXPIRY'),
    ...listReasonIf(pkcs10.hasOtherExtensions, 'EXTENSION'),
    ...(kind === 'client'
      ? listClientReasons(request, pkcs10, name, context)
      : listServingReasons(request, pkcs10, name, node, context)),
  ];
}

function listReasonIf(condition: boolean, reason: ReasonCode): ReasonCode[] {
  return condition ? [reason] : [];
}

/** Whether these are the usages, each once; key encipherment is optional (kubelets with RSA keys request it). */
function hasUsages(usages: readonly string[], kind: 'client' | 'serving'): boolean {
  const requiredUsages = usages.filter((usage) => usage !== 'key encipherment');
  return usages.length - requiredUsages.length <= 1 && isSameSet(requiredUsages, USAGES[kind]);
}

function isSameSet(actual: readonly string[], expected: readonly string[]): boolean {
  return actual.length === expected.length && expected.every((value) => actual.includes(value));
}

/** Lists the reasons against a subject: Go writes one organization, one common name, and nothing else. */
function listSubjectReasons(pkcs10: Pkcs10): ReasonCode[] {
  const organizations = listValues(pkcs10, OID.organization);
  const order = pkcs10.subject.map((parts) => (parts.length === 1 ? parts[0]?.oid : ''));
  const isPlain = order.length === 2 && order[0] === OID.organization && order[1] === OID.commonName;
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') return ['SUBJECT_O'];
  return listReasonIf(!isPlain, 'SUBJECT_EXTRA');
}

function listNameReasons(name: string | null, node: DesignNode | null): ReasonCode[] {
  if (name === null) return ['NAME_FORM'];
  if (/^localhost(?:\.|$)/.test(name)) return ['LOCALHOST'];
  if (node === null) return ['NAME_UNKNOWN'];
  return listReasonIf(node.role === 'bootstrap', 'ROLE_NOT_JOINABLE');
}

function isTimely(requestedAt: number | null, { now, firstPowerOnAt }: ReviewContext): boolean {
  if (requestedAt === null) return false;
  // The API gives whole seconds: a request from the second of the power-on is not before it.
  const isAfterBoot = firstPowerOnAt === null || requestedAt >= firstPowerOnAt - AGE_LIMITS.beforeBoot - SECOND;
  return isAfterBoot && requestedAt <= now + AGE_LIMITS.ahead && requestedAt >= now - AGE_LIMITS.max;
}

function isUsualExpiry(seconds: number | null): boolean {
  return seconds === null || (seconds >= EXPIRY_LIMITS_S.min && seconds <= EXPIRY_LIMITS_S.max);
}

function listClientReasons(
  { requester, groups }: CertificateRequest,
  { names }: Pkcs10,
  name: string | null,
  { nodes }: ReviewContext,
): ReasonCode[] {
  return [
    ...listReasonIf(requester !== BOOTSTRAPPER, 'REQUESTER'),
    ...listReasonIf(!isSameSet([...new Set(groups)], BOOTSTRAPPER_GROUPS), 'GROUPS'),
    ...listReasonIf(names !== null, 'CLIENT_SAN'),
    ...listReasonIf(
      nodes.some((node) => node.name === name),
      'NODE_EXISTS',
    ),
  ];
}

function listServingReasons(
  { requester, groups }: CertificateRequest,
  { names }: Pkcs10,
  name: string | null,
  node: DesignNode | null,
  context: ReviewContext,
): ReasonCode[] {
  const isNode = requester.startsWith(NODE_PREFIX) && requester.length > NODE_PREFIX.length;
  const requestedNames = names ?? [];
  const addresses = requestedNames.filter(({ kind }) => kind === 'ip').map(({ text }) => text);
  const plannedAddresses = new Set(node?.ip.map(canonicalizeAddress));
  const plannedNames = new Set([name, node?.name]);
  const dnsNames = requestedNames.filter(({ kind }) => kind === 'dns').map(({ text }) => text.toLowerCase());
  return [
    ...listReasonIf(!isNode, 'REQUESTER'),
    ...listReasonIf(isNode && requester !== `${NODE_PREFIX}${name}`, 'CN_MISMATCH'),
    // The groups of a node are these two and no other: a superset is another account.
    ...listReasonIf(!isSameSet([...new Set(groups)], NODE_GROUPS), 'GROUPS'),
    ...listReasonIf(addresses.length === 0, 'SAN_EMPTY'),
    ...listReasonIf(
      requestedNames.some(({ kind }) => kind !== 'ip' && kind !== 'dns'),
      'SAN_TYPE',
    ),
    ...listReasonIf(
      dnsNames.some((text) => !plannedNames.has(text)),
      'SAN_FOREIGN_NAME',
    ),
    ...listReasonIf(
      addresses.some((address) => !plannedAddresses.has(address)),
      'SAN_FOREIGN_IP',
    ),
    ...listNodeAddressReasons(name, { plannedAddresses, plannedNames }, addresses, context),
  ];
}

const NAME_TYPES: readonly string[] = ['Hostname', 'InternalDNS', 'ExternalDNS'];

/**
 * Lists the reasons that follow from the Node object. A kubelet requests the addresses that this object lists
 * (kubernetes, pkg/kubelet/certificate/kubelet.go). The Node must report them, and all its addresses and names must be
 * those of the design. (The design alone decides which names may be requested: the short and the full name, whichever
 * the Node object shows.)
 */
function listNodeAddressReasons(
  name: string | null,
  {
    plannedAddresses,
    plannedNames,
  }: { readonly plannedAddresses: ReadonlySet<string>; readonly plannedNames: ReadonlySet<string | null | undefined> },
  requestedAddresses: readonly string[],
  { nodes }: ReviewContext,
): ReasonCode[] {
  const node = nodes.find((candidate) => candidate.name === name);
  if (!node) return ['NODE_MISSING'];
  const reportedAddresses = node.addresses
    .filter(({ type }) => !NAME_TYPES.includes(type))
    .map(({ address }) => canonicalizeAddress(address));
  const reportedNames = node.addresses.filter(({ type }) => NAME_TYPES.includes(type));
  const isPlanned =
    reportedAddresses.every((address) => plannedAddresses.has(address)) &&
    reportedNames.every(({ address }) => plannedNames.has(address.toLowerCase())) &&
    requestedAddresses.every((address) => reportedAddresses.includes(address));
  return listReasonIf(!isPlanned, 'NODE_ADDRESS');
}

/**
 * A kubelet waits 15 minutes for its certificate before it creates a new key. Two keys within a shorter time come from
 * two senders.
 */
const MIN_KEY_INTERVAL = 10 * MINUTE;

/**
 * Reviews all requests of the cluster together: a newer request of a node supersedes an older one, colliding keys are
 * refused, and a flood stops all approvals. Pure; keeps the order of the list.
 * @param requests all that the API lists, including decided ones: their keys are compared as well
 */
export function reviewRequests(requests: readonly CertificateRequest[], context: ReviewContext): RequestReview[] {
  const individualReviews = requests.map((request) => reviewRequest(request, context));
  // Each request is compared only with those of its node and of its key, so that the cost per request stays low in a
  // flood.
  const getPeers = groupByNode(individualReviews);
  const nodesByKey = collectNodesByKey(individualReviews);
  const reviewsWithRefusals = individualReviews.map((review) => {
    if (!isUndecided(review)) return review;
    const addedReasons: ReasonCode[] = [];
    if (isDuplicate(review, getPeers(review))) addedReasons.push('DUPLICATE_KEYS');
    if (isKeyReused(review, nodesByKey)) addedReasons.push('KEY_REUSED');
    return withReasons(review, addedReasons);
  });
  const getRefusedPeers = groupByNode(reviewsWithRefusals);
  const finalReviews = reviewsWithRefusals.map((review) => {
    const isSuperseded =
      (canBeSuperseded(review) && getRefusedPeers(review).some((other) => canSupersede(other, review))) ||
      isFromBeforeJoining(review, context);
    return isSuperseded ? { ...review, verdict: 'superseded' as const } : review;
  });
  if (!isFlood(finalReviews, context)) return finalReviews;
  return finalReviews.map((review) => (isUndecidedAndCurrent(review) ? withReasons(review, ['FLOOD']) : review));
}

/**
 * Groups requests by kind and node.
 * @returns a function that returns the group of a request
 */
function groupByNode(reviews: readonly RequestReview[]): (review: RequestReview) => readonly RequestReview[] {
  const toGroupKey = ({ kind, node }: RequestReview) => `${kind} ${node}`;
  const groups = Map.groupBy(reviews, toGroupKey);
  return (review) => groups.get(toGroupKey(review)) ?? [];
}

/**
 * Collects the node names that each key was used with. Requests without a valid signature are ignored: anyone can copy
 * a public key, but only its owner can sign.
 */
function collectNodesByKey(reviews: readonly RequestReview[]): ReadonlyMap<string, ReadonlySet<string>> {
  const nodesByKey = new Map<string, Set<string>>();
  for (const { node, fingerprint, reasons } of reviews) {
    if (node === null || fingerprint === null || reasons.includes('SIG')) continue;
    const names = nodesByKey.get(fingerprint);
    if (names) names.add(node);
    else nodesByKey.set(fingerprint, new Set([node]));
  }
  return nodesByKey;
}

function withReasons(review: RequestReview, addedReasons: readonly ReasonCode[]): RequestReview {
  if (addedReasons.length === 0) return review;
  return { ...review, verdict: 'refused', reasons: [...review.reasons, ...addedReasons] };
}

/**
 * Whether the request is valid except for its time, and its node exists. (The node may have been powered on before the
 * wizard knew.)
 */
function isOnlyLate(reasons: readonly ReasonCode[]): boolean {
  return reasons.includes('NODE_EXISTS') && reasons.every((reason) => reason === 'NODE_EXISTS' || reason === 'TIME');
}

/**
 * Whether the request is left over from before its node joined. A node repeats its request every 15 minutes until it
 * joins, so a leftover request is no sign of an impostor. It must not be approved either. (Within 10 minutes of an
 * approved request it remains a duplicate. A request from the second in which the node appeared is not proven to be
 * left over.)
 */
function isFromBeforeJoining(
  { node, kind, verdict, reasons, requestedAt }: RequestReview,
  { nodes }: ReviewContext,
): boolean {
  if (kind !== 'client' || verdict !== 'refused' || requestedAt === null) return false;
  const joinedAt = nodes.find(({ name }) => name === node)?.createdAt ?? null;
  return joinedAt !== null && requestedAt < joinedAt && isOnlyLate(reasons);
}

/**
 * Whether another client request of the node within 10 minutes has another key. Approved requests count as well: after
 * the user approves one of two, the other must not become expected.
 */
function isDuplicate(review: RequestReview, peers: readonly RequestReview[]): boolean {
  if (review.kind !== 'client' || review.node === null || review.requestedAt === null) return false;
  if (!canDuplicate(review)) return false;
  const { requestedAt, fingerprint } = review;
  return peers.some(
    (other) =>
      (isUndecided(other) ? canDuplicate(other) : other.isApproved) &&
      other.fingerprint !== fingerprint &&
      other.requestedAt !== null &&
      Math.abs(other.requestedAt - requestedAt) < MIN_KEY_INTERVAL,
  );
}

/** Whether a request can block another one. A request that can never be approved must not block any. */
function canDuplicate({ verdict, reasons }: RequestReview): boolean {
  return verdict === 'expected' || reasons.every((reason) => reason === 'NODE_EXISTS');
}

/** Whether a request of another node, decided or not, has the same key. */
function isKeyReused(
  { node, fingerprint }: RequestReview,
  nodesByKey: ReadonlyMap<string, ReadonlySet<string>>,
): boolean {
  const nodes = fingerprint === null ? undefined : nodesByKey.get(fingerprint);
  return node !== null && nodes !== undefined && nodes.size > (nodes.has(node) ? 1 : 0);
}

function canBeSuperseded({ verdict, reasons }: RequestReview): boolean {
  return verdict === 'expected' || (verdict === 'refused' && isOnlyLate(reasons));
}

/**
 * Whether `other`, of the same node and kind, is newer and replaces the request. Expected and approved requests do;
 * refused, denied and failed ones do not. Within the same second, the later name wins.
 */
function canSupersede(other: RequestReview, review: RequestReview): boolean {
  const canReplace = other.isApproved ? !other.reasons.includes('TERMINAL') : other.verdict === 'expected';
  const [otherTime, reviewTime] = [other.requestedAt ?? 0, review.requestedAt ?? 0];
  return canReplace && (otherTime > reviewTime || (otherTime === reviewTime && other.name > review.name));
}

/** The requests of a cluster with their verdicts, reviewed together. */
export interface CsrReview {
  /** Those that need a decision come first. */
  readonly reviews: readonly RequestReview[];
  readonly requests: ReadonlyMap<string, CertificateRequest>;
}

/** Reviews the requests that the API lists, including decided ones. */
export function createCsrReview(
  { requests, nodes }: { readonly requests: readonly CertificateRequest[]; readonly nodes: readonly NodeView[] },
  context: Omit<ReviewContext, 'nodes'>,
): CsrReview {
  return {
    reviews: reviewRequests(requests, { ...context, nodes }).toSorted(compareForReview),
    requests: new Map(requests.map((request) => [request.name, request])),
  };
}

/**
 * Reviews a request without a design: whether it is decided, and whether its node has no host name. Nothing is
 * `expected`.
 */
export function reviewWithoutDesign(request: CertificateRequest): CsrEvidence {
  const summary = summarizeRequest(request);
  if (summary.kind === 'other') return { ...summary, verdict: 'not-ours', reasons: [] };
  if (request.isDenied || request.isFailed) return { ...summary, verdict: 'decided', reasons: ['TERMINAL'] };
  if (request.isApproved) return { ...summary, verdict: 'decided', reasons: [] };
  if (/^localhost(?:\.|$)/.test(summary.node ?? '')) return { ...summary, verdict: 'refused', reasons: ['LOCALHOST'] };
  return { ...summary, verdict: 'unjudged', reasons: [] };
}

/** More pending requests than the nodes can have created. Times in ms of the clock. */
export interface FloodEvidence {
  readonly since: number;
  /** End of the flood; null while it lasts. */
  readonly until: number | null;
  /** Pending requests at the last probe during the flood. */
  readonly pending: number;
  /** Maximum number of pending requests that counts as normal. */
  readonly limit: number;
}

/** A CSR (certificate signing request) with its verdict by the design. */
export interface CsrEvidence {
  readonly name: string;
  readonly node: string | null;
  readonly kind: 'client' | 'serving' | 'other';
  /** `unjudged`: it is pending, and the design is unknown. */
  readonly verdict: 'expected' | 'refused' | 'not-ours' | 'decided' | 'superseded' | 'unjudged';
  readonly reasons: readonly string[];
  readonly requester: string;
  readonly requestedAt: number | null;
}
