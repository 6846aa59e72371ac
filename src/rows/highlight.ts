import type { Segment } from './page-rows.ts';

const COMMENT = /^\s*(?:#|\/\/|;|<!--)/;
/** Values that users compare: quoted text, addresses with a prefix length or a port, MACs. */
const HIGHLIGHTED_VALUE =
  /"[^"]*"|'[^']*'|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\b\d{1,3}(?:\.\d{1,3}){3}(?:[/:]\d+)?\b|\b[0-9a-f]{1,4}(?:(?::[0-9a-f]{1,4})*::[0-9a-f:]*|(?::[0-9a-f]{1,4}){7})(?:\/\d+)?/gi;
/** The first word of a statement, or the key of a YAML or JSON line. */
const FIRST_WORD = /^(\s*(?:- )?)("[^"]+"(?=\s*:)|[\w.@*/-]+)(?=[\s:;{=]|$)/;

/**
 * Splits a line of a configuration file of any language into spans: comments muted, then the leading directive or key,
 * quoted text, addresses and MACs. The joined spans equal the line.
 */
export function highlightLine(line: string): Segment[] {
  if (line === '') return [];
  if (COMMENT.test(line)) return [{ text: line, tone: 'muted' }];
  const [, indent = '', head = ''] = FIRST_WORD.exec(line) ?? [];
  const isAddress = !head.startsWith('"') && new RegExp(`^(?:${HIGHLIGHTED_VALUE.source})$`, 'i').test(head);
  const headSegments: Segment[] =
    head === '' || isAddress
      ? []
      : [
          { text: indent, tone: 'text' },
          { text: head, tone: 'accent' },
        ];
  const valueText = line.slice(headSegments.reduce((length, { text }) => length + text.length, 0));
  return [...headSegments, ...highlightValues(valueText)].filter(({ text }) => text !== '');
}

function highlightValues(text: string): Segment[] {
  const spans: Segment[] = [];
  let position = 0;
  for (const match of text.matchAll(HIGHLIGHTED_VALUE)) {
    spans.push({ text: text.slice(position, match.index), tone: 'text' });
    spans.push({ text: match[0], tone: /^["']/.test(match[0]) ? 'ok' : 'warn' });
    position = match.index + match[0].length;
  }
  return [...spans, { text: text.slice(position), tone: 'text' }];
}
