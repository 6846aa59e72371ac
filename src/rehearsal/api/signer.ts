import { type Clock, HOUR, MINUTE, SECOND } from '../../ports/clock.ts';
import {
  type CertificateAuthority,
  type CertificateUsage,
  type RequestContents,
  readRequest,
  signRequest,
} from '../pki.ts';
import { conditionOf } from './cells.ts';
import { CLIENT_SIGNER, REQUESTS, requestPem, SERVING_SIGNER } from './csr-rules.ts';
import { at, isRecord, type KubeObject, listAt, textAt, timestamp } from './objects.ts';
import type { Store } from './store.ts';

export interface SignerOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly authority: CertificateAuthority;
  /** Called when a certificate was put into a request. */
  readonly onIssued?: (request: KubeObject) => void;
}

/** From the approval to the certificate, in milliseconds. */
const SIGNING_TIME = SECOND;
const DAY = 24 * HOUR;
const LIFETIME = 30 * DAY;
/** As kube-controller-manager: for hosts whose clocks are a little behind. */
const BACKDATE = 5 * MINUTE;

/**
 * Signs the approved requests of kubelets, those that are approved already too, and fails the ones that its signer does
 * not sign. Requests for other signers stay approved for ever.
 * @returns how to stop
 */
export function startSigner({ store, clock, authority, onIssued }: SignerOptions): () => void {
  const stopping = new AbortController();
  const inWork = new Set<string>();

  async function decide(name: string, uid: string): Promise<void> {
    await clock.sleep(SIGNING_TIME, stopping.signal);
    const request = store.get(REQUESTS, null, name);
    if (request?.metadata.uid !== uid || !isWaiting(request)) return;
    const refusal = await violation(request);
    const certificate = refusal === null ? await issue(request) : '';
    // The world may have gone on meanwhile.
    if (stopping.signal.aborted || store.get(REQUESTS, null, name)?.metadata.uid !== uid) return;
    if (refusal !== null) store.mutate(REQUESTS, null, name, (object) => fail(object, refusal, clock.now()));
    else {
      const issued = store.mutate(REQUESTS, null, name, (object) => {
        object.status = { ...(isRecord(object.status) ? object.status : {}), certificate };
      });
      if (issued) onIssued?.(issued);
    }
  }

  async function issue(request: KubeObject): Promise<string> {
    const now = clock.now();
    const asked = at(request, 'spec', 'expirationSeconds');
    const lifetime = typeof asked === 'number' ? Math.min(asked * SECOND, LIFETIME) : LIFETIME;
    const usages = usageOf(request);
    const certPem = await signRequest(authority, requestPem(request), {
      notBefore: now - BACKDATE,
      notAfter: now - BACKDATE + lifetime,
      usages,
    });
    return Buffer.from(certPem).toString('base64');
  }

  function consider(request: KubeObject): void {
    const { name, uid } = request.metadata;
    if (inWork.has(uid) || !isWaiting(request)) return;
    inWork.add(uid);
    decide(name, uid)
      .catch((error: unknown) => {
        if (!stopping.signal.aborted) throw error;
      })
      .finally(() => inWork.delete(uid));
  }

  for (const request of store.list(REQUESTS)) consider(request);
  const unsubscribe = store.subscribe(({ type, resource, object }) => {
    if (resource === REQUESTS && type !== 'DELETED') consider(object);
  });
  return () => {
    unsubscribe();
    stopping.abort();
  };
}

function isWaiting(request: KubeObject): boolean {
  const signer = textAt(request, 'spec', 'signerName');
  const has = (type: string) => conditionOf(request, type).type !== undefined;
  const isOurs = signer === CLIENT_SIGNER || signer === SERVING_SIGNER;
  return (
    isOurs && has('Approved') && !has('Denied') && !has('Failed') && textAt(request, 'status', 'certificate') === ''
  );
}

function usageOf(request: KubeObject): CertificateUsage {
  return textAt(request, 'spec', 'signerName') === SERVING_SIGNER ? 'server' : 'client';
}

const KEY_ENCIPHERMENT = 'key encipherment';

/**
 * Why the signer does not sign a request, or null when it does.
 * The rules and words: k8s.io/kubernetes pkg/apis/certificates/helpers.go.
 */
async function violation(request: KubeObject): Promise<string | null> {
  const contents = await readRequest(requestPem(request)).catch(() => null);
  if (contents === null) return 'unable to parse csr';
  const common = subjectViolation(contents);
  if (common !== null) return common;
  const usages = listAt(request, 'spec', 'usages')
    .map(String)
    .filter((usage) => usage !== KEY_ENCIPHERMENT);
  const auth = `${usageOf(request)} auth`;
  const hasUsages = usages.length === 2 && usages.includes('digital signature') && usages.includes(auth);
  if (!hasUsages)
    return `usages did not match [digital signature ${auth} key encipherment] or [digital signature ${auth}]`;
  return usageOf(request) === 'server' ? servingNames(contents) : clientNames(contents);
}

function subjectViolation({ organizations, commonNames }: RequestContents): string | null {
  if (organizations.length !== 1 || organizations[0] !== 'system:nodes') return 'organization is not system:nodes';
  if (!commonNames.at(-1)?.startsWith('system:node:')) return 'subject common name does not begin with system:node:';
  return null;
}

function servingNames({ dnsNames, ipAddresses, emailAddresses, uris }: RequestContents): string | null {
  if (emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (uris.length > 0) return 'URI subjectAltNames are not allowed';
  return dnsNames.length + ipAddresses.length === 0 ? 'DNS or IP subjectAltName is required' : null;
}

function clientNames({ dnsNames, ipAddresses, emailAddresses, uris }: RequestContents): string | null {
  if (dnsNames.length > 0) return 'DNS subjectAltNames are not allowed';
  if (emailAddresses.length > 0) return 'Email subjectAltNames are not allowed';
  if (ipAddresses.length > 0) return 'IP subjectAltNames are not allowed';
  return uris.length > 0 ? 'URI subjectAltNames are not allowed' : null;
}

function fail(request: KubeObject, why: string, now: number): void {
  const condition = {
    type: 'Failed',
    status: 'True',
    reason: 'SignerValidationFailure',
    message: why,
    lastUpdateTime: timestamp(now),
    lastTransitionTime: timestamp(now),
  };
  const conditions = [...listAt(request, 'status', 'conditions'), condition];
  request.status = { ...(isRecord(request.status) ? request.status : {}), conditions };
}
