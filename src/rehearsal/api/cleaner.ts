import { X509Certificate } from 'node:crypto';
import { type Clock, HOUR } from '../../ports/clock.ts';
import { REQUESTS } from './csr-rules.ts';
import { type KubeObject, listAt, textAt } from './objects.ts';
import type { Store } from './store.ts';

/** How often it looks, and how long requests stay: decided ones after the decision, others after they were made. */
const EVERY = HOUR;
const DECIDED = HOUR;
const PENDING = 24 * HOUR;

/**
 * Removes old requests, at once and every hour, as kube-controller-manager does (kubernetes,
 * pkg/controller/certificates/cleaner): those that were issued, denied or failed an hour ago, those that nobody decided in a
 * day, and those whose certificate has expired. One that is approved and never issued stays.
 * @returns how to stop
 */
export function startCleaner({ store, clock }: { readonly store: Store; readonly clock: Clock }): () => void {
  const clean = () => {
    for (const request of store.list(REQUESTS)) {
      if (isOver(request, clock.now())) store.delete(REQUESTS, null, request.metadata.name);
    }
  };
  clean();
  return clock.interval(EVERY, clean);
}

function isOver(request: KubeObject, now: number): boolean {
  const conditions = listAt(request, 'status', 'conditions');
  if (conditions.length === 0) return now - Date.parse(request.metadata.creationTimestamp) > PENDING;
  const certificate = textAt(request, 'status', 'certificate');
  return conditions.some((condition) => {
    const type = textAt(condition, 'type');
    const isOld = now - Date.parse(textAt(condition, 'lastUpdateTime')) > DECIDED;
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
