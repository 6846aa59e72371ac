import { type Document, parseDocument } from 'yaml';

/** A YAML text, as parsed document and as plain value. */
export interface YamlText {
  readonly document: Document;
  readonly value: unknown;
}

/**
 * Reads a YAML text as operators do (sigs.k8s.io/yaml): with merge keys. Text that is added to it stays text for them:
 * `yes` gets quotes.
 * @returns `error` for invalid YAML, an alias without its anchor, or far too many aliases
 */
export function readYaml(text: string): YamlText | { readonly error: string } {
  const document = parseDocument(text, { merge: true, compat: 'yaml-1.1' });
  const [firstError] = document.errors;
  if (firstError) return { error: firstLine(firstError) };
  try {
    return { document, value: document.toJS() };
  } catch (error) {
    return { error: firstLine(error) };
  }
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}
