import type { Tone } from './theme.ts';

/** A part of a line in one tone. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

const COMMENT = /^\s*(?:#|\/\/|;|<!--)/;
/** Quoted text, addresses with a prefix length or a port, MACs: what people compare. */
const MARKED =
  /"[^"]*"|'[^']*'|\b(?:[0-9a-f]{2}:){5}[0-9a-f]{2}\b|\b\d{1,3}(?:\.\d{1,3}){3}(?:[/:]\d+)?\b|\b[0-9a-f]{1,4}(?:(?::[0-9a-f]{1,4})*::[0-9a-f:]*|(?::[0-9a-f]{1,4}){7})(?:\/\d+)?/gi;
/** The first word of a statement, or the key of a YAML or JSON line. */
const HEAD = /^(\s*(?:- )?)("[^"]+"(?=\s*:)|[\w.@*/-]+)(?=[\s:;{=]|$)/;

/**
 * A line of a configuration file in tones, whatever its language: comments dim, the directive or key it begins with,
 * quoted text, addresses and MACs. The spans joined are the line.
 */
export function highlight(line: string): Span[] {
  if (line === '') return [];
  if (COMMENT.test(line)) return [{ text: line, tone: 'dim' }];
  const [, indent = '', head = ''] = HEAD.exec(line) ?? [];
  const isAddress = !head.startsWith('"') && new RegExp(`^(?:${MARKED.source})$`, 'i').test(head);
  const begin: Span[] =
    head === '' || isAddress
      ? []
      : [
          { text: indent, tone: 'text' },
          { text: head, tone: 'accent' },
        ];
  const rest = line.slice(begin.reduce((length, { text }) => length + text.length, 0));
  return [...begin, ...marked(rest)].filter(({ text }) => text !== '');
}

function marked(text: string): Span[] {
  const spans: Span[] = [];
  let at = 0;
  for (const match of text.matchAll(MARKED)) {
    spans.push({ text: text.slice(at, match.index), tone: 'text' });
    spans.push({ text: match[0], tone: /^["']/.test(match[0]) ? 'ok' : 'warn' });
    at = match.index + match[0].length;
  }
  return [...spans, { text: text.slice(at), tone: 'text' }];
}
