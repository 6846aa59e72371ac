import type { Topology } from '../../src/design/choices.ts';
import { createDocumentDraft, type Path } from '../../src/design/paths.ts';
import { exampleDocument } from '../support/example-document.ts';

/** Changes to a document: dotted path and new value (undefined removes the key). */
export type Changes = readonly (readonly [path: string, value: unknown])[];

/** Returns the example as plain data, with changes. */
export function exampleWith(changes: Changes, topology: Topology = 'standard'): unknown {
  return changes.reduce<unknown>((document, [path, value]) => {
    const keys = path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));
    return value === undefined ? withoutAt(document, keys) : withValueAt(document, keys, value);
  }, exampleDocument(topology));
}

/** Returns the keys of a dotted path. Numbers are list indexes. */
export const parsePath = (path: string) => path.split('.').map((key) => (/^\d+$/.test(key) ? Number(key) : key));

/** Returns a copy with the value at a path replaced. */
export function withValueAt(document: unknown, path: Path, value: unknown): unknown {
  const draft = createDocumentDraft(document);
  draft.set(path, value);
  return draft.current();
}

/** A copy without the key at the end of a path. */
export function withoutAt(document: unknown, path: Path): unknown {
  const draft = createDocumentDraft(document);
  draft.remove(path.slice(0, -1), path.slice(-1));
  return draft.current();
}
