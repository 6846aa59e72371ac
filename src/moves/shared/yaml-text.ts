import { type Document, parseDocument } from 'yaml';

/** A YAML text with what it says. */
export interface YamlText {
  readonly document: Document;
  readonly value: unknown;
}

/**
 * Reads a YAML text as operators do (sigs.k8s.io/yaml): with merge keys. What is put into it stays text for them: `yes` gets quotes.
 * @returns `error` for what is no YAML, has an alias of nothing, or far too many of them
 */
export function readYaml(text: string): YamlText | { readonly error: string } {
  const document = parseDocument(text, { merge: true, compat: 'yaml-1.1' });
  const [wrong] = document.errors;
  if (wrong) return { error: firstLine(wrong) };
  try {
    return { document, value: document.toJS() };
  } catch (error) {
    return { error: firstLine(error) };
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
