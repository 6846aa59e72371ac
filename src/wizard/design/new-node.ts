import { ROLES } from '../../design/model.ts';
import { type Document, setAt } from './document.ts';
import { newNode, type TypedNode, typedNodes, valuesAfter } from './node-table.ts';

/** What a new node is offered: what its role needs, and beside its peers the next name and address. Its MAC nobody can guess. */
export function offeredNode(document: Document, role: unknown): TypedNode {
  const nodes = typedNodes(document);
  const peer = nodes.findLast((node) => node.role === role);
  // The last place of a copy of the table, so that nothing of the design is passed over.
  const next = (fill: 'name' | 'ip') =>
    peer === undefined ? {} : (valuesAfter(document, peer, [nodes.length], fill)?.[0] ?? {});
  return newNode({ role: ROLES.find((known) => known === role) ?? 'compute', ...next('name'), ...next('ip') });
}

/** A new node of which nothing but what it was offered is there. */
export function isUntouched(document: Document, index: number): boolean {
  const node = typedNodes(document)[index];
  if (node === undefined) return false;
  const offered = offeredNode(setAt(document, `nodes.${index}`, undefined), node.role);
  return UNIQUE.every((key) => isSame(node[key] ?? '', offered[key]) || (node[key] ?? '') === '');
}

/** What a node never shares with another. */
const UNIQUE = ['name', 'ip', 'mac'] as const;

/** After a new node got another role: what it still has of the offer for the old role becomes the offer for the new one. */
export function offeredAnew(before: Document, after: Document, index: number): Document {
  const [old, node] = [typedNodes(before)[index], typedNodes(after)[index]];
  if (old === undefined || node === undefined || old.role === node.role) return after;
  const others = setAt(after, `nodes.${index}`, undefined);
  const [was, becomes] = [offeredNode(others, old.role), offeredNode(others, node.role)];
  const kept = Object.entries(becomes).filter(([key]) => isSame(node[key], was[key]));
  return setAt(after, `nodes.${index}`, { ...node, ...Object.fromEntries(kept) });
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
