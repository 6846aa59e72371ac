/** Finds the word of a list that a typo most likely meant; null when none is close. */
export function findClosestWord(word: string, known: readonly string[]): string | null {
  const lower = word.toLowerCase().slice(0, 60);
  const limit = Math.max(1, Math.floor(lower.length / 3));
  let best: { readonly candidate: string; readonly edits: number } | null = null;
  for (const candidate of known) {
    // The difference in length is a lower bound of the edit distance.
    if (Math.abs(candidate.length - lower.length) > limit) continue;
    const edits = editDistance(lower, candidate.toLowerCase());
    if (edits <= limit && (best === null || edits < best.edits)) best = { candidate, edits };
  }
  return best?.candidate ?? null;
}

/** Levenshtein distance: the number of insertions, deletions and substitutions. */
function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const change = (previous[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min(change, (previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    previous = row;
  }
  return previous[b.length] ?? 0;
}
