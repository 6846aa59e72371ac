import { type Clock, HOUR, MINUTE, SECOND } from '../../platform/clock.ts';
import {
  type CertificateAuthority,
  type CertificateUsage,
  type RequestContents,
  readRequest,
  signRequest,
} from '../pki.ts';
import { getCondition } from './cells.ts';
import { CLIENT_SIGNER, CSR_RESOURCE, decodeRequestPem, SERVING_SIGNER } from './csr-rules.ts';
import { formatTimestamp, getField, getList, getString, isRecord, type KubeObject } from './objects.ts';
import type { Store } from './store.ts';

export interface SignerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly authority: CertificateAuthority;
  /** Called after a certificate is written to a request. */
  readonly onIssued?: (request: KubeObject) => void;
}

/** Delay from the approval to the certificate, in milliseconds. */
const SIGNING_DELAY = SECOND;
const DAY = 24 * HOUR;
const LIFETIME = 30 * DAY;
/** As in kube-controller-manager: for hosts whose clocks are slightly behind. */
const BACKDATE = 5 * MINUTE;

/**
 * Signs the approved requests of kubelets, including those that are approved already, and fails the requests that their
 * signer rejects. Requests for other signers stay approved for ever.
 * @returns a function that stops the signer
 */
export function startCsrSigner({ store, clock, authority, onIssued }: SignerOptions): () => void {
  const stopController = new AbortController();
  const inProgress = new Set<string>();

  async function signOrFail(name: string, uid: string): Promise<void> {
    await clock.sleep(SIGNING_DELAY, stopController.signal);
    const request = store.get(CSR_RESOURCE, null, name);
    if (request?.metadata.uid !== uid || !needsCertificate(request)) return;
    const reason = await findViolation(request);
    const certificate = reason === null ? await issue(request) : '';
    // The world may have changed meanwhile.
    if (stopController.signal.aborted || store.get(CSR_RESOURCE, null, name)?.metadata.uid !== uid) return;
    if (reason !== null) store.mutate(CSR_RESOURCE, null, name, (object) => markFailed(object, reason, clock.now()));
    else {
      const issued = store.mutate(CSR_RESOURCE, null, name, (object) => {
        object.status = { ...(isRecord(object.status) ? object.status : {}), certificate };
      });
      if (issued) onIssued?.(issued);
    }
  }

  async function issue(request: KubeObject): Promise<string> {
    const now = clock.now();
    const requested = getField(request, 'spec', 'expirationSeconds');
    const lifetime = typeof requested === 'number' ? Math.min(requested * SECOND, LIFETIME) : LIFETIME;
    const usages = deriveUsage(request);
    const certPem = await signRequest(authority, decodeRequestPem(request), {
      notBefore: now - BACKDATE,
      notAfter: now - BACKDATE + lifetime,
      usages,
    });
    return Buffer.from(certPem).toString('base64');
  }

  function processRequest(request: KubeObject): void {
    const { name, uid } = request.metadata;
    if (inProgress.has(uid) || !needsCertificate(request)) return;
    inProgress.add(uid);
    signOrFail(name, uid)
      .catch((error: unknown) => {
        if (!stopController.signal.aborted) throw error;
      })
      .finally(() => inProgress.delete(uid));
  }

  for (const request of store.list(CSR_RESOURCE)) processRequest(request);
  const unsubscribe = store.subscribe(({ type, resource, object }) => {
    if (resource === CSR_RESOURCE && type !== 'DELETED') processRequest(object);
  });
  return () => {
    unsubscribe();
    stopController.abort();
  };
}

function needsCertificate(request: KubeObject): boolean {
  const signer = getString(request, 'spec', 'signerName');
  const has = (type: string) => getCondition(request, type).type !== undefined;
  const isOurs = signer === CLIENT_SIGNER || signer === SERVING_SIGNER;
  return (
    isOurs && has('Approved') && !has('Denied') && !has('Failed') && getString(request, 'status', 'certificate') === ''
  );
}

function deriveUsage(request: KubeObject): CertificateUsage {
  return getString(request, 'spec', 'signerName') === SERVING_SIGNER ? 'server' : 'client';
}

const KEY_ENCIPHERMENT = 'key encipherment';

/**
 * The reason why the signer rejects a request, or null if it signs it.
 * Rules and wording: k8s.io/kubernetes pkg/apis/certificates/helpers.go.
 */
async function findViolation(request: KubeObject): Promise<string | null> {
  const contents = await readRequest(decodeRequestPem(request)).catch(() => null);
  if (contents === null) return 'unable to parse csr';
  const subjectViolation = findSubjectViolation(contents);
  if (subjectViolation !== null) return subjectViolation;
  const usages = getList(request, 'spec', 'usages')
    .map(String)
    .filter((usage) => usage !== KEY_ENCIPHERMENT);
  const auth = `${deriveUsage(request)} auth`;
  const hasUsages = usages.length === 2 && usages.includes('digital signature') && usages.includes(auth);
  if (!hasUsages)
    return `usages did not match [digital signature ${auth} key encipherment] or [digital signature ${auth}]`;
  return deriveUsage(request) === 'server' ? findServingViolation(contents) : findClientViolation(contents);
}

function findSubjectViolation({ organizations, commonNames }: RequestContents): string | null {
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') return 'organization is not system:nodes';
  if (!commonNames.at(-1)?.startsWith('system:node:')) return 'subject common name does not begin with system:node:';
  return null;
}

function findServingViolation({ dnsNames, ipAddresses, emailAddresses, uris }: RequestContents): string | null {
  if (emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (uris.length > 0) return 'URI subjectAltNames are not allowed';
  return dnsNames.length + ipAddresses.length === 0 ? 'DNS or IP subjectAltName is required' : null;
}

function findClientViolation({ dnsNames, ipAddresses, emailAddresses, uris }: RequestContents): string | null {
  if (dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  return uris.length > 0 ? 'URI subjectAltNames are not allowed' : null;
}

function markFailed(request: KubeObject, detail: string, now: number): void {
  const condition = {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message: detail,
    lastUpdateTime: formatTimestamp(now),
    lastTransitionTime: formatTimestamp(now),
  };
  const conditions = [...getList(request, 'status', 'conditions'), condition];
  request.status = { ...(isRecord(request.status) ? request.status : {}), conditions };
}
