import { X509Certificate } from 'node:crypto';
import { type Clock, HOUR } from '../../platform/clock.ts';
import { CSR_RESOURCE } from './csr-rules.ts';
import { getList, getString, type KubeObject } from './objects.ts';
import type { Store } from './store.ts';

/** Polling interval, and how long requests stay: decided ones after the decision, others after their creation. */
const POLLING_INTERVAL = HOUR;
const DECIDED_EXPIRATION = HOUR;
const PENDING_EXPIRATION = 24 * HOUR;

/**
 * Removes old requests, at once and every hour, as kube-controller-manager does (kubernetes,
 * pkg/controller/certificates/cleaner): those that were issued, denied or failed an hour ago, those pending for a day,
 * and those with an expired certificate. A request that is approved and never issued stays.
 * @returns a function that stops the cleaner
 */
export function startCsrCleaner({ store, clock }: { readonly store: Store; readonly clock: Clock }): () => void {
  const clean = () => {
    for (const request of store.list(CSR_RESOURCE)) {
      if (isObsolete(request, clock.now())) store.delete(CSR_RESOURCE, null, request.metadata.name);
    }
  };
  clean();
  return clock.interval(POLLING_INTERVAL, clean);
}

function isObsolete(request: KubeObject, now: number): boolean {
  const conditions = getList(request, 'status', 'conditions');
  if (conditions.length === 0) return now - Date.parse(request.metadata.creationTimestamp) > PENDING_EXPIRATION;
  const certificate = getString(request, 'status', 'certificate');
  return conditions.some((condition) => {
    const type = getString(condition, 'type');
    const isOld = now - Date.parse(getString(condition, 'lastUpdateTime')) > DECIDED_EXPIRATION;
    if (type === 'Approved') return certificate !== '' && (isOld || isExpired(certificate, now));
    return (type === 'Denied' || type === 'Failed') && isOld;
  });
}

function isExpired(certificate: string, now: number): boolean {
  try {
    return Date.parse(new X509Certificate(Buffer.from(certificate, 'base64')).validTo) < now;
  } catch {
    return false;
  }
}
