import { Document, visit } from 'yaml';
import { escapeUnseen, hasUnseen } from '../../text/sanitize.ts';
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

/** A document as YAML that may be shown on a terminal: what is not visible stands in quotes, escaped. */
export function yamlText(document: unknown): string {
  const yaml = new Document(document);
  visit(yaml, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === 'string' && hasUnseen(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  // Folding would break a character beyond U+FFFF in two.
  return escapeUnseen(yaml.toString({ lineWidth: 0 }), (code) => `\\U${code.toString(16).padStart(8, '0')}`);
}
