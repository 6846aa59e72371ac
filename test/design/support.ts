import type { Topology } from '../../src/design/choices.ts';
import { setAt } from '../../src/design/paths.ts';
import { exampleDocument } from '../support/example-document.ts';

/** Changes to a document: dotted path and new value (undefined removes the key). */
export type Changes = readonly (readonly [path: string, value: unknown])[];

/** Returns the example as plain data, with changes. */
export function exampleWith(changes: Changes, topology: Topology = 'standard'): unknown {
  return changes.reduce<unknown>((document, [path, value]) => setAt(document, path, value), exampleDocument(topology));
}
