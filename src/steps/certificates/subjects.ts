// Subjects of the certificates step other than the name of a request, which contains no slash.

/** All requests that are expected now. */
export const ALL_EXPECTED = '/expected';

/**
 * Returns the subject for a node without any sign.
 * @param name its short name
 */
export function createMissingNodeSubject(name: string): string {
  return `/node/${name}`;
}
