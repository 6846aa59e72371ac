import { sanitizeLine } from '../platform/sanitize.ts';
import { findIgnitionExpiry, isIgnition, listAuthorityFingerprints, parsePointerIgnition } from './ignition.ts';

/** How a text differs from the ignition file that is expected in its place. */
type IgnitionDifference =
  | { readonly kind: 'empty' | 'damaged' | 'other-run' | 'changed' }
  | { readonly kind: 'html'; readonly title: string }
  /** Sizes in bytes: the text ends too early, and equals the expected file up to there. */
  | { readonly kind: 'cut'; readonly actualBytes: number; readonly expectedBytes: number }
  | { readonly kind: 'role'; readonly name: string }
  /** Milliseconds since the epoch. */
  | { readonly kind: 'expired'; readonly at: number }
  | { readonly kind: 'other-cluster'; readonly url: string };

/**
 * Classifies how a text differs from the ignition file that is expected in its place.
 * @param otherFiles texts of the other ignition files of this run, by name
 * @param now ms since the epoch
 */
export function classifyIgnitionDifference(
  actualText: string,
  expectedText: string,
  { otherFiles, now }: { readonly otherFiles: ReadonlyMap<string, string>; readonly now: number },
): IgnitionDifference {
  if (actualText.trim() === '') return { kind: 'empty' };
  if (/^\s*<(?:!doctype|html|head|body)/i.test(actualText))
    return { kind: 'html', title: sanitizeLine(/<(?:title|h1)>([^<]*)</i.exec(actualText)?.[1] ?? '', 60) };
  if (expectedText.startsWith(actualText))
    return { kind: 'cut', actualBytes: Buffer.byteLength(actualText), expectedBytes: Buffer.byteLength(expectedText) };
  if (!isIgnition(actualText)) return { kind: 'damaged' };
  const otherFileName = [...otherFiles].find(([, text]) => text === actualText)?.[0];
  if (otherFileName !== undefined) return { kind: 'role', name: otherFileName };
  const [url, expectedUrl] = [actualText, expectedText].map((text) => parsePointerIgnition(text)?.url ?? null);
  if (url !== null && url !== undefined && url !== expectedUrl) return { kind: 'other-cluster', url };
  const expiry = findIgnitionExpiry(actualText)?.earliest ?? null;
  const [fingerprints, expectedFingerprints] = [
    listAuthorityFingerprints(actualText),
    new Set(listAuthorityFingerprints(expectedText)),
  ];
  const isFromThisRun = fingerprints.some((fingerprint) => expectedFingerprints.has(fingerprint));
  if (isFromThisRun) return { kind: 'changed' };
  return expiry !== null && expiry < now ? { kind: 'expired', at: expiry } : { kind: 'other-run' };
}
