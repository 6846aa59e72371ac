import { escapeUnprintable } from './sanitize.ts';

/**
 * Formats a value as JSON for a terminal. Unprintable and invisible characters are escaped, which keeps the meaning.
 * @param indent blanks for each level; 0: one line
 */
export function formatJson(value: unknown, indent = 2): string {
  return `${escapeUnprintable(JSON.stringify(value, null, indent))}\n`;
}
