import { parse } from 'yaml';

/** Texts whose meaning is kept: those of a cluster that change at all, and some that came before them. */
const KEPT = 16;
const known = new Map<string, () => unknown>();

/**
 * What a text of YAML says. Controllers read the same settings at each look: a text is read once.
 * @returns for reading only, as others get the same
 * @throws Error where it is no YAML
 */
export function settingsIn(text: string): unknown {
  const found = known.get(text) ?? readOnce(text);
  return found();
}

function readOnce(text: string): () => unknown {
  const said = outcomeOf(text);
  known.set(text, said);
  const [oldest] = known.keys();
  if (known.size > KEPT && oldest !== undefined) known.delete(oldest);
  return said;
}

function outcomeOf(text: string): () => unknown {
  try {
    const value: unknown = parse(text);
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
