// What a part of the certificates step is named by, beside the name of a request, which has no slash.

/** All requests that are expected now. */
export const ALL_EXPECTED = '/expected';

/** A node that nothing is heard of. @param name its short name */
export function missingSubject(name: string): string {
  return `/node/${name}`;
}
