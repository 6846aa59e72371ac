import { sanitizeLine } from '../platform/sanitize.ts';
import { findIgnitionExpiry, isIgnition, listAuthorities, parsePointerIgnition } from './ignition.ts';

/** The text in the place of an ignition file. */
export type IgnitionDifference =
  | { readonly kind: 'empty' | 'damaged' | 'other-run' | 'changed' }
  | { readonly kind: 'html'; readonly title: string }
  /** Bytes: the same as the right file up to `found`. */
  | { readonly kind: 'cut'; readonly found: number; readonly wanted: number }
  | { readonly kind: 'role'; readonly name: string }
  /** Milliseconds since the epoch. */
  | { readonly kind: 'expired'; readonly at: number }
  | { readonly kind: 'other-cluster'; readonly url: string };

/**
 * Classifies the text in the place of an ignition file.
 * @param others texts of the other ignition files of this run, by name
 * @param now ms since the epoch
 */
export function findIgnitionDifference(
  found: string,
  wanted: string,
  { others, now }: { readonly others: ReadonlyMap<string, string>; readonly now: number },
): IgnitionDifference {
  if (found.trim() === '') return { kind: 'empty' };
  if (/^\s*<(?:!doctype|html|head|body)/i.test(found))
    return { kind: 'html', title: sanitizeLine(/<(?:title|h1)>([^<]*)</i.exec(found)?.[1] ?? '', 60) };
  if (wanted.startsWith(found))
    return { kind: 'cut', found: Buffer.byteLength(found), wanted: Buffer.byteLength(wanted) };
  if (!isIgnition(found)) return { kind: 'damaged' };
  const role = [...others].find(([, text]) => text === found)?.[0];
  if (role !== undefined) return { kind: 'role', name: role };
  const [url, wantedUrl] = [found, wanted].map((text) => parsePointerIgnition(text)?.url ?? null);
  if (url !== null && url !== undefined && url !== wantedUrl) return { kind: 'other-cluster', url };
  const expiry = findIgnitionExpiry(found)?.earliest ?? null;
  const [authorities, wantedAuthorities] = [listAuthorities(found), new Set(listAuthorities(wanted))];
  const isOfThisRun = authorities.some((each) => wantedAuthorities.has(each));
  if (isOfThisRun) return { kind: 'changed' };
  return expiry !== null && expiry < now ? { kind: 'expired', at: expiry } : { kind: 'other-run' };
}
