import { getAt, setAt } from './document.ts';
import { withDocument } from './editing.ts';
import { fieldText } from './fields.ts';
import type { Intent } from './intents.ts';
import { nodeFields } from './pages/nodes.ts';
import type { WizardState } from './state.ts';
import { textFieldOf } from './text-field.ts';
import { type Update, unchanged } from './update-result.ts';

type NodeIntent = Extract<Intent, { type: `node/${string}` }>;

/** The nodes of the document as they were typed. */
export function documentNodes(state: Pick<WizardState, 'document'>): readonly Record<string, unknown>[] {
  const nodes = getAt(state.document, 'nodes');
  if (!Array.isArray(nodes)) return [];
  return nodes.map((node: unknown) =>
    typeof node === 'object' && node !== null ? (node as Record<string, unknown>) : {},
  );
}

export function updateNodes(state: WizardState, intent: NodeIntent): Update {
  const nodes = documentNodes(state);
  const { row } = state.nodes;
  switch (intent.type) {
    case 'node/move':
      return unchanged({
        ...state,
        nodes: { ...state.nodes, row: clamp(row + intent.by, nodes.length) },
        notice: null,
      });
    case 'node/edit':
      return nodes.length === 0 ? unchanged(state) : unchanged(openEditor(state, row, false));
    case 'node/close':
      return close(state);
    case 'node/add':
      return inserted(state, nodes.length, {
        name: '',
        role: 'compute',
        ip: '',
        mac: '',
        vcpu: 2,
        memoryGiB: 8,
        diskGiB: 120,
        installDisk: '/dev/sda',
      });
    case 'node/duplicate': {
      const node = nodes[row];
      // What must be unique is left to be typed.
      return node ? inserted(state, row + 1, { ...node, name: '', ip: '', mac: '' }) : unchanged(state);
    }
    case 'node/delete': {
      if (!nodes[row]) return unchanged(state);
      const next = withDocument(state, setAt(state.document, `nodes.${row}`, undefined));
      return {
        state: { ...next, nodes: { row: clamp(row, nodes.length - 1), edit: null }, notice: null },
        effects: [{ type: 'save' }],
      };
    }
  }
}

/** Leaves the form; a node that was added and never filled in goes again. */
function close(state: WizardState): Update {
  const { row, edit } = state.nodes;
  const closed: WizardState = { ...state, nodes: { row, edit: null }, notice: null };
  const node = edit && documentNodes(state)[edit.index];
  const isBlank = node && edit.isNew && UNIQUE.every((key) => (node[key] ?? '') === '');
  return isBlank ? updateNodes(closed, { type: 'node/delete' }) : unchanged(closed);
}

/** What a node never shares with another, and therefore has to be typed. */
const UNIQUE = ['name', 'ip', 'mac'] as const;

function inserted(state: WizardState, index: number, node: Record<string, unknown>): Update {
  const nodes = [...documentNodes(state)];
  nodes.splice(index, 0, node);
  const next = withDocument(state, setAt(state.document, 'nodes', nodes));
  return { state: openEditor(next, index, true), effects: [{ type: 'save' }] };
}

function openEditor(state: WizardState, index: number, isNew: boolean): WizardState {
  const first = nodeFields[0];
  const node = documentNodes(state)[index];
  if (!first || !node) return state;
  return {
    ...state,
    nodes: { row: index, edit: { index, isNew, focus: 0, editor: textFieldOf(fieldText(node, first)) } },
    notice: null,
  };
}

function clamp(row: number, count: number): number {
  return Math.max(0, Math.min(row, count - 1));
}
