import { ROLES } from '../../design/model.ts';
import { type DesignDocument, setAt } from './document.ts';
import { computeFillValues, createNode, readTypedNodes, type TypedNode } from './node-table.ts';

/**
 * Suggests a new node: the size of its role, and the next name and address after the other nodes of the role. A MAC
 * address cannot be suggested.
 */
export function suggestNode(document: DesignDocument, role: unknown): TypedNode {
  const nodes = readTypedNodes(document);
  const peer = nodes.findLast((node) => node.role === role);
  // Counts from the end of a copy of the table, so that no name or address of the design is used twice.
  const next = (fill: 'name' | 'ip') =>
    peer === undefined ? {} : (computeFillValues(document, peer, [nodes.length], fill)?.[0] ?? {});
  return createNode({ role: ROLES.find((known) => known === role) ?? 'compute', ...next('name'), ...next('ip') });
}

/** Whether a new node still has only suggested values. */
export function isUntouched(document: DesignDocument, index: number): boolean {
  const node = readTypedNodes(document)[index];
  if (node === undefined) return false;
  const suggested = suggestNode(setAt(document, `nodes.${index}`, undefined), node.role);
  return UNIQUE_KEYS.every((key) => isSame(node[key] ?? '', suggested[key]) || (node[key] ?? '') === '');
}

/** The keys whose values are unique to a node. */
const UNIQUE_KEYS = ['name', 'ip', 'mac'] as const;

/**
 * After the role of a new node changes: values that are still the suggestion for the old role become the suggestion for
 * the new one.
 */
export function updateSuggestion(before: DesignDocument, after: DesignDocument, index: number): DesignDocument {
  const [old, node] = [readTypedNodes(before)[index], readTypedNodes(after)[index]];
  if (old === undefined || node === undefined || old.role === node.role) return after;
  const others = setAt(after, `nodes.${index}`, undefined);
  const [oldSuggestion, newSuggestion] = [suggestNode(others, old.role), suggestNode(others, node.role)];
  const replaced = Object.entries(newSuggestion).filter(([key]) => isSame(node[key], oldSuggestion[key]));
  return setAt(after, `nodes.${index}`, { ...node, ...Object.fromEntries(replaced) });
}

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);
