import { isRecord } from '../paths.ts';

/** No URL may hold these characters: a design with the mark in place of a password is no good design. */
const MARK = '<password>';

/** A document as it may be printed: what a proxy's login needs beside the name is left out, and named in `left` (its path). */
export function withoutPasswords(document: unknown): { readonly document: unknown; readonly left: readonly string[] } {
  if (!isRecord(document) || !isRecord(document.proxy)) return { document, left: [] };
  const left: string[] = [];
  const masked = Object.entries(document.proxy).map(([key, value]) => {
    const text = typeof value === 'string' ? value.replace(/^([a-z]+:\/\/[^/@:]*):.*@/i, `$1:${MARK}@`) : value;
    if (text !== value) left.push(`proxy.${key}`);
    return [key, text] as const;
  });
  return { document: { ...document, proxy: Object.fromEntries(masked) }, left };
}
