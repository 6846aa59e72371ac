// The subjects of the certificates step, beside the name of a request, which has no slash.

/** All requests that are expected now. */
export const ALL_EXPECTED = '/expected';

/** A node without any sign. @param name its short name */
export function missingSubject(name: string): string {
  return `/node/${name}`;
}
