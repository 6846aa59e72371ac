/** A string, or what Kea skips: comments of all three kinds, and a comma before a bracket that closes (Kea ARM, 4.1 "JSON syntax"). */
const SKIPPED = /("(?:[^"\\]|\\.)*")|\/\*[\s\S]*?\*\/|(?:\/\/|#).*$/gm;

/** The configuration in a file of Kea; null: it is none. */
export function keaFile(text: string): unknown {
  const plain = text.replaceAll(SKIPPED, '$1').replaceAll(/,(\s*[\]}])/g, '$1');
  try {
    return JSON.parse(plain);
  } catch {
    return null;
  }
}
