import { createHash } from 'node:crypto';
import { diffLines } from '../../platform/diff.ts';

/** A replacement of lines: from line `at` (0 is the first), `take` lines are removed and `put` inserted. */
interface Hunk {
  readonly at: number;
  readonly take: number;
  readonly put: readonly string[];
}

/** The patch from one text to another; lines that both share are not stored. */
export interface TextPatch {
  /** SHA-256 of the text that it applies to, and of the one that it results in. */
  readonly from: string;
  readonly to: string;
  readonly hunks: readonly Hunk[];
}

/** SHA-256 of a text (as UTF-8), in lower-case hex. */
export function hashText(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

/** Computes the patch from one text to the other. */
export function diffText(from: string, to: string): TextPatch {
  // The part after the last newline is a line, too: the texts are restored byte for byte.
  const lines = diffLines(withFinalNewline(from), withFinalNewline(to), Number.POSITIVE_INFINITY);
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
  return { from: hashText(from), to: hashText(to), hunks };
}

/** Applies patches, the last one first; null where they do not match the text. */
export function applyPatches(text: string, patches: readonly TextPatch[]): string | null {
  return patches.reduceRight<string | null>((current, { from, to, hunks }) => {
    if (current === null || hashText(current) !== from) return null;
    const lines = current.split('\n');
    for (const { at, take, put } of hunks.toReversed()) lines.splice(at, take, ...put);
    const result = lines.join('\n');
    return hashText(result) === to ? result : null;
  }, text);
}

/**
 * diffLines has no line for an empty text and drops one newline at the end: this adds a line after the last newline.
 */
function withFinalNewline(text: string): string {
  return `${text}\n`;
}
