import { parse } from 'yaml';

/** Number of texts in the cache: all settings of a cluster that change, and some older ones. */
const MAX_ENTRIES = 16;
const cache = new Map<string, () => unknown>();

/**
 * Parses YAML. Controllers read the same settings in every cycle, so each text is parsed only once.
 * @returns a shared value that must not be changed
 * @throws Error if the text is no YAML
 */
export function parseCachedYaml(text: string): unknown {
  const found = cache.get(text) ?? addToCache(text);
  return found();
}

function addToCache(text: string): () => unknown {
  const result = parseText(text);
  cache.set(text, result);
  const [oldest] = cache.keys();
  if (cache.size > MAX_ENTRIES && oldest !== undefined) cache.delete(oldest);
  return result;
}

function parseText(text: string): () => unknown {
  try {
    const value: unknown = parse(text);
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
