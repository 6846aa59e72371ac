import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import { HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import type { CsrVerdict, ReasonCode, RequestKind, ReviewContext } from './csr-verdict.ts';
import { DerError } from './der.ts';
import { canonicalAddress, OID, type Pkcs10, readPkcs10 } from './pkcs10.ts';
import { type CertificateRequest, CLIENT_SIGNER, SERVING_SIGNER } from './request.ts';

// The policy follows the checks of OpenShift's own approver (cluster-machine-approver, pkg/controller/csr_check.go) and
// of the signers (kubernetes, pkg/apis/certificates/helpers.go). The design replaces the Machine objects, which a
// cluster without a cloud does not have. Every host on the machine network can read the credential that nodes join
// with, so the sender proves nothing: every field is checked.

const PREFIX = 'system:node:';
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
const EXPIRY = { min: 600, max: 30 * 24 * 3600 };
const AGE = { max: 24 * HOUR, ahead: 5 * MINUTE, beforeBoot: 10 * MINUTE };

/** Reviews one request on its own; `reviewRequests` adds the checks against the others. Pure. */
export function reviewRequest(request: CertificateRequest, context: ReviewContext): CsrVerdict {
  const parsed = parseCached(request.request);
  const summary = summarizeRequest(request);
  const { kind } = summary;
  if (kind === 'other')
    return {
      ...summary,
      verdict: requestsPrivilegedIdentity(request, parsed) ? 'refused' : 'not-ours',
      reasons: ['SIGNER'],
    };
  if (request.isDenied || request.isFailed) return { ...summary, verdict: 'decided', reasons: ['TERMINAL'] };
  if (request.isApproved) return { ...summary, verdict: 'decided', reasons: [] };
  const reasons = parsed ? collectReasons(request, parsed, kind, context) : (['PARSE'] as const);
  return { ...summary, verdict: reasons.length === 0 ? 'expected' : 'refused', reasons };
}

/** Summarizes a request without a verdict. */
export function summarizeRequest(request: CertificateRequest): Omit<CsrVerdict, 'verdict' | 'reasons'> {
  const { name, uid, signer, requestedAt, requester, isApproved, isIssued } = request;
  const parsed = parseCached(request.request);
  const node = parsed ? parseClaimedName(parsed) : null;
  const fingerprint = parsed?.key.fingerprint ?? null;
  return { name, uid, node, kind: findKind(signer), requestedAt, requester, fingerprint, isApproved, isIssued };
}

function findKind(signer: string): RequestKind {
  if (signer === CLIENT_SIGNER) return 'client';
  return signer === SERVING_SIGNER ? 'serving' : 'other';
}

/**
 * Whether the request asks the general client signer for the identity of an administrator or a node. Users and
 * operators request their own certificates from this signer; a privileged identity is an attack.
 */
function requestsPrivilegedIdentity({ signer }: CertificateRequest, parsed: Pkcs10 | null): boolean {
  if (signer !== 'kubernetes.io/kube-apiserver-client' || !parsed) return false;
  return parsed.subject.flat().some(({ text }) => /^system:(?:masters$|nodes$|admin$|node:)/.test(text));
}

// The same requests are reviewed every few seconds. Their content does not change, so it is parsed once.
const parseCache = new Map<string, Pkcs10 | null>();
const CACHE_LIMITS = { requests: 4000, maxLength: 4096 };

function parseCached(base64: string): Pkcs10 | null {
  const known = parseCache.get(base64);
  if (known !== undefined) return known;
  const parsed = parseOrNull(base64);
  if (base64.length > CACHE_LIMITS.maxLength) return parsed;
  for (const [oldest] of parseCache) {
    if (parseCache.size < CACHE_LIMITS.requests) break;
    parseCache.delete(oldest);
  }
  parseCache.set(base64, parsed);
  return parsed;
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

function parseClaimedName(parsed: Pkcs10): string | null {
  const [commonName = '', ...more] = listValues(parsed, OID.commonName);
  const name = commonName.startsWith(PREFIX) ? commonName.slice(PREFIX.length) : '';
  return more.length === 0 && HOST_NAME.test(name) ? name : null;
}

function collectReasons(
  request: CertificateRequest,
  parsed: Pkcs10,
  kind: 'client' | 'serving',
  context: ReviewContext,
): ReasonCode[] {
  const name = parseClaimedName(parsed);
  const node =
    name === null ? null : (context.design.nodes.find((one) => nodeFqdn(context.design, one) === name) ?? null);
  return [
    // An unknown key cannot verify a signature, so its own reason is enough.
    ...reasonIf(parsed.key.isStrong && !parsed.isSigned, 'SIG'),
    ...reasonIf(!parsed.key.isStrong, 'KEY_WEAK'),
    ...reasonIf(!hasUsages(request.usages, kind), 'USAGES'),
    ...subjectReasons(parsed),
    ...nameReasons(name, node),
    ...reasonIf(!isTimely(request.requestedAt, context), 'TIME'),
    ...reasonIf(!isUsualExpiry(request.expirationSeconds), 'EXPIRY'),
    ...reasonIf(parsed.hasMore, 'EXTENSION'),
    ...(kind === 'client'
      ? clientReasons(request, parsed, name, context)
      : listServingReasons(request, parsed, name, node, context)),
  ];
}

function reasonIf(condition: boolean, reason: ReasonCode): ReasonCode[] {
  return condition ? [reason] : [];
}

/** Exactly these usages, each once; key encipherment is optional (kubelets with RSA keys ask for it). */
function hasUsages(usages: readonly string[], kind: 'client' | 'serving'): boolean {
  const rest = usages.filter((usage) => usage !== 'key encipherment');
  return usages.length - rest.length <= 1 && isSameSet(rest, USAGES[kind]);
}

function isSameSet(found: readonly string[], wanted: readonly string[]): boolean {
  return found.length === wanted.length && wanted.every((one) => found.includes(one));
}

/** Returns the subject as Go writes it: one organization, then one common name, and nothing else. */
function subjectReasons(parsed: Pkcs10): ReasonCode[] {
  const organizations = listValues(parsed, OID.organization);
  const order = parsed.subject.map((parts) => (parts.length === 1 ? parts[0]?.oid : ''));
  const isPlain = order.length === 2 && order[0] === OID.organization && order[1] === OID.commonName;
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') return ['SUBJECT_O'];
  return reasonIf(!isPlain, 'SUBJECT_EXTRA');
}

function nameReasons(name: string | null, node: DesignNode | null): ReasonCode[] {
  if (name === null) return ['NAME_FORM'];
  if (/^localhost(?:\.|$)/.test(name)) return ['LOCALHOST'];
  if (node === null) return ['NAME_UNKNOWN'];
  return reasonIf(node.role === 'bootstrap', 'ROLE_NOT_JOINABLE');
}

function isTimely(requestedAt: number | null, { now, bootedSince }: ReviewContext): boolean {
  if (requestedAt === null) return false;
  // The API gives whole seconds: a request from the second of the power-on is not before it.
  const isAfterBoot = bootedSince === null || requestedAt >= bootedSince - AGE.beforeBoot - SECOND;
  return isAfterBoot && requestedAt <= now + AGE.ahead && requestedAt >= now - AGE.max;
}

function isUsualExpiry(seconds: number | null): boolean {
  return seconds === null || (seconds >= EXPIRY.min && seconds <= EXPIRY.max);
}

function clientReasons(
  { requester, groups }: CertificateRequest,
  { names }: Pkcs10,
  name: string | null,
  { nodes }: ReviewContext,
): ReasonCode[] {
  return [
    ...reasonIf(requester !== BOOTSTRAPPER, 'REQUESTER'),
    ...reasonIf(!isSameSet([...new Set(groups)], BOOTSTRAPPER_GROUPS), 'GROUPS'),
    ...reasonIf(names !== null, 'CLIENT_SAN'),
    ...reasonIf(
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
  const isNode = requester.startsWith(PREFIX) && requester.length > PREFIX.length;
  const requestedNames = names ?? [];
  const addresses = requestedNames.filter(({ kind }) => kind === 'ip').map(({ text }) => text);
  const own = new Set(node?.ip.map(canonicalAddress));
  const ownNames = new Set([name, node?.name]);
  const dnsNames = requestedNames.filter(({ kind }) => kind === 'dns').map(({ text }) => text.toLowerCase());
  return [
    ...reasonIf(!isNode, 'REQUESTER'),
    ...reasonIf(isNode && requester !== `${PREFIX}${name}`, 'CN_MISMATCH'),
    // The groups of a node are these two and no other: a superset is another account.
    ...reasonIf(!isSameSet([...new Set(groups)], NODE_GROUPS), 'GROUPS'),
    ...reasonIf(addresses.length === 0, 'SAN_EMPTY'),
    ...reasonIf(
      requestedNames.some(({ kind }) => kind !== 'ip' && kind !== 'dns'),
      'SAN_TYPE',
    ),
    ...reasonIf(
      dnsNames.some((text) => !ownNames.has(text)),
      'SAN_FOREIGN_NAME',
    ),
    ...reasonIf(
      addresses.some((address) => !own.has(address)),
      'SAN_FOREIGN_IP',
    ),
    ...nodeAddressReasons(name, { own, ownNames }, addresses, context),
  ];
}

const NAME_TYPES: readonly string[] = ['Hostname', 'InternalDNS', 'ExternalDNS'];

/**
 * A kubelet requests the addresses that its Node object reports (kubernetes, pkg/kubelet/certificate/kubelet.go). The
 * Node must report them, and all its addresses and names must be those of the design. (The design alone decides which
 * names may be requested: the short and the full name, whichever the Node object shows.)
 */
function nodeAddressReasons(
  name: string | null,
  { own, ownNames }: { readonly own: ReadonlySet<string>; readonly ownNames: ReadonlySet<string | null | undefined> },
  requestedAddresses: readonly string[],
  { nodes }: ReviewContext,
): ReasonCode[] {
  const node = nodes.find((one) => one.name === name);
  if (!node) return ['NODE_MISSING'];
  const reported = node.addresses
    .filter(({ type }) => !NAME_TYPES.includes(type))
    .map(({ address }) => canonicalAddress(address));
  const names = node.addresses.filter(({ type }) => NAME_TYPES.includes(type));
  const isOwn =
    reported.every((address) => own.has(address)) &&
    names.every(({ address }) => ownNames.has(address.toLowerCase())) &&
    requestedAddresses.every((address) => reported.includes(address));
  return reasonIf(!isOwn, 'NODE_ADDRESS');
}
