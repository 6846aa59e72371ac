import { createHash } from 'node:crypto';
import { diffLines } from '../../text/diff.ts';

/** Lines to put in the place of others: from line `at` (0 is the first), `take` lines out, `put` in. */
export interface Hunk {
  readonly at: number;
  readonly take: number;
  readonly put: readonly string[];
}

/** The way back from one text to another, without what they share: the rest of it need not be kept. */
export interface WayBack {
  /** SHA-256 of the text that it begins with, and of the one that it ends with. */
  readonly from: string;
  readonly to: string;
  readonly hunks: readonly Hunk[];
}

export function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** The way from one text to the other. */
export function wayBetween(from: string, to: string): WayBack {
  // What follows the last newline is a line, too: the texts come back to the byte.
  const lines = diffLines(marked(from), marked(to), Number.POSITIVE_INFINITY);
  const hunks: { at: number; take: number; put: string[] }[] = [];
  let at = 0;
  let isOpen = false;
  for (const { kind, text } of lines) {
    if (kind === 'same') {
      at += 1;
      isOpen = false;
      continue;
    }
    if (!isOpen) hunks.push({ at, take: 0, put: [] });
    isOpen = true;
    const hunk = hunks.at(-1);
    if (hunk === undefined) continue;
    if (kind === 'added') hunk.put.push(text);
    else {
      hunk.take += 1;
      at += 1;
    }
  }
  return { from: hashOf(from), to: hashOf(to), hunks };
}

/** The text at the end of the ways, the last one first; null where they do not begin with this text. */
export function walkBack(text: string, ways: readonly WayBack[]): string | null {
  return ways.reduceRight<string | null>((here, { from, to, hunks }) => {
    if (here === null || hashOf(here) !== from) return null;
    const lines = here.split('\n');
    for (const { at, take, put } of hunks.toReversed()) lines.splice(at, take, ...put);
    const there = lines.join('\n');
    return hashOf(there) === to ? there : null;
  }, text);
}

/** diffLines knows no empty text and takes one newline off the end; this has a line after the last newline. */
function marked(text: string): string {
  return `${text}\n`;
}
