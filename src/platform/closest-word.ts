/** Finds the word of a list that a typo most likely meant; null when none is close. */
export function findClosestWord(word: string, knownWords: readonly string[]): string | null {
  const lowerCaseWord = word.toLowerCase().slice(0, 60);
  const maxEdits = Math.max(1, Math.floor(lowerCaseWord.length / 3));
  let closestMatch: { readonly candidate: string; readonly edits: number } | null = null;
  for (const candidate of knownWords) {
    // The difference in length is a lower bound of the edit distance.
    if (Math.abs(candidate.length - lowerCaseWord.length) > maxEdits) continue;
    const edits = computeEditDistance(lowerCaseWord, candidate.toLowerCase());
    if (edits <= maxEdits && (closestMatch === null || edits < closestMatch.edits)) closestMatch = { candidate, edits };
  }
  return closestMatch?.candidate ?? null;
}

/** Counts insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
function computeEditDistance(a: string, b: string): number {
  let olderRow: number[] = [];
  let previousRow = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const substitution = (previousRow[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swap = isSwap ? (olderRow[j - 2] ?? 0) + 1 : substitution;
      row.push(Math.min(substitution, swap, (previousRow[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1));
    }
    olderRow = previousRow;
    previousRow = row;
  }
  return previousRow[b.length] ?? 0;
}
