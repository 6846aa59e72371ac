import { type Document, isMap } from 'yaml';
import { isFields } from '../edit.ts';
import { readYaml } from '../shared/yaml-text.ts';
import { changedFields, type Field } from './field.ts';

type FieldBefore = Omit<Field, 'ours'>;

/** What a YAML text says; undefined where it says nothing, or is no mapping. */
export function yamlOf(text: string | undefined): unknown {
  const read = readYaml(text ?? '');
  return 'value' in read && isFields(read.value) ? read.value : undefined;
}

/** The fields within a YAML text that differ from those of another. */
export function changedWithin(before: string | undefined, after: string): Field[] {
  return changedFields(yamlOf(before), yamlOf(after));
}

/** The text with these fields as they were before; what else is in it stays, comments too. */
export function withFieldsBack(text: string, fields: readonly FieldBefore[]): string {
  const read = readYaml(text);
  if ('error' in read) return text;
  const { document } = read;
  for (const field of fields) putBack(document, field);
  return document.toString({ lineWidth: 0 });
}

function putBack(document: Document, { path, before, depth }: FieldBefore): void {
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
