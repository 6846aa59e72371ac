/**
 * A string, or text that Kea ignores: comments of all three kinds, and a comma before a closing bracket (Kea ARM, 4.1
 * "JSON syntax").
 */
const STRING_OR_IGNORED = /("(?:[^"\\]|\\.)*")|\/\*[\s\S]*?\*\/|(?:\/\/|#).*$/gm;

/** Parses a configuration file of Kea; null if it is not valid. */
export function parseKeaConfig(text: string): unknown {
  const plain = text.replaceAll(STRING_OR_IGNORED, '$1').replaceAll(/,(\s*[\]}])/g, '$1');
  try {
    return JSON.parse(plain);
  } catch {
    return null;
  }
}
