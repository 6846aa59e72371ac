/** The word of a list that a slip of the pen most likely meant, or null when none is close. */
export function nearest(word: string, known: readonly string[]): string | null {
  const lower = word.toLowerCase().slice(0, 60);
  const limit = Math.max(1, Math.floor(lower.length / 3));
  let best: { readonly candidate: string; readonly away: number } | null = null;
  for (const candidate of known) {
    // No fewer than the letters that one has more than the other.
    if (Math.abs(candidate.length - lower.length) > limit) continue;
    const away = distance(lower, candidate.toLowerCase());
    if (away <= limit && (best === null || away < best.away)) best = { candidate, away };
  }
  return best?.candidate ?? null;
}

/** How many letters have to be put in, left out or changed (Levenshtein). */
function distance(a: string, b: string): number {
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
