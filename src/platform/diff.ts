/** Lines that stand together in a comparison: changes, and unchanged lines around them. */
export interface DiffHunk {
  readonly lines: readonly DiffLine[];
  /**
   * The last line before the hunk that is not indented and no comment: the section of a configuration file in which
   * the hunk begins. Null: there is none, or the hunk begins with it.
   */
  readonly section: string | null;
}

/** One line of a comparison. */
export interface DiffLine {
  readonly kind: 'same' | 'added' | 'removed';
  readonly text: string;
}

/** The signs before the lines of a comparison. */
export const DIFF_SIGNS = { same: '  ', added: '+ ', removed: '- ' } as const;

/**
 * Compares two texts line by line, with `context` unchanged lines around each change. Null is a missing text. After the
 * equal ends are set aside, equal lines are found by their longest common subsequence. Beyond `MAX_LINE_PAIRS` pairs of
 * lines the whole middle counts as replaced.
 */
export function diffLines(oldText: string | null, newText: string | null, context = 3): DiffLine[] {
  return diffHunks(oldText, newText, context).flatMap(({ lines }) => lines);
}

/** Compares two texts as `diffLines` does, and returns the changes as separate hunks. */
export function diffHunks(oldText: string | null, newText: string | null, context = 3): readonly DiffHunk[] {
  const [oldLines, newLines] = [splitLines(oldText), splitLines(newText)];
  let headLength = 0;
  while (headLength < Math.min(oldLines.length, newLines.length) && oldLines[headLength] === newLines[headLength])
    headLength += 1;
  let tailLength = 0;
  while (
    tailLength < Math.min(oldLines.length, newLines.length) - headLength &&
    oldLines[oldLines.length - 1 - tailLength] === newLines[newLines.length - 1 - tailLength]
  )
    tailLength += 1;
  const allLines: DiffLine[] = [
    ...oldLines.slice(0, headLength).map(toSameLine),
    ...diffMiddle(
      oldLines.slice(headLength, oldLines.length - tailLength),
      newLines.slice(headLength, newLines.length - tailLength),
    ),
    ...oldLines.slice(oldLines.length - tailLength).map(toSameLine),
  ];
  return groupIntoHunks(allLines, context);
}

const MAX_LINE_PAIRS = 4_000_000;

function splitLines(text: string | null): string[] {
  if (text === null || text === '') return [];
  return text.replace(/\n$/, '').split('\n');
}

function diffMiddle(a: readonly string[], b: readonly string[]): DiffLine[] {
  if (a.length * b.length > MAX_LINE_PAIRS) return [...a.map(toRemovedLine), ...b.map(toAddedLine)];
  const lengths = computeLcsLengths(a, b);
  const diffedLines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    const [oldLine, newLine] = [a[i], b[j]];
    if (oldLine !== undefined && oldLine === newLine) {
      diffedLines.push(toSameLine(oldLine));
      i += 1;
      j += 1;
    } else if (
      oldLine !== undefined &&
      (newLine === undefined || getLength(lengths, i + 1, j) >= getLength(lengths, i, j + 1))
    ) {
      diffedLines.push(toRemovedLine(oldLine));
      i += 1;
    } else if (newLine !== undefined) {
      diffedLines.push(toAddedLine(newLine));
      j += 1;
    }
  }
  return diffedLines;
}

/** Computes the length of the longest common subsequence of a[i..] and b[j..], for every i and j. */
function computeLcsLengths(a: readonly string[], b: readonly string[]): Uint32Array[] {
  const table = Array.from({ length: a.length + 1 }, () => new Uint32Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i -= 1) {
    const row = table[i] ?? new Uint32Array();
    for (let j = b.length - 1; j >= 0; j -= 1) {
      row[j] =
        a[i] === b[j]
          ? getLength(table, i + 1, j + 1) + 1
          : Math.max(getLength(table, i + 1, j), getLength(table, i, j + 1));
    }
  }
  return table;
}

function getLength(table: readonly Uint32Array[], i: number, j: number): number {
  return table[i]?.[j] ?? 0;
}

function groupIntoHunks(lines: readonly DiffLine[], context: number): readonly DiffHunk[] {
  const isNearChange = new Array<boolean>(lines.length).fill(false);
  for (const [index, { kind }] of lines.entries()) {
    if (kind === 'same') continue;
    isNearChange.fill(true, Math.max(0, index - context), index + context + 1);
  }
  const hunks: { readonly lines: DiffLine[]; readonly section: string | null }[] = [];
  let section: string | null = null;
  for (const [index, line] of lines.entries()) {
    const isSection = /^[^\s#]/.test(line.text);
    if (isNearChange[index]) {
      if (isNearChange[index - 1]) hunks.at(-1)?.lines.push(line);
      else hunks.push({ lines: [line], section: isSection ? null : section });
    }
    if (isSection) section = line.text;
  }
  return hunks;
}

const toSameLine = (text: string): DiffLine => ({ kind: 'same', text });
const toAddedLine = (text: string): DiffLine => ({ kind: 'added', text });
const toRemovedLine = (text: string): DiffLine => ({ kind: 'removed', text });
