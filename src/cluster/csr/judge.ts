import type { DesignNode } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import { HOUR, MINUTE, SECOND } from '../../ports/clock.ts';
import { DerError } from './der.ts';
import type { JudgeContext, Judgement, ReasonCode, RequestKind } from './judgement.ts';
import { canonicalAddress, OID, type Pkcs10, readPkcs10 } from './pkcs10.ts';
import { type CertificateRequest, CLIENT_SIGNER, SERVING_SIGNER } from './request.ts';

// The policy follows the checks of OpenShift's own approver (cluster-machine-approver, pkg/controller/csr_check.go) and of
// the signers (kubernetes, pkg/apis/certificates/helpers.go), with the design in place of the Machine objects that a
// cluster without a cloud does not have. The credential that nodes use to join is readable by everybody on the machine
// network, so who sent a request proves nothing: every field counts.

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
const EXPIRY = { least: 600, most: 30 * 24 * 3600 };
const AGE = { most: 24 * HOUR, ahead: 5 * MINUTE, beforeBoot: 10 * MINUTE };

/** Judges one request on its own; `judgeAll` adds what follows from the others. Pure. */
export function judge(request: CertificateRequest, context: JudgeContext): Judgement {
  const parsed = tryRead(request.request);
  const about = aboutOf(request);
  const { kind } = about;
  if (kind === 'other')
    return { ...about, verdict: isGrab(request, parsed) ? 'refused' : 'not-ours', reasons: ['SIGNER'] };
  if (request.isDenied || request.isFailed) return { ...about, verdict: 'decided', reasons: ['TERMINAL'] };
  if (request.isApproved) return { ...about, verdict: 'decided', reasons: [] };
  const reasons = parsed ? reasonsAgainst(request, parsed, kind, context) : (['PARSE'] as const);
  return { ...about, verdict: reasons.length === 0 ? 'expected' : 'refused', reasons };
}

/** What a request is, without a judgement. */
export function aboutOf(request: CertificateRequest): Omit<Judgement, 'verdict' | 'reasons'> {
  const { name, uid, signer, requestedAt, requester, isApproved, isIssued } = request;
  const parsed = tryRead(request.request);
  const node = parsed ? claimedName(parsed) : null;
  const fingerprint = parsed?.key.fingerprint ?? null;
  return { name, uid, node, kind: kindOf(signer), requestedAt, requester, fingerprint, isApproved, isIssued };
}

function kindOf(signer: string): RequestKind {
  if (signer === CLIENT_SIGNER) return 'client';
  return signer === SERVING_SIGNER ? 'serving' : 'other';
}

/** People and operators ask the general client signer for certificates of their own; one for the masters or a node is an attack. */
function isGrab({ signer }: CertificateRequest, parsed: Pkcs10 | null): boolean {
  if (signer !== 'kubernetes.io/kube-apiserver-client' || !parsed) return false;
  return parsed.subject.flat().some(({ text }) => /^system:(?:masters$|nodes$|admin$|node:)/.test(text));
}

// Every look, every few seconds, judges the same requests: their content does not change, so it is parsed once.
const readBefore = new Map<string, Pkcs10 | null>();
const KEPT = { requests: 4000, longest: 4096 };

function tryRead(base64: string): Pkcs10 | null {
  const known = readBefore.get(base64);
  if (known !== undefined) return known;
  const read = readStrictly(base64);
  if (base64.length > KEPT.longest) return read;
  for (const [oldest] of readBefore) {
    if (readBefore.size < KEPT.requests) break;
    readBefore.delete(oldest);
  }
  readBefore.set(base64, read);
  return read;
}

function readStrictly(base64: string): Pkcs10 | null {
  try {
    return readPkcs10(base64);
  } catch (error) {
    if (error instanceof DerError) return null;
    throw error;
  }
}

function valuesOf({ subject }: Pkcs10, oid: string): string[] {
  return subject.flat().flatMap((part) => (part.oid === oid ? part.text : []));
}

function claimedName(parsed: Pkcs10): string | null {
  const [commonName = '', ...more] = valuesOf(parsed, OID.commonName);
  const name = commonName.startsWith(PREFIX) ? commonName.slice(PREFIX.length) : '';
  return more.length === 0 && HOST_NAME.test(name) ? name : null;
}

function reasonsAgainst(
  request: CertificateRequest,
  parsed: Pkcs10,
  kind: 'client' | 'serving',
  context: JudgeContext,
): ReasonCode[] {
  const name = claimedName(parsed);
  const node =
    name === null ? null : (context.design.nodes.find((one) => nodeFqdn(context.design, one) === name) ?? null);
  return [
    // A key we do not know cannot verify a signature: one reason is enough.
    ...when(parsed.key.isStrong && !parsed.isSigned, 'SIG'),
    ...when(!parsed.key.isStrong, 'KEY_WEAK'),
    ...when(!hasUsages(request.usages, kind), 'USAGES'),
    ...subjectReasons(parsed),
    ...nameReasons(name, node),
    ...when(!isTimely(request.requestedAt, context), 'TIME'),
    ...when(!isUsualExpiry(request.expirationSeconds), 'EXPIRY'),
    ...when(parsed.hasMore, 'EXTENSION'),
    ...(kind === 'client'
      ? clientReasons(request, parsed, name, context)
      : servingReasons(request, parsed, name, node, context)),
  ];
}

function when(isSo: boolean, reason: ReasonCode): ReasonCode[] {
  return isSo ? [reason] : [];
}

/** Exactly these usages, each once; key encipherment is optional (kubelets with RSA keys ask for it). */
function hasUsages(usages: readonly string[], kind: 'client' | 'serving'): boolean {
  const rest = usages.filter((usage) => usage !== 'key encipherment');
  return usages.length - rest.length <= 1 && isSameSet(rest, USAGES[kind]);
}

function isSameSet(found: readonly string[], wanted: readonly string[]): boolean {
  return found.length === wanted.length && wanted.every((one) => found.includes(one));
}

/** The subject as Go writes it: one organization, then one common name, and nothing else. */
function subjectReasons(parsed: Pkcs10): ReasonCode[] {
  const organizations = valuesOf(parsed, OID.organization);
  const order = parsed.subject.map((parts) => (parts.length === 1 ? parts[0]?.oid : ''));
  const isPlain = order.length === 2 && order[0] === OID.organization && order[1] === OID.commonName;
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') return ['SUBJECT_O'];
  return when(!isPlain, 'SUBJECT_EXTRA');
}

function nameReasons(name: string | null, node: DesignNode | null): ReasonCode[] {
  if (name === null) return ['NAME_FORM'];
  if (/^localhost(?:\.|$)/.test(name)) return ['LOCALHOST'];
  if (node === null) return ['NAME_UNKNOWN'];
  return when(node.role === 'bootstrap', 'ROLE_NOT_JOINABLE');
}

function isTimely(requestedAt: number | null, { now, bootedSince }: JudgeContext): boolean {
  if (requestedAt === null) return false;
  // The API gives whole seconds: a request from the second of the power-on is not before it.
  const isAfterBoot = bootedSince === null || requestedAt >= bootedSince - AGE.beforeBoot - SECOND;
  return isAfterBoot && requestedAt <= now + AGE.ahead && requestedAt >= now - AGE.most;
}

function isUsualExpiry(seconds: number | null): boolean {
  return seconds === null || (seconds >= EXPIRY.least && seconds <= EXPIRY.most);
}

function clientReasons(
  { requester, groups }: CertificateRequest,
  { names }: Pkcs10,
  name: string | null,
  { nodes }: JudgeContext,
): ReasonCode[] {
  return [
    ...when(requester !== BOOTSTRAPPER, 'REQUESTER'),
    ...when(!isSameSet([...new Set(groups)], BOOTSTRAPPER_GROUPS), 'GROUPS'),
    ...when(names !== null, 'CLIENT_SAN'),
    ...when(
      nodes.some((node) => node.name === name),
      'NODE_EXISTS',
    ),
  ];
}

function servingReasons(
  { requester, groups }: CertificateRequest,
  { names }: Pkcs10,
  name: string | null,
  node: DesignNode | null,
  context: JudgeContext,
): ReasonCode[] {
  const isNode = requester.startsWith(PREFIX) && requester.length > PREFIX.length;
  const asked = names ?? [];
  const addresses = asked.filter(({ kind }) => kind === 'ip').map(({ text }) => text);
  const own = new Set(node?.ip.map(canonicalAddress));
  const ownNames = new Set([name, node?.name]);
  const dnsNames = asked.filter(({ kind }) => kind === 'dns').map(({ text }) => text.toLowerCase());
  return [
    ...when(!isNode, 'REQUESTER'),
    ...when(isNode && requester !== `${PREFIX}${name}`, 'CN_MISMATCH'),
    // The groups of a node are these two and no other: a superset is another account.
    ...when(!isSameSet([...new Set(groups)], NODE_GROUPS), 'GROUPS'),
    ...when(addresses.length === 0, 'SAN_EMPTY'),
    ...when(
      asked.some(({ kind }) => kind !== 'ip' && kind !== 'dns'),
      'SAN_TYPE',
    ),
    ...when(
      dnsNames.some((text) => !ownNames.has(text)),
      'SAN_FOREIGN_NAME',
    ),
    ...when(
      addresses.some((address) => !own.has(address)),
      'SAN_FOREIGN_IP',
    ),
    ...reportedReasons(name, { own, ownNames }, addresses, context),
  ];
}

const NAME_TYPES: readonly string[] = ['Hostname', 'InternalDNS', 'ExternalDNS'];

/**
 * A kubelet requests what its Node object reports (kubernetes, pkg/kubelet/certificate/kubelet.go): it must report the
 * addresses, and all that it reports, names too, must be the node's by the design. (The design alone decides which
 * names may be requested: the short and the long name are the node's, whichever of them its Node object shows.)
 */
function reportedReasons(
  name: string | null,
  { own, ownNames }: { readonly own: ReadonlySet<string>; readonly ownNames: ReadonlySet<string | null | undefined> },
  asked: readonly string[],
  { nodes }: JudgeContext,
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
    asked.every((address) => reported.includes(address));
  return when(!isOwn, 'NODE_ADDRESS');
}
