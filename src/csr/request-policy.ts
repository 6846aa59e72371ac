import { getNodeFqdn } from '../design/derived-facts.ts';
import type { DesignNode } from '../design/model.ts';
import {
  type CertificateRequest,
  CLIENT_SIGNER,
  formatRefusal,
  SERVING_SIGNER,
} from '../openshift/certificate-request.ts';
import { HOUR, MINUTE, SECOND } from '../platform/clock.ts';
import { type AltName, canonicalizeAddress, DerError, OID, type Pkcs10, parsePkcs10 } from './pkcs10.ts';
import type { ReasonCode, RequestKind, RequestReview, RequestVerdict, ReviewContext } from './verdict.ts';

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
/** Limits for the time of a request (ms): its age, its lead over our clock, and its lead over the first power-on. */
const AGE_LIMITS = { max: 24 * HOUR, ahead: 5 * MINUTE, beforePowerOn: 10 * MINUTE };

/** Reviews one request on its own; `reviewRequests` adds the checks against the others. Pure. */
export function reviewRequest(request: CertificateRequest, context: ReviewContext): RequestReview {
  const pkcs10 = parseWithCache(request.encodedCsr);
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
  const refusal = formatRefusal(request);
  const pkcs10 = parseWithCache(request.encodedCsr);
  const node = pkcs10 ? parseClaimedName(pkcs10) : null;
  const fingerprint = pkcs10?.key.fingerprint ?? null;
  return {
    ...{ name, uid, node, kind: deriveKind(signer), requestedAt, requester, fingerprint, isApproved, isIssued },
    ...(refusal === '' ? {} : { refusal }),
  };
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
/** Limits of the cache: requests, and characters of one request. */
const CACHE_LIMITS = { maxRequests: 4000, maxLength: 4096 };

function parseWithCache(base64: string): Pkcs10 | null {
  const cachedPkcs10 = parseCache.get(base64);
  if (cachedPkcs10 !== undefined) return cachedPkcs10;
  const pkcs10 = tryParsePkcs10(base64);
  if (base64.length > CACHE_LIMITS.maxLength) return pkcs10;
  for (const [oldest] of parseCache) {
    if (parseCache.size < CACHE_LIMITS.maxRequests) break;
    parseCache.delete(oldest);
  }
  parseCache.set(base64, pkcs10);
  return pkcs10;
}

function tryParsePkcs10(base64: string): Pkcs10 | null {
  try {
    return parsePkcs10(base64);
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

/**
 * A name of a request, compared with the design. `foreign`: requested, not planned; `missing`: planned, not requested.
 */
export interface NameComparison {
  readonly kind: AltName['kind'];
  readonly text: string;
  readonly state: 'planned' | 'foreign' | 'missing';
}

/** The content of a request, for the user to review. */
interface RequestDescription {
  /** The distinguished name: `O=system:nodes, CN=system:node:w1.ocp45.example.localdomain`. */
  readonly subject: string;
  /** The type and size of the key: `EC P-256`. */
  readonly key: string;
  readonly names: readonly NameComparison[];
}

/**
 * Describes the content of a request for its page; null if it cannot be read.
 * @param plannedNode the planned addresses and names, in lower case; empty if the design has no such node
 */
export function describeRequest(
  request: CertificateRequest,
  plannedNode: { readonly addresses: readonly string[]; readonly names: readonly string[] },
): RequestDescription | null {
  const pkcs10 = parseWithCache(request.encodedCsr);
  if (pkcs10 === null) return null;
  const { key, altNames, subject } = pkcs10;
  const addresses = plannedNode.addresses.map(canonicalizeAddress);
  const requestedNames = (altNames ?? []).map((name): NameComparison => {
    const isPlanned = name.kind === 'ip' ? addresses.includes(name.text) : isPlannedName(name, plannedNode.names);
    return { ...name, state: isPlanned ? 'planned' : 'foreign' };
  });
  const missingAddresses = addresses.filter((address) => !requestedNames.some(({ text }) => text === address));
  const isServing = request.signer === SERVING_SIGNER;
  const missingNames = isServing
    ? missingAddresses.map((text): NameComparison => ({ kind: 'ip', text, state: 'missing' }))
    : [];
  const formatAttribute = ({ oid, text }: { readonly oid: string; readonly text: string }) =>
    `${SUBJECT_LABELS[oid] ?? oid}=${text}`;
  return {
    subject: subject.flat().map(formatAttribute).join(', '),
    key: key.label,
    names: [...requestedNames, ...missingNames],
  };
}

const SUBJECT_LABELS: Readonly<Record<string, string>> = { [OID.commonName]: 'CN', [OID.organization]: 'O' };

function isPlannedName({ kind, text }: AltName, names: readonly string[]): boolean {
  return kind === 'dns' && names.includes(text.toLowerCase());
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
    // A weak or unknown key has its own reason, so its signature is not reported.
    ...listReasonIf(pkcs10.key.isStrong && !pkcs10.isSignatureValid, 'SIG'),
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
  const otherUsages = usages.filter((usage) => usage !== 'key encipherment');
  return usages.length - otherUsages.length <= 1 && isSameSet(otherUsages, USAGES[kind]);
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
  const isAfterPowerOn = firstPowerOnAt === null || requestedAt >= firstPowerOnAt - AGE_LIMITS.beforePowerOn - SECOND;
  return isAfterPowerOn && requestedAt <= now + AGE_LIMITS.ahead && requestedAt >= now - AGE_LIMITS.max;
}

function isUsualExpiry(seconds: number | null): boolean {
  return seconds === null || (seconds >= EXPIRY_LIMITS_S.min && seconds <= EXPIRY_LIMITS_S.max);
}

function listClientReasons(
  { requester, groups }: CertificateRequest,
  { altNames }: Pkcs10,
  name: string | null,
  { nodes }: ReviewContext,
): ReasonCode[] {
  return [
    ...listReasonIf(requester !== BOOTSTRAPPER, 'REQUESTER'),
    ...listReasonIf(!isSameSet([...new Set(groups)], BOOTSTRAPPER_GROUPS), 'GROUPS'),
    ...listReasonIf(altNames !== null, 'CLIENT_SAN'),
    ...listReasonIf(
      nodes.some((node) => node.name === name),
      'NODE_EXISTS',
    ),
  ];
}

function listServingReasons(
  { requester, groups }: CertificateRequest,
  { altNames }: Pkcs10,
  name: string | null,
  node: DesignNode | null,
  context: ReviewContext,
): ReasonCode[] {
  const isNodeRequester = requester.startsWith(NODE_PREFIX) && requester.length > NODE_PREFIX.length;
  const requestedNames = altNames ?? [];
  const addresses = requestedNames.filter(({ kind }) => kind === 'ip').map(({ text }) => text);
  const plannedAddresses = new Set(node?.ip.map(canonicalizeAddress));
  const plannedNames = new Set([name, node?.name]);
  const dnsNames = requestedNames.filter(({ kind }) => kind === 'dns').map(({ text }) => text.toLowerCase());
  return [
    ...listReasonIf(!isNodeRequester, 'REQUESTER'),
    ...listReasonIf(isNodeRequester && requester !== `${NODE_PREFIX}${name}`, 'CN_MISMATCH'),
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
 * Reviews a request without a design: whether it is decided, and whether its node is named localhost. Nothing is
 * `expected`.
 */
export function reviewWithoutDesign(request: CertificateRequest): CsrEvidence {
  const summary = summarizeRequest(request);
  if (summary.kind === 'other') return { ...summary, verdict: 'not-ours', reasons: [] };
  if (request.isDenied || request.isFailed) return { ...summary, verdict: 'decided', reasons: ['TERMINAL'] };
  if (request.isApproved) return { ...summary, verdict: 'decided', reasons: [] };
  if (/^localhost(?:\.|$)/.test(summary.node ?? '')) return { ...summary, verdict: 'refused', reasons: ['LOCALHOST'] };
  return { ...summary, verdict: 'undecided', reasons: [] };
}

/** A CSR (certificate signing request) with its verdict by the design, as evidence for diagnostic rules. */
export interface CsrEvidence
  extends Pick<RequestReview, 'name' | 'node' | 'kind' | 'requester' | 'requestedAt' | 'refusal'> {
  /** `undecided`: it is pending, and the design is unknown. */
  readonly verdict: RequestVerdict | 'undecided';
  readonly reasons: readonly string[];
}
