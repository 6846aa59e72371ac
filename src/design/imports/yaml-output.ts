import { Document, visit } from 'yaml';
import { escapeUnprintable, hasUnprintable } from '../../platform/sanitize.ts';
import { isRecord } from '../paths.ts';

/**
 * Replaces a password. A URL may not contain these characters, so a design that still holds the placeholder is invalid.
 */
const PASSWORD_PLACEHOLDER = '<password>';

/** Replaces the passwords in proxy URLs before a document is printed; `redactedPaths` lists where. */
export function redactPasswords(document: unknown): {
  readonly document: unknown;
  readonly redactedPaths: readonly string[];
} {
  if (!isRecord(document) || !isRecord(document.proxy)) return { document, redactedPaths: [] };
  const redactedPaths: string[] = [];
  const masked = Object.entries(document.proxy).map(([key, value]) => {
    const text =
      typeof value === 'string' ? value.replace(/^([a-z]+:\/\/[^/@:]*):.*@/i, `$1:${PASSWORD_PLACEHOLDER}@`) : value;
    if (text !== value) redactedPaths.push(`proxy.${key}`);
    return [key, text] as const;
  });
  return { document: { ...document, proxy: Object.fromEntries(masked) }, redactedPaths };
}

/** Formats a document as YAML that is safe on a terminal: invisible characters are quoted and escaped. */
export function formatYaml(document: unknown): string {
  const yaml = new Document(document);
  visit(yaml, {
    Scalar(_key, scalar) {
      if (typeof scalar.value === 'string' && hasUnprintable(scalar.value)) scalar.type = 'QUOTE_DOUBLE';
    },
  });
  // Line folding would split a character beyond U+FFFF.
  return escapeUnprintable(yaml.toString({ lineWidth: 0 }), (code) => `\\U${code.toString(16).padStart(8, '0')}`);
}
