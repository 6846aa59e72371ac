import { escapeUnseen } from './sanitize.ts';

/**
 * A value as JSON that may be shown on a terminal: what is not printable or not visible is escaped, and means the same.
 * @param indent blanks for each level; 0: one line
 */
export function jsonText(value: unknown, indent = 2): string {
  return `${escapeUnseen(JSON.stringify(value, null, indent))}\n`;
}
