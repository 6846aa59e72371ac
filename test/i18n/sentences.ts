/**
 * Lists all sentences of a table. Functions are called with texts, records and numbers; those that fail with all of
 * them are left out.
 */
export function listSentences(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'function') {
    const facts = new Proxy({}, { get: (_target, name) => (name === Symbol.toPrimitive ? () => 'X' : 'X') });
    for (const args of [Array(8).fill('X'), Array(8).fill(facts), Array(8).fill(2)])
      try {
        const result: unknown = value(...args);
        return listSentences(result);
      } catch {}
    return [];
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listSentences) : [];
}
