import { X509Certificate } from 'node:crypto';
import { type Clock, HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import {
  type CertificateAuthority,
  type CertificateUsage,
  parseRequest,
  type RequestContents,
  signRequest,
} from '../pki.ts';
import { getKind } from './kinds.ts';
import {
  assignFields,
  findCondition,
  formatTimestamp,
  getField,
  getList,
  getRecord,
  getString,
  isRecord,
  type JsonRecord,
  type KubeObject,
} from './objects.ts';
import { type FieldProblem, invalidError, invalidValue } from './status.ts';
import type { Store } from './store.ts';

export const CSR_RESOURCE = 'certificatesigningrequests.certificates.k8s.io';
export const CLIENT_SIGNER = 'kubernetes.io/kube-apiserver-client-kubelet';
export const SERVING_SIGNER = 'kubernetes.io/kubelet-serving';

/** Parses the PKCS#10 request in a CertificateSigningRequest. */
export const parseCsr = (request: KubeObject) => parseRequest(decodeRequestPem(request));

function decodeRequestPem(request: KubeObject): string {
  return Buffer.from(getString(request, 'spec', 'request'), 'base64').toString('utf8');
}

/** Builds a condition of a request with status True and `now` as its time. */
export function buildCsrCondition(
  type: 'Approved' | 'Denied' | 'Failed',
  reason: string,
  message: string,
  now: number,
) {
  const time = formatTimestamp(now);
  return { type, status: 'True', reason, message, lastUpdateTime: time, lastTransitionTime: time };
}

/** Whether a request is neither approved, denied nor failed. */
export function isRequestPending(request: KubeObject): boolean {
  return !PERMANENT_TYPES.some((type) => findCondition(request, type) !== undefined);
}

const DECISION_TYPES = ['Approved', 'Denied'];
const PERMANENT_TYPES = [...DECISION_TYPES, 'Failed'];

/**
 * Returns the CSR after an update of its `approval` subresource. Only the conditions come from the body; their missing
 * times are filled in. Rules: k8s.io/kubernetes pkg/registry/certificates and pkg/apis/certificates/validation.
 * @throws StatusError 422 if a condition Approved, Denied or Failed is removed, or if the CSR is approved and denied
 */
export function applyApproval(storedRequest: KubeObject, body: KubeObject, now: number): KubeObject {
  const conditions = getList(body, 'status', 'conditions')
    .filter(isRecord)
    .map((condition) => stampCondition(storedRequest, condition, formatTimestamp(now)));
  validateConditions(storedRequest, conditions);
  return { ...storedRequest, status: { ...getRecord(storedRequest, 'status'), conditions } };
}

function stampCondition(storedRequest: KubeObject, condition: JsonRecord, now: string): JsonRecord {
  const previousCondition = findCondition(storedRequest, String(condition.type));
  const previousTime =
    previousCondition?.status === condition.status ? getString(previousCondition, 'lastTransitionTime') : '';
  return {
    ...condition,
    lastUpdateTime: getString(condition, 'lastUpdateTime') || now,
    lastTransitionTime: previousTime || getString(condition, 'lastTransitionTime') || now,
  };
}

function validateConditions(storedRequest: KubeObject, conditions: readonly JsonRecord[]): void {
  const fail = (problem: FieldProblem) => {
    throw invalidError(getKind(CSR_RESOURCE), storedRequest.metadata.name, [problem]);
  };
  const types = conditions.map(({ type }) => String(type));
  for (const type of PERMANENT_TYPES) {
    if (findCondition(storedRequest, type) === undefined || types.includes(type)) continue;
    const text = `Forbidden: updates may not remove a condition of type "${type}"`;
    fail({ reason: 'FieldValueForbidden', field: 'status.conditions', text });
  }
  if (!DECISION_TYPES.every((type) => types.includes(type))) return;
  const index = types.findLastIndex((type) => DECISION_TYPES.includes(type));
  const detail = 'Approved and Denied conditions are mutually exclusive';
  fail(invalidValue(`status.conditions[${index}].type`, types[index], detail));
}

/** Interval of the cleaner. Decided requests expire after the decision, pending ones after creation. */
const POLLING_INTERVAL = HOUR;
const DECIDED_EXPIRATION = HOUR;
const PENDING_EXPIRATION = 24 * HOUR;

interface CsrControllerContext {
  readonly store: Store;
  readonly clock: Clock;
}

/**
 * Removes old requests, at once and every hour, as kube-controller-manager does (kubernetes,
 * pkg/controller/certificates/cleaner): those that were issued, denied or failed an hour ago, those pending for a day,
 * and those with an expired certificate. A request that is approved and never issued stays.
 * @returns a function that stops the cleaner
 */
export function startCsrCleaner({ store, clock }: CsrControllerContext): () => void {
  const removeObsoleteRequests = () => {
    for (const request of store.list(CSR_RESOURCE)) {
      if (isObsolete(request, clock.now())) store.delete(CSR_RESOURCE, null, request.metadata.name);
    }
  };
  removeObsoleteRequests();
  return clock.startInterval(POLLING_INTERVAL, removeObsoleteRequests);
}

function isObsolete(request: KubeObject, now: number): boolean {
  const conditions = getList(request, 'status', 'conditions');
  if (conditions.length === 0) return now - Date.parse(request.metadata.creationTimestamp) > PENDING_EXPIRATION;
  const certificate = getString(request, 'status', 'certificate');
  return conditions.some((condition) => {
    const isOld = now - Date.parse(getString(condition, 'lastUpdateTime')) > DECIDED_EXPIRATION;
    if (getString(condition, 'type') !== 'Approved') return isOld;
    return certificate !== '' && (isOld || isExpired(certificate, now));
  });
}

function isExpired(certificate: string, now: number): boolean {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo) < now;
  } catch {
    return false;
  }
}

/** Delay from the approval to the certificate, in milliseconds. */
const SIGNING_DELAY = SECOND;
const CERTIFICATE_LIFETIME = 30 * 24 * HOUR;
/** Certificates start earlier, as in kube-controller-manager, for hosts whose clocks are slightly behind. */
const BACKDATE_PERIOD = 5 * MINUTE;

/**
 * Signs the approved requests of kubelets, including those that are approved already, and fails the requests that their
 * signer rejects. Requests for other signers stay approved forever.
 * @returns a function that stops the signer
 */
export function startCsrSigner({
  store,
  clock,
  authority,
}: CsrControllerContext & { readonly authority: CertificateAuthority }): () => void {
  const abortController = new AbortController();
  const uidsInProgress = new Set<string>();

  async function signOrFail(name: string, uid: string): Promise<void> {
    await clock.sleep(SIGNING_DELAY, abortController.signal);
    const request = store.get(CSR_RESOURCE, null, name);
    if (request?.metadata.uid !== uid || !needsCertificate(request)) return;
    const violation = await findViolation(request);
    const certificate = violation === null ? await issueCertificate(request) : '';
    // The request may have been replaced, or the signer stopped, while the certificate was created.
    if (abortController.signal.aborted || store.get(CSR_RESOURCE, null, name)?.metadata.uid !== uid) return;
    store.mutate(CSR_RESOURCE, null, name, (object) => {
      if (violation === null) return assignFields(object, 'status', { certificate });
      const failure = buildCsrCondition('Failed', 'SignerValidationFailure', violation, clock.now());
      assignFields(object, 'status', { conditions: [...getList(object, 'status', 'conditions'), failure] });
    });
  }

  async function issueCertificate(request: KubeObject): Promise<string> {
    const notBefore = clock.now() - BACKDATE_PERIOD;
    const requestedSeconds = getField(request, 'spec', 'expirationSeconds');
    const lifetime =
      typeof requestedSeconds === 'number'
        ? Math.min(requestedSeconds * SECOND, CERTIFICATE_LIFETIME)
        : CERTIFICATE_LIFETIME;
    const validity = { notBefore, notAfter: notBefore + lifetime, usage: deriveUsage(request) };
    return Buffer.from(await signRequest(authority, decodeRequestPem(request), validity)).toString('base64');
  }

  function startSigning(request: KubeObject): void {
    const { name, uid } = request.metadata;
    if (uidsInProgress.has(uid) || !needsCertificate(request)) return;
    uidsInProgress.add(uid);
    signOrFail(name, uid)
      .catch((error: unknown) => {
        if (!abortController.signal.aborted) throw error;
      })
      .finally(() => uidsInProgress.delete(uid));
  }

  for (const request of store.list(CSR_RESOURCE)) startSigning(request);
  const unsubscribe = store.subscribe(({ type, resource, object }) => {
    if (resource === CSR_RESOURCE && type !== 'DELETED') startSigning(object);
  });
  return () => {
    unsubscribe();
    abortController.abort();
  };
}

function needsCertificate(request: KubeObject): boolean {
  const hasCondition = (type: string) => findCondition(request, type) !== undefined;
  return (
    [CLIENT_SIGNER, SERVING_SIGNER].includes(getString(request, 'spec', 'signerName')) &&
    hasCondition('Approved') &&
    !hasCondition('Denied') &&
    !hasCondition('Failed') &&
    getString(request, 'status', 'certificate') === ''
  );
}

const deriveUsage = (request: KubeObject): CertificateUsage =>
  getString(request, 'spec', 'signerName') === SERVING_SIGNER ? 'server' : 'client';

/**
 * Returns the reason why the signer rejects a request, or null if the signer accepts it. Rules and wording:
 * k8s.io/kubernetes pkg/apis/certificates/helpers.go.
 */
async function findViolation(request: KubeObject): Promise<string | null> {
  const contents = await parseCsr(request).catch(() => null);
  if (contents === null) return 'unable to parse csr';
  const { organizations, commonNames } = contents;
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') return 'organization is not system:nodes';
  if (!commonNames.at(-1)?.startsWith('system:node:')) return 'subject common name does not begin with system:node:';
  const auth = `${deriveUsage(request)} auth`;
  const usages = getList(request, 'spec', 'usages').filter((usage) => usage !== 'key encipherment');
  if (usages.length !== 2 || !usages.includes('digital signature') || !usages.includes(auth))
    return `usages did not match [digital signature ${auth} key encipherment] or [digital signature ${auth}]`;
  return findNameViolation(contents, deriveUsage(request) === 'server');
}

function findNameViolation(contents: RequestContents, isServer: boolean): string | null {
  const { dnsNames, ipAddresses, emailAddresses, uris } = contents;
  const names: readonly (readonly [string, readonly string[]])[] = [
    ...(isServer ? [] : [['DNS', dnsNames] as const, ['IP', ipAddresses] as const]),
    ['Email', emailAddresses],
    ['URI', uris],
  ];
  const forbiddenName = names.find(([, values]) => values.length > 0);
  if (forbiddenName !== undefined) return `${forbiddenName[0]} subjectAltNames are not allowed`;
  return isServer && dnsNames.length + ipAddresses.length === 0 ? 'DNS or IP subjectAltName is required' : null;
}
