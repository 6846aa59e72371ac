import { type Document, isMap } from 'yaml';
import { isJsonObject } from '../edit.ts';
import { readYaml } from '../shared/yaml-text.ts';
import { diffFields, type FieldChange } from './field-change.ts';

type PreviousField = Omit<FieldChange, 'ours'>;

/** Parses the mapping of a YAML text; undefined for an empty or invalid text, or another type. */
export function parseYamlMapping(text: string | undefined): unknown {
  const read = readYaml(text ?? '');
  return 'value' in read && isJsonObject(read.value) ? read.value : undefined;
}

/** Lists the fields within a YAML text that differ from those of another. */
export function diffYaml(before: string | undefined, after: string): FieldChange[] {
  return diffFields(parseYamlMapping(before), parseYamlMapping(after));
}

/** Restores these fields in the text; everything else in it stays, comments too. */
export function restoreYamlFields(text: string, fields: readonly PreviousField[]): string {
  const read = readYaml(text);
  if ('error' in read) return text;
  const { document } = read;
  for (const field of fields) restoreInDocument(document, field);
  return document.toString({ lineWidth: 0 });
}

function restoreInDocument(document: Document, { path, before, depth }: PreviousField): void {
  if (before !== undefined) {
    document.setIn(path, document.createNode(before));
    return;
  }
  if (document.hasIn(path)) document.deleteIn(path);
  for (let length = path.length - 1; length > depth; length -= 1) {
    const parent: unknown = document.getIn(path.slice(0, length), true);
    if (isMap(parent) && parent.items.length === 0) document.deleteIn(path.slice(0, length));
  }
}
