import type { TextLine } from '../../src/ui/components/text-views.tsx';
import { diffLines } from '../../src/ui/diff.ts';
import { wrapLines } from '../../src/ui/width.ts';

/** Something that changes: what it is, perhaps in words how, and its text before and after. */
export interface ShownChange {
  readonly object: string;
  readonly what?: string;
  readonly before: string | null;
  readonly after: string | null;
}

/**
 * Changes one under the other, each under its name, with one line around every difference.
 * @param columns the width that the names are wrapped to; text of files never is
 */
export function changeLines(changes: readonly ShownChange[], columns = Number.POSITIVE_INFINITY): TextLine[] {
  return changes.flatMap(({ object, what, before, after }): TextLine[] => [
    ...wrapLines(what ? `${object}: ${what}` : object, columns).map((text): TextLine => ({ text, tone: 'accent' })),
    ...differenceLines(before, after),
  ]);
}

/** The difference of two texts; nothing where neither is known. */
export function differenceLines(before: string | null, after: string | null): TextLine[] {
  if (before === null && after === null) return [];
  return diffLines(before, after, 1).map(({ kind, text }) => ({ text: `${SIGNS[kind]}${text}`, tone: TONES[kind] }));
}

const SIGNS = { added: '+ ', removed: '- ', head: '', same: '  ' } as const;
const TONES = { added: 'ok', removed: 'error', head: 'accent', same: 'dim' } as const;
